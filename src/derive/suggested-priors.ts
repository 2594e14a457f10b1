/**
 * Weak priors to begin with, for parameters that have none: normal with scale 10, at the bound of a parameter with one bound. This scale is weak for
 * parameters on the unit scale ("Prior Choice Recommendations" of the Stan wiki); a comment asks to replace it.
 */
import type { Typed, TypedProgram } from '../check/typed.js';
import type { Constraint, SizedType } from '../syntax/ast.js';
import type { Edit } from './program-text.js';
import { stretchOf } from './symbols.js';

/** A statement to add to the model block, for one parameter. */
export interface SuggestedPrior {
  readonly name: string;
  readonly edit: Edit;
}

/** Priors at the start of the model block, for those parameters whose type has one. */
export function suggestedPriors({ tree }: TypedProgram, without: readonly string[]): readonly SuggestedPrior[] {
  const [first] = tree.model?.statements ?? [];
  if (first === undefined) return [];
  const { file, from } = stretchOf(first.span);
  const { offset, file: source } = first.span.begin;
  const line = source.text.slice(source.text.lastIndexOf('\n', offset - 1) + 1, offset);
  const next = /^\s*$/.test(line) ? `\n${line}` : '\n  ';
  return (tree.parameters?.statements ?? []).flatMap((declared) => {
    if (declared.kind !== 'declaration') return [];
    return declared.variables.flatMap(({ name: { name } }) => {
      const prior = without.includes(name) ? priorOf(name, declared.type) : undefined;
      if (prior === undefined) return [];
      const text = `${prior} // Replace 10 with the scale of plausible values.${next}`;
      return [{ name, edit: { at: { file, from, to: from }, text } }];
    });
  });
}

/** A statement for a variable; undefined for types without one. */
function priorOf(name: string, type: SizedType<Typed>): string | undefined {
  if (type.kind === 'array') {
    const { element, sizes } = type;
    if (element.kind === 'real') return statement(sizes.length === 1 ? name : `to_array_1d(${name})`, element);
    if (sizes.length > 1) return undefined;
    const each = `each_${name}`;
    const inner = priorOf(each, element);
    return inner && `for (${each} in ${name}) ${inner}`;
  }
  if (type.kind === 'real' || type.kind === 'vector' || type.kind === 'row_vector') return statement(name, type);
  return type.kind === 'matrix' ? statement(`to_vector(${name})`, type) : undefined;
}

function statement(variate: string, { constraint }: { readonly constraint: Constraint<Typed> }): string | undefined {
  const center = centerOf(constraint);
  return center === undefined ? undefined : `${variate} ~ normal(${center}, 10);`;
}

/** A bound that is a number, or 0; undefined if no normal distribution suits the constraint. */
function centerOf(constraint: Constraint<Typed>): string | undefined {
  if (/^(?:none|ordered|positive_ordered|sum_to_zero_vector|sum_to_zero_matrix)$/.test(constraint.kind)) return '0';
  const bound =
    constraint.kind === 'lower' ? constraint.lower : constraint.kind === 'upper' ? constraint.upper : undefined;
  if (bound === undefined) return undefined;
  const { begin, end } = bound.span;
  const text = begin.file.text.slice(begin.offset, end.offset);
  return /^-?\s*[\d.]+(?:e[+-]?\d+)?$/i.test(text) ? text : undefined;
}

/**
 * Fixes for data variables that are used as a different type: an integer covariate that is multiplied, or an outcome
 * that is a count.
 */

import { stretchOf } from '../derive/symbols.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { type Span, spanText } from '../source/span.js';
import type { Declaration, Program, SizedType } from '../syntax/ast.js';
import { visitProgram } from '../syntax/walk.js';
import type { Fix } from './fix.js';

/** Alternative declarations of the data variables in a type error. */
export function redeclarations({ span }: Pick<Diagnostic, 'span'>, tree: Program): readonly Fix[] {
  const named = namesWithin(span, tree);
  const effects = groupEffects({ span }, tree);
  if (effects.length > 0) return effects;
  return (tree.data?.statements ?? []).flatMap((statement) => {
    if (statement.kind !== 'declaration') return [];
    return statement.variables
      .filter(({ name }) => named.has(name.name))
      .flatMap(({ name }) => otherTypes(statement).map((type) => redeclared(statement, name.name, type)));
  });
}

/**
 * A fix for a coefficient that is multiplied by group codes, `b * group`: one effect per group. Group codes are ints
 * from 1 to a number of groups in the data, so their magnitude has no meaning.
 */
function groupEffects({ span }: Pick<Diagnostic, 'span'>, tree: Program): readonly Fix[] {
  const fixes: Fix[] = [];
  visitProgram(tree, {
    expression: (node) => {
      if (node.kind !== 'binary' || node.operator !== '*' || !isWithin(node.span, span)) return;
      for (const [one, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as const) {
        if (one.kind !== 'variable' || other.kind !== 'variable') continue;
        const groups = numberOfGroups(one.name, tree);
        const declared = coefficient(other.name, tree);
        if (groups === undefined || declared?.type.kind !== 'real') continue;
        const effect = `vector${boundsOf(declared.type)}[${groups}]`;
        const { edits } = redeclared(declared, other.name, effect);
        const use = { at: stretchOf(node.span), text: `${other.name}[${one.name}]` };
        fixes.push({ title: `Use ${one.name} as an index: ${use.text}`, edits: [...edits, use] });
      }
    },
    statement: () => undefined,
  });
  return fixes;
}

/**
 * The upper bound of group codes as written in the program; undefined if a data variable does not contain group codes.
 */
function numberOfGroups(name: string, { data }: Program): string | undefined {
  const type = declarationOf(name, data?.statements)?.type;
  if (type?.kind !== 'array' || type.sizes.length !== 1 || type.element.kind !== 'int') return undefined;
  const { constraint } = type.element;
  if (constraint.kind !== 'lower_upper' || constraint.upper.kind !== 'variable') return undefined;
  return spanText(constraint.lower.span) === '1' ? constraint.upper.name : undefined;
}

function coefficient(name: string, { parameters }: Program): Declaration | undefined {
  return declarationOf(name, parameters?.statements);
}

function declarationOf(name: string, statements: Statements = []): Declaration | undefined {
  for (const statement of statements) {
    if (statement.kind === 'declaration' && statement.variables.some((each) => each.name.name === name))
      return statement;
  }
  return undefined;
}

type Statements = NonNullable<Program['data']>['statements'];

function isWithin(inner: Span, { begin, end }: Span): boolean {
  return (
    inner.begin.file.name === begin.file.name && inner.begin.offset >= begin.offset && inner.end.offset <= end.offset
  );
}

function namesWithin(span: Span, tree: Program): ReadonlySet<string> {
  const names = new Set<string>();
  visitProgram(tree, {
    expression: (node) => {
      if (node.kind === 'variable' && isWithin(node.span, span)) names.add(node.name);
    },
    statement: () => undefined,
  });
  return names;
}

/** The other variables of the declaration keep their type in a separate declaration. */
function redeclared({ span, type, variables }: Declaration, name: string, other: string): Fix {
  const { file, offset } = span.begin;
  const others = variables.map((each) => each.name.name).filter((each) => each !== name);
  const [indentation = ''] = /[ \t]*$/.exec(file.text.slice(0, offset)) ?? [];
  const kept = others.length === 0 ? '' : `\n${indentation}${spanText(type.span)} ${others.join(', ')};`;
  return {
    title: `Declare ${name} as ${other}`,
    edits: [{ at: stretchOf(span), text: `${other} ${name};${kept}` }],
  };
}

/** Other types for the same numbers, with the same bounds. */
function otherTypes({ type }: Declaration): readonly string[] {
  switch (type.kind) {
    case 'array': {
      const { element, sizes } = type;
      if (element.kind !== 'int' && element.kind !== 'real') return [];
      const texts = sizes.map(({ span }) => spanText(span));
      const container = ['vector', 'matrix'][texts.length - 1];
      return container === undefined ? [] : [`${container}${boundsOf(element)}[${texts.join(', ')}]`];
    }
    case 'vector':
    case 'row_vector':
      return isBounded(type) ? [`array[${spanText(type.size.span)}] int${boundsOf(type)}`] : [];
    case 'real':
      return isBounded(type) ? [`int${boundsOf(type)}`] : [];
    default:
      return [];
  }
}

type Constrained = Exclude<SizedType, { readonly kind: 'array' | 'tuple' }>;

/** Whether an int may have this constraint. */
function isBounded({ constraint: { kind } }: Constrained): boolean {
  return ['none', 'lower', 'upper', 'lower_upper'].includes(kind);
}

/** `<lower=0>` as written; empty without bounds. */
function boundsOf({ constraint, span }: Constrained): string {
  if (constraint.kind === 'none') return '';
  const text = spanText(span);
  const bounds = ['lower' in constraint && constraint.lower, 'upper' in constraint && constraint.upper];
  const last = Math.max(...bounds.map((bound) => (bound === false ? 0 : bound.span.end.offset - span.begin.offset)));
  return text.slice(text.indexOf('<'), text.indexOf('>', last) + 1);
}

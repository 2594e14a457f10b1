import type { Span } from '../../source/span.js';
import { allowsMore, boundsOf, isOutside } from './bounds.js';
import { asNumber, type NumberTerm } from './numbers.js';
import { type Constraint, type ProgramOutline, readBy, withParts, withSteps } from './outline.js';
import * as sentences from './sentences.js';
import { REQUIREMENTS, type Requirement } from './supports.js';
import type { Warning } from './warning.js';

/** Known facts about an argument of a distribution. */
type Known =
  | { readonly kind: 'number'; readonly number: NumberTerm }
  | { readonly kind: 'parameter'; readonly name: string; readonly constraint: Constraint }
  | { readonly kind: 'opaque' };

interface Argument {
  readonly known: Known;
  readonly span?: Span;
}

/** A use of one of the library's distributions, by `~` or without its constants. */
export interface Distribution {
  readonly name: string;
  readonly span: Span;
  /** The variate first. */
  readonly arguments: readonly Argument[];
}

/** All distributions of the model and of the functions. */
export function distributionsOf(outline: ProgramOutline): readonly Distribution[] {
  const parameters = new Map(outline.parameters.map(({ name, constraint }) => [name, constraint]));
  const steps = [...outline.density, ...outline.functions.map(({ body }) => body)].flatMap(withSteps);
  return steps
    .flatMap(readBy)
    .flatMap(withParts)
    .flatMap((term): Distribution[] => {
      if (term.kind !== 'call' || term.callee.kind !== 'library' || !term.callee.dropsConstants) return [];
      if (term.span === undefined || !/_lp[dm]f$/.test(term.callee.name)) return [];
      const args = term.arguments.map((argument): Argument => {
        const { span } = argument;
        const constraint = argument.kind === 'name' ? parameters.get(argument.name) : undefined;
        const number = asNumber(argument);
        const known: Known =
          argument.kind === 'name' && constraint !== undefined
            ? { kind: 'parameter', name: argument.name, constraint }
            : number === undefined
              ? { kind: 'opaque' }
              : { kind: 'number', number };
        return { known, ...(span && { span }) };
      });
      return [{ name: term.callee.name.slice(0, -'_lpdf'.length), span: term.span, arguments: args }];
    });
}

/** Numbers far from 1, as arguments of distributions. */
export function unscaledConstants(distributions: readonly Distribution[]): readonly Warning[] {
  return distributions.flatMap((distribution) =>
    distribution.arguments.flatMap(({ known, span }) =>
      known.kind === 'number' && span !== undefined && isUnscaled(known.number.value)
        ? [{ span, message: sentences.unscaled(known.number.text) }]
        : [],
    ),
  );
}

function isUnscaled(value: number): boolean {
  const size = Math.abs(value);
  return value !== 0 && (size < 0.1 || size > 10);
}

/** Warnings about the arguments of one distribution. */
export function distributionWarnings(distribution: Distribution): readonly Warning[] {
  const requirements = Object.hasOwn(REQUIREMENTS, distribution.name) ? REQUIREMENTS[distribution.name] : [];
  return [
    ...requirements.flatMap((requirement) => mismatch(distribution, requirement)),
    ...uniformWarning(distribution),
    ...correlationWarning(distribution),
    ...gammaWarning(distribution),
  ];
}

function mismatch(
  { name, arguments: args }: Distribution,
  { position, role, demand }: Requirement,
): readonly Warning[] {
  const given = args[position];
  if (given?.span === undefined) return [];
  const { known, span } = given;
  if (known.kind === 'parameter' && allowsMore(known.constraint, demand.of)) {
    const message =
      position === 0
        ? sentences.variateConstraint(known.name, name, demand.name)
        : sentences.argumentConstraint(name, known.name, role, position, demand.name);
    return [{ span, message }];
  }
  if (known.kind === 'number' && isOutside(known.number.value, demand.of)) {
    const message =
      position === 0
        ? sentences.variateValue(known.number.text, name, demand.name)
        : sentences.argumentValue(name, known.number.text, role, position, demand.name);
    return [{ span, message }];
  }
  return [];
}

/** Warns about a uniform distribution unless it repeats the declared bounds of the parameter. */
function uniformWarning({ name, span, arguments: args }: Distribution): readonly Warning[] {
  const [variate, first, second] = args;
  if (name !== 'uniform' || variate?.known.kind !== 'parameter' || second === undefined) return [];
  const warning = [{ span, message: sentences.uniform(variate.known.name) }];
  const { lower, upper } = boundsOf(variate.known.constraint);
  if (lower === 'none' || upper === 'none') return warning;
  if (first.known.kind === 'number' && typeof lower === 'number') {
    return first.known.number.value === lower ? [] : warning;
  }
  if (second.known.kind === 'number' && typeof upper === 'number') {
    return second.known.number.value === upper ? [] : warning;
  }
  return [];
}

function correlationWarning({ name, span }: Distribution): readonly Warning[] {
  return name === 'lkj_corr' ? [{ span, message: sentences.correlation() }] : [];
}

/** Equal small shape and scale make strong priors that look like weak ones. */
function gammaWarning({ name, arguments: args }: Distribution): readonly Warning[] {
  const [, a, b] = args;
  if ((name !== 'gamma' && name !== 'inv_gamma') || a?.span === undefined) return [];
  if (a.known.kind !== 'number' || b?.known.kind !== 'number') return [];
  const { value } = a.known.number;
  return value === b.known.number.value && value < 1 ? [{ span: a.span, message: sentences.gamma() }] : [];
}

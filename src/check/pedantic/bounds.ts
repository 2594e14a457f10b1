import { asNumber } from './numbers.js';
import type { Constraint, Term } from './outline.js';
import type { Bound, Support } from './supports.js';

/** A declared bound: its number where that is known. */
type KnownBound = 'none' | 'unknown' | number;

export interface KnownBounds {
  readonly lower: KnownBound;
  readonly upper: KnownBound;
}

const NAMED_BOUNDS: Readonly<Record<string, KnownBounds>> = {
  simplex: { lower: 0, upper: 1 },
  column_stochastic_matrix: { lower: 0, upper: 1 },
  row_stochastic_matrix: { lower: 0, upper: 1 },
  positive_ordered: { lower: 0, upper: 'none' },
  unit_vector: { lower: -1, upper: 1 },
};

/** The bounds that a constraint sets on each element. */
export function boundsOf(constraint: Constraint): KnownBounds {
  switch (constraint.kind) {
    case 'bounds':
      return { lower: known(constraint.lower), upper: known(constraint.upper) };
    case 'named':
      return NAMED_BOUNDS[constraint.name] ?? { lower: 'none', upper: 'none' };
    case 'none':
      return { lower: 'none', upper: 'none' };
  }
}

function known(term: Term | undefined): KnownBound {
  return term === undefined ? 'none' : (asNumber(term)?.value ?? 'unknown');
}

/** Whether a constraint allows values outside of a distribution's support. */
export function allowsMore(constraint: Constraint, support: Support): boolean {
  if (support.kind === 'types') return !(constraint.kind === 'named' && support.types.includes(constraint.name));
  const { lower, upper } = boundsOf(constraint);
  return (
    (support.lower !== undefined && (lower === 'none' || (typeof lower === 'number' && lower < support.lower.value))) ||
    (support.upper !== undefined && (upper === 'none' || (typeof upper === 'number' && upper > support.upper.value)))
  );
}

/** Whether a number is outside; containers are not checked. */
export function isOutside(value: number, support: Support): boolean {
  if (support.kind === 'types') return false;
  return isBeyond(support.lower, value, -1) || isBeyond(support.upper, value, 1);
}

function isBeyond(bound: Bound | undefined, value: number, direction: 1 | -1): boolean {
  if (bound === undefined) return false;
  const distance = direction * (value - bound.value);
  return bound.isIncluded ? distance > 0 : distance >= 0;
}

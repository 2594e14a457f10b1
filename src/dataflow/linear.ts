import { INT_MAX, INT_MIN } from '../ir/integers.js';
import type { Expr } from '../ir/nodes.js';

/** The integers from `low` to `high`, inclusive. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export const ANY_INT: Interval = { low: INT_MIN, high: INT_MAX };

/** base + offset as unbounded integers, which do not wrap. A null base counts as 0. */
export interface Linear {
  readonly base: Expr | null;
  readonly offset: number;
}

/**
 * An int expression as base + offset. A sum is split only if it cannot exceed 32 bits, given the range of the base, so that what is proven
 * about base and offset holds for the computed value.
 */
export function linearOf(e: Expr, rangeOf: (base: Expr) => Interval): Linear {
  if (e.kind === 'const') return { base: null, offset: e.value };
  if (e.kind !== 'apply' || e.op !== 'add_int') return { base: e, offset: 0 };
  const [first, last] = e.args;
  if (last.kind !== 'const') return { base: e, offset: 0 };
  const { base, offset } = linearOf(first, rangeOf);
  const sum = offset + last.value;
  const { low, high } = base === null ? { low: 0, high: 0 } : rangeOf(base);
  return low + sum >= INT_MIN && high + sum <= INT_MAX ? { base, offset: sum } : { base: e, offset: 0 };
}

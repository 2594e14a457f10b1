import { INT_MAX } from '../ir/integers.js';
import { sameExpression } from '../ir/interned.js';
import type { Expr, Local } from '../ir/nodes.js';
import { ANY_INT, type Interval, type Linear, linearOf } from './linear.js';

/** Bounds of an int, such as the first and last value of a loop variable, or the declared bounds of data. */
export interface IntRange {
  readonly from?: Linear;
  readonly to?: Linear;
}

/** The value of an int expression as an unbounded integer. */
export function wholly(e: Expr): Linear {
  return { base: e, offset: 0 };
}

/**
 * Proves x ≤ y from known bounds of ints. The proofs treat ints as unbounded integers, so they assume nothing about a sum that may exceed
 * 32 bits and wrap.
 */
export abstract class Bounds {
  /** Intervals of stable locals, derived from their ranges on demand. */
  readonly #intervals = new Map<Local, Interval>();

  /** The known range of an int expression. */
  abstract rangeOf(e: Expr): IntRange | undefined;

  /** Whether the expression has the same value wherever a known range mentions it. */
  abstract isStable(e: Expr): boolean;

  abstract isNonNegative(e: Expr): boolean;

  /** Whether x ≤ y + `more` can be proven. */
  isAtMost(x: Expr, y: Expr, more = 0): boolean {
    const above = this.#boundsOf(x, 'to');
    const below = this.#boundsOf(y, 'from');
    return above.some((high) => below.some((low) => this.#isStableGap(high, low, more)));
  }

  /** Whether high ≤ low + `more`, if both are numbers or the same stable expression plus numbers. */
  #isStableGap(high: Linear, low: Linear, more: number): boolean {
    if (high.offset > low.offset + more) return false;
    if (high.base === null || low.base === null) return high.base === low.base;
    return this.isStable(high.base) && sameExpression(high.base, low.base);
  }

  /** Sums that bound an int expression from above (`to`) or below (`from`), starting with the expression itself. */
  #boundsOf(e: Expr, side: keyof IntRange): readonly Linear[] {
    const bounds: Linear[] = [];
    let rest: Linear | undefined = wholly(e);
    let distance = 0;
    while (rest !== undefined) {
      distance += rest.offset;
      if (rest.base === null) return [...bounds, { base: null, offset: distance }];
      const { base, offset } = linearOf(rest.base, (inner) => this.#intervalOf(inner));
      distance += offset;
      bounds.push({ base, offset: distance });
      if (base === null) return bounds;
      if (side === 'from' && this.isNonNegative(base)) bounds.push({ base: null, offset: distance });
      rest = this.rangeOf(base)?.[side];
    }
    return bounds;
  }

  /** An interval that contains the value of an int expression. */
  #intervalOf(e: Expr): Interval {
    const known = e.kind === 'get' ? this.#intervals.get(e.local) : undefined;
    if (known !== undefined) return known;
    const lows = this.#boundsOf(e, 'from').flatMap(({ base, offset }) => (base === null ? [offset] : []));
    // The greatest int bounds the difference.
    const highs = this.#boundsOf(e, 'to').map(({ base, offset }) => (base === null ? offset : INT_MAX + offset));
    const interval = { low: Math.max(ANY_INT.low, ...lows), high: Math.min(ANY_INT.high, ...highs) };
    if (e.kind === 'get' && this.isStable(e)) this.#intervals.set(e.local, interval);
    return interval;
  }
}

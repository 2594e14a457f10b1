import type { Interval } from '../ir/linear.js';
import type { Expr, Local, Ref } from '../ir/nodes.js';

/** What is known of an int: of a loop variable its first and last value, of data the declared bounds. */
export interface IntRange {
  readonly from?: Expr;
  readonly to?: Expr;
}

/** What is known of locals and containers; `bounds.ts` draws its conclusions from it. */
export class Knowledge {
  readonly ranges = new Map<Local, IntRange>();
  /** What follows from the ranges of stable locals, as far as it has been asked for. */
  readonly intervals = new Map<Local, Interval>();
  /** Bounds that every element of an int container keeps. */
  readonly elementRanges = new Map<Ref, IntRange>();
  /** Containers that take other sizes when a value is assigned to them while they are empty. */
  readonly resizable = new Set<Ref>();
  /** Locals that keep their value while they are in scope. */
  readonly stable = new Set<Local>();
  /** Stable ints known to be at least 0. */
  readonly nonNegative = new Set<Local>();
}

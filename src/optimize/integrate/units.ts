import type { Expr, IntegratedParameter } from '../../ir/nodes.js';

/** Long parameters whose elements with equal indexes depend on each other, given all other parameters. */
export interface Group {
  readonly units: readonly Unit[];
  /** Number of elements of each. */
  readonly size: Expr;
  /** For a single parameter whose elements depend on each other: the maximum difference of their indexes; otherwise 0. */
  readonly width: number;
}

/** The elements of a long or dense parameter, or one element of a short parameter. */
export interface Unit {
  readonly parameter: IntegratedParameter;
  /** Null for the elements of a long or dense parameter. */
  readonly element: number | null;
}

import type { Expr } from '../../ir/nodes.js';
import type { Unit } from './units.js';

/** What to do with a factorization A = L D L'. */
export interface Steps {
  /** Receives terms of the logarithm of the determinant: the logarithm of each element of D, or of several. */
  readonly factored: (logarithm: Expr) => void;
  /** An element of D⁻¹ y, or a normal variate with this mean and the variance D⁻¹. */
  readonly scaled: (value: Expr, pivot: Expr) => Expr;
  /** Receives each element of the solution x of L'x = D⁻¹ y, where L y = b. */
  readonly solved: (unit: Unit, index: Expr, value: Expr) => void;
}

/** Rows of L and elements of D and y. Columns of L belong to the rows before. */
export interface Factor {
  readonly rows: readonly (readonly Expr[])[];
  readonly pivots: readonly Expr[];
  readonly values: readonly Expr[];
}

import { int, ONE } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';

/** A linear form of a parameter in each row: Σ_k weight(row, k) · scale(k) · of[index(k)], for k below `columns`. */
export interface Product {
  /** The values of the parameter. */
  readonly of: Ref;
  readonly columns: Expr;
  readonly weight: (row: Expr, k: Expr) => Expr;
  readonly scale: (k: Expr) => Expr;
  readonly index: (k: Expr) => Expr;
}

/** Elements that are linear in those of a parameter of blocks: those of each block are a matrix times those of the parameter's block. */
export interface Face {
  /** The values of the parameter. */
  readonly of: Ref;
  /** Column-major, with `height` rows. */
  readonly matrix: Ref;
  readonly height: Expr;
}

/** The elements of the parameters to which a term belongs in one iteration: one element, or those of a product's row. */
export interface Axis {
  /** The index of the element or row in this iteration. */
  readonly at: Expr;
  /** Number of elements in all iterations. */
  readonly size: Expr;
  readonly product: Product | null;
  /** The index of each element among the coefficients. */
  readonly place: (k: Expr) => Expr;
}

export function scaleOf({ product }: Axis, k: Expr): Expr {
  return product?.scale(k) ?? ONE;
}

/** The axis of one element that is the same in all iterations. */
export function fixedAxis(place: Expr): Axis {
  return { at: int(0), size: int(1), product: null, place: () => place };
}

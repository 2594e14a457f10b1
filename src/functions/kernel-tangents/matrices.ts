/** Matrices in memory as functions of row and column. Derivatives of kernels are composed of them. */
import type { Builder } from '../../ir/builder.js';
import { add, compare, load, mul, select, sub, ZERO } from '../../ir/expressions.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import { place, scratch } from './kernel-tangent.js';

/** The element in a row and a column. */
export type Matrix = (i: Expr, j: Expr) => Expr;

/** The matrix with this number of rows at a pointer; zeros if the pointer is null. */
export function matrixAt(argument: KernelArgument | null, rows: Expr): Matrix {
  if (argument === null) return () => ZERO;
  const { ref, offset } = place(argument);
  return (i, j) => load(ref, add(offset, add(i, mul(j, rows))));
}

/** Writes a matrix with these numbers of rows and columns to a pointer, unless it is null. */
export function write(builder: Builder, to: KernelArgument | null, rows: Expr, columns: Expr, matrix: Matrix): void {
  if (to === null) return;
  const { ref, offset } = place(to);
  builder.each(columns, (j) =>
    builder.each(rows, (i) => builder.store(ref, add(offset, add(i, mul(j, rows))), matrix(i, j))),
  );
}

export const transposed =
  (matrix: Matrix): Matrix =>
  (i, j) =>
    matrix(j, i);

/** The lower triangle of a matrix, with zeros above the diagonal. */
export const lowerPart =
  (matrix: Matrix): Matrix =>
  (i, j) =>
    select(compare('ge', i, j), matrix(i, j), ZERO);

/** The product of two matrices with this inner size, computed per element. */
export function productOf(builder: Builder, inner: Expr, left: Matrix, right: Matrix): Matrix {
  return (i, j) => builder.sum(inner, (p) => mul(left(i, p), right(p, j)));
}

/** The product of an m × k and a k × n matrix, in memory. */
export function multiply(
  builder: Builder,
  [m, k, n]: readonly [Expr, Expr, Expr],
  left: Matrix,
  right: Matrix,
): Matrix {
  const out = scratch(builder, m, n);
  write(builder, out, m, n, productOf(builder, k, left, right));
  return matrixAt(out, m);
}

export const minus =
  (left: Matrix, right: Matrix): Matrix =>
  (i, j) =>
    sub(left(i, j), right(i, j));

/** A vector as a matrix with one row, or with one column. */
export function rowAt(argument: KernelArgument, isColumn = false): Matrix {
  const { ref, offset } = place(argument);
  return (i, j) => load(ref, add(offset, isColumn ? i : j));
}

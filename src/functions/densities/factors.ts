import type { Builder } from '../../ir/builder.js';
import { log, mul, square } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue } from '../../ir/value.js';

/** Σ of squares of all elements. */
export function sumOfSquares(builder: Builder, value: ContainerValue): Expr {
  const total = value.sizes.reduce(mul);
  return builder.sum(total, (i) => square(value.flat(i)));
}

/** Σ log of the diagonal: half the log determinant of the matrix that was factored. */
export function logDiagonal(builder: Builder, factor: ContainerValue): Expr {
  return builder.sum(factor.sizes[0], (i) => log(factor.at(i, i)));
}

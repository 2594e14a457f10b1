import type { Builder } from '../../ir/builder.js';
import { log, mul, square } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue } from '../../ir/value.js';

/** The sum of squares of all elements. */
export function sumOfSquares(builder: Builder, value: ContainerValue): Expr {
  const total = value.sizes.reduce(mul);
  return builder.sum(total, (i) => square(value.flat(i)));
}

/** The sum of the logarithms of the diagonal: half the log determinant of the factored matrix. */
export function logDiagonal(builder: Builder, factor: ContainerValue): Expr {
  return builder.sum(factor.sizes[0], (i) => log(factor.at(i, i)));
}

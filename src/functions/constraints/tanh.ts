import { add, div, exp, log1p, mul, ONE, oneSidedAbs, real, square, sub } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';

const decay = (y: Expr): Expr => exp(mul(real(-2), oneSidedAbs(y)));

/** The derivative of tanh, 1 - tanh² without cancellation: 4 e / (1 + e)², e = exp(-2 |y|). */
export function tanhSlope(y: Expr): Expr {
  const e = decay(y);
  return div(mul(real(4), e), square(add(ONE, e)));
}

/** The logarithm of `tanhSlope`, finite for every y. */
export function logTanhSlope(y: Expr): Expr {
  return mul(real(2), sub(sub(real(Math.LN2), oneSidedAbs(y)), log1p(decay(y))));
}

import type { Builder } from '../../ir/builder.js';
import { add, compare, mul, real, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';

/** Rejects the point if a pivot of the factorization has lost too many digits of its diagonal element. */
export function checkPivot(builder: Builder, pivot: Expr, diagonal: Expr): void {
  builder.check(compare('gt', pivot, mul(real(LEAST_SHARE), diagonal)), SINGULAR, [pivot]);
}

/** Rejects the point unless a factorization has succeeded. */
export function checkStatus(builder: Builder, hasSucceeded: Expr): void {
  builder.check(hasSucceeded, SINGULAR, [ZERO]);
}

const LEAST_SHARE = 1e-11;
const SINGULAR =
  'The conditional precision of the parameters that are integrated out is not positive definite: up to rounding errors, a pivot is {0}.';

export function total(terms: readonly Expr[]): Expr {
  return terms.reduce(add, ZERO);
}

import { add, call1, compare, div, exp, log, mul, neg, ONE, real, select, square, sub, ZERO } from './expressions.js';
import type { Expr } from './nodes.js';

const INV_SQRT_TWO_PI = real(0.3989422804014327);
const HALF = real(0.5);
/** Replaces greater bounds, whose squares would be infinite. */
const FAR = real(1e150);

/** The logarithm of the probability of an interval of the standard normal distribution, and its derivatives with respect to the ends. */
export interface NormalInterval {
  /** The outer end o; the value and both derivatives contain `normal_tail` of it. */
  readonly outer: Expr;
  readonly logarithm: Expr;
  readonly byLower: Expr;
  readonly byUpper: Expr;
}

/**
 * log(Phi(b) - Phi(a)) for a ≤ b, without cancellation. An interval whose ends are both positive is reflected, so that the outer end o and
 * the inner end i satisfy o ≤ i and o ≤ 0. With t(x) = exp(x²/2) Phi(-|x|), p = Phi(i) - Phi(o) is
 *
 *     exp(-i²/2) (t(i) - exp((i² - o²)/2) t(o))           i ≤ 0
 *     1 - exp(-o²/2) t(o) - exp(-i²/2) t(i)               i > 0
 *
 * and the derivatives of log p are the densities at the ends over p. For i ≤ 0, the logarithm is computed from the factor in parentheses,
 * which may be as small as 1e-100. For i > 0, let 1 - s be p and u its rounded value: log p is log(u) - (u - 1 + s)/u, which keeps the
 * digits of a small s (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, problem 1.5). Value and derivatives share both t,
 * both exponentials and p.
 */
export function normalInterval(a: Expr, b: Expr): NormalInterval {
  const [lower, upper] = [bounded(a), bounded(b)];
  const isAbove = compare('gt', lower, ZERO);
  const outer = select(isAbove, neg(upper), lower);
  const inner = select(isAbove, neg(lower), upper);
  const isBelow = compare('le', inner, ZERO);
  const halfSquare = mul(HALF, square(inner));
  const between = mul(HALF, mul(sub(inner, outer), add(inner, outer)));
  const outerDensity = exp(select(isBelow, between, neg(mul(HALF, square(outer)))));
  const innerDensity = exp(select(isBelow, ZERO, neg(halfSquare)));
  const innerTail = call1('normal_tail', inner);
  const outerPart = mul(outerDensity, call1('normal_tail', outer));
  const outside = add(outerPart, mul(innerDensity, innerTail));
  const part = sub(innerTail, outerPart);
  const scale = select(isBelow, part, sub(ONE, outside));
  const scaled = div(INV_SQRT_TWO_PI, scale);
  const lost = select(isBelow, ZERO, add(sub(scale, ONE), outside));
  return {
    outer,
    logarithm: sub(sub(log(scale), div(lost, scale)), select(isBelow, halfSquare, ZERO)),
    byLower: neg(mul(scaled, select(isAbove, innerDensity, outerDensity))),
    byUpper: mul(scaled, select(isAbove, outerDensity, innerDensity)),
  };
}

function bounded(x: Expr): Expr {
  const above = select(compare('lt', x, neg(FAR)), neg(FAR), x);
  return select(compare('gt', above, FAR), FAR, above);
}

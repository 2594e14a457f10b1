import type { Builder } from '../ir/builder.js';
import {
  add,
  and,
  call1,
  compare,
  div,
  isNan,
  mul,
  neg,
  not,
  ONE,
  or,
  real,
  select,
  square,
  sub,
  ZERO,
} from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';

/** B(2k) of the asymptotic series ψ'(x) ~ 1/x + 1/(2x²) + Σ B(2k) / x^(2k+1). Abramowitz and Stegun 6.4.12. */
const BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6];
const SHIFT = 10;

/**
 * Trigamma as a formula, so that it can be differentiated: the recurrence up to x + 10 and the asymptotic series there;
 * below 0.5 by reflection.
 */
export function trigamma(x: Expr): Expr {
  const reflected = compare('lt', x, real(0.5));
  const z = select(reflected, sub(ONE, x), x);
  let sum: Expr = ZERO;
  for (let k = 0; k < SHIFT; k++) sum = add(sum, div(ONE, square(add(z, real(k)))));
  const inverse = div(ONE, add(z, real(SHIFT)));
  const inverseSquare = square(inverse);
  const series = BERNOULLI.reduceRight<Expr>((rest, b) => mul(inverseSquare, add(real(b), rest)), ZERO);
  const value = add(sum, mul(inverse, add(ONE, add(mul(real(0.5), inverse), series))));
  const sine = call1('sin', mul(real(Math.PI), x));
  return select(reflected, sub(div(real(Math.PI ** 2), square(sine)), value), value);
}

/** The inverse of erfc through the normal quantile. */
export function invErfc(x: Expr, builder: Builder): Expr {
  const inside = and(compare('ge', x, ZERO), compare('le', x, real(2)));
  builder.check(
    or(isNan(x), inside),
    'Error in function boost::math::erfc_inv<double>(double, double): Argument outside range [0,2] in inverse erfc function (got p={0}).',
    [x],
  );
  return mul(real(-Math.SQRT1_2), call1('inv_Phi', mul(real(0.5), x)));
}

/** Below this log probability the quantile is found by Newton's method, above it through the probability itself. */
const TINY_LOG_PROBABILITY = -30;
const NEWTON_STEPS = 4;

/** The normal quantile of exp(p). */
export function normalQuantileOfLog(p: Expr, builder: Builder): Expr {
  builder.check(not(isNan(p)), 'std_normal_log_qf: Log probability variable is {0}, but must be not nan!', [p]);
  const must = 'std_normal_log_qf: Probability variable is {0}, but must be less than or equal to 0.000000';
  builder.check(compare('le', p, ZERO), must, [p]);
  const isTiny = compare('lt', p, real(TINY_LOG_PROBABILITY));
  const tiny = select(isTiny, p, real(TINY_LOG_PROBABILITY));
  const twice = mul(real(-2), tiny);
  let x: Expr = neg(call1('sqrt', sub(twice, call1('log', mul(real(2 * Math.PI), twice)))));
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const value = call1('log_Phi', x);
    const slope = call1('exp', sub(add(mul(real(-0.5), square(x)), real(-0.5 * Math.log(2 * Math.PI))), value));
    x = sub(x, div(sub(value, tiny), slope));
  }
  const isUpper = compare('gt', p, real(-Math.LN2));
  const moderate = select(isTiny, real(-1), p);
  const probability = select(isUpper, neg(call1('expm1', moderate)), call1('exp', moderate));
  const quantile = call1('inv_Phi', probability);
  const middle = select(isUpper, neg(quantile), quantile);
  const isZero = compare('eq', p, real(Number.NEGATIVE_INFINITY));
  return select(isZero, real(Number.NEGATIVE_INFINITY), select(isTiny, x, middle));
}

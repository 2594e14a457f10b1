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
  or,
  real,
  select,
  square,
  sub,
  ZERO,
} from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';

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

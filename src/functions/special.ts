import type { Builder } from '../ir/builder.js';
import { and, call1, compare, isNan, mul, not, or, real, ZERO } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';

/** The inverse of erfc, computed from the normal quantile. */
export function invErfc(x: Expr, builder: Builder): Expr {
  const inside = and(compare('ge', x, ZERO), compare('le', x, real(2)));
  builder.check(
    or(isNan(x), inside),
    'Error in function boost::math::erfc_inv<double>(double, double): Argument outside range [0,2] in inverse erfc function (got p={0:17}).',
    [x],
  );
  const isInside = and(compare('ne', x, ZERO), compare('ne', x, real(2)));
  builder.check(isInside, 'Error in function boost::math::erfc_inv<double>(double, double): Overflow Error', []);
  return mul(real(-Math.SQRT1_2), call1('inv_Phi', mul(real(0.5), x)));
}

/** The normal quantile of exp(p). */
export function normalQuantileOfLog(p: Expr, builder: Builder): Expr {
  builder.check(not(isNan(p)), 'std_normal_log_qf: Log probability variable is {0}, but must be not nan!', [p]);
  const must = 'std_normal_log_qf: Probability variable is {0}, but must be less than or equal to 0.000000';
  builder.check(compare('le', p, ZERO), must, [p]);
  return call1('inv_log_Phi', p);
}

/** The w ≥ -1 with w eʷ = x. */
export function lambertW0(x: Expr, builder: Builder): Expr {
  const place = 'Error in function boost::math::lambert_w0<double>';
  builder.check(not(isNan(x)), `${place}: Expected a value > -e^-1 (-0.367879...) but got {0:17}.`, [x]);
  const must = `${place}: Expected z >= -e^-1 (-0.367879...) but got {0:17}.`;
  builder.check(compare('ge', x, real(-Math.exp(-1))), must, [x]);
  return call1('lambert_w0', x);
}

/** The w ≤ -1 with w eʷ = x. */
export function lambertWm1(x: Expr, builder: Builder): Expr {
  const place = 'Error in function boost::math::lambert_wm1<RealType>(<RealType>)';
  const outside = `${place}: Argument z = {0:17} is out of range`;
  builder.check(not(isNan(x)), `${place}: Argument z is NaN!`, []);
  const above = `${outside} (z <= 0) for Lambert W-1 branch! (Try Lambert W0 branch?)`;
  builder.check(compare('le', x, ZERO), above, [x]);
  const below = `${outside} (z < -exp(-1) = -3.6787944... <= 0) for Lambert W-1 (or W0) branch!`;
  builder.check(compare('ge', x, real(-Math.exp(-1))), below, [x]);
  return call1('lambert_wm1', x);
}

// The distribution function of Student's t by its logarithm: the tail is half an incomplete beta function (DLMF 8.17), linear in the
// middle and a power far out.
import { exp } from './exponential';
import { digamma_rise, lgamma_rise } from './gamma-rise';
import { complement } from './incomplete-common';
import { log_inc_beta } from './incomplete-beta';
import { log, log1p } from './logarithm';

const LN2: f64 = 0.6931471805599453;
const LOG_PI: f64 = 1.1447298858494002;
const LINEAR: f64 = 1e-9;
const FAR: f64 = 1e100;

/** log of the density at t of nu degrees of freedom. */
function logDensity(t: f64, nu: f64): f64 {
  return lgamma_rise(0.5 * nu, 0.5) - 0.5 * (log(nu) + LOG_PI) - (0.5 * nu + 0.5) * log1p((t * t) / nu);
}

/** log P(T ≤ -t), t ≥ 0: the value (part 0), its derivative by t (part 1) and by nu (part 2). */
function tail(part: i32, t: f64, nu: f64): f64 {
  const root = sqrt<f64>(nu);
  if (t < LINEAR * min<f64>(1.0, root)) {
    // P = ½ - t f(0)
    const middle = exp(logDensity(0.0, nu));
    if (part == 0) return log1p(-2.0 * t * middle) - LN2;
    const rest = 0.5 - t * middle;
    if (part == 1) return -middle / rest;
    return (-t * middle * 0.5 * (digamma_rise(0.5 * nu, 0.5) - 1.0 / nu)) / rest;
  }
  const far = FAR * max<f64>(1.0, root);
  if (t > far) {
    if (part == 0) return tail(0, far, nu) - nu * log(t / far);
    return part == 1 ? -nu / t : tail(2, far, nu) - log(t / far);
  }
  const ratio = t / root;
  const square = ratio * ratio;
  const x = 1.0 / (1.0 + square);
  const y = ratio < 1.0 ? square * x : 1.0 / (1.0 + 1.0 / square);
  const a = 0.5 * nu;
  if (part == 0) return log_inc_beta(0, a, 0.5, x, y) - LN2;
  const byX = log_inc_beta(3, a, 0.5, x, y) * x * y;
  return part == 1 ? (-2.0 * byX) / t : 0.5 * log_inc_beta(1, a, 0.5, x, y) + byX / nu;
}

/** log P(T ≤ t) of Student's t with nu degrees of freedom (part 0), its derivative by t (part 1) and by nu (part 2). */
export function student_t_below(part: i32, t: f64, nu: f64): f64 {
  if (t <= 0.0) return part == 1 ? -tail(1, -t, nu) : tail(part, -t, nu);
  const other = tail(0, t, nu);
  return complement(part, other, part == 0 ? other : tail(part, t, nu));
}

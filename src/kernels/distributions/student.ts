// The distribution function of Student's t, computed as its logarithm, and its inverse: the tail is half an incomplete beta function (DLMF 8.17),
// linear in t near 0 and a power of t far from it.
import { inv_Phi } from '../special/error';
import { exp, expm1 } from '../elementary/exponential';
import { digamma_rise, lgamma_rise } from '../special/gamma-rise';
import { complement } from '../special/incomplete-common';
import { log_inc_beta } from '../special/incomplete-beta';
import { log, log1p } from '../elementary/logarithm';

const LN2: f64 = 0.6931471805599453;
const LOG_PI: f64 = 1.1447298858494002;
const LOG_2PI: f64 = 1.8378770664093453;
const LINEAR: f64 = 1e-9;
const FAR: f64 = 1e100;

/** Above this ratio of t to sqrt(nu), only its square matters, which may overflow. */
const STEEP: f64 = 1e10;

/** log of the density at t with nu degrees of freedom; that of the normal distribution for infinite nu. */
function logDensity(t: f64, nu: f64): f64 {
  if (nu == Infinity) return -0.5 * (t * t + LOG_2PI);
  const ratio = abs<f64>(t) / sqrt<f64>(nu);
  const spread = ratio > STEEP ? 2.0 * log(ratio) : log1p(ratio * ratio);
  return lgamma_rise(0.5 * nu, 0.5) - 0.5 * (log(nu) + LOG_PI) - (0.5 * nu + 0.5) * spread;
}

/** log P(T ≤ -t), t ≥ 0: the value (part 0), its derivatives with respect to t (part 1) and nu (part 2). */
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

/** log P(T ≤ t) of Student's t with nu degrees of freedom (part 0), its derivatives with respect to t (part 1) and nu (part 2). */
export function student_t_below(part: i32, t: f64, nu: f64): f64 {
  if (t <= 0.0) return part == 1 ? -tail(1, -t, nu) : tail(part, -t, nu);
  const other = tail(0, t, nu);
  return complement(part, other, part == 0 ? other : tail(part, t, nu));
}

/** log P(|T| ≤ t), t > 0: the value (part 0), its derivatives with respect to t (part 1) and nu (part 2). Accurate for small t. */
function middle(part: i32, t: f64, nu: f64): f64 {
  const ratio = t / sqrt<f64>(nu);
  const square = ratio * ratio;
  const x = 1.0 / (1.0 + square);
  const y = square * x;
  const a = 0.5 * nu;
  if (part == 0) return log_inc_beta(0, 0.5, a, y, x);
  const byY = log_inc_beta(3, 0.5, a, y, x) * x * y;
  return part == 1 ? (2.0 * byY) / t : 0.5 * log_inc_beta(2, 0.5, a, y, x) - byY / nu;
}

/** Below this ratio of z² + 1 to nu, five terms of the expansion about the normal quantile z give full accuracy. */
const NEARLY_NORMAL: f64 = 4e-3;

/** The quantile (part 0), or its derivative with respect to nu, from the normal quantile z (Abramowitz and Stegun, 26.7.5). */
function expansion(part: i32, z: f64, nu: f64): f64 {
  const s = z * z;
  const first = 0.25 * (s + 1.0);
  const second = ((5.0 * s + 16.0) * s + 3.0) / 96.0;
  const third = (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0;
  const fourth = ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0;
  const r = 1.0 / nu;
  if (part == 0) return z + z * r * (first + r * (second + r * (third + r * fourth)));
  return -z * r * r * (first + r * (2.0 * second + r * (3.0 * third + r * 4.0 * fourth)));
}

/** The normal quantile whose expansion is t: two steps of Newton's method about its inverse. */
function normalOf(t: f64, nu: f64): f64 {
  let z = t - (0.25 * t * (t * t + 1.0)) / nu;
  for (let i = 0; i < 3; i++) {
    const slope = 1.0 + (0.25 * (3.0 * z * z + 1.0)) / nu;
    z -= (expansion(0, z, nu) - t) / slope;
  }
  return z;
}

/** Newton's method ends after a step below this: the next step would be about its square. */
const LAST_STEP: f64 = 1e-9;
const MAX_STEPS: i32 = 100;

/**
 * The t at which the distribution function of Student's t with nu degrees of freedom is p: Newton's method for the logarithm of the tail or of
 * the middle as a function of log t, which is concave, so that the iteration is monotone after its first step.
 */
export function student_t_quantile(p: f64, nu: f64): f64 {
  if (!(nu > 0.0 && p >= 0.0 && p <= 1.0)) return NaN;
  if (p == 0.0) return -Infinity;
  if (p == 1.0) return Infinity;
  if (p == 0.5) return 0.0;
  const sign = p < 0.5 ? -1.0 : 1.0;
  const q = p < 0.5 ? p : 1.0 - p;
  const z = -inv_Phi(q);
  if (z * z + 1.0 < NEARLY_NORMAL * nu) return sign * expansion(0, z, nu);
  const root = sqrt<f64>(nu);
  const logPeak = logDensity(0.0, nu);
  const inner = 1.0 - 2.0 * q;
  const linear = (0.5 * inner) / exp(logPeak);
  const isMiddle = q >= 0.25 && linear < root;
  let t = linear;
  if (!isMiddle) {
    // the power law of the tail is an upper bound; the other one is the normal approximation of Wallace (Ann. Math. Statist. 30, 1959)
    const power = exp((logPeak + 0.5 * (nu - 1.0) * log(nu) - log(q)) / nu);
    const scaled = (z * (8.0 * nu + 3.0)) / (8.0 * nu + 1.0);
    t = min<f64>(power, root * sqrt<f64>(expm1((scaled * scaled) / nu)));
  }
  const target = isMiddle ? log(inner) : log(q);
  for (let i = 0; i < MAX_STEPS && t < Infinity; i++) {
    const excess = (isMiddle ? middle(0, t, nu) : tail(0, t, nu)) - target;
    const step = -excess / (t * (isMiddle ? middle(1, t, nu) : tail(1, t, nu)));
    t *= exp(step);
    if (!(abs<f64>(step) > LAST_STEP)) break;
  }
  return sign * t;
}

/** The derivative of the quantile t of Student's t with respect to the probability (part 1) and nu (part 2). */
export function student_t_quantile_slope(part: i32, t: f64, nu: f64): f64 {
  if (part == 1) return exp(-logDensity(t, nu));
  const size = abs<f64>(t);
  if (size == 0.0) return 0.0;
  const sign = t < 0.0 ? -1.0 : 1.0;
  if (size * size + 1.0 < NEARLY_NORMAL * nu) return sign * expansion(1, normalOf(size, nu), nu);
  const change = size < sqrt<f64>(nu) && size < 0.5 ? middle(2, size, nu) / middle(1, size, nu) : tail(2, size, nu) / tail(1, size, nu);
  return -sign * change;
}

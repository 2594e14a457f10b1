// Inverse functions by iteration: of the incomplete beta function, of log Φ and of x e^x.
import { inv_Phi, log_Phi } from './error';
import { exp, expm1, LN2 } from '../elementary/exponential';
import { lbeta } from './gamma-rise';
import { inc_beta } from './incomplete-beta';
import { log, log1p } from '../elementary/logarithm';

const LOG_SQRT_TWO_PI: f64 = 0.9189385332046728;
const STEPS: i32 = 200;

/** x with I_x(a, b) = p: Newton's method kept within a shrinking bracket. */
export function inv_inc_beta(a: f64, b: f64, p: f64): f64 {
  if (!(a > 0.0 && b > 0.0 && p >= 0.0 && p <= 1.0)) return NaN;
  if (p == 0.0 || p == 1.0) return p;
  const constant = lbeta(a, b);
  let low: f64 = 0.0;
  let high: f64 = 1.0;
  // The first term of the power series approximates a small x.
  let x = min<f64>(exp((log(p) + log(a) + constant) / a), a / (a + b));
  // The inverse is below the least double.
  if (x == 0.0) return 0.0;
  for (let i = 0; i < STEPS; i++) {
    const excess = inc_beta(a, b, x) - p;
    if (excess == 0.0) break;
    if (excess > 0.0) high = x;
    else low = x;
    const density = exp((a - 1.0) * log(x) + (b - 1.0) * log1p(-x) - constant);
    let next = x - excess / density;
    if (!(next > low && next < high)) next = low == 0.0 && high < 1e-3 ? 1e-3 * high : 0.5 * (low + high);
    if (abs<f64>(next - x) <= 2e-16 * x) return next;
    x = next;
  }
  return x;
}

/** x with log Φ(x) = p, p ≤ 0: Stan's std_normal_log_qf. Newton's method for log Φ if Φ itself would lose digits or underflow. */
export function inv_log_Phi(p: f64): f64 {
  if (!(p <= 0.0)) return NaN;
  if (p == -Infinity) return p;
  if (p == 0.0) return Infinity;
  // By symmetry from the other tail, for which 1 - e^p keeps all digits.
  if (p > -LN2) return -inv_log_Phi(log(-expm1(p)));
  let x = p > -700.0 ? inv_Phi(exp(p)) : -sqrt<f64>(-2.0 * (p + LOG_SQRT_TWO_PI + 0.5 * log(-2.0 * p)));
  for (let i = 0; i < STEPS; i++) {
    const value = log_Phi(x);
    // d log Φ/dx = φ(x)/Φ(x)
    const slope = exp(-0.5 * x * x - LOG_SQRT_TWO_PI - value);
    const step = (value - p) / slope;
    x -= step;
    if (!(abs<f64>(step) > 1e-15 * abs<f64>(x))) break;
  }
  return x;
}

/** Halley's iteration for w e^w = x. */
function lambert(x: f64, w: f64): f64 {
  for (let i = 0; i < STEPS; i++) {
    const e = exp(w);
    const excess = w * e - x;
    const next = w + 1.0;
    const step = excess / (e * next - (0.5 * (w + 2.0) * excess) / next);
    if (isNaN<f64>(step)) break;
    w -= step;
    if (abs<f64>(step) <= 1e-16 * (1.0 + abs<f64>(w)) || abs<f64>(step) < 4e-16 * abs<f64>(w)) break;
  }
  return w;
}

/** Newton's iteration for w + log |w| = l, so that e^w neither underflows nor overflows. */
function lambertOfLog(l: f64, w: f64): f64 {
  for (let i = 0; i < STEPS; i++) {
    const step = (w - l + log(abs<f64>(w))) / (1.0 + 1.0 / w);
    w -= step;
    if (abs<f64>(step) <= 2e-16 * abs<f64>(w)) break;
  }
  return w;
}

const BRANCH: f64 = -0.36787944117144233;
/** -1/e - BRANCH */
const BRANCH_LOW: f64 = 1.2428753672788363e-17;

/** √(2 (e x + 1)), with 1/e as the sum of two doubles. */
function fromBranch(x: f64): f64 {
  return sqrt<f64>(2.0 * 2.718281828459045 * max<f64>(0.0, x - BRANCH - BRANCH_LOW));
}

/** W about its branch point as a series in p = ±√(2 (e x + 1)) (Corless et al., Adv. Comput. Math. 5, 1996). */
function nearBranch(p: f64): f64 {
  const fourth = 0.07962962962962963 - p * (0.04450231481481481 - p * (0.02598471487360376 - p * 0.015635632532333921));
  return -1.0 + p * (1.0 - p * (0.3333333333333333 - p * (0.1527777777777778 - p * fourth)));
}

/** Principal branch of Lambert's W, x ≥ -1/e; NaN below. */
export function lambert_w0(x: f64): f64 {
  if (!(x >= BRANCH)) return NaN;
  if (x == Infinity || x == 0.0) return x;
  if (x < -0.25) {
    const p = fromBranch(x);
    return p < 1e-2 ? nearBranch(p) : lambert(x, nearBranch(p));
  }
  if (x < 3.0) return lambert(x, log1p(x) * (1.0 - 0.3 * (x > 0.0 ? x / (1.0 + x) : 0.0)));
  const l = log(x);
  return lambertOfLog(l, l - log(l));
}

/** The branch of Lambert's W below -1, -1/e ≤ x < 0; NaN elsewhere. */
export function lambert_wm1(x: f64): f64 {
  if (!(x >= BRANCH && x <= 0.0)) return NaN;
  if (x == 0.0) return -Infinity;
  if (x < -0.25) {
    const p = -fromBranch(x);
    return p > -1e-2 ? nearBranch(p) : lambert(x, nearBranch(p));
  }
  const l = log(-x);
  return lambertOfLog(l, l - log(-l));
}

/** x with erfc x = p, 0 ≤ p ≤ 2. */
export function inv_erfc(p: f64): f64 {
  return -0.7071067811865476 * inv_Phi(0.5 * p);
}

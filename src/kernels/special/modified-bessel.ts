// Modified Bessel functions. Power series where all terms have the same sign, Hankel's expansion for large arguments and Debye's
// for large orders (Abramowitz and Stegun, chapter 9); K₀ and K₁ beyond 2 by Steed's continued fraction (Temme, J. Comput.
// Phys. 19, 1975).
import { exp, LN2 } from '../elementary/exponential';
import { digamma, lgamma } from './gamma';
import { asinh } from '../elementary/hyperbolic';
import { log, log1p } from '../elementary/logarithm';
import { STEPS, scratch } from '../linear-algebra/scratch';

const PI: f64 = 3.141592653589793;
const LOG_TWO_PI: f64 = 1.8378770664093453;
const EULER: f64 = 0.5772156649015329;
const PRECISION: f64 = 1e-17;
const HANKEL_FROM: f64 = 25.0;
/** The largest order for which K_v is computed by recurrence. */
const MOST_STEPS: i64 = 100000;
/** 2^600 */
const LARGE: f64 = 4.149515568880993e180;
const LOG_LARGE: f64 = 415.88830833596717;

/** log Σ (x/2)^2k / (k! (v+1)_k), x < 700. */
function logSeries(v: f64, x: f64): f64 {
  const z = 0.25 * x * x;
  let term: f64 = 1.0;
  let total: f64 = 0.0;
  for (let k: f64 = 1.0; k < 10000.0; k += 1.0) {
    term *= z / (k * (v + k));
    total += term;
    if (term < total * PRECISION) break;
  }
  return log1p(total);
}

/** log(x/2), x > 0; half of the smallest number is 0. */
@inline
function logHalf(x: f64): f64 {
  return x < 1e-300 ? log(x) - LN2 : log(0.5 * x);
}

/** Whether the reciprocals of k (k + v) have been computed, k = 1 … 48, for the orders 0 and 1. */
let hasSteps: bool = false;

function fillSteps(): void {
  for (let k = 0; k < 48; k++) {
    const n = <f64>(k + 1);
    store<f64>(scratch + STEPS + (k << 3), 1.0 / (n * n));
    store<f64>(scratch + STEPS + 384 + (k << 3), 1.0 / (n * (n + 1.0)));
  }
  hasSteps = true;
}

/**
 * The power series of I₀(x) or of I₁(x) / (x/2), minus 1, for 0 < x <= 20 (A & S 9.6.10); at 20 the 48th term is below 1e-22 of the sum.
 */
function lowOrderSeries(order: i32, x: f64): f64 {
  if (!hasSteps) fillSteps();
  const z = 0.25 * x * x;
  let step = scratch + STEPS + (order == 0 ? 0 : 384);
  let term: f64 = 1.0;
  let total: f64 = 0.0;
  do {
    term *= z * load<f64>(step);
    total += term;
    step += 8;
  } while (term > total * PRECISION);
  return total;
}

/** log I₀(x) or log I₁(x) for 0 < x <= 20. */
function logLowOrder(order: i32, x: f64): f64 {
  const series = log1p(lowOrderSeries(order, x));
  return order == 0 ? series : series + logHalf(x);
}

/** The logarithm of the sum in Debye's expansion, whose terms have the same sign for I_v and alternate for K_v. */
function debyeRest(v: f64, x: f64, sign: f64 = 1.0): f64 {
  const size = 1.0 / sqrt<f64>(v * v + x * x);
  const r = sign * size;
  const t2 = v * r * (v * r);
  const u1 = (3.0 - 5.0 * t2) / 24.0;
  const u2 = (81.0 + t2 * (-462.0 + 385.0 * t2)) / 1152.0;
  const u3 = (30375.0 + t2 * (-369603.0 + t2 * (765765.0 - 425425.0 * t2))) / 414720.0;
  const u4 =
    (4465125.0 + t2 * (-94121676.0 + t2 * (349922430.0 + t2 * (-446185740.0 + 185910725.0 * t2)))) / 39813120.0;
  const u5 =
    (1519035525.0 +
      t2 *
        (-49286948607.0 +
          t2 * (284499769554.0 + t2 * (-614135872350.0 + t2 * (566098157625.0 - 188699385875.0 * t2))))) /
    6688604160.0;
  return log1p(r * (u1 + r * (u2 + r * (u3 + r * (u4 + r * u5)))));
}

/** log I_v(x) for large x by Debye's expansion in 1/√(v² + x²) (A & S 9.7.7), five terms. */
function logDebye(v: f64, x: f64): f64 {
  const z = x / v;
  const root = sqrt<f64>(1.0 + z * z);
  const eta = root + log(z / (1.0 + root));
  return v * eta - 0.5 * (LOG_TWO_PI + log(v * root)) + debyeRest(v, x);
}

/** I_v(x) √(2πx) e^-x for x large compared with v² (A & S 9.7.1). */
function hankel(v: f64, x: f64): f64 {
  const mu = 4.0 * v * v;
  let term: f64 = 1.0;
  let total: f64 = 1.0;
  for (let k: f64 = 1.0; k < 100.0; k += 1.0) {
    const odd = 2.0 * k - 1.0;
    const next = (-term * (mu - odd * odd)) / (8.0 * k * x);
    if (abs<f64>(next) > abs<f64>(term) || abs<f64>(next) < PRECISION) break;
    term = next;
    total += term;
  }
  return total;
}

/** Whether `hankel` is accurate. */
@inline
function isFar(v: f64, x: f64): bool {
  return v * v < x && x > 60.0;
}

/** log I_v(x), v ≥ 0 (or > -1), x ≥ 0. */
export function log_modified_bessel_first_kind(v: f64, x: f64): f64 {
  if (v == -1.0) return log_modified_bessel_first_kind(1.0, x);
  if (!(v > -1.0 && x >= 0.0)) return NaN;
  if (x == 0.0) return v == 0.0 ? 0.0 : v > 0.0 ? -Infinity : Infinity;
  if (x == Infinity) return Infinity;
  if (x <= 20.0 && (v == 0.0 || v == 1.0)) return logLowOrder(<i32>v, x);
  if (isFar(v, x)) return x - 0.5 * (LOG_TWO_PI + log(x)) + log(hankel(v, x));
  if (x >= 700.0) return logDebye(v, x);
  return v * logHalf(x) - lgamma(v + 1.0) + logSeries(v, x);
}

/** The derivative of log I_v(x) with respect to x: I_v+1(x) / I_v(x) + v / x (A & S 9.6.26). */
export function log_modified_bessel_first_kind_dx(v: f64, x: f64): f64 {
  if (v == -1.0) return log_modified_bessel_first_kind_dx(1.0, x);
  if (!(v > -1.0 && x >= 0.0)) return NaN;
  if (x == Infinity) return 1.0;
  const along = v == 0.0 ? 0.0 : v / x;
  if (x == 0.0) return along;
  if (x <= 20.0 && v == 0.0) return (0.5 * x * (1.0 + lowOrderSeries(1, x))) / (1.0 + lowOrderSeries(0, x));
  // Quotients of what is not logarithms: differences of large logarithms would have few digits.
  if (isFar(v + 1.0, x)) return hankel(v + 1.0, x) / hankel(v, x) + along;
  return exp(log_modified_bessel_first_kind(v + 1.0, x) - log_modified_bessel_first_kind(v, x)) + along;
}

/** The derivative of the logarithm of the power series with respect to v: a mean of digamma functions, weighted by the terms. */
function seriesByOrder(v: f64, x: f64): f64 {
  const z = 0.25 * x * x;
  let term: f64 = 1.0;
  let total: f64 = 1.0;
  let slope = digamma(v + 1.0);
  let rise = slope;
  let mean = slope;
  for (let k: f64 = 1.0; k < 10000.0; k += 1.0) {
    term *= z / (k * (v + k));
    rise += 1.0 / (v + k);
    total += term;
    mean += (rise - slope) * term;
    if (term < total * PRECISION) break;
  }
  return logHalf(x) - (slope + (mean - slope) / total);
}

/** The derivative of the logarithm of `hankel` with respect to v. */
function hankelByOrder(v: f64, x: f64): f64 {
  const mu = 4.0 * v * v;
  let term: f64 = 1.0;
  let total: f64 = 1.0;
  let slope: f64 = 0.0;
  let totalSlope: f64 = 0.0;
  for (let k: f64 = 1.0; k < 100.0; k += 1.0) {
    const odd = 2.0 * k - 1.0;
    const factor = -(mu - odd * odd) / (8.0 * k * x);
    const next = term * factor;
    if (abs<f64>(next) > abs<f64>(term)) break;
    slope = slope * factor - (term * 8.0 * v) / (8.0 * k * x);
    term = next;
    total += term;
    totalSlope += slope;
    if (abs<f64>(slope) < PRECISION * abs<f64>(totalSlope)) break;
  }
  return totalSlope / total;
}

/** The derivative of log I_v(x) with respect to v. */
export function log_modified_bessel_first_kind_dv(v: f64, x: f64): f64 {
  if (!(v > -1.0 && x > 0.0)) return x == 0.0 ? 0.0 : NaN;
  if (x == Infinity) return 0.0;
  if (v * v < x && x > HANKEL_FROM) return hankelByOrder(v, x);
  if (x < 700.0) return seriesByOrder(v, x);
  // the leading term of Debye's expansion, and a finite difference for the small rest
  const root = sqrt<f64>(v * v + x * x);
  const h = 1e-3 * root;
  return -asinh(v / x) - (0.5 * v) / (root * root) + (debyeRest(v + h, x) - debyeRest(v - h, x)) / (2.0 * h);
}

/** I_v(x) for integer v of either sign and any x. */
export function modified_bessel_first_kind(v: i32, x: f64): f64 {
  const order = abs<f64>(<f64>v);
  const size = exp(log_modified_bessel_first_kind(order, abs<f64>(x)));
  return x < 0.0 && (v & 1) != 0 ? -size : size;
}

/** e^x K₀(x) (order 0) or e^x K₁(x) (order 1) for x > 2. */
function scaledSecondKind(order: i32, x: f64): f64 {
  let b = 2.0 * (1.0 + x);
  let d = 1.0 / b;
  let h = d;
  let delta = d;
  let q1: f64 = 0.0;
  let q2: f64 = 1.0;
  let q: f64 = 0.25;
  let c: f64 = 0.25;
  let a: f64 = -0.25;
  let s = 1.0 + q * delta;
  for (let i: f64 = 2.0; i < 10000.0; i += 1.0) {
    a -= 2.0 * (i - 1.0);
    c = (-a * c) / i;
    const next = (q1 - b * q2) / a;
    q1 = q2;
    q2 = next;
    q += c * next;
    b += 2.0;
    d = 1.0 / (b + a * d);
    delta = (b * d - 1.0) * delta;
    h += delta;
    const change = q * delta;
    s += change;
    if (abs<f64>(change) < abs<f64>(s) * PRECISION) break;
  }
  const k0 = sqrt<f64>(PI / (2.0 * x)) / s;
  return order == 0 ? k0 : (k0 * (x + 0.5 - 0.25 * h)) / x;
}

/** K₀(x), 0 < x ≤ 2. */
function secondKindZero(x: f64): f64 {
  const z = 0.25 * x * x;
  const start = -(logHalf(x) + EULER);
  let term: f64 = 1.0;
  let harmonic: f64 = 0.0;
  let total = start;
  for (let k: f64 = 1.0; k < 100.0; k += 1.0) {
    term *= z / (k * k);
    harmonic += 1.0 / k;
    const next = term * (start + harmonic);
    total += next;
    if (abs<f64>(next) < abs<f64>(total) * PRECISION) break;
  }
  return total;
}

/** log K_v(x) for large v by Debye's expansion (A & S 9.7.8), five terms. */
function logSecondKindDebye(v: f64, x: f64): f64 {
  const z = x / v;
  const root = z < 1e150 ? sqrt<f64>(1.0 + z * z) : z;
  const eta = root + log(z / (1.0 + root));
  return 0.5 * (log(0.5 * PI) - log(v * root)) - v * eta + debyeRest(v, x, -1.0);
}

/** K_v(x), x > 0; NaN below 0. The upward recurrence is stable; it runs on e^x K_v(x) with powers of 2^600 taken out. */
export function modified_bessel_second_kind(v: i32, x: f64): f64 {
  if (!(x >= 0.0)) return NaN;
  if (x == 0.0) return Infinity;
  if (x == Infinity) return 0.0;
  const order = abs<i64>(v);
  if (order > MOST_STEPS) return exp(logSecondKindDebye(<f64>order, x));
  let low: f64;
  let high: f64;
  let exponent: f64 = 0.0;
  if (x > 2.0) {
    low = scaledSecondKind(0, x);
    high = scaledSecondKind(1, x);
    exponent = -x;
  } else {
    low = secondKindZero(x);
    // I₀ K₁ + I₁ K₀ = 1/x
    high = (1.0 / x - modified_bessel_first_kind(1, x) * low) / modified_bessel_first_kind(0, x);
  }
  if (order == 0) return exp(exponent) * low;
  for (let n: i64 = 1; n < order && exponent < 1500.0; n++) {
    const next = low + (2.0 * <f64>n * high) / x;
    low = high;
    high = next;
    if (high > LARGE) {
      low /= LARGE;
      high /= LARGE;
      exponent += LOG_LARGE;
    }
  }
  if (exponent < -LOG_LARGE) return exp(exponent + log(high));
  return exponent == 0.0 ? high : exp(0.5 * exponent) * high * exp(0.5 * exponent);
}

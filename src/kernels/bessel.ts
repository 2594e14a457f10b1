// Bessel functions of integer order and modified ones. Power series where all terms have one sign, Miller's backward
// recurrence, Hankel's expansion for large arguments and Debye's for large orders (Abramowitz and Stegun, chapter 9; Olver
// 1974); K₀ and K₁ beyond 2 by Steed's continued fraction (Temme, J. Comput. Phys. 19, 1975).
import { exp } from './exponential';
import { digamma, lgamma } from './gamma';
import { asinh } from './hyperbolic';
import { log, log1p } from './logarithm';
import { cos, sin } from './trigonometric';

const PI: f64 = 3.141592653589793;
const TWO_OVER_PI: f64 = 0.6366197723675814;
const LOG_TWO_PI: f64 = 1.8378770664093453;
const EULER: f64 = 0.5772156649015329;
const PRECISION: f64 = 1e-17;
const HANKEL_FROM: f64 = 25.0;

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

/** Reciprocals of k (k + v), k = 1 … 48, for the orders 0 and 1. */
const STEPS: usize = memory.data(768, 16);
let hasSteps: bool = false;

function fillSteps(): void {
  for (let k = 0; k < 48; k++) {
    const n = <f64>(k + 1);
    store<f64>(STEPS + (k << 3), 1.0 / (n * n));
    store<f64>(STEPS + 384 + (k << 3), 1.0 / (n * (n + 1.0)));
  }
  hasSteps = true;
}

/**
 * log I₀(x) or log I₁(x) for 0 < x <= 20 by the power series (A & S 9.6.10); at 20 the 48th term is below 1e-22 of the sum.
 */
function logLowOrder(order: i32, x: f64): f64 {
  if (!hasSteps) fillSteps();
  const z = 0.25 * x * x;
  let step = STEPS + (order == 0 ? 0 : 384);
  let term: f64 = 1.0;
  let total: f64 = 0.0;
  do {
    term *= z * load<f64>(step);
    total += term;
    step += 8;
  } while (term > total * PRECISION);
  const series = log1p(total);
  return order == 0 ? series : series + log(0.5 * x);
}

/** The logarithm of the sum in Debye's expansion. */
function debyeRest(v: f64, x: f64): f64 {
  const r = 1.0 / sqrt<f64>(v * v + x * x);
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

/** log I_v(x) for x large beside v² (A & S 9.7.1). */
function logHankel(v: f64, x: f64): f64 {
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
  return x - 0.5 * (LOG_TWO_PI + log(x)) + log(total);
}

/** log I_v(x), v ≥ 0 (or > -1), x ≥ 0. */
export function log_modified_bessel_first_kind(v: f64, x: f64): f64 {
  if (v == -1.0) return log_modified_bessel_first_kind(1.0, x);
  if (!(v > -1.0 && x >= 0.0)) return NaN;
  if (x == 0.0) return v == 0.0 ? 0.0 : v > 0.0 ? -Infinity : Infinity;
  if (x == Infinity) return Infinity;
  if (x <= 20.0 && (v == 0.0 || v == 1.0)) return logLowOrder(<i32>v, x);
  if (v * v < x && x > 60.0) return logHankel(v, x);
  if (x >= 700.0) return logDebye(v, x);
  return v * log(0.5 * x) - lgamma(v + 1.0) + logSeries(v, x);
}

/** The derivative of the power series' logarithm by v: a mean of digamma functions with the terms as weights. */
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
  return log(0.5 * x) - (slope + (mean - slope) / total);
}

/** As `logHankel`, its logarithm's derivative by v. */
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

/** The derivative of log I_v(x) by v. */
export function log_modified_bessel_first_kind_dv(v: f64, x: f64): f64 {
  if (!(v > -1.0 && x > 0.0)) return x == 0.0 ? 0.0 : NaN;
  if (x == Infinity) return 0.0;
  if (v * v < x && x > HANKEL_FROM) return hankelByOrder(v, x);
  if (x < 700.0) return seriesByOrder(v, x);
  // Debye's leading term, and a difference for the small rest
  const root = sqrt<f64>(v * v + x * x);
  const h = 1e-3 * root;
  return -asinh(v / x) - (0.5 * v) / (root * root) + (debyeRest(v + h, x) - debyeRest(v - h, x)) / (2.0 * h);
}

/** I_v(x) for integer v of either sign and any x. */
export function modified_bessel_first_kind(v: i32, x: f64): f64 {
  const order = <f64>abs<i32>(v);
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
  const start = -(log(0.5 * x) + EULER);
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

/** K_v(x), x > 0; NaN below 0. */
export function modified_bessel_second_kind(v: i32, x: f64): f64 {
  if (!(x >= 0.0)) return NaN;
  if (x == 0.0) return Infinity;
  const order = abs<i32>(v);
  let k0: f64;
  let k1: f64;
  if (x > 2.0) {
    const decay = exp(-x);
    k0 = decay * scaledSecondKind(0, x);
    k1 = decay * scaledSecondKind(1, x);
  } else {
    k0 = secondKindZero(x);
    // I₀ K₁ + I₁ K₀ = 1/x
    k1 = (1.0 / x - modified_bessel_first_kind(1, x) * k0) / modified_bessel_first_kind(0, x);
  }
  if (order == 0) return k0;
  for (let n = 1; n < order; n++) {
    const next = k0 + (2.0 * <f64>n * k1) / x;
    k0 = k1;
    k1 = next;
  }
  return k1;
}

/** Hankel's expansion of J_n or Y_n, x > 25, n = 0 or 1 (A & S 9.2.5). */
function hankel(n: i32, x: f64, second: bool): f64 {
  const mu = 4.0 * <f64>(n * n);
  let term: f64 = 1.0;
  let p: f64 = 1.0;
  let q: f64 = 0.0;
  for (let k = 1; k < 60; k++) {
    const order = <f64>k;
    const odd = 2.0 * order - 1.0;
    const next = (term * (mu - odd * odd)) / (8.0 * order * x);
    if (abs<f64>(next) > abs<f64>(term) || abs<f64>(next) < PRECISION) break;
    term = next;
    const sign: f64 = (k & 2) == 0 ? 1.0 : -1.0;
    if ((k & 1) == 0) p += sign * term;
    else q += sign * term;
  }
  // cos and sin of x - (n/2 + 1/4) π without subtracting from x
  const c = cos(x);
  const s = sin(x);
  const half: f64 = 0.7071067811865476;
  const cosine = n == 0 ? (c + s) * half : (s - c) * half;
  const sine = n == 0 ? (s - c) * half : -(s + c) * half;
  const value = second ? p * sine + q * cosine : p * cosine - q * sine;
  return sqrt<f64>(TWO_OVER_PI / x) * value;
}

/** J_n(x) by backward recurrence, normalised by J₀ + 2 ΣJ_2k = 1; with `neumann`, Y₀(x) by Neumann's series instead. */
function backward(n: i32, x: f64, neumann: bool): f64 {
  const larger = max<f64>(<f64>n, x);
  let m = <i32>(larger + 30.0 + 6.0 * sqrt<f64>(larger)) & ~1;
  let next: f64 = 0.0;
  let here: f64 = 1e-290;
  let norm: f64 = 0.0;
  let weighted: f64 = 0.0;
  let found: f64 = 0.0;
  for (; m > 0; m--) {
    if (m == n) found = here;
    if ((m & 1) == 0) {
      norm += 2.0 * here;
      const k = m >> 1;
      weighted += ((k & 1) == 0 ? -here : here) / <f64>k;
    }
    const before = ((2.0 * <f64>m) / x) * here - next;
    next = here;
    here = before;
    if (abs<f64>(here) > 1e200) {
      here *= 1e-200;
      next *= 1e-200;
      norm *= 1e-200;
      weighted *= 1e-200;
      found *= 1e-200;
    }
  }
  norm += here;
  if (n == 0) found = here;
  if (!neumann) return found / norm;
  // Y₀ = 2/π [(log(x/2) + γ) J₀ + 2 Σ (-1)^(k+1) J_2k / k]
  return (TWO_OVER_PI * ((log(0.5 * x) + EULER) * here + 2.0 * weighted)) / norm;
}

/** J_v(x) for integer v and any x. */
export function bessel_first_kind(v: i32, x: f64): f64 {
  const order = abs<i32>(v);
  const size = abs<f64>(x);
  const odd = (order & 1) != 0;
  const flips = odd && x < 0.0 != v < 0;
  if (size == 0.0) return order == 0 ? 1.0 : 0.0;
  if (isNaN<f64>(x)) return x;
  let value: f64;
  if (size > HANKEL_FROM && <f64>order < size) {
    let low = hankel(0, size, false);
    let high = hankel(1, size, false);
    for (let n = 1; n < order; n++) {
      const next = (2.0 * <f64>n * high) / size - low;
      low = high;
      high = next;
    }
    value = order == 0 ? low : high;
  } else value = backward(order, size, false);
  return flips ? -value : value;
}

/** Y_v(x) for integer v, x > 0; NaN below 0. */
export function bessel_second_kind(v: i32, x: f64): f64 {
  if (!(x >= 0.0)) return NaN;
  if (x == 0.0) return -Infinity;
  const order = abs<i32>(v);
  let low: f64;
  let high: f64;
  if (x > HANKEL_FROM) {
    low = hankel(0, x, true);
    high = hankel(1, x, true);
  } else {
    low = backward(0, x, true);
    // J₁ Y₀ - J₀ Y₁ = 2/(π x)
    high = (backward(1, x, false) * low - TWO_OVER_PI / x) / backward(0, x, false);
  }
  for (let n = 1; n < order; n++) {
    const next = (2.0 * <f64>n * high) / x - low;
    low = high;
    high = next;
  }
  const value = order == 0 ? low : high;
  return v < 0 && (order & 1) != 0 ? -value : value;
}

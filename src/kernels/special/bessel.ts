// Bessel functions of integer order: power series for small arguments, Miller's backward recurrence with Neumann's series,
// and Hankel's expansion for large arguments (Abramowitz and Stegun, chapter 9).
import { exp, LN2 } from '../elementary/exponential';
import { lgamma } from './gamma';
import { log } from '../elementary/logarithm';
import { cos, sin } from '../elementary/trigonometric';

const TWO_OVER_PI: f64 = 0.6366197723675814;
const EULER: f64 = 0.5772156649015329;
const PRECISION: f64 = 1e-17;
const HANKEL_FROM: f64 = 25.0;
/** The largest order whose factorial is computed factor by factor. */
const PRODUCT_TO: i32 = 150;

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

/** J_n(x) for x² < 4 (n + 1), where the terms of the power series (A & S 9.1.10) decrease. */
function powerSeries(n: i64, x: f64): f64 {
  const z = 0.25 * x * x;
  const order = <f64>n;
  let factor: f64 = 1.0;
  if (n > PRODUCT_TO) factor = exp(order * log(0.5 * x) - lgamma(order + 1.0));
  else for (let k: i64 = 1; k <= n; k++) factor *= (0.5 * x) / <f64>k;
  let term: f64 = 1.0;
  let total: f64 = 1.0;
  for (let k: f64 = 1.0; abs<f64>(term) > PRECISION * abs<f64>(total); k += 1.0) {
    term *= -z / (k * (order + k));
    total += term;
  }
  return factor * total;
}

/** Results of `backward`. */
const enum Wanted {
  First,
  SecondZero,
  SecondOne,
}

/**
 * J_n(x) by backward recurrence, normalized by J₀ + 2 ΣJ_2k = 1; or Y₀(x) or Y₁(x) by Neumann's series (A & S 9.1.88, 9.1.89).
 */
function backward(wanted: Wanted, n: i64, x: f64): f64 {
  const larger = max<f64>(<f64>n, x);
  let m = <i64>(larger + 30.0 + 6.0 * sqrt<f64>(larger)) & ~1;
  let next: f64 = 0.0;
  let here: f64 = 1e-290;
  let norm: f64 = 0.0;
  let even: f64 = 0.0;
  let odd: f64 = 0.0;
  let found: f64 = 0.0;
  for (; m > 0; m--) {
    if (m == n) found = here;
    const k = m >> 1;
    const signed = (k & 1) == 0 ? -here : here;
    if ((m & 1) == 0) {
      norm += 2.0 * here;
      even += signed / <f64>k;
    } else if (k > 0) odd += (signed * <f64>m) / (<f64>k * <f64>(k + 1));
    const before = ((2.0 * <f64>m) / x) * here - next;
    next = here;
    here = before;
    if (abs<f64>(here) > 1e200) {
      here *= 1e-200;
      next *= 1e-200;
      norm *= 1e-200;
      even *= 1e-200;
      odd *= 1e-200;
      found *= 1e-200;
    }
  }
  norm += here;
  if (wanted == Wanted.First) return (n == 0 ? here : found) / norm;
  const logarithm = log(0.5 * x) + EULER;
  if (wanted == Wanted.SecondZero) return (TWO_OVER_PI * (logarithm * here + 2.0 * even)) / norm;
  return (TWO_OVER_PI * ((logarithm - 1.0) * next + odd - here / x)) / norm;
}

/** J_n(x), n ≥ 0, x ≥ 0. */
function firstKind(n: i64, x: f64): f64 {
  const order = <f64>n;
  if (x == Infinity) return 0.0;
  if (0.25 * x * x < order + 1.0) return powerSeries(n, x);
  if (x <= HANKEL_FROM || order >= x) {
    // |J_n(x)| ≤ (x/2)^n / n!
    const isNothing = order * log(0.5 * x) - lgamma(order + 1.0) < -746.0;
    return isNothing ? 0.0 : backward(Wanted.First, n, x);
  }
  let low = hankel(0, x, false);
  let high = hankel(1, x, false);
  for (let k: i64 = 1; k < n; k++) {
    const next = (2.0 * <f64>k * high) / x - low;
    low = high;
    high = next;
  }
  return n == 0 ? low : high;
}

/** J_v(x) for integer v and any x. */
export function bessel_first_kind(v: i32, x: f64): f64 {
  if (isNaN<f64>(x)) return x;
  const isOdd = (v & 1) != 0;
  const value = firstKind(abs<i64>(v), abs<f64>(x));
  return isOdd && x < 0.0 != v < 0 ? -value : value;
}

/** Y_v(x) for integer v, x > 0; NaN below 0. */
export function bessel_second_kind(v: i32, x: f64): f64 {
  if (!(x >= 0.0)) return NaN;
  if (x == Infinity) return 0.0;
  const order = abs<i64>(v);
  const flips = v < 0 && (order & 1) != 0;
  if (x == 0.0) return flips ? Infinity : -Infinity;
  let low: f64;
  let high: f64;
  if (x > HANKEL_FROM) {
    low = hankel(0, x, true);
    high = hankel(1, x, true);
  } else if (x < 1e-9) {
    // the first terms (A & S 9.1.11)
    low = TWO_OVER_PI * (log(x) - LN2 + EULER);
    high = -TWO_OVER_PI / x;
  } else {
    low = backward(Wanted.SecondZero, 0, x);
    high = backward(Wanted.SecondOne, 1, x);
  }
  for (let n: i64 = 1; n < order && high > -Infinity; n++) {
    const next = (2.0 * <f64>n * high) / x - low;
    low = high;
    high = next;
  }
  const value = order == 0 ? low : high;
  return flips ? -value : value;
}

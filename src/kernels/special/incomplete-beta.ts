// The incomplete beta function, computed as its logarithm: the tail below the mean is a continued fraction times a common factor whose
// logarithm is exact, the other tail is its complement (DiDonato and Morris, ACM TOMS 18, 1992; DLMF 8.17.7, 8.17.22). Every function
// has parts: the value (0) and its derivatives with respect to a (1), b (2) and x (3). The arguments x and y add up to 1; passing both
// avoids the loss of digits in 1 - x.
import { exp } from '../elementary/exponential';
import { lgamma, lgamma1p, stirlingDifference } from './gamma';
import { digamma_rise, lgamma_rise } from './gamma-rise';
import { complement, LARGE, logMinus, MAX_TERMS, PRECISION, SMALL, STEADY, TINY, TWO_PI } from './incomplete-common';
import { log, log1p } from '../elementary/logarithm';

/** log x, from the smaller of x and y = 1 - x. */
function logOf(x: f64, y: f64): f64 {
  return x < y ? log(x) : log1p(-y);
}

/** log of Γ(a + b)/(Γ(a + 1) Γ(b)) = 1/(a B(a, b)), unless both a and b are large. */
function logOfInverse(a: f64, b: f64): f64 {
  if (a > b) {
    const ratio = b / a;
    const logarithm = ratio < TINY ? log(b) - log(a) : log(ratio);
    return lgamma_rise(a, b) - (b < SMALL ? lgamma1p(b) : lgamma(b + 1.0)) + logarithm;
  }
  return lgamma_rise(b, a) - (a < SMALL ? lgamma1p(a) : lgamma(a + 1.0));
}

/** log of x^a y^b / (a B(a, b)) */
function logFactor(a: f64, b: f64, x: f64, y: f64): f64 {
  if (a < LARGE || b < LARGE) return a * logOf(x, y) + b * logOf(y, x) + logOfInverse(a, b);
  const sum = a + b;
  const lambda = a > b ? sum * y - b : a - sum * x;
  const exponent =
    a * logMinus((x * sum) / a, -lambda / a) +
    b * logMinus((y * sum) / b, lambda / b) +
    (stirlingDifference(sum) - stirlingDifference(a) - stirlingDifference(b));
  return exponent + 0.5 * log(b / (TWO_PI * a * sum));
}

/** log x - ψ(a + 1) + ψ(a + b) */
function logRatio(a: f64, b: f64, x: f64, y: f64): f64 {
  return logOf(x, y) + digamma_rise(a + 1.0, b) - 1.0 / (a + b);
}

/** If the sum of the shapes is larger, products of two overflow. */
const VAST: f64 = 1e150;

/** I_x(a, b) / factor, x below the mean (Lentz's algorithm on the classical fraction). */
function fraction(a: f64, b: f64, x: f64): f64 {
  const sum = a + b;
  const isVast = sum > VAST;
  let c: f64 = 1.0;
  let d = 1.0 - (sum * x) / (a + 1.0);
  if (abs<f64>(d) < TINY) d = TINY;
  d = 1.0 / d;
  let h = d;
  for (let i = 1; i < MAX_TERMS; i++) {
    const m = <f64>i;
    const even = a + 2.0 * m;
    let term = isVast ? (m / even) * (((b - m) * x) / even) : (m * (b - m) * x) / ((even - 1.0) * even);
    d = 1.0 + term * d;
    if (abs<f64>(d) < TINY) d = TINY;
    c = 1.0 + term / c;
    if (abs<f64>(c) < TINY) c = TINY;
    d = 1.0 / d;
    h *= d * c;
    term = isVast
      ? (-(a + m) / even) * (((sum + m) * x) / (even + 1.0))
      : (-(a + m) * (sum + m) * x) / (even * (even + 1.0));
    d = 1.0 + term * d;
    if (abs<f64>(d) < TINY) d = TINY;
    c = 1.0 + term / c;
    if (abs<f64>(c) < TINY) c = TINY;
    d = 1.0 / d;
    const step = d * c;
    h *= step;
    if (!(abs<f64>(step - 1.0) >= STEADY)) break;
  }
  return h;
}

/** d log(fraction(a, b, x))/da for aSlope = 1, bSlope = 0; /db for 0, 1. */
function fractionSlope(a: f64, b: f64, x: f64, aSlope: f64, bSlope: f64): f64 {
  const sum = a + b;
  const sumSlope = aSlope + bSlope;
  let term = (-sum * x) / (a + 1.0);
  let termSlope = (-sumSlope * x) / (a + 1.0) - (term * aSlope) / (a + 1.0);
  let d = 1.0 / (1.0 + term);
  let dSlope = -termSlope * d * d;
  let c: f64 = 1.0;
  let cSlope: f64 = 0.0;
  // the logarithm of the fraction is the sum of the logarithms of its factors d and c
  let total = dSlope / d;
  for (let i = 1; i < MAX_TERMS; i++) {
    const m = <f64>i;
    const even = a + 2.0 * m;
    let change: f64 = 0.0;
    for (let part = 0; part < 2; part++) {
      if (part == 0) {
        const share = (m / (even - 1.0)) * (x / even);
        term = (b - m) * share;
        termSlope = bSlope * share - term * aSlope * (1.0 / (even - 1.0) + 1.0 / even);
      } else {
        const first = (a + m) / even;
        const second = (-x * (sum + m)) / (even + 1.0);
        term = first * second;
        termSlope =
          (aSlope / even) * second - first * ((sumSlope * x) / (even + 1.0)) - term * aSlope * (1.0 / even + 1.0 / (even + 1.0));
      }
      let down = 1.0 + term * d;
      if (abs<f64>(down) < TINY) down = TINY;
      dSlope = -(termSlope * d + term * dSlope) / (down * down);
      d = 1.0 / down;
      cSlope = termSlope / c - (term * cSlope) / (c * c);
      c = 1.0 + term / c;
      if (abs<f64>(c) < TINY) c = TINY;
      change += dSlope / d + cSlope / c;
    }
    total += change;
    if (isNaN<f64>(total) || (abs<f64>(change) <= abs<f64>(total) * STEADY && abs<f64>(d * c - 1.0) < STEADY)) break;
  }
  return total;
}

/**
 * log I_x(a, b) for a < ½, x below the mean: I = e^w (1 + a T) with w = a log x - log(a B(a, b)) and T = Σ (1 - b)_k x^k/(k! (a + k)),
 * whose logarithm keeps its digits where I is near 1.
 */
function smallShape(part: i32, a: f64, b: f64, x: f64, y: f64): f64 {
  let power: f64 = 1.0;
  let powerSlope: f64 = 0.0;
  let total: f64 = 0.0;
  let aSlope: f64 = 0.0;
  let bSlope: f64 = 0.0;
  for (let k: f64 = 1.0; k < 10000.0; k += 1.0) {
    const share = x / k;
    powerSlope = (powerSlope * (k - b) - power) * share;
    power *= (k - b) * share;
    const term = power / (a + k);
    const change = powerSlope / (a + k);
    total += term;
    aSlope -= term / (a + k);
    bSlope += change;
    if (abs<f64>(term) <= PRECISION * abs<f64>(total) && abs<f64>(change) <= PRECISION * abs<f64>(bSlope)) break;
  }
  const sum = 1.0 + a * total;
  if (part == 0) return a * logOf(x, y) + logOfInverse(a, b) + log1p(a * total);
  if (part == 1) return logRatio(a, b, x, y) + (total + a * aSlope) / sum;
  if (part == 2) return digamma_rise(b, a) + (a * bSlope) / sum;
  return ((a / x) * exp((b - 1.0) * logOf(y, x))) / sum;
}

/** log I_x(a, b), x below the mean. */
function direct(part: i32, a: f64, b: f64, x: f64, y: f64): f64 {
  if (a < SMALL) return smallShape(part, a, b, x, y);
  if (part == 0) return logFactor(a, b, x, y) + log(fraction(a, b, x));
  if (part == 1) return logRatio(a, b, x, y) + fractionSlope(a, b, x, 1.0, 0.0);
  if (part == 2) return logOf(y, x) + digamma_rise(b, a) + fractionSlope(a, b, x, 0.0, 1.0);
  return a / x / (y * fraction(a, b, x));
}

/** `part` of log I_x(a, b) from log I_y(b, a), x above the mean. */
function mirrored(part: i32, a: f64, b: f64, x: f64, y: f64): f64 {
  if (part == 3) return -direct(3, b, a, y, x);
  return direct(part == 0 ? 0 : 3 - part, b, a, y, x);
}

@inline
function isBelowMean(a: f64, b: f64, x: f64, y: f64): bool {
  return x * (b + 1.0) <= y * (a + 1.0);
}

/** log I_x(a, b) of the regularized incomplete beta function, a, b > 0, x + y = 1, not both very large; that of the complement is log I_y(b, a). */
export function log_inc_beta(part: i32, a: f64, b: f64, x: f64, y: f64): f64 {
  if (x == 0.0) return part == 0 ? -Infinity : NaN;
  if (y == 0.0) return 0.0;
  if (a > VAST && b > VAST) return NaN;
  if (isBelowMean(a, b, x, y)) return direct(part, a, b, x, y);
  return complement(part, direct(0, b, a, y, x), mirrored(part, a, b, x, y));
}

function isOutside(a: f64, b: f64, x: f64): bool {
  return !(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0);
}

/** Regularized incomplete beta function I_x(a, b), a, b > 0, 0 ≤ x ≤ 1. */
export function inc_beta(a: f64, b: f64, x: f64): f64 {
  if (a == 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0) return 1.0;
  if (b == 0.0 && a > 0.0 && x >= 0.0 && x <= 1.0) return x == 1.0 ? 1.0 : 0.0;
  return isOutside(a, b, x) ? NaN : exp(log_inc_beta(0, a, b, x, 1.0 - x));
}

/** 1 - I_x(a, b) without the rounding of 1 - x where x is small. */
export function inc_beta_upper(a: f64, b: f64, x: f64): f64 {
  return isOutside(a, b, x) ? NaN : exp(log_inc_beta(0, b, a, 1.0 - x, x));
}

/** Derivative of I_x(a, b) with respect to a (part 1) or b (part 2). */
function slope(part: i32, a: f64, b: f64, x: f64): f64 {
  if (isOutside(a, b, x)) return NaN;
  if (x == 0.0 || x == 1.0) return 0.0;
  const y = 1.0 - x;
  if (isBelowMean(a, b, x, y)) return exp(direct(0, a, b, x, y)) * direct(part, a, b, x, y);
  return -exp(direct(0, b, a, y, x)) * mirrored(part, a, b, x, y);
}

/** ∂I_x(a, b)/∂a */
export function inc_beta_da(a: f64, b: f64, x: f64): f64 {
  return slope(1, a, b, x);
}

/** ∂I_x(a, b)/∂b */
export function inc_beta_db(a: f64, b: f64, x: f64): f64 {
  return slope(2, a, b, x);
}

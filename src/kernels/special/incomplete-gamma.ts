// Incomplete gamma functions, computed as their logarithms: the small tail is a series or a continued fraction times a common
// factor whose logarithm is exact, the other tail is its complement (DiDonato and Morris, ACM TOMS 12, 1986; DLMF 8.7.1,
// 8.9.2, 8.11.4); near the mean of a large shape, the tail is a uniform expansion. Every function has parts: the value (0)
// and its derivatives with respect to the shape a (1) and log x (2). log x is passed besides x, which may have left the range of doubles.
import { exp } from '../elementary/exponential';
import { digamma, digammaTail, lgamma, lgamma1p, stirlingDifference } from './gamma';
import { complement, LARGE, logMinus, MAX_TERMS, PRECISION, SMALL, STEADY, TINY, TWO_PI } from './incomplete-common';
import { isUniform, UNIFORM, uniformTail } from './incomplete-uniform';
import { log, log1p } from '../elementary/logarithm';

/** Where ψ(a) - log a has its asymptotic series. */
const ASYMPTOTIC: f64 = 20.0;

/** log of x^a e^-x / Γ(a + 1), a ≥ ½. */
function logFactor(a: f64, logX: f64, x: f64): f64 {
  if (a < LARGE) return a * logX - x - lgamma(a + 1.0);
  const ratio = x / a;
  const rest = -stirlingDifference(a) - 0.5 * log(TWO_PI * a);
  if (ratio < TINY) return a * (logX - log(a) + 1.0) - x + rest;
  return a * logMinus(ratio, (x - a) / a) + rest;
}

/** log x - ψ(a + 1) */
function logRatio(a: f64, logX: f64, x: f64): f64 {
  if (a < ASYMPTOTIC) return logX - digamma(a + 1.0);
  const ratio = x / a;
  const logarithm = ratio < TINY ? logX - log(a) : ratio < 0.3 ? log(ratio) : log1p((x - a) / a);
  return logarithm - digammaTail(a) - 1.0 / a;
}

/** Σ x^k/((a + 1) … (a + k)), or the derivative of its logarithm with respect to a. */
function series(part: i32, a: f64, x: f64): f64 {
  let term: f64 = 1.0;
  let total: f64 = 1.0;
  let slope: f64 = 0.0;
  let weighted: f64 = 0.0;
  for (let k = 1; k < MAX_TERMS; k++) {
    const next = a + <f64>k;
    term *= x / next;
    slope -= 1.0 / next;
    total += term;
    weighted += term * slope;
    if (term <= total * PRECISION && term * slope >= weighted * PRECISION) break;
  }
  return part == 0 ? total : weighted / total;
}

/** Γ(a, x) x^(1 - a) e^x for x > a + 1 as a continued fraction (Lentz's algorithm). */
function fraction(a: f64, x: f64): f64 {
  let b = x + 1.0 - a;
  let c = 1.0 / TINY;
  let d = 1.0 / b;
  let h = x * d;
  for (let i = 1; i < MAX_TERMS; i++) {
    const k = <f64>i;
    const an = k * (a - k);
    b += 2.0;
    d = an * d + b;
    if (abs<f64>(d) < TINY) d = TINY;
    c = b + an / c;
    if (abs<f64>(c) < TINY) c = TINY;
    d = 1.0 / d;
    const step = d * c;
    h *= step;
    if (abs<f64>(step - 1.0) < STEADY) break;
  }
  return h;
}

/** d log fraction(a, x)/da: the logarithms of the factors d and c, differentiated. */
function fractionSlope(a: f64, x: f64): f64 {
  let b = x + 1.0 - a;
  let c = 1.0 / TINY;
  let cSlope: f64 = 0.0;
  let d = 1.0 / b;
  let dSlope = d * d;
  let total = d;
  for (let i = 1; i < MAX_TERMS; i++) {
    const k = <f64>i;
    const an = k * (a - k);
    b += 2.0;
    let down = an * d + b;
    if (abs<f64>(down) < TINY) down = TINY;
    const downSlope = k * d + an * dSlope - 1.0;
    d = 1.0 / down;
    dSlope = -downSlope * d * d;
    cSlope = k / c - (an * cSlope) / c / c - 1.0;
    c = b + an / c;
    if (abs<f64>(c) < TINY) c = TINY;
    const change = dSlope / d + cSlope / c;
    total += change;
    if (abs<f64>(d * c - 1.0) < STEADY && abs<f64>(change) <= abs<f64>(total) * STEADY) break;
  }
  return total;
}

/**
 * log P(a, x) for a < ½ and x < a + 1: P = e^w (1 + a T) with w = a log x - log Γ(a + 1) and T = Σ (-x)^k/(k! (a + k)), whose
 * logarithm keeps its digits where P is near 1.
 */
function smallShape(part: i32, a: f64, logX: f64, x: f64): f64 {
  let power: f64 = 1.0;
  let total: f64 = 0.0;
  let slope: f64 = 0.0;
  for (let k: f64 = 1.0; k < 100.0; k += 1.0) {
    power *= -x / k;
    const term = power / (a + k);
    total += term;
    slope -= term / (a + k);
    if (abs<f64>(term) <= PRECISION * abs<f64>(total)) break;
  }
  if (part == 0) return a * logX - lgamma1p(a) + log1p(a * total);
  if (part == 1) return logX - digamma(a + 1.0) + (total + a * slope) / (1.0 + a * total);
  return (a * exp(-x)) / (1.0 + a * total);
}

/** Whether P(a, x) is computed and Q(a, x) is its complement, or vice versa. */
@inline
function isLower(a: f64, x: f64): bool {
  return x <= (a < UNIFORM ? a + 1.0 : a);
}

/** log P(a, x), if `isLower`. */
function lower(part: i32, a: f64, logX: f64, x: f64): f64 {
  if (isUniform(a, x)) return uniformTail(part, a, x);
  if (a < SMALL) return smallShape(part, a, logX, x);
  if (part == 0) return logFactor(a, logX, x) + log(series(0, a, x));
  if (part == 1) return logRatio(a, logX, x) + series(1, a, x);
  return a / series(0, a, x);
}

/** log Q(a, x), unless `isLower`. */
function upper(part: i32, a: f64, logX: f64, x: f64): f64 {
  if (isUniform(a, x)) return uniformTail(part, a, x);
  if (part == 2) return -x / fraction(a, x);
  if (part == 1) return logRatio(a, logX, x) + 1.0 / a + fractionSlope(a, x);
  const rest = log(fraction(a, x)) - logX;
  if (a < SMALL) return a * logX - x - lgamma1p(a) + log(a) + rest;
  return logFactor(a, logX, x) + log(a) + rest;
}

/** log P(a, x) of the regularized lower incomplete gamma function, a > 0, x ≥ 0, by log x. */
export function log_gamma_p(part: i32, a: f64, logX: f64, x: f64): f64 {
  if (isLower(a, x)) return lower(part, a, logX, x);
  if (x == Infinity) return 0.0;
  return complement(part, upper(0, a, logX, x), upper(part, a, logX, x));
}

/** log Q(a, x) of the regularized upper incomplete gamma function. */
export function log_gamma_q(part: i32, a: f64, logX: f64, x: f64): f64 {
  if (x == Infinity) return part == 1 ? 0.0 : -Infinity;
  if (!isLower(a, x)) return upper(part, a, logX, x);
  return complement(part, lower(0, a, logX, x), lower(part, a, logX, x));
}

/** Regularized lower incomplete gamma function P(a, x), a > 0, x ≥ 0. */
export function gamma_p(a: f64, x: f64): f64 {
  if (!(a > 0.0 && x >= 0.0)) return NaN;
  return x == 0.0 ? 0.0 : exp(log_gamma_p(0, a, log(x), x));
}

/** Regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x). */
export function gamma_q(a: f64, x: f64): f64 {
  if (!(a > 0.0 && x >= 0.0)) return NaN;
  return x == 0.0 ? 1.0 : exp(log_gamma_q(0, a, log(x), x));
}

/** ∂P(a, x)/∂a; that of Q is its negative. */
export function gamma_p_da(a: f64, x: f64): f64 {
  if (!(a > 0.0 && x >= 0.0)) return NaN;
  if (x == 0.0 || x == Infinity) return 0.0;
  const logX = log(x);
  if (isLower(a, x)) return exp(lower(0, a, logX, x)) * lower(1, a, logX, x);
  return -exp(upper(0, a, logX, x)) * upper(1, a, logX, x);
}

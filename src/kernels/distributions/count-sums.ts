// Distribution functions of compound counts, as sums of probability masses. Each mass is the mass at 0 times a product of ratios. The sums
// start at 0, are rescaled before they leave the range of doubles, and are differentiated term by term.
import { exp } from '../elementary/exponential';
import { digamma_cross, lgamma_cross } from '../special/gamma-cross';
import { digamma_rise, lgamma_rise } from '../special/gamma-rise';
import { complement } from '../special/incomplete-common';
import { log } from '../elementary/logarithm';

const PRECISION: f64 = 1e-17;
const MOST: f64 = 1e200;
const LOG_HALF: f64 = -0.6931471805599453;
/** Below this, the logarithm of a probability gives that of the complement without loss of digits. */
const NEAR_ONE: f64 = -0.01;
const MAX_TERMS: f64 = 1000000.0;

/** Part of log P(at most n) of `beta_binomial`, 0 ≤ n < N: 0 the value, 1 and 2 the derivatives with respect to a and b. */
function betaBinomialSum(part: i32, n: f64, N: f64, a: f64, b: f64): f64 {
  let scale: f64 = 0.0;
  let term: f64 = 1.0;
  let total: f64 = 1.0;
  let slope: f64 = 0.0;
  let slopes: f64 = 0.0;
  for (let k: f64 = 0.0; k < n; k += 1.0) {
    const rest = N - k - 1.0;
    term *= ((rest + 1.0) / (k + 1.0)) * ((a + k) / (b + rest));
    if (part == 1) slope += 1.0 / (a + k);
    if (part == 2) slope -= 1.0 / (b + rest);
    total += term;
    slopes += term * slope;
    if (total > MOST) {
      scale += log(MOST);
      term /= MOST;
      total /= MOST;
      slopes /= MOST;
    }
  }
  if (part == 0) return log(total) + scale - lgamma_cross(b, a, N);
  return slopes / total - (part == 1 ? digamma_rise(a + b, N) : digamma_cross(b, a, N));
}

/** Part of log P(at most n) of `beta_binomial`: more than n successes means at most N - n - 1 failures. */
function betaBinomial(part: i32, n: f64, N: f64, a: f64, b: f64): f64 {
  if (n >= N) return 0.0;
  const lower = betaBinomialSum(0, n, N, a, b);
  if (lower < LOG_HALF) return part == 0 ? lower : betaBinomialSum(part, n, N, a, b);
  const upper = betaBinomialSum(0, N - n - 1.0, N, b, a);
  return complement(part, upper, part == 0 ? upper : betaBinomialSum(3 - part, N - n - 1.0, N, b, a));
}

/** log P(at most n) of `beta_binomial`, 0 ≤ n < N, or its derivative with respect to the argument at a position. */
export function beta_binomial_below(part: i32, n: f64, N: f64, a: f64, b: f64): f64 {
  return betaBinomial(max<i32>(part - 2, 0), n, N, a, b);
}

/** The derivative with respect to r, a or b of the log ratio of a mass of `beta_neg_binomial` to the mass at one failure less. */
@inline
function stepSlope(part: i32, k: f64, r: f64, a: f64, b: f64): f64 {
  const all = a + b + r + k;
  if (part == 1) return (a + b) / all / (r + k);
  if (part == 2) return -1.0 / all;
  return (a + r) / all / (b + k);
}

/** Part of the log mass of `beta_neg_binomial` at 0. */
function logMassAtZero(part: i32, r: f64, a: f64, b: f64): f64 {
  if (part == 0) return -lgamma_cross(a, r, b);
  if (part == 1) return -digamma_rise(a + r, b);
  if (part == 2) return -digamma_cross(a, r, b);
  return -digamma_rise(a + b, r);
}

/** log of the ratio of the mass of `beta_neg_binomial` at n to the mass at 0. */
function massRatio(n: f64, r: f64, a: f64, b: f64): f64 {
  const rise = r < 1.0 ? -lgamma_cross(r, 1.0 - r, n) : lgamma_cross(1.0, r - 1.0, n);
  return rise - lgamma_cross(b, a + r, n);
}

/**
 * The sum of the masses of `beta_neg_binomial` from K on, divided by the mass at K, or its derivative with respect to r, a or b. Thomae's
 * transformation replaces a 3F2 at 1 that converges like K^-a by one that converges geometrically where K is much larger than r (a + b)
 * (Olver et al., NIST Handbook, 16.4.11).
 */
function restOfMasses(part: i32, K: f64, r: f64, a: f64, b: f64): f64 {
  const both = a + b;
  const factor = exp(lgamma_rise(both + K, r) - lgamma_rise(K + 1.0, r - 1.0));
  let term: f64 = 1.0;
  let slope: f64 = 0.0;
  let total = 1.0 / a;
  let slopes = part == 2 ? -1.0 / (a * a) : 0.0;
  for (let j: f64 = 0.0; j < MAX_TERMS; j += 1.0) {
    const share = (both + j) / (both + K + j) / (j + 1.0);
    const step = (1.0 - r + j) * share;
    const weight = 1.0 / (a + j + 1.0);
    if (part > 0) {
      const own = part == 1 ? -share : ((1.0 - r + j) / (j + 1.0)) * (K / (both + K + j) / (both + K + j));
      slope = slope * step + term * own;
    }
    term *= step;
    total += term * weight;
    slopes += slope * weight - (part == 2 ? term * weight * weight : 0.0);
    const isSettled = abs<f64>(term) * weight < PRECISION * total;
    if (isSettled && (part == 0 || abs<f64>(slope) * weight <= PRECISION * abs<f64>(slopes))) break;
  }
  if (part == 0) return factor * total;
  const bySteps = part == 1 ? digamma_rise(K + r, both) : digamma_rise(both + K, r);
  return factor * (bySteps * total + slopes);
}

/** Part of log P(at most n), or with `above` of more than n, of `beta_neg_binomial`: 0 the value, 1 to 3 the derivatives with respect to r, a and b. */
function betaNegBinomial(part: i32, above: bool, n: f64, r: f64, a: f64, b: f64): f64 {
  let scale: f64 = 0.0;
  let term: f64 = 1.0;
  let total: f64 = 1.0;
  let slope: f64 = 0.0;
  let slopes: f64 = 0.0;
  let k: f64 = 0.0;
  for (; k < n; k += 1.0) {
    term *= ((r + k) / (k + 1.0)) * ((b + k) / (a + b + r + k));
    if (part > 0) slope += stepSlope(part, k, r, a, b);
    total += term;
    slopes += term * slope;
    if (total > MOST) {
      scale += log(MOST);
      term /= MOST;
      total /= MOST;
      slopes /= MOST;
    }
  }
  const first = logMassAtZero(0, r, a, b);
  const firstSlope = part > 0 ? logMassAtZero(part, r, a, b) : 0.0;
  const lower = log(total) + scale + first;
  if (lower < NEAR_ONE) {
    const value = part == 0 ? lower : slopes / total + firstSlope;
    return above ? complement(part, lower, value) : value;
  }
  const isSwapped = b < r;
  const least = isSwapped ? b : r;
  const most = isSwapped ? r : b;
  const last = min<f64>(n + 50.0 + (1.0 + 2.0 * least) * (a + most), n + MAX_TERMS);
  const atLast = first + massRatio(n, r, a, b);
  term = 1.0;
  total = 0.0;
  slopes = 0.0;
  for (; k < last; k += 1.0) {
    term *= ((r + k) / (k + 1.0)) * ((b + k) / (a + b + r + k));
    if (part > 0) slope += stepSlope(part, k, r, a, b);
    total += term;
    slopes += term * slope;
    if (term * (k + r + b) < PRECISION * a * total) break;
  }
  if (k >= last) {
    term *= ((r + k) / (k + 1.0)) * ((b + k) / (a + b + r + k));
    if (part > 0) slope += stepSlope(part, k, r, a, b);
    const rest = restOfMasses(0, k + 1.0, least, a, most);
    total += term * rest;
    if (part > 0) {
      const own = isSwapped && part != 2 ? 4 - part : part;
      slopes += term * (slope * rest + restOfMasses(own, k + 1.0, least, a, most));
    }
  }
  const upper = atLast + log(total);
  const value = part == 0 ? upper : slopes / total + firstSlope;
  return above ? value : complement(part, upper, value);
}

/** log P(at most n) of `beta_neg_binomial`, n ≥ 0, or its derivative with respect to the argument at a position. */
export function beta_neg_binomial_below(part: i32, n: f64, r: f64, a: f64, b: f64): f64 {
  return betaNegBinomial(max<i32>(part - 1, 0), false, n, r, a, b);
}

/** log P(more than n) of `beta_neg_binomial`, n ≥ 0, or its derivative with respect to the argument at a position. */
export function beta_neg_binomial_above(part: i32, n: f64, r: f64, a: f64, b: f64): f64 {
  return betaNegBinomial(max<i32>(part - 1, 0), true, n, r, a, b);
}

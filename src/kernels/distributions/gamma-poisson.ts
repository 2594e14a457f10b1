// The distribution function of `neg_binomial_2`: an incomplete beta function, or, if the precision exceeds the mean, where the
// continued fraction loses digits, the sum of the masses, differentiated term by term. These derivatives do not cancel in the Poisson limit.
import { lgamma } from '../special/gamma';
import { lgamma_rise } from '../special/gamma-rise';
import { log_inc_beta } from '../special/incomplete-beta';
import { complement, log1pMinus } from '../special/incomplete-common';
import { log, log1p } from '../elementary/logarithm';

const PRECISION: f64 = 1e-17;
const MOST: f64 = 1e200;
const LOG_HALF: f64 = -0.6931471805599453;
const MAX_TERMS: f64 = 1000000.0;
/** Maximum number of terms of a sum. */
const MANY: f64 = 100000.0;

/** Part of log P(0) of `neg_binomial_2`: 0 the value, 1 and 2 the derivatives with respect to mu and phi. */
function logGammaPoissonAtZero(part: i32, mu: f64, phi: f64): f64 {
  const ratio = mu / phi;
  if (part == 0) return -phi * log1p(ratio);
  return part == 1 ? -phi / (mu + phi) : -log1pMinus(ratio) - ratio * (mu / (mu + phi));
}

/** The derivative with respect to mu or phi of the log ratio of a mass to the mass at one count less. */
@inline
function gammaPoissonStep(part: i32, k: f64, mu: f64, phi: f64): f64 {
  if (part == 1) return phi / mu / (mu + phi);
  return (mu - k) / (phi + k) / (mu + phi);
}

/**
 * Part of log P(at most n), or with `above` of more than n, of `neg_binomial_2`, by sums. If the precision
 * exceeds the mean, each mass is eventually less than half of the previous one.
 */
function gammaPoisson(part: i32, above: bool, n: f64, mu: f64, phi: f64): f64 {
  const share = mu / (mu + phi);
  let scale: f64 = 0.0;
  let term: f64 = 1.0;
  let total: f64 = 1.0;
  let slope: f64 = 0.0;
  let slopes: f64 = 0.0;
  let k: f64 = 0.0;
  for (; k < n; k += 1.0) {
    term *= ((phi + k) / (k + 1.0)) * share;
    slope += gammaPoissonStep(part, k, mu, phi);
    total += term;
    slopes += term * slope;
    if (total > MOST) {
      scale += log(MOST);
      term /= MOST;
      total /= MOST;
      slopes /= MOST;
    }
  }
  const first = logGammaPoissonAtZero(0, mu, phi) + scale;
  const firstSlope = part == 0 ? 0.0 : logGammaPoissonAtZero(part, mu, phi);
  const lower = first + log(total);
  if (lower < LOG_HALF) {
    const value = part == 0 ? lower : firstSlope + slopes / total;
    return above ? complement(part, lower, value) : value;
  }
  const atLast = logGammaPoissonAtZero(0, mu, phi) + lgamma_rise(phi, n) - lgamma(n + 1.0) + n * log(share);
  term = 1.0;
  total = 0.0;
  slopes = 0.0;
  for (; k < n + MAX_TERMS; k += 1.0) {
    const step = ((phi + k) / (k + 1.0)) * share;
    term *= step;
    slope += gammaPoissonStep(part, k, mu, phi);
    total += term;
    slopes += term * slope;
    if (step < 1.0 && term < PRECISION * total * (1.0 - step)) break;
  }
  const upper = atLast + log(total);
  const value = part == 0 ? upper : firstSlope + slopes / total;
  return above ? value : complement(part, upper, value);
}

/** Part of log P(at most n) or log P(more than n): of log I_x(phi, n + 1) with x = phi/(mu + phi), or of its complement. */
function distribution(part: i32, above: bool, n: f64, mu: f64, phi: f64): f64 {
  if (phi > mu && n < MANY) return gammaPoisson(max<i32>(part - 1, 0), above, n, mu, phi);
  const x = 1.0 / (1.0 + mu / phi);
  const y = 1.0 / (1.0 + phi / mu);
  const b = n + 1.0;
  if (part == 0) return above ? log_inc_beta(0, b, phi, y, x) : log_inc_beta(0, phi, b, x, y);
  const byX = above ? -log_inc_beta(3, b, phi, y, x) : log_inc_beta(3, phi, b, x, y);
  if (part == 2) return ((-byX * x) / mu) * y;
  return (above ? log_inc_beta(2, b, phi, y, x) : log_inc_beta(1, phi, b, x, y)) + ((byX * y) / phi) * x;
}

/** log P(at most n) of `neg_binomial_2`, n ≥ 0, or its derivative with respect to the argument at a position. */
export function neg_binomial_2_below(part: i32, n: f64, mu: f64, phi: f64): f64 {
  return distribution(part, false, n, mu, phi);
}

/** log P(more than n) of `neg_binomial_2`, n ≥ 0, or its derivative with respect to the argument at a position. */
export function neg_binomial_2_above(part: i32, n: f64, mu: f64, phi: f64): f64 {
  return distribution(part, true, n, mu, phi);
}

// The distribution function of the sum of a normal and an exponential variate, in terms of z = (y - mu)/sigma and v = lambda sigma: P =
// Φ(z) - T and Q = Φ(-z) + T with T = exp(v²/2 - v z) Φ(z - v). In the left tail P is φ(z) times a difference of Mills ratios M(-z) - M(v -
// z), whose Taylor series in v has repeated integrals of Φ as coefficients (DLMF 7.18.7, 7.18.13). Every function has parts: the value (0)
// and its derivatives with respect to z (1) and v (2).
import { log_Phi, scaledErfc } from '../special/error';
import { exp } from '../elementary/exponential';
import { complement } from '../special/incomplete-common';
import { log } from '../elementary/logarithm';
import { log_sum_exp } from '../elementary/logistic';

const SQRT_HALF: f64 = 0.7071067811865476;
const SQRT_HALF_PI: f64 = 1.2533141373155003;
const SQRT_TWO_PI: f64 = 2.5066282746310002;
const HALF_LOG_TWO_PI: f64 = 0.9189385332046728;
/** Above this, the continued fraction of the Mills ratio converges quickly. */
const FAR: f64 = 2.0;
/** Above this, Φ(-z) is negligible compared with 1. */
const CERTAIN: f64 = 37.0;
const MOST_TERMS: i32 = 60;

/** Φ(-x)/φ(x); it overflows below -38. */
function mills(x: f64): f64 {
  const tail = SQRT_HALF_PI * scaledErfc<f64>(abs<f64>(x) * SQRT_HALF);
  return x < 0.0 ? SQRT_TWO_PI * exp(0.5 * x * x) - tail : tail;
}

/**
 * (M(a) - M(a + v)) / (v M(a)) for a ≥ 2 and v < a/10, by a continued fraction for the ratios of successive repeated integrals;
 * -M'(a)/M(a) for v = 0.
 */
function farDifference(a: f64, v: f64): f64 {
  let ratio = 1.0 / a;
  let sum: f64 = 1.0;
  for (let k = 20 + <i32>(160.0 / a); k > 1; k--) {
    ratio = 1.0 / (a + <f64>k * ratio);
    if (k > 2) sum = 1.0 - v * ratio * sum;
  }
  return ratio * sum;
}

/** -M'(x) = 1 - x M(x) */
function millsSlope(x: f64): f64 {
  return x < FAR ? 1.0 - x * mills(x) : mills(x) * farDifference(x, 0.0);
}

/** M(-z) - M(v - z) for small v and z > -2: the repeated integrals by their recurrence. */
function nearDifference(z: f64, v: f64): f64 {
  let before: f64 = 1.0;
  let current = mills(-z);
  let power: f64 = 1.0;
  let total: f64 = 0.0;
  for (let k = 1; k < MOST_TERMS; k++) {
    const next = (z * current + before) / <f64>k;
    before = current;
    current = next;
    power *= k == 1 ? v : -v;
    const term = power * next;
    total += term;
    if (abs<f64>(term) < 1e-17 * total) break;
  }
  return total;
}

/** M(-z) - M(v - z) = P/φ(z) */
function difference(z: f64, v: f64): f64 {
  if (z <= -FAR && v < -0.1 * z) return v * mills(-z) * farDifference(-z, v);
  if (v * (abs<f64>(z) + 1.0) <= 0.5) return nearDifference(z, v);
  return mills(-z) - mills(v - z);
}

/** log T */
function logTilted(part: i32, z: f64, v: f64): f64 {
  const x = v - z;
  if (part == 0) {
    if (x > 0.0) return log(0.5 * scaledErfc<f64>(x * SQRT_HALF)) - 0.5 * z * z;
    return v * (0.5 * v - z) + log_Phi(-x);
  }
  const hazard = x < -CERTAIN ? 0.0 : 1.0 / mills(x);
  if (part == 1) return hazard - v;
  return x < FAR ? x - hazard : -farDifference(x, 0.0);
}

/** log P if P is not near 1. */
function lower(part: i32, z: f64, v: f64): f64 {
  if (z >= CERTAIN) return complement(part, logTilted(0, z, v), logTilted(part, z, v));
  const d = difference(z, v);
  if (part == 0) return log(d) - 0.5 * z * z - HALF_LOG_TWO_PI;
  return part == 1 ? (v * mills(v - z)) / d : millsSlope(v - z) / d;
}

/** log Q if Q is not near 1. */
function upper(part: i32, z: f64, v: f64): f64 {
  const tilted = logTilted(0, z, v);
  const value = log_sum_exp(log_Phi(-z), tilted);
  if (part == 0) return value;
  if (part == 1) return -v * exp(tilted - value);
  const x = v - z;
  const density = -0.5 * z * z - HALF_LOG_TWO_PI - value;
  return x < 0.0 ? x * exp(tilted - value) - exp(density) : -millsSlope(x) * exp(density);
}

@inline
function isAboveHalf(z: f64, v: f64): bool {
  return upper(0, z, v) < -0.7;
}

/** Logarithm of the distribution function. */
export function log_exp_mod_normal(part: i32, z: f64, v: f64): f64 {
  return isAboveHalf(z, v) ? complement(part, upper(0, z, v), upper(part, z, v)) : lower(part, z, v);
}

/** Logarithm of its complement. */
export function log_exp_mod_normal_upper(part: i32, z: f64, v: f64): f64 {
  return isAboveHalf(z, v) ? upper(part, z, v) : complement(part, lower(0, z, v), lower(part, z, v));
}

// Random variates by distribution; state as in random.ts. Parameters must have been checked.
import { exp } from '../elementary/exponential';
import { lgamma } from '../special/gamma';
import { log } from '../elementary/logarithm';
import { pow } from '../elementary/power';
import { rng_normal, rng_uniform } from './random';
import { atan, tan } from '../elementary/trigonometric';

const PI: f64 = 3.141592653589793;

/** Smaller shapes are replaced by this one, so that logarithms of variates remain finite. */
const LEAST_SHAPE: f64 = 1e-300;

/**
 * Logarithm of a gamma variate with shape a > 0 and scale 1 (Marsaglia and Tsang, ACM TOMS 26, 2000). It is finite even if the variate
 * itself underflows, as about half of the variates of shape 0.001 do.
 */
export function rng_log_gamma(state: usize, a: f64): f64 {
  if (a < 1.0) return rng_log_gamma(state, a + 1.0) + log(rng_uniform(state)) / max<f64>(a, LEAST_SHAPE);
  const d = a - 0.3333333333333333;
  const c = 1.0 / sqrt<f64>(9.0 * d);
  while (true) {
    const x = rng_normal(state);
    const t = 1.0 + c * x;
    if (t <= 0.0) continue;
    const v = t * t * t;
    const u = rng_uniform(state);
    if (u < 1.0 - 0.0331 * x * x * x * x) return log(d * v);
    if (log(u) < 0.5 * x * x + d * (1.0 - v + log(v))) return log(d * v);
  }
}

/** Poisson variate by the multiplication method, for small means. */
function poissonSmall(state: usize, lambda: f64): f64 {
  const limit = exp(-lambda);
  let product = rng_uniform(state);
  let k: f64 = 0.0;
  while (product > limit) {
    product *= rng_uniform(state);
    k += 1.0;
  }
  return k;
}

/** Poisson variate by transformed rejection, PTRS (Hörmann, Insurance: Mathematics and Economics 12, 1993). */
function poissonLarge(state: usize, lambda: f64): f64 {
  const root = sqrt<f64>(lambda);
  const logLambda = log(lambda);
  const b = 0.931 + 2.53 * root;
  const a = -0.059 + 0.02483 * b;
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  const accept = 0.9277 - 3.6224 / (b - 2.0);
  while (true) {
    const u = rng_uniform(state) - 0.5;
    const v = rng_uniform(state);
    const us = 0.5 - abs<f64>(u);
    const k = floor<f64>(((2.0 * a) / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= accept) return k;
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    const left = log((v * inverseAlpha) / (a / (us * us) + b));
    if (left <= k * logLambda - lambda - lgamma(k + 1.0)) return k;
  }
}

/** Poisson variate with mean λ ≥ 0, as f64: it may exceed the range of int, which the caller must check. */
export function rng_poisson(state: usize, lambda: f64): f64 {
  return lambda < 10.0 ? poissonSmall(state, lambda) : poissonLarge(state, lambda);
}

/** Binomial variate by inversion with sequential search, for n min(p, 1-p) < 10. */
function binomialSmall(state: usize, n: f64, p: f64): f64 {
  const odds = p / (1.0 - p);
  const first = pow(1.0 - p, n);
  while (true) {
    let mass = first;
    let u = rng_uniform(state);
    // Rounding may leave a rest of u after all masses; a mass of 0 ends the search before 2^31 steps.
    for (let k: f64 = 0.0; k <= n && mass > 0.0; k += 1.0) {
      if (u <= mass) return k;
      u -= mass;
      mass *= (odds * (n - k)) / (k + 1.0);
    }
  }
}

/** Stirling's correction log k! - [(k + ½) log(k + 1) - (k + 1) + ½ log 2π]. */
function binomialCorrection(k: f64): f64 {
  return lgamma(k + 1.0) - ((k + 0.5) * log(k + 1.0) - (k + 1.0) + 0.9189385332046728);
}

/** Binomial variate by transformed rejection, BTRS (Hörmann, J. Statist. Comput. Simul. 46, 1993), p ≤ ½, n p ≥ 10. */
function binomialLarge(state: usize, n: f64, p: f64): f64 {
  const deviation = sqrt<f64>(n * p * (1.0 - p));
  const b = 1.15 + 2.53 * deviation;
  const a = -0.0873 + 0.0248 * b + 0.01 * p;
  const c = n * p + 0.5;
  const accept = 0.92 - 4.2 / b;
  const alpha = (2.83 + 5.1 / b) * deviation;
  const mode = floor<f64>((n + 1.0) * p);
  const odds = p / (1.0 - p);
  while (true) {
    const u = rng_uniform(state) - 0.5;
    let v = rng_uniform(state);
    const us = 0.5 - abs<f64>(u);
    const k = floor<f64>(((2.0 * a) / us + b) * u + c);
    if (us >= 0.07 && v <= accept) return k;
    if (k < 0.0 || k > n) continue;
    v = log((v * alpha) / (a / (us * us) + b));
    const bound =
      (mode + 0.5) * log((mode + 1.0) / (odds * (n - mode + 1.0))) +
      binomialCorrection(mode) +
      binomialCorrection(n - mode) +
      (n + 1.0) * log((n - mode + 1.0) / (n - k + 1.0)) +
      (k + 0.5) * log((odds * (n - k + 1.0)) / (k + 1.0)) -
      binomialCorrection(k) -
      binomialCorrection(n - k);
    if (v <= bound) return k;
  }
}

/** Binomial variate of n ≥ 0 trials. */
export function rng_binomial(state: usize, n: i32, p: f64): i32 {
  if (n == 0 || p <= 0.0) return 0;
  if (p >= 1.0) return n;
  const trials = <f64>n;
  const rare = min<f64>(p, 1.0 - p);
  const k = trials * rare < 10.0 ? binomialSmall(state, trials, rare) : binomialLarge(state, trials, rare);
  return p > 0.5 ? n - <i32>k : <i32>k;
}

/**
 * Von Mises variate with mean direction μ and concentration κ ≥ 0, in (μ - π, μ + π): rejection from a wrapped Cauchy distribution (Best and
 * Fisher, Applied Statistics 28, 1979). Their constant r is (1 + √(1 + 4κ²)) / (2κ): the differences in their formulas for τ and ρ cancel
 * in exact arithmetic, and every digit in floating point for small and large κ. With a = κ (r - 1) and the half angles of proposal and uniform
 * angle, the formulas below subtract nothing, so that they also hold in both limits: the uniform distribution, and the normal one with
 * variance 1/κ.
 */
export function rng_von_mises(state: usize, mu: f64, kappa: f64): f64 {
  const a = 0.5 + 0.5 / (sqrt<f64>(1.0 + 4.0 * kappa * kappa) + 2.0 * kappa);
  const spread = sqrt<f64>((0.5 * a) / (0.5 * a + kappa));
  while (true) {
    const t = tan(0.5 * PI * rng_uniform(state));
    const c = a * (1.0 + (t * t) / (1.0 + (0.5 * a * (1.0 + t * t)) / kappa));
    const u = rng_uniform(state);
    if (c * (2.0 - c) > u || log(c / u) + 1.0 >= c) {
      const angle = 2.0 * atan(t * spread);
      return rng_uniform(state) < 0.5 ? mu - angle : mu + angle;
    }
  }
}

/** 1-based category with probabilities theta[0..n]. */
export function rng_categorical(state: usize, theta: usize, n: i32): i32 {
  let u = rng_uniform(state);
  for (let k = 1; k < n; k++) {
    u -= load<f64>(theta);
    if (u <= 0.0) return k;
    theta += 8;
  }
  return n;
}

/** Hypergeometric variate: successes among n draws without replacement from a successes and b failures, by inversion from the mode outwards. */
export function rng_hypergeometric(state: usize, n: i32, a: i32, b: i32): i32 {
  const low = max<i32>(0, n - b);
  const high = min<i32>(n, a);
  const mode = <i32>(((<f64>n + 1.0) * (<f64>a + 1.0)) / (<f64>a + <f64>b + 2.0));
  const center = exp(logChoose(<f64>a, <f64>mode) + logChoose(<f64>b, <f64>(n - mode)) - logChoose(<f64>a + <f64>b, <f64>n));
  while (true) {
    let u = rng_uniform(state);
    let up = mode;
    let down = mode;
    let upMass = center;
    let downMass = center;
    u -= center;
    if (u <= 0.0) return mode;
    while ((up < high && upMass > 0.0) || (down > low && downMass > 0.0)) {
      if (up < high) {
        upMass *= (<f64>(a - up) * <f64>(n - up)) / (<f64>(up + 1) * <f64>(b - n + up + 1));
        up++;
        u -= upMass;
        if (u <= 0.0) return up;
      }
      if (down > low) {
        downMass *= (<f64>down * <f64>(b - n + down)) / (<f64>(a - down + 1) * <f64>(n - down + 1));
        down--;
        u -= downMass;
        if (u <= 0.0) return down;
      }
    }
  }
}

function logChoose(n: f64, k: f64): f64 {
  return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

// Incomplete gamma and beta functions: series and continued fractions, common factors written about the mode so that
// large parameters lose no digits (DiDonato and Morris, ACM TOMS 12, 1986 and 18, 1992).
import { exp } from './exponential';
import { digamma, lbeta, lgamma, stirlingDifference } from './gamma';
import { log, log1p } from './logarithm';

const TINY: f64 = 1e-300;
const PRECISION: f64 = 1e-16;
const MAX_TERMS: i32 = 200000;
const TWO_PI: f64 = 6.283185307179586;
const LARGE: f64 = 6.5;

/** log(1 + t) - t without cancellation. */
function log1pMinus(t: f64): f64 {
  if (t < -0.5 || t > 1.0) return log1p(t) - t;
  // with s = t/(2+t): log(1+t) - t = 2 (s³/3 + s⁵/5 + …) - t s
  const s = t / (2.0 + t);
  const z = s * s;
  let term = 2.0 * s * z;
  let total: f64 = 0.0;
  for (let k: f64 = 3.0; k < 80.0; k += 2.0) {
    const next = total + term / k;
    if (next == total) break;
    total = next;
    term *= z;
  }
  return total - t * s;
}

/** x^a e^-x / Γ(a) */
function gammaFactor(a: f64, x: f64): f64 {
  if (a < LARGE || x < 0.3 * a) return exp(a * log(x) - x - lgamma(a));
  return exp(a * log1pMinus((x - a) / a) - stirlingDifference(a)) * sqrt<f64>(a / TWO_PI);
}

/** P(a, x) / factor as a series, all terms positive. */
function gammaSeries(a: f64, x: f64): f64 {
  let term = 1.0 / a;
  let total = term;
  for (let k = 1; k < MAX_TERMS; k++) {
    term *= x / (a + <f64>k);
    total += term;
    if (term < total * PRECISION) break;
  }
  return total;
}

/** Q(a, x) / factor as a continued fraction (Lentz). */
function gammaFraction(a: f64, x: f64): f64 {
  let b = x + 1.0 - a;
  let c = 1.0 / TINY;
  let d = 1.0 / b;
  let h = d;
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
    if (abs<f64>(step - 1.0) < PRECISION) break;
  }
  return h;
}

/** Regularised lower incomplete gamma function P(a, x), a > 0, x ≥ 0. */
export function gamma_p(a: f64, x: f64): f64 {
  if (!(a > 0.0 && x >= 0.0)) return NaN;
  if (x == 0.0) return 0.0;
  if (x == Infinity) return 1.0;
  if (x < a + 1.0) return gammaFactor(a, x) * gammaSeries(a, x);
  return 1.0 - gammaFactor(a, x) * gammaFraction(a, x);
}

/** Regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x). */
export function gamma_q(a: f64, x: f64): f64 {
  if (!(a > 0.0 && x >= 0.0)) return NaN;
  if (x == 0.0) return 1.0;
  if (x == Infinity) return 0.0;
  if (x < a + 1.0) return 1.0 - gammaFactor(a, x) * gammaSeries(a, x);
  return gammaFactor(a, x) * gammaFraction(a, x);
}

/** x^a (1-x)^b / B(a, b) */
function betaFactor(a: f64, b: f64, x: f64): f64 {
  const y = 1.0 - x;
  if (a < LARGE || b < LARGE) return exp(a * log(x) + b * log1p(-x) - lbeta(a, b));
  const sum = a + b;
  const lambda = a > b ? sum * y - b : a - sum * x;
  const exponent =
    a * log1pMinus(-lambda / a) +
    b * log1pMinus(lambda / b) +
    (stirlingDifference(sum) - stirlingDifference(a) - stirlingDifference(b));
  return exp(exponent) * sqrt<f64>((a * b) / (TWO_PI * sum));
}

/** I_x(a, b) · a / factor, x below the mean (Lentz on the classical fraction). */
function betaFraction(a: f64, b: f64, x: f64): f64 {
  const sum = a + b;
  let c: f64 = 1.0;
  let d = 1.0 - (sum * x) / (a + 1.0);
  if (abs<f64>(d) < TINY) d = TINY;
  d = 1.0 / d;
  let h = d;
  for (let i = 1; i < MAX_TERMS; i++) {
    const m = <f64>i;
    const even = a + 2.0 * m;
    let term = (m * (b - m) * x) / ((even - 1.0) * even);
    d = 1.0 + term * d;
    if (abs<f64>(d) < TINY) d = TINY;
    c = 1.0 + term / c;
    if (abs<f64>(c) < TINY) c = TINY;
    d = 1.0 / d;
    h *= d * c;
    term = (-(a + m) * (sum + m) * x) / (even * (even + 1.0));
    d = 1.0 + term * d;
    if (abs<f64>(d) < TINY) d = TINY;
    c = 1.0 + term / c;
    if (abs<f64>(c) < TINY) c = TINY;
    d = 1.0 / d;
    const step = d * c;
    h *= step;
    if (abs<f64>(step - 1.0) < PRECISION) break;
  }
  return h;
}

/** Regularised incomplete beta function I_x(a, b), a, b > 0, 0 ≤ x ≤ 1. */
export function inc_beta(a: f64, b: f64, x: f64): f64 {
  if (!(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0)) return NaN;
  if (x == 0.0 || x == 1.0) return x;
  const factor = betaFactor(a, b, x);
  if (x <= (a + 1.0) / (a + b + 2.0)) return (factor * betaFraction(a, b, x)) / a;
  return 1.0 - (factor * betaFraction(b, a, 1.0 - x)) / b;
}

/** ∂P(a, x)/∂a; that of Q is its negative. */
export function gamma_p_da(a: f64, x: f64): f64 {
  if (!(a > 0.0 && x >= 0.0)) return NaN;
  if (x == 0.0 || x == Infinity) return 0.0;
  const logX = log(x);
  const factor = gammaFactor(a, x);
  if (x < a + 1.0) {
    // P = factor Σ t_k, and each term's logarithmic derivative is log x - ψ(a + k + 1)
    let term = 1.0 / a;
    let psi = digamma(a + 1.0);
    let total = term * (logX - psi);
    let size = term;
    for (let k = 1; k < MAX_TERMS; k++) {
      const next = a + <f64>k;
      term *= x / next;
      psi += 1.0 / next;
      total += term * (logX - psi);
      size += term;
      if (term * abs<f64>(logX - psi) < abs<f64>(total) * PRECISION && term < size * PRECISION) break;
    }
    return factor * total;
  }
  // Q = factor · fraction, the fraction carried with its derivative
  let b = x + 1.0 - a;
  let c = 1.0 / TINY;
  let cSlope: f64 = 0.0;
  let d = 1.0 / b;
  let dSlope = d * d;
  let h = d;
  let hSlope = dSlope;
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
    const step = d * c;
    const stepSlope = dSlope * c + d * cSlope;
    hSlope = hSlope * step + h * stepSlope;
    h *= step;
    if (abs<f64>(step - 1.0) < PRECISION && abs<f64>(h * stepSlope) <= abs<f64>(hSlope) * PRECISION) break;
  }
  return -factor * (h * (logX - digamma(a)) + hSlope);
}

/** d log(betaFraction(a, b, x))/da for aSlope = 1, bSlope = 0; /db for 0, 1. */
function betaFractionSlope(a: f64, b: f64, x: f64, aSlope: f64, bSlope: f64): f64 {
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
        term = (m * (b - m) * x) / ((even - 1.0) * even);
        termSlope = (m * bSlope * x) / ((even - 1.0) * even) - term * aSlope * (1.0 / (even - 1.0) + 1.0 / even);
      } else {
        const scale = -x / (even * (even + 1.0));
        term = (a + m) * (sum + m) * scale;
        termSlope =
          (aSlope * (sum + m) + (a + m) * sumSlope) * scale - term * aSlope * (1.0 / even + 1.0 / (even + 1.0));
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
    if (abs<f64>(change) <= abs<f64>(total) * PRECISION && abs<f64>(d * c - 1.0) < PRECISION) break;
  }
  return total;
}

/** ∂I_x(a, b)/∂a where `first`, else ∂I_x(a, b)/∂b. */
function betaSlope(a: f64, b: f64, x: f64, first: bool): f64 {
  if (!(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0)) return NaN;
  if (x == 0.0 || x == 1.0) return 0.0;
  const factor = betaFactor(a, b, x);
  const both = digamma(a + b);
  const factorSlope = first ? log(x) - digamma(a) + both : log1p(-x) - digamma(b) + both;
  const aSlope: f64 = first ? 1.0 : 0.0;
  const bSlope = 1.0 - aSlope;
  if (x <= (a + 1.0) / (a + b + 2.0)) {
    const slope = factorSlope - aSlope / a + betaFractionSlope(a, b, x, aSlope, bSlope);
    return ((factor * betaFraction(a, b, x)) / a) * slope;
  }
  const y = 1.0 - x;
  const slope = factorSlope - bSlope / b + betaFractionSlope(b, a, y, bSlope, aSlope);
  return -((factor * betaFraction(b, a, y)) / b) * slope;
}

/** ∂I_x(a, b)/∂a */
export function inc_beta_da(a: f64, b: f64, x: f64): f64 {
  return betaSlope(a, b, x, true);
}

/** ∂I_x(a, b)/∂b */
export function inc_beta_db(a: f64, b: f64, x: f64): f64 {
  return betaSlope(a, b, x, false);
}

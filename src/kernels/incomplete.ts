// Incomplete gamma and beta functions: series and continued fractions, common factors written about the mode so that
// large parameters lose no digits (DiDonato and Morris, ACM TOMS 12, 1986 and 18, 1992).
import { exp, expm1 } from './exponential';
import { digamma, digammaTail, lgamma, lgamma1p, stirlingDifference } from './gamma';
import { digamma_rise, lbeta, lgamma_rise } from './gamma-rise';
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

/** log r - (r - 1) for r = x/mean, `t` being r - 1: what a large shape is multiplied with. */
function logMinus(r: f64, t: f64): f64 {
  return r < 0.3 ? log(r) - t : log1pMinus(t);
}

/** x^a e^-x / Γ(a) */
function gammaFactor(a: f64, x: f64): f64 {
  if (a < LARGE) return exp(a * log(x) - x - lgamma(a));
  return exp(a * logMinus(x / a, (x - a) / a) - stirlingDifference(a)) * sqrt<f64>(a / TWO_PI);
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

/** Q(a, x) for a < ½ and x < a + 1, where P is near 1: 1 - P taken apart so that no digits of the small rest are lost. */
function gammaRest(a: f64, x: f64): f64 {
  const w = a * log(x) - lgamma1p(a);
  let power: f64 = 1.0;
  let total: f64 = 0.0;
  for (let k: f64 = 1.0; k < 100.0; k += 1.0) {
    power *= -x / k;
    const term = power / (a + k);
    total += term;
    if (abs<f64>(term) < PRECISION * abs<f64>(total)) break;
  }
  return -expm1(w) - a * exp(w) * total;
}

/** Regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x). */
export function gamma_q(a: f64, x: f64): f64 {
  if (!(a > 0.0 && x >= 0.0)) return NaN;
  if (x == 0.0) return 1.0;
  if (x == Infinity) return 0.0;
  if (a < 0.5 && x < a + 1.0) return gammaRest(a, x);
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
    a * logMinus((x * sum) / a, -lambda / a) +
    b * logMinus((y * sum) / b, lambda / b) +
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

/** I_x(a, b) by y = 1 - x for b < ½ and x above the mean: it is near 0 though x is large, since a small b has its mass at 1. */
function smallShapeRest(a: f64, b: f64, y: f64): f64 {
  const w = b * log(y) + lgamma_rise(a, b) - lgamma1p(b);
  let power: f64 = 1.0;
  let total: f64 = 0.0;
  for (let k: f64 = 1.0; k < 10000.0; k += 1.0) {
    power *= (y * (k - a)) / k;
    const term = power / (b + k);
    total += term;
    if (abs<f64>(term) < PRECISION * abs<f64>(total)) break;
  }
  return -expm1(w) - b * exp(w) * total;
}

/** Regularised incomplete beta function I_x(a, b), a, b > 0, 0 ≤ x ≤ 1. */
export function inc_beta(a: f64, b: f64, x: f64): f64 {
  if (!(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0)) return NaN;
  if (x == 0.0 || x == 1.0) return x;
  const isBelow = x <= (a + 1.0) / (a + b + 2.0);
  if (!isBelow && b < 0.5) return smallShapeRest(a, b, 1.0 - x);
  const factor = betaFactor(a, b, x);
  if (isBelow) return (factor * betaFraction(a, b, x)) / a;
  return 1.0 - (factor * betaFraction(b, a, 1.0 - x)) / b;
}

/** 1 - I_x(a, b) without the rounding of 1 - x where x is small. */
export function inc_beta_upper(a: f64, b: f64, x: f64): f64 {
  if (!(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0)) return NaN;
  if (x == 0.0 || x == 1.0) return 1.0 - x;
  if (x > (a + 1.0) / (a + b + 2.0)) return inc_beta(b, a, 1.0 - x);
  if (a < 0.5) return smallShapeRest(b, a, x);
  return 1.0 - (betaFactor(a, b, x) * betaFraction(a, b, x)) / a;
}

/** ∂P(a, x)/∂a; that of Q is its negative. */
export function gamma_p_da(a: f64, x: f64): f64 {
  if (!(a > 0.0 && x >= 0.0)) return NaN;
  if (x == 0.0 || x == Infinity) return 0.0;
  // log x - ψ(a), for large a as the difference of the differences to log a
  const ratio = x / a;
  const rise =
    a < 20.0 ? log(x) - digamma(a) : (ratio < 0.3 ? log(ratio) : log1p((x - a) / a)) - digammaTail(a);
  const factor = gammaFactor(a, x);
  if (x < a + 1.0) {
    // P = factor Σ t_k, and each term's logarithmic derivative is log x - ψ(a + k + 1)
    let term = 1.0 / a;
    let slope = a < 20.0 ? log(x) - digamma(a + 1.0) : rise - 1.0 / a;
    let total = term * slope;
    let size = term;
    for (let k = 1; k < MAX_TERMS; k++) {
      const next = a + <f64>k;
      term *= x / next;
      slope -= 1.0 / next;
      total += term * slope;
      size += term;
      if (term * abs<f64>(slope) < abs<f64>(total) * PRECISION && term < size * PRECISION) break;
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
  return -factor * (h * rise + hSlope);
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

/** log x - ψ(a) + ψ(a + b) - 1/a */
function reducedSlope(a: f64, b: f64, x: f64): f64 {
  return log(x) + digamma_rise(a + 1.0, b) - 1.0 / (a + b);
}

/** ∂I_x(a, b)/∂a where `first`, else ∂I_x(a, b)/∂b. */
function betaSlope(a: f64, b: f64, x: f64, first: bool): f64 {
  if (!(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0)) return NaN;
  if (x == 0.0 || x == 1.0) return 0.0;
  const factor = betaFactor(a, b, x);
  const aSlope: f64 = first ? 1.0 : 0.0;
  const bSlope = 1.0 - aSlope;
  const y = 1.0 - x;
  if (x <= (a + 1.0) / (a + b + 2.0)) {
    const factorSlope = first ? reducedSlope(a, b, x) : log1p(-x) + digamma_rise(b, a);
    return ((factor * betaFraction(a, b, x)) / a) * (factorSlope + betaFractionSlope(a, b, x, aSlope, bSlope));
  }
  const factorSlope = first ? log(x) + digamma_rise(a, b) : reducedSlope(b, a, y);
  return -((factor * betaFraction(b, a, y)) / b) * (factorSlope + betaFractionSlope(b, a, y, bSlope, aSlope));
}

/** ∂I_x(a, b)/∂a */
export function inc_beta_da(a: f64, b: f64, x: f64): f64 {
  return betaSlope(a, b, x, true);
}

/** ∂I_x(a, b)/∂b */
export function inc_beta_db(a: f64, b: f64, x: f64): f64 {
  return betaSlope(a, b, x, false);
}

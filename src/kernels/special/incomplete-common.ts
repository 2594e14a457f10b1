// Common parts of the incomplete gamma and beta functions: factors expanded about the mode, so that large parameters lose no digits
// (DiDonato and Morris, ACM TOMS 12, 1986 and 18, 1992), and complements of probabilities that are given as logarithms.
import { exp, expm1 } from '../elementary/exponential';
import { log, log1p } from '../elementary/logarithm';
import { log1m_exp } from '../elementary/logistic';

export const TINY: f64 = 1e-300;
export const PRECISION: f64 = 1e-16;
/** A continued fraction ends when a factor is this close to 1: further factors only add rounding errors. */
export const STEADY: f64 = 4e-16;
export const MAX_TERMS: i32 = 2000000;
export const TWO_PI: f64 = 6.283185307179586;
/** Above this, Stirling's series is accurate for log Γ. */
export const LARGE: f64 = 6.5;
/** Below this shape, a probability may be so near to 1 that only its complement or its logarithm is accurate. */
export const SMALL: f64 = 0.5;

/** log(1 + t) - t without cancellation. */
export function log1pMinus(t: f64): f64 {
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

/** log r - (r - 1) for r = x/mean, with `t` = r - 1: the factor of a large shape. */
export function logMinus(r: f64, t: f64): f64 {
  return r < 0.3 ? log(r) - t : log1pMinus(t);
}

/**
 * log(1 - e^l) (part 0, `value` is l), or its derivative, where `value` is the derivative of l. e^l is applied as two
 * square roots, so that its underflow does not affect the product with a large derivative.
 */
export function complement(part: i32, l: f64, value: f64): f64 {
  if (part == 0) return log1m_exp(l);
  const root = exp(0.5 * l);
  return ((value * root) * root) / expm1(l);
}

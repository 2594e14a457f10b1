// First passage of a Wiener process between two barriers, without drift, in two series: over images for short times, over
// sines for long ones (Navarro and Fuss, J. Math. Psychol. 53, 2009). Series are truncated where Stan truncates them, so that
// values equal those of Stan's `wiener` with five arguments.
import { exp } from '../elementary/exponential';
import { log } from '../elementary/logarithm';
import { cos, sin } from '../elementary/trigonometric';

const PI: f64 = 3.141592653589793;
const SQRT_PI: f64 = 1.772453850905516;
const LOG_PI: f64 = 1.1447298858494002;
const SQRT_TWO_PI: f64 = 2.5066282746310002;
const LOG_SQRT_TWO_PI: f64 = 0.9189385332046727;
const TOLERANCE: f64 = 1e-6;
const LOG_TOLERANCE: f64 = -13.815510557964274;

/** log of the density f(x) of the first passage at the barrier that is the fraction q of the distance away; parts 1, 2: derivatives with respect to x, q. */
export function first_passage(part: i32, x: f64, q: f64): f64 {
  const root = sqrt<f64>(x);
  // The bound of the paper. Stan multiplies by √x instead, and takes the other series where x exceeds 4e10.
  let long = 1.0 / (PI * root);
  if (PI * TOLERANCE * x < 1.0) {
    long = max<f64>(long, sqrt<f64>(-2.0 * SQRT_PI * (LOG_PI + LOG_TOLERANCE + log(x))) / root);
  }
  let short: f64 = 2.0;
  const bound = 2.0 * SQRT_TWO_PI * TOLERANCE * root;
  if (bound < 1.0) {
    // Not `max`: for a distance so large that x is 0, the first one is NaN.
    const enough = 2.0 + root * sqrt<f64>(-2.0 * log(bound));
    short = enough > root + 1.0 ? enough : root + 1.0;
  }
  return short < long ? images(part, x, q, <i32>ceil<f64>(short)) : waves(part, x, q, <i32>ceil<f64>(long));
}

function images(part: i32, x: f64, q: f64, terms: i32): f64 {
  const last = terms >> 1;
  let total: f64 = 0.0;
  let slope: f64 = 0.0;
  for (let k = -((terms - 1) >> 1); k <= last; k++) {
    const z = q + 2.0 * <f64>k;
    const weight = exp((0.5 * (q * q - z * z)) / x);
    total += z * weight;
    if (part == 1) slope += z * z * z * weight;
    if (part == 2) slope += (1.0 - (z * z) / x) * weight;
  }
  if (part == 0) return log(total) - (0.5 * q * q) / x - LOG_SQRT_TWO_PI - 1.5 * log(x);
  if (part == 1) return (0.5 * slope) / (x * x * total) - 1.5 / x;
  return slope / total;
}

function waves(part: i32, x: f64, q: f64, terms: i32): f64 {
  const rate = 0.5 * PI * PI;
  let total: f64 = 0.0;
  let slope: f64 = 0.0;
  for (let i = 1; i <= terms; i++) {
    const k = <f64>i;
    const weight = k * exp((1.0 - k * k) * rate * x);
    if (weight == 0.0) break;
    total += weight * sin(k * PI * q);
    if (part == 1) slope -= weight * k * k * rate * sin(k * PI * q);
    if (part == 2) slope += weight * k * PI * cos(k * PI * q);
  }
  if (part == 0) return log(total) - rate * x + LOG_PI;
  return slope / total;
}

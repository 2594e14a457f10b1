// The distribution function of the skew normal distribution, computed as its logarithm. With h = |z| and the shape's magnitude a, it
// follows from one positive integral,
//   G(h, a) = 1/π ∫ exp(-(h² + v²)/2) h/(h² + v²) dv from v = a h,
// which is Φ(-h) - 2 T(h, a) without the cancellation (T of Owen, Ann. Math. Stat. 27, 1956).
import { erf, log_Phi, normal_tail, Phi } from '../special/error';
import { exp } from '../elementary/exponential';
import { complement } from '../special/incomplete-common';
import { node, POINTS, weight } from '../special/legendre';
import { log, log1p } from '../elementary/logarithm';
import { atan2 } from '../elementary/trigonometric';

const PI: f64 = 3.141592653589793;
const LN2: f64 = 0.6931471805599453;
const SQRT_HALF: f64 = 0.7071067811865476;
const SQRT_TWO_OVER_PI: f64 = 0.7978845608028654;
const INV_SQRT_TWO_PI: f64 = 0.3989422804014327;
/** Above this x, exp(-x) is too small to change a sum. */
const NEGLIGIBLE: f64 = 42.0;
/** Arguments below this count as 0. */
const MIDDLE: f64 = 1e-17;

/** G(h, a) exp((h² + q²)/2), q = a h: panels as wide as the poles at ±ih and the decay of the exponential allow. */
function scaledTail(h: f64, a: f64): f64 {
  const q = a * h;
  if (h < MIDDLE && q < MIDDLE) return atan2(1.0, a) / PI;
  let from: f64 = 0.0;
  let sum: f64 = 0.0;
  while (from * (q + 0.5 * from) < NEGLIGIBLE) {
    const v = q + from;
    const width = min<f64>(h + v, 6.0 / (3.0 + v));
    const half = 0.5 * width;
    let panel: f64 = 0.0;
    for (let i = 0; i < 2 * POINTS; i++) {
      const place = half * node(i >> 1);
      const s = from + half + ((i & 1) == 0 ? place : -place);
      const ratio = (q + s) / h;
      panel += (weight(i >> 1) * exp(-s * (q + 0.5 * s))) / (1.0 + ratio * ratio);
    }
    sum += (half * panel) / h;
    from += width;
  }
  return sum / PI;
}

function logTail(h: f64, a: f64): f64 {
  return log(scaledTail(h, a)) - 0.5 * h * h * (1.0 + a * a);
}

/** log G(h, a) (part 0) and its derivatives with respect to -h (part 1) and a (part 2). */
function lower(part: i32, h: f64, a: f64): f64 {
  if (part == 0) return logTail(h, a);
  const scaled = scaledTail(h, a);
  return part == 1 ? (SQRT_TWO_OVER_PI * normal_tail(a * h)) / scaled : -1.0 / (PI * (1.0 + a * a) * scaled);
}

/** The logarithm of 2 Φ(-h) - G(h, a), the probability below -h with shape -a, and its derivatives with respect to -h and -a. */
function thicker(part: i32, h: f64, a: f64): f64 {
  const ratio = exp(logTail(h, a) - log_Phi(-h) - LN2);
  if (part == 0) {
    const rest = erf(SQRT_HALF * h) + exp(logTail(h, a));
    return rest < 0.5 ? log1p(-rest) : log_Phi(-h) + LN2 + log1p(-ratio);
  }
  const scaled = 2.0 * normal_tail(h) * (1.0 - ratio);
  if (part == 1) return (2.0 * INV_SQRT_TWO_PI * Phi(a * h)) / scaled;
  return -exp(-0.5 * a * h * (a * h)) / (PI * (1.0 + a * a) * scaled);
}

/** The logarithm of erf(h/√2) + G(h, a), the probability below h with shape a, and its derivatives with respect to h and a. */
function above(part: i32, h: f64, a: f64): f64 {
  const other = thicker(0, h, a);
  if (other > -LN2) {
    const value = erf(SQRT_HALF * h) + exp(logTail(h, a));
    if (part == 0) return log(value);
    if (part == 1) return (2.0 * INV_SQRT_TWO_PI * exp(-0.5 * h * h) * Phi(a * h)) / value;
    return -exp(-0.5 * h * h * (1.0 + a * a)) / (PI * (1.0 + a * a) * value);
  }
  return complement(part, other, part == 0 ? other : -thicker(part, h, a));
}

/** log of the probability below z with the shape alpha (part 0), its derivatives with respect to z (part 1) and alpha (part 2). */
export function skew_normal_below(part: i32, z: f64, alpha: f64): f64 {
  const h = abs<f64>(z);
  const a = abs<f64>(alpha);
  if (alpha >= 0.0) return z <= 0.0 ? lower(part, h, a) : above(part, h, a);
  if (z <= 0.0) return thicker(part, h, a);
  const other = lower(0, h, a);
  return complement(part, other, part == 0 ? other : -lower(part, h, a));
}

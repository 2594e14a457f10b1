// The distribution of first passage times at the upper barrier, not divided by the probability of ever reaching it, and
// its derivatives: over images for short times (Gondan, Blurton and Kesselmeier, J. Math. Psychol. 60, 2014), over sines for long
// ones. Arguments as in wiener-density.ts.
import { log_Phi } from '../special/error';
import { exp, expm1 } from '../elementary/exponential';
import { cos, sin } from '../elementary/trigonometric';
import { BY_DISTANCE, BY_DRIFT, BY_START, BY_TIME, LOG_ERROR, VALUE, wienerLogDensity } from './wiener-density';

const PI: f64 = 3.141592653589793;
const INV_SQRT_TWO_PI: f64 = 0.3989422804014327;
/** The time, in units of the squared distance, above which the sines are used. */
const LONG: f64 = 0.25;
/** Terms below exp(-LAST) are negligible. */
const LAST: f64 = 42.0;

/** 1/(eᵘ - 1) - 1/u, by its series about 0. */
function smoothPole(u: f64): f64 {
  if (abs<f64>(u) > 0.1) return 1.0 / expm1(u) - 1.0 / u;
  const z = u * u;
  return -0.5 + u * (1.0 / 12.0 - z * (1.0 / 720.0 - z * (1.0 / 30240.0 - z / 1209600.0)));
}

/** The probability of ever reaching the barrier at distance q a with drift m away from it, or its derivatives with respect to m, a, q. */
function reach(part: i32, a: f64, m: f64, q: f64): f64 {
  const s = 2.0 * m * a;
  const far = s * (1.0 - q);
  let value: f64;
  if (s == 0.0) value = 1.0 - q;
  else if (s > 0.0) value = (exp(-s * q) * expm1(-far)) / expm1(-s);
  else value = expm1(far) / expm1(s);
  if (part == VALUE) return value;
  if (part == BY_START) return far == 0.0 ? -value / (1.0 - q) : (value * s) / expm1(-far);
  const slope = value * (-q + (1.0 - q) * smoothPole(far) - smoothPole(s));
  return 2.0 * slope * (part == BY_DRIFT ? a : m);
}

/** The probability of reaching the barrier after time t, or its derivatives with respect to m, a, q. */
function later(part: i32, t: f64, a: f64, m: f64, q: f64): f64 {
  const unit = (PI / a) * (PI / a);
  const terms = <i32>ceil<f64>(sqrt<f64>((2.0 * LAST) / (unit * t) + 1.0)) + 1;
  const root = (PI * PI) / (a * a);
  let total: f64 = 0.0;
  let slope: f64 = 0.0;
  for (let i = 1; i <= terms; i++) {
    const k = <f64>i;
    const rate = k * k * unit;
    const weight = (k * exp(-0.5 * (rate - root) * t)) / (m * m + rate);
    const wave = sin(k * PI * q);
    total += weight * wave;
    if (part == BY_START) slope += weight * k * PI * cos(k * PI * q);
    else if (part == BY_DRIFT) slope -= (2.0 * m * weight * wave) / (m * m + rate);
    else if (part == BY_DISTANCE) slope += ((weight * wave * rate) / a) * (t + 2.0 / (m * m + rate));
  }
  const factor = ((2.0 * PI) / (a * a)) * exp(-m * a * q - 0.5 * m * m * t - 0.5 * root * t);
  if (part == VALUE) return factor * total;
  if (part == BY_START) return factor * (slope - m * a * total);
  if (part == BY_DRIFT) return factor * (slope - (a * q + m * t) * total);
  return factor * (slope - (2.0 / a + m * q) * total);
}

/** The probability of reaching the barrier before time t, or its derivatives with respect to m, a, q. */
function earlier(part: i32, t: f64, a: f64, m: f64, q: f64): f64 {
  const root = sqrt<f64>(t);
  const reachOfImages = sqrt<f64>(2.0 * LAST * t) + abs<f64>(m) * t;
  const terms = <i32>ceil<f64>((0.5 * reachOfImages) / a) + 1;
  const tilt = -m * a * q;
  let value: f64 = 0.0;
  let slope: f64 = 0.0;
  for (let k = -terms; k <= terms; k++) {
    const z = q + 2.0 * <f64>k;
    const sign: f64 = z < 0.0 ? -1.0 : 1.0;
    const r = a * abs<f64>(z);
    const along = exp(tilt + m * r + log_Phi(-(r + m * t) / root));
    const against = exp(tilt - m * r + log_Phi((m * t - r) / root));
    value += sign * (along + against);
    if (part == VALUE) continue;
    if (part == BY_DRIFT) slope += sign * r * (along - against);
    else {
      const edge = (INV_SQRT_TWO_PI * exp(tilt - (0.5 * r * r) / t - 0.5 * m * m * t)) / root;
      const byPlace = m * (along - against) - 2.0 * edge;
      slope += part == BY_START ? a * byPlace : ((sign * r) / a) * byPlace;
    }
  }
  if (part == VALUE) return value;
  if (part == BY_DRIFT) return slope - a * q * value;
  return part == BY_START ? slope - m * a * value : slope - m * q * value;
}

/**
 * The probability of reaching the upper barrier by time y or, with `upper`, of reaching it later, and its derivatives
 * with respect to y, a, v, w (parts 1 to 4).
 */
export function wienerDistribution(part: i32, upper: bool, y: f64, a: f64, v: f64, w: f64): f64 {
  if (part == BY_TIME) {
    const density = exp(wienerLogDensity(y, a, v, w, 0.0, LOG_ERROR));
    return upper ? -density : density;
  }
  const q = 1.0 - w;
  const m = -v;
  const isLong = y > LONG * a * a;
  const own = isLong ? later(part, y, a, m, q) : earlier(part, y, a, m, q);
  const value = isLong == upper ? own : reach(part, a, m, q) - own;
  return part == BY_DRIFT || part == BY_START ? -value : value;
}

// The density of first passage times at the upper barrier with drifts that vary between trials, and its derivatives (Hartmann and Klauer,
// J. Math. Psychol. 103, 2021; Henrich et al., Behavior Research Methods, 2023). y: time, a: distance of the barriers, v and sv: mean and
// standard deviation of the drift, w: relative starting point between the barriers. Series have as many terms as Stan's for a given
// logarithm of the absolute error.
import { exp } from '../elementary/exponential';
import { log } from '../elementary/logarithm';
import { cos, sin } from '../elementary/trigonometric';

const PI: f64 = 3.141592653589793;
const LOG_PI: f64 = 1.1447298858494002;
const LOG_TWO: f64 = 0.6931471805599453;
const LOG_SQRT_TWO_PI: f64 = 0.9189385332046727;
/** log(8/27), log(4/9), log(3/5). */
const LOG_8_27: f64 = -1.2163953243244932;
const LOG_4_9: f64 = -0.8109302162163288;
const LOG_3_5: f64 = -0.5108256237659907;

/** Parts of the density and its logarithm: the value, and its derivatives with respect to each argument. */
export const VALUE: i32 = 0;
export const BY_TIME: i32 = 1;
export const BY_DISTANCE: i32 = 2;
export const BY_DRIFT: i32 = 3;
export const BY_START: i32 = 4;
export const BY_SPREAD: i32 = 5;

/** The logarithm of the factor by which the series of a driftless process, in units of the distance, is multiplied. */
function logFactor(y: f64, a: f64, v: f64, w: f64, sv: f64): f64 {
  const q = 1.0 - w;
  const spread = 1.0 + sv * sv * y;
  const exponent = sv * sv * a * q * (a * q) + 2.0 * a * v * q - v * v * y;
  return (0.5 * exponent) / spread - 2.0 * log(a) - 0.5 * log(spread);
}

/** sqrt(-2 u - 2) - u, a bound common to Stan's numbers of terms. */
@inline
function bound(u: f64): f64 {
  return sqrt<f64>(-2.0 * u - 2.0) - u;
}

/** Number of images on either side for the value (order 1) and its derivatives with respect to time and distance (3) and the start (2). */
function countImages(order: i32, x: f64, logX: f64, q: f64, logError: f64): f64 {
  const least = 0.5 * (sqrt<f64>((order == 1 ? 2.0 : 3.0) * x) + q);
  const steep = order == 3;
  const u = steep
    ? min<f64>(-3.0, LOG_8_27 + LOG_PI + 4.0 * logX + 2.0 * logError)
    : min<f64>(-1.0, LOG_TWO + LOG_PI + 2.0 * logX + 2.0 * logError);
  const square = (steep ? 3.0 : 1.0) * x * bound(u);
  const other = square > 0.0 ? 0.5 * (sqrt<f64>(square) + (order == 2 ? q : -q)) : least;
  return ceil<f64>(max<f64>(least, other));
}

/** Number of sines for the same. */
function countWaves(order: i32, x: f64, logX: f64, logError: f64): f64 {
  if (order == 1) {
    const square = -2.0 * (LOG_PI + logX + logError);
    return ceil<f64>(max<f64>(1.0 / (PI * sqrt<f64>(x)), square >= 0.0 ? sqrt<f64>(square / (PI * PI * x)) : 0.0));
  }
  const least = sqrt<f64>((order == 2 ? 2.0 : 3.0) / x) / PI;
  const u =
    order == 2
      ? LOG_4_9 + 2.0 * LOG_PI + 3.0 * logX + 2.0 * logError
      : LOG_3_5 + LOG_PI + 2.0 * logX + logError;
  const square = bound(min<f64>(-1.0, u));
  const other = square > 0.0 ? sqrt<f64>(((order == 2 ? 1.0 : 2.0) * square) / x) / PI : least;
  return ceil<f64>(max<f64>(least, other));
}

/** The term of an image at z with weight exp(-(z² - q²)/(2x)): z, z³ or the derivative of the first with respect to the start. */
@inline
function image(order: i32, z: f64, x: f64): f64 {
  if (order == 1) return z;
  return order == 3 ? z * z * z : (z * z) / x - 1.0;
}

/** Sum over the images z = q + 2k; the weights' ratios are powers of three numbers. */
function images(order: i32, x: f64, q: f64, terms: i32): f64 {
  const ratio = exp(-2.0 / x);
  const square = ratio * ratio;
  const up = exp((-2.0 * q) / x);
  const down = exp((-2.0 * (1.0 - q)) / x);
  let total = image(order, q, x);
  let above: f64 = 1.0;
  let below: f64 = 1.0;
  let stepUp = ratio * up;
  let stepDown = down;
  for (let k = 1; k <= terms; k++) {
    const shift = 2.0 * <f64>k;
    above *= stepUp;
    below *= stepDown;
    if (above == 0.0 && below == 0.0) break;
    stepUp *= square;
    stepDown *= square;
    total += image(order, q + shift, x) * above + image(order, q - shift, x) * below;
  }
  return total;
}

/** Sum over waves of k sin(kπq), k³ sin(kπq) or -k²π cos(kπq), each with weight exp(-(k² - 1)π²x/2). */
function waves(order: i32, x: f64, q: f64, terms: i32): f64 {
  const ratio = exp(-0.5 * PI * PI * x);
  const square = ratio * ratio;
  const sine = sin(PI * q);
  const cosine = cos(PI * q);
  let total: f64 = 0.0;
  let weight: f64 = 1.0;
  let step = square * ratio;
  let s = sine;
  let c = cosine;
  for (let i = 1; i <= terms; i++) {
    const k = <f64>i;
    if (order == 1) total += weight * k * s;
    else if (order == 3) total += weight * k * k * k * s;
    else total -= weight * k * k * PI * c;
    weight *= step;
    if (weight == 0.0) break;
    step *= square;
    const turned = s * cosine + c * sine;
    c = c * cosine - s * sine;
    s = turned;
  }
  return total;
}

/** The logarithm of the density for `factor` = `logFactor(…)` and x = y/a². */
function logDensity(factor: f64, x: f64, logX: f64, q: f64, logTolerance: f64): f64 {
  const logError = logTolerance - factor;
  const near = countImages(1, x, logX, q, logError);
  const far = countWaves(1, x, logX, logError);
  if (2.0 * near <= far) {
    const total = abs<f64>(images(1, x, q, <i32>near));
    return factor - LOG_SQRT_TWO_PI - 1.5 * logX + log(total) - (0.5 * q * q) / x;
  }
  return factor + log(abs<f64>(waves(1, x, q, <i32>far))) - 0.5 * PI * PI * x + LOG_PI;
}

export function wienerLogDensity(y: f64, a: f64, v: f64, w: f64, sv: f64, logTolerance: f64): f64 {
  const x = y / (a * a);
  return logDensity(logFactor(y, a, v, w, sv), x, log(x), 1.0 - w, logTolerance);
}

/** The part of the derivative with respect to time or distance that comes from the series, in units of the density. */
function slopeOfSeries(part: i32, y: f64, a: f64, v: f64, w: f64, sv: f64, logTolerance: f64): f64 {
  const q = 1.0 - w;
  const x = y / (a * a);
  const logX = log(x);
  const factor = logFactor(y, a, v, w, sv);
  const spread = 1.0 + sv * sv * y;
  const square = sv * sv;
  let first: f64;
  let logError: f64;
  let ofImages: f64;
  let ofWaves: f64;
  if (part == BY_TIME) {
    const pull = square * square * (y + a * q * (a * q)) + square * (1.0 + 2.0 * a * v * q) + v * v;
    first = (-0.5 * pull) / (spread * spread);
    logError = logTolerance - factor + 2.0 * log(a);
    ofImages = first - 1.5 / y;
    ofWaves = first;
  } else {
    first = (v * q + square * q * q * a) / spread;
    logError = logTolerance - factor + 3.0 * log(a) - log(y) - LOG_TWO;
    ofImages = first + 1.0 / a;
    ofWaves = first - 2.0 / a;
  }
  const near = countImages(3, x, logX, q, logError);
  const far = countWaves(3, x, logX, logError);
  const worst = log(max<f64>(abs<f64>(ofImages), abs<f64>(ofWaves)));
  const value = logDensity(factor, x, logX, q, logTolerance - worst);
  if (2.0 * near < far) {
    const sum = images(3, x, q, <i32>near);
    const size = exp(factor - LOG_SQRT_TWO_PI - (0.5 * q * q) / x - value) * sum;
    if (part == BY_TIME) return ofImages + (0.5 * size * exp(-3.5 * logX)) / (a * a);
    return ofImages - size * exp(-2.5 * logX) / a;
  }
  const sum = waves(3, x, q, <i32>far);
  const size = exp(factor + 3.0 * LOG_PI - 0.5 * PI * PI * x - value) * sum;
  return part == BY_TIME ? ofWaves - (0.5 * size) / (a * a) : ofWaves + (size * y) / (a * a * a);
}

function slopeByStart(y: f64, a: f64, v: f64, w: f64, sv: f64, logTolerance: f64): f64 {
  const q = 1.0 - w;
  const x = y / (a * a);
  const logX = log(x);
  const logError = logTolerance - logFactor(y, a, v, w, sv);
  const first = (-a * v - a * a * sv * sv * q) / (1.0 + sv * sv * y);
  const near = countImages(1, x, logX, q, logError);
  const far = countWaves(1, x, logX, logError);
  if (2.0 * near <= far) {
    const terms = <i32>max<f64>(near, countImages(2, x, logX, q, logError));
    return first + images(2, x, q, terms) / images(1, x, q, terms);
  }
  const terms = <i32>max<f64>(far, countWaves(2, x, logX, logError));
  return first + waves(2, x, q, terms) / waves(1, x, q, terms);
}

/** The logarithm of the density (VALUE) or its derivative. */
export function wienerDensity(part: i32, y: f64, a: f64, v: f64, w: f64, sv: f64, logTolerance: f64): f64 {
  const q = 1.0 - w;
  const spread = 1.0 + sv * sv * y;
  if (part == VALUE) return wienerLogDensity(y, a, v, w, sv, logTolerance);
  if (part == BY_TIME || part == BY_DISTANCE) return slopeOfSeries(part, y, a, v, w, sv, logTolerance);
  if (part == BY_DRIFT) return (a * q - v * y) / spread;
  if (part == BY_START) return slopeByStart(y, a, v, w, sv, logTolerance);
  const rest = (a * q - v * y) / spread;
  return sv * (rest * rest - y / spread);
}

/** Stan's absolute error. */
export const LOG_ERROR: f64 = -27.631021115928547;

/** The logarithm of the density (part 0), its derivatives with respect to y, a, v, w, sv (parts 1 to 5). */
export function wiener_density(part: i32, y: f64, a: f64, v: f64, w: f64, sv: f64): f64 {
  return wienerDensity(part, y, a, v, w, sv, LOG_ERROR);
}

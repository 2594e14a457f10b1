// The diffusion model whose drift, starting point and non-decision time vary between trials (Henrich et al., Behavior Research
// Methods, 2023): the start and the non-decision time are uniform, the drift is normal. The density integrates over the
// first two, the distribution over all three, by cubature with Stan's tolerances.
import { cubature } from '../special/cubature';
import { exp } from '../elementary/exponential';
import { log, log1p } from '../elementary/logarithm';
import { LOWER_CORNER, scratch, UPPER_CORNER } from '../linear-algebra/scratch';
import { BY_DRIFT, BY_SPREAD, BY_START, BY_TIME, LOG_ERROR, VALUE, wienerDensity } from './wiener-density';
import { wienerDistribution } from './wiener-distribution';

const LOG_TWO: f64 = 0.6931471805599453;
const LOG_SQRT_TWO_PI: f64 = 0.9189385332046727;
const LOG_VALUE_ERROR: f64 = -13.815510557964274;
const EVALUATIONS: i32 = 6000;
/** Derivatives with respect to the non-decision time, and to the ranges of the start and of the non-decision time. */
const BY_ONSET: i32 = 6;
const BY_START_RANGE: i32 = 7;
const BY_ONSET_RANGE: i32 = 8;

/** State of the integrand. */
let part: i32 = 0;
let isUpper: bool = false;
let time: f64 = 0.0;
let distance: f64 = 0.0;
let drift: f64 = 0.0;
let start: f64 = 0.0;
let onset: f64 = 0.0;
let spread: f64 = 0.0;
let startRange: f64 = 0.0;
let onsetRange: f64 = 0.0;
let logError: f64 = 0.0;

@inline
function at(base: usize, k: i32): usize {
  return base + (<usize>k << 3);
}

@inline
function bit(x: f64): i32 {
  return x != 0.0 ? 1 : 0;
}

/** The density (not its logarithm), or its derivative. */
function natural(y: f64, w: f64): f64 {
  const value = exp(wienerDensity(VALUE, y, distance, drift, w, spread, logError));
  return part == VALUE ? value : value * wienerDensity(part, y, distance, drift, w, spread, logError);
}

/** The mean of the densities at both ends of the range of starts, divided by the range. */
function endsOfDensity(y: f64): f64 {
  const half = 0.5 * startRange;
  const low = exp(wienerDensity(VALUE, y, distance, drift, start - half, spread, logError));
  const high = exp(wienerDensity(VALUE, y, distance, drift, start + half, spread, logError));
  return (0.5 * (low + high)) / startRange;
}

function density(x: usize): f64 {
  const isEnds = part == BY_START_RANGE;
  const range = isEnds ? 0.0 : startRange;
  const y = time - (onset + (onsetRange == 0.0 ? 0.0 : onsetRange * load<f64>(at(x, bit(range)))));
  if (y <= 0.0) return 0.0;
  if (isEnds) return endsOfDensity(y);
  return natural(y, range == 0.0 ? start : start + range * (load<f64>(x) - 0.5));
}

function distribution(x: usize): f64 {
  const first = bit(spread);
  const u = first == 1 ? load<f64>(x) : 0.0;
  const square = u * u;
  const shift = u / (1.0 - square);
  const place = startRange == 0.0 ? 0.0 : load<f64>(at(x, first)) - 0.5;
  const w = start + startRange * place;
  const y = time - (onset + (onsetRange == 0.0 ? 0.0 : onsetRange * load<f64>(at(x, first + bit(startRange)))));
  if (y <= 0.0) return 0.0;
  const weight =
    first == 0 ? 1.0 : exp(-0.5 * shift * shift - LOG_SQRT_TWO_PI + log1p(square) - 2.0 * log1p(-square));
  if (part == BY_TIME) return weight * exp(wienerDensity(VALUE, y, distance, drift, w, spread, logError));
  const v = drift + spread * shift;
  if (part == BY_SPREAD) return weight * shift * wienerDistribution(BY_DRIFT, isUpper, y, distance, v, w);
  if (part == BY_START_RANGE) return weight * place * wienerDistribution(BY_START, isUpper, y, distance, v, w);
  return weight * wienerDistribution(part, isUpper, y, distance, v, w);
}

/** Integrates; if the result is below `logBound`, integrates again with Stan's second error bound. */
function integrate(ofDensity: bool, dimensions: i32, logBound: f64, tolerance: f64): f64 {
  logError = LOG_ERROR - LOG_TWO;
  const first = cubature(ofDensity ? density : distribution, dimensions, scratch + LOWER_CORNER, scratch + UPPER_CORNER, EVALUATIONS, tolerance);
  const size = log(abs<f64>(first));
  if (!(size < logBound)) return first;
  logError = logBound + (size == -Infinity ? 0.0 : size) + (part == BY_START ? LOG_TWO : 0.0);
  return cubature(ofDensity ? density : distribution, dimensions, scratch + LOWER_CORNER, scratch + UPPER_CORNER, EVALUATIONS, tolerance);
}

/** The box: drifts over the whole line, folded; times up to the observed one. */
function setBox(hasDrift: bool, dimensions: i32): void {
  for (let k = 0; k < 3; k++) {
    store<f64>(at(scratch + LOWER_CORNER, k), 0.0);
    store<f64>(at(scratch + UPPER_CORNER, k), 1.0);
  }
  if (hasDrift) store<f64>(scratch + LOWER_CORNER, -1.0);
  if (onsetRange != 0.0) store<f64>(at(scratch + UPPER_CORNER, dimensions - 1), min<f64>(1.0, (time - onset) / onsetRange));
}

function setArguments(y: f64, a: f64, t0: f64, w: f64, v: f64, sv: f64, sw: f64, st0: f64): void {
  time = y;
  distance = a;
  onset = t0;
  start = w;
  drift = v;
  spread = sv;
  startRange = sw;
  onsetRange = st0;
}

/** Maps the position of an argument (y, a, t0, w, v, sv, sw, st0) to the part that is its derivative. */
function partOf(position: i32): i32 {
  if (position <= 2) return position;
  if (position == 3) return BY_ONSET;
  if (position == 4) return BY_START;
  if (position == 5) return BY_DRIFT;
  if (position == 6) return BY_SPREAD;
  return position;
}

/** The logarithm of the density (position 0) or its derivatives with respect to y, a, t0, w, v, sv, sw, st0 (1 to 8), to a relative error. */
export function wiener_full(
  position: i32, y: f64, a: f64, t0: f64, w: f64, v: f64, sv: f64, sw: f64, st0: f64, error: f64,
): f64 {
  const wanted = partOf(position);
  const ofTime = wanted == BY_ONSET ? BY_TIME : wanted;
  const sign: f64 = wanted == BY_ONSET ? -1.0 : 1.0;
  if (sw == 0.0 && st0 == 0.0) {
    return wanted >= BY_START_RANGE ? 0.0 : sign * wienerDensity(ofTime, y - t0, a, v, w, sv, LOG_ERROR);
  }
  const dimensions = bit(sw) + bit(st0);
  const tolerance = 0.45 * error;
  setArguments(y, a, t0, w, v, sv, sw, st0);
  setBox(false, dimensions);
  part = VALUE;
  const value = integrate(true, dimensions, LOG_ERROR - LOG_VALUE_ERROR + LOG_TWO + 1.0, tolerance);
  if (wanted == VALUE) return log(value);
  const logBound = LOG_ERROR - log(error) + log(abs<f64>(value)) + LOG_TWO + 1.0;
  if (wanted == BY_START_RANGE) {
    if (sw == 0.0) return 0.0;
    part = wanted;
    logError = LOG_ERROR - LOG_TWO;
    const upper = load<f64>(scratch + UPPER_CORNER);
    const ends = st0 == 0.0 ? endsOfDensity(y - t0) : integrate(true, 1, logBound, tolerance);
    store<f64>(scratch + UPPER_CORNER, upper);
    return ends / value - 1.0 / sw;
  }
  if (wanted == BY_ONSET_RANGE) {
    if (st0 == 0.0) return 0.0;
    if (y - (t0 + st0) <= 0.0) return -1.0 / st0;
    onset = t0 + st0;
    onsetRange = 0.0;
    logError = LOG_ERROR - LOG_TWO;
    const last = sw == 0.0 ? natural(y - onset, w) : integrate(true, 1, logBound, tolerance);
    return (last / value - 1.0) / st0;
  }
  part = ofTime;
  return (sign * integrate(true, dimensions, logBound, tolerance)) / value;
}

/** The logarithm of the distribution function or, with `upper`, of its complement (position 0), or its derivatives with respect to the arguments (1 to 8). */
export function wiener_full_distribution(
  position: i32, y: f64, a: f64, t0: f64, w: f64, v: f64, sv: f64, sw: f64, st0: f64, upper: f64, error: f64,
): f64 {
  const wanted = partOf(position);
  const ofTime = wanted == BY_ONSET ? BY_TIME : wanted;
  isUpper = upper != 0.0;
  let sign: f64 = wanted == BY_ONSET ? -1.0 : 1.0;
  const dimensions = bit(sv) + bit(sw) + bit(st0);
  if (dimensions == 0) {
    if (wanted == BY_SPREAD || wanted >= BY_START_RANGE) return 0.0;
    const value = wienerDistribution(VALUE, isUpper, y - t0, a, v, w);
    return wanted == VALUE ? log(value) : (sign * wienerDistribution(ofTime, isUpper, y - t0, a, v, w)) / value;
  }
  if ((wanted == BY_SPREAD && sv == 0.0) || (wanted == BY_START_RANGE && sw == 0.0)) return 0.0;
  const tolerance = 0.45 * error;
  setArguments(y, a, t0, w, v, sv, sw, st0);
  setBox(sv != 0.0, dimensions);
  part = VALUE;
  const value = integrate(false, dimensions, LOG_ERROR - LOG_VALUE_ERROR + LOG_TWO + 1.0, tolerance);
  if (wanted == VALUE) return log(value);
  const logBound = LOG_ERROR - log(error) + log(abs<f64>(value)) + LOG_TWO + 1.0;
  if (wanted == BY_START_RANGE && sv == 0.0 && st0 == 0.0) {
    const low = wienerDistribution(VALUE, isUpper, y - t0, a, v, max<f64>(0.0, w - 0.5 * sw));
    const high = wienerDistribution(VALUE, isUpper, y - t0, a, v, min<f64>(1.0, w + 0.5 * sw));
    return (0.5 * (low + high)) / (sw * value) - 1.0 / sw;
  }
  if (wanted == BY_ONSET_RANGE) {
    if (st0 == 0.0) return 0.0;
    if (y - (t0 + st0) <= 0.0) return -1.0 / st0;
    onset = t0 + st0;
    onsetRange = 0.0;
    const rest = bit(sv) + bit(sw);
    const last =
      rest == 0 ? wienerDistribution(VALUE, isUpper, y - onset, a, v, w) : integrate(false, rest, logBound, tolerance);
    return (last / value - 1.0) / st0;
  }
  part = ofTime;
  if (part == BY_TIME && isUpper) sign = -sign;
  return (sign * integrate(false, dimensions, logBound, tolerance)) / value;
}

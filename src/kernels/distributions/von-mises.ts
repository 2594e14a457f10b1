// The von Mises distribution function by quadrature of its positive density, so that tails keep their relative accuracy:
// Gauss-Legendre panels from the end nearest to the mode outwards, as wide as the density's decay allows.
import { exp, expm1 } from '../elementary/exponential';
import { complement } from '../special/incomplete-common';
import { node, POINTS, weight } from '../special/legendre';
import { log } from '../elementary/logarithm';
import { cos, sin } from '../elementary/trigonometric';

const PI: f64 = 3.141592653589793;
const PI_LOW: f64 = 1.2246467991473532e-16;
const TWO_PI: f64 = 6.283185307179586;
const LN2: f64 = 0.6931471805599453;
/** Above this x, exp(-x) is too small to change a sum. */
const NEGLIGIBLE: f64 = 42.0;

/** For one or more monotone pieces: log of the largest density; mass, and mass times 1 - cos, both divided by that density. */
let peak: f64 = 0.0;
let mass: f64 = 0.0;
let moment: f64 = 0.0;

/** log of the ratio of the density at angle t to that at the mode: k (cos t - 1). */
@inline
function exponent(t: f64, k: f64): f64 {
  const s = sin(0.5 * t);
  return -2.0 * k * s * s;
}

/** The decrease of the log density from an angle to the angle plus a step, from the sines and cosines of the angle and of half the step. */
@inline
function fall(sine: f64, cosine: f64, sineOfHalf: f64, cosineOfHalf: f64, k: f64): f64 {
  return k * (2.0 * sineOfHalf * (sine * cosineOfHalf + cosine * sineOfHalf));
}

/**
 * Adds the piece of a length from `start` outwards, 0 ≤ start ≤ π. Angles are measured from `start`, so that any decay, however
 * fast, is resolved.
 */
function addPiece(start: f64, length: f64, k: f64): void {
  const top = exponent(start, k);
  if (!(length > 0.0) || top == -Infinity) return;
  const sine = sin(start);
  const cosine = cos(start);
  const sineOfHalf = sin(0.5 * start);
  const cosineOfHalf = cos(0.5 * start);
  let sum: f64 = 0.0;
  let sumOfMoments: f64 = 0.0;
  let from: f64 = 0.0;
  while (from < length) {
    if (fall(sine, cosine, sin(0.5 * from), cos(0.5 * from), k) > NEGLIGIBLE) break;
    const decay = k * sin(start + from);
    const width = min<f64>(length - from, 1.0 / (1.0 + 0.3 * sqrt<f64>(k) + 0.15 * decay));
    const half = 0.5 * width;
    for (let i = 0; i < 2 * POINTS; i++) {
      const place = half * node(i >> 1);
      const middle = 0.5 * (from + half + ((i & 1) == 0 ? place : -place));
      const c = cos(middle);
      const d = sin(middle);
      const share = half * weight(i >> 1) * exp(-fall(sine, cosine, d, c, k));
      const s = sineOfHalf * c + cosineOfHalf * d;
      sum += share;
      sumOfMoments += share * 2.0 * s * s;
    }
    from += width;
    if (from + 1e-15 * length >= length) break;
  }
  if (mass == 0.0 || top > peak) {
    const scale = mass == 0.0 ? 0.0 : exp(peak - top);
    mass = mass * scale + sum;
    moment = moment * scale + sumOfMoments;
    peak = top;
  } else {
    const scale = exp(top - peak);
    mass += sum * scale;
    moment += sumOfMoments * scale;
  }
}

/** Sets `peak`, `mass` and `moment` for the angles from `from`, -2π ≤ from ≤ 2π, over a length up to 2π. */
function collect(from: f64, length: f64, k: f64): void {
  mass = 0.0;
  moment = 0.0;
  peak = 0.0;
  let place = from;
  let left = length;
  for (let turn = 0; turn < 6 && left > 0.0; turn++) {
    // the next multiple of π above `place`, where a monotone piece ends
    let step = floor<f64>(place / PI) + 1.0;
    let room = step * PI - place;
    if (room <= 0.0) {
      step += 1.0;
      room = step * PI - place;
    }
    const piece = min<f64>(left, room);
    const isRising = (<i32>step & 1) == 0;
    const start = isRising ? max<f64>(0.0, room - piece) : max<f64>(0.0, place - (step - 1.0) * PI);
    addPiece(start, piece, k);
    place += piece;
    left -= piece;
  }
}

/**
 * log of the probability of the angles from `from` over `length` (part 0), its derivatives with respect to the upper end (part 1), the mean, which
 * moves both ends back (part 2), the concentration k (part 3), and the lower end (part 4).
 */
function logMass(part: i32, from: f64, length: f64, k: f64): f64 {
  collect(0.0, PI, k);
  const whole = 2.0 * mass;
  const mean = moment / mass;
  collect(from, length, k);
  if (part == 0) return peak + log(mass / whole);
  if (part == 3) return mean - moment / mass;
  const lower = exp(exponent(from, k) - peak) / mass;
  if (part == 4) return -lower;
  const upper = exp(exponent(from + length, k) - peak) / mass;
  if (part == 1) return upper;
  // k (cos from - cos to), by which the log density at the lower end is larger
  const rise = 2.0 * k * sin(from + 0.5 * length) * sin(0.5 * length);
  return rise < 0.0 ? upper * expm1(rise) : -lower * expm1(-rise);
}

/**
 * log of the probability of the angles from -π to y, -π < y < π, with mean mu, -π ≤ mu ≤ π, and concentration k > 0 (part 0), its
 * derivatives with respect to y, mu and k (parts 1 to 3).
 */
export function von_mises_below(part: i32, y: f64, mu: f64, k: f64): f64 {
  const below = y + PI + PI_LOW;
  const above = PI - y + PI_LOW;
  const start = -PI - mu - PI_LOW;
  const l = logMass(0, start, below, k);
  if (l < -LN2) return part == 0 ? l : logMass(part, start, below, k);
  const other = logMass(0, y - mu, above, k);
  return complement(part, other, part == 0 ? other : logMass(part == 1 ? 4 : part, y - mu, above, k));
}

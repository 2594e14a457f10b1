// x^y = exp(y log x), log x as an unevaluated sum of two numbers, accurate to about 2^-65 (the arrangement of
// fdlibm's e_pow.c: s = f/(2+f) split into halves whose products are exact), then one exponential.
import { expEverywhere, expOfSum, isExpCommon, LN2_HIGH, LN2_LOW } from './exponential';
import {
  allWithin,
  binaryExponent,
  centeredBits,
  cubic,
  horner,
  linear,
  minus,
  multiplyAdd,
  over,
  plus,
  significand,
  splat,
  times,
  upperPart,
} from './lanes';
import { LARGEST, log, SMALLEST_NORMAL } from './logarithm';

const TWO_THIRDS: f64 = 0.6666666666666666;
const TWO_THIRDS_HIGH: f64 = 0.6666666567325592;
const TWO_THIRDS_LOW: f64 = 9.934107462565104e-9;

/** (3 atanh(s)/s - 3 - s²)/s⁴ as a polynomial in z = s² ≤ 0.0295. */
@inline
function cubeTail<T>(z: T): T {
  const z2 = times<T>(z, z);
  const low = cubic<T>(z, z2, 0.6000000000000341, 0.4285714285514087, 0.33333333781476, 0.27272676405646096);
  const high = horner<T>(linear<T>(z, 0.19885060494522613, 0.19796077938004786), z, 0.23080142915210794);
  return multiplyAdd<T>(times<T>(z2, z2), high, low);
}

/** The result of `withLogarithm`: one of the two numbers whose sum is the logarithm, or the power. */
const HIGH = 0;
const LOW = 1;
const POWER = 2;

/** m^y 2^(k y) for √½ ≤ m < √2 and |y| ≤ 10^20, or one of the two numbers whose sum is log m + k ln 2. */
@inline
function withLogarithm<T>(x: T, y: T, m: T, k: T, part: i32): T {
  const one = splat<T>(1.0);
  const f = minus<T>(m, one);
  const d = plus<T>(m, one);
  const reciprocal = over<T>(one, d);
  const s = times<T>(f, reciprocal);
  const sHigh = upperPart<T>(s);
  const dHigh = upperPart<T>(d);
  const dLow = minus<T>(m, minus<T>(dHigh, one));
  const sLow = times<T>(minus<T>(minus<T>(f, times<T>(sHigh, dHigh)), times<T>(sHigh, dLow)), reciprocal);
  const sSum = plus<T>(sHigh, sLow);
  const z = times<T>(sSum, sSum);
  const tail = multiplyAdd<T>(sLow, plus<T>(sHigh, sSum), times<T>(times<T>(z, z), cubeTail<T>(z)));
  const square = times<T>(sHigh, sHigh);
  const three = splat<T>(3.0);
  const tHigh = upperPart<T>(plus<T>(plus<T>(three, square), tail));
  const tLow = minus<T>(tail, minus<T>(minus<T>(tHigh, three), square));
  const u = times<T>(sHigh, tHigh);
  const v = multiplyAdd<T>(sLow, tHigh, times<T>(tLow, sSum));
  const pHigh = upperPart<T>(plus<T>(u, v));
  const pLow = minus<T>(v, minus<T>(pHigh, u));
  const a = times<T>(pHigh, splat<T>(TWO_THIRDS_HIGH));
  const b = multiplyAdd<T>(pHigh, splat<T>(TWO_THIRDS_LOW), times<T>(pLow, splat<T>(TWO_THIRDS)));
  const kHigh = times<T>(k, splat<T>(LN2_HIGH));
  const sum = plus<T>(kHigh, a);
  const sumLow = plus<T>(minus<T>(a, minus<T>(sum, kHigh)), multiplyAdd<T>(k, splat<T>(LN2_LOW), b));
  const logHigh = upperPart<T>(plus<T>(sum, sumLow));
  if (part == HIGH) return logHigh;
  const logLow = plus<T>(sumLow, minus<T>(sum, logHigh));
  if (part == LOW) return logLow;
  return raise<T>(x, y, logHigh, logLow);
}

/** exp(y (logHigh + logLow)): the product as a sum of two numbers, then the exponential. */
@inline
function raise<T>(x: T, y: T, logHigh: T, logLow: T): T {
  const yHigh = upperPart<T>(y);
  const yLow = minus<T>(y, yHigh);
  const zHigh = times<T>(yHigh, logHigh);
  const zLow = multiplyAdd<T>(yLow, logHigh, times<T>(y, logLow));
  const product = plus<T>(zHigh, zLow);
  const excess = minus<T>(zLow, minus<T>(product, zHigh));
  if (isExpCommon<T>(product)) return expOfSum<T>(product, excess);
  if (isVector<T>()) return powLanesRare(x, y);
  return expEverywhere(product, abs<f64>(product) < 1000.0 ? excess : 0.0);
}

function powPositive(x: f64, y: f64): f64 {
  let shift: f64 = 0.0;
  if (x < SMALLEST_NORMAL) {
    x *= 18014398509481984.0;
    shift = 54.0;
  }
  const centered = centeredBits<f64>(x);
  const m = significand<f64>(centered);
  const k = binaryExponent<f64>(centered) - shift;
  return withLogarithm<f64>(x, y, m, k, POWER);
}

/** The upper part of log x for normal x > 0, with at most 27 significant bits; log x for other x. */
export function log_high(x: f64): f64 {
  if (!allWithin<f64>(x, SMALLEST_NORMAL, LARGEST)) return log(x);
  const centered = centeredBits<f64>(x);
  return withLogarithm<f64>(x, 0.0, significand<f64>(centered), binaryExponent<f64>(centered), HIGH);
}

/** log x without its upper part: 0 unless x > 0 is normal. */
export function log_low(x: f64): f64 {
  if (!allWithin<f64>(x, SMALLEST_NORMAL, LARGEST)) return 0.0;
  const centered = centeredBits<f64>(x);
  return withLogarithm<f64>(x, 0.0, significand<f64>(centered), binaryExponent<f64>(centered), LOW);
}

/** x^y, the same number as `pow`, from the parts of log x. */
export function pow_of_log(x: f64, y: f64, high: f64, low: f64): f64 {
  if (allWithin<f64>(x, SMALLEST_NORMAL, LARGEST) && allWithin<f64>(y, -1e20, 1e20)) {
    return raise<f64>(x, y, high, low);
  }
  return powRare(x, y);
}

export function pow_of_log_v(x: v128, y: v128, high: v128, low: v128): v128 {
  if (allWithin<v128>(x, SMALLEST_NORMAL, LARGEST) && allWithin<v128>(y, -1e20, 1e20)) {
    return raise<v128>(x, y, high, low);
  }
  return powLanesRare(x, y);
}

function powRare(x: f64, y: f64): f64 {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (isNaN<f64>(x) || isNaN<f64>(y)) return NaN;
  if (abs<f64>(y) == Infinity) {
    const size = abs<f64>(x);
    if (size == 1.0) return 1.0;
    return size > 1.0 == y > 0.0 ? Infinity : 0.0;
  }
  const isInteger = floor<f64>(y) == y;
  const half = 0.5 * y;
  const isOdd = isInteger && floor<f64>(half) != half;
  if (x == 0.0 || abs<f64>(x) == Infinity) {
    const grows = x == 0.0 ? y < 0.0 : y > 0.0;
    const size: f64 = grows ? Infinity : 0.0;
    return isOdd ? copysign<f64>(size, x) : size;
  }
  if (x > 0.0) return powBounded(x, y);
  if (!isInteger) return NaN;
  const size = powBounded(-x, y);
  return isOdd ? -size : size;
}

/** x^y for finite x > 0, with exponents scaled so that the products of productWithLog cannot overflow. */
function powBounded(x: f64, y: f64): f64 {
  if (x == 1.0) return 1.0;
  if (abs<f64>(y) > 1e20) return x > 1.0 == y > 0.0 ? Infinity : 0.0;
  return powPositive(x, y);
}

/** x^y with the special values of C's pow (1^NaN = 1, NaN^0 = 1). */
export function pow(x: f64, y: f64): f64 {
  if (allWithin<f64>(x, SMALLEST_NORMAL, LARGEST) && allWithin<f64>(y, -1e20, 1e20)) {
    return powPositive(x, y);
  }
  return powRare(x, y);
}

function powLanesRare(x: v128, y: v128): v128 {
  const a = pow(f64x2.extract_lane(x, 0), f64x2.extract_lane(y, 0));
  const b = pow(f64x2.extract_lane(x, 1), f64x2.extract_lane(y, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

export function pow_v(x: v128, y: v128): v128 {
  if (allWithin<v128>(x, SMALLEST_NORMAL, LARGEST) && allWithin<v128>(y, -1e20, 1e20)) {
    const centered = centeredBits<v128>(x);
    return withLogarithm<v128>(x, y, significand<v128>(centered), binaryExponent<v128>(centered), POWER);
  }
  return powLanesRare(x, y);
}

/** Cube root, an odd function: initial guess exp(log|x|/3), then one Newton step. */
export function cbrt(x: f64): f64 {
  if (x == 0.0 || !(abs<f64>(x) < Infinity)) return x;
  const size = abs<f64>(x);
  const guess = powBounded(size, 0.3333333333333333);
  const square = guess * guess;
  const root = guess - (guess - size / square) * 0.3333333333333333;
  return copysign<f64>(root, x);
}

// log, log1p, log2, log10 and log(1+e) on [0, 1].
// x = m·2^k with √½ ≤ m < √2, s = f/(2+f), f = m - 1, log m = 2 atanh s, arranged as in Sun's fdlibm
// (e_log.c): f - (f²/2 - s (f²/2 + R)). Coefficients are our own minimax fits (Remez, 60 digits).
import { LN2, LN2_HIGH, LN2_LOW } from './exponential';
import {
  allWithin,
  binaryExponent,
  centeredBits,
  cubic,
  horner,
  inversePowerOfExponent,
  linear,
  minus,
  multiplyAdd,
  over,
  plus,
  significand,
  splat,
  times,
} from './lanes';

export const SMALLEST_NORMAL: f64 = 2.2250738585072014e-308;
export const LARGEST: f64 = 1.7976931348623157e308;

/** (2 atanh(s)/s - 2)/s² as a polynomial in z = s² ≤ 0.0295. */
@inline
function atanhTail<T>(z: T): T {
  const z2 = times<T>(z, z);
  const low = cubic<T>(z, z2, 0.6666666666666735, 0.39999999999411967, 0.2857142874304485, 0.2222219850045273);
  const high = horner<T>(linear<T>(z, 0.15313940718642496, 0.14797110565436453), z, 0.18183568368011785);
  return multiplyAdd<T>(times<T>(z2, z2), high, low);
}

/** log(1 + f) + k ln 2 for √½ ≤ 1 + f < √2. */
@inline
function logReduced<T>(f: T, k: T): T {
  const s = over<T>(f, plus<T>(splat<T>(2.0), f));
  const z = times<T>(s, s);
  const r = times<T>(z, atanhTail<T>(z));
  const halfSquare = times<T>(times<T>(splat<T>(0.5), f), f);
  const inner = multiplyAdd<T>(s, plus<T>(halfSquare, r), times<T>(k, splat<T>(LN2_LOW)));
  return minus<T>(times<T>(k, splat<T>(LN2_HIGH)), minus<T>(minus<T>(halfSquare, inner), f));
}

/** log x; requires a positive normal x. */
@inline
export function logCommon<T>(x: T): T {
  const centered = centeredBits<T>(x);
  const f = minus<T>(significand<T>(centered), splat<T>(1.0));
  return logReduced<T>(f, binaryExponent<T>(centered));
}

function logRare(x: f64): f64 {
  if (x == 0.0) return -Infinity;
  if (x < 0.0) return NaN;
  if (!(x < Infinity)) return x;
  const centered = centeredBits<f64>(x * 18014398509481984.0);
  return logReduced<f64>(significand<f64>(centered) - 1.0, binaryExponent<f64>(centered) - 54.0);
}

/** Natural logarithm; -inf at 0, NaN below. */
export function log(x: f64): f64 {
  if (allWithin<f64>(x, SMALLEST_NORMAL, LARGEST)) return logCommon<f64>(x);
  return logRare(x);
}

function logLanesRare(x: v128): v128 {
  const a = log(f64x2.extract_lane(x, 0));
  const b = log(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

export function log_v(x: v128): v128 {
  if (allWithin<v128>(x, SMALLEST_NORMAL, LARGEST)) return logCommon<v128>(x);
  return logLanesRare(x);
}

/** log(u + c) for a positive normal u and |c| ≤ ulp(u). */
@inline
export function logOfSum<T>(u: T, c: T): T {
  const centered = centeredBits<T>(u);
  const f = minus<T>(significand<T>(centered), splat<T>(1.0));
  const correction = times<T>(c, inversePowerOfExponent<T>(centered));
  return logReduced<T>(plus<T>(f, correction), binaryExponent<T>(centered));
}

/** The rounding error of a + b = sum (Knuth's two-sum). */
@inline
export function sumError<T>(a: T, b: T, sum: T): T {
  const bPart = minus<T>(sum, a);
  return plus<T>(minus<T>(a, minus<T>(sum, bPart)), minus<T>(b, bPart));
}

@inline
function log1pCommon<T>(x: T): T {
  const one = splat<T>(1.0);
  const u = plus<T>(one, x);
  return logOfSum<T>(u, sumError<T>(one, x, u));
}

const ABOVE_MINUS_ONE: f64 = -0.9999999999999999;

function log1pRare(x: f64): f64 {
  if (x == -1.0) return -Infinity;
  return x < 0.0 ? NaN : x;
}

/** log(1 + x) without loss at 0; -inf at -1, NaN below. */
export function log1p(x: f64): f64 {
  if (allWithin<f64>(x, ABOVE_MINUS_ONE, LARGEST)) return log1pCommon<f64>(x);
  return log1pRare(x);
}

function log1pLanesRare(x: v128): v128 {
  const a = log1p(f64x2.extract_lane(x, 0));
  const b = log1p(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

export function log1p_v(x: v128): v128 {
  if (allWithin<v128>(x, ABOVE_MINUS_ONE, LARGEST)) return log1pCommon<v128>(x);
  return log1pLanesRare(x);
}

/** log(1 + x²), even if the square overflows. */
export function log1p_square(x: f64): f64 {
  const square = x * x;
  if (square <= LARGEST) return log1pCommon<f64>(square);
  return 2.0 * log(abs<f64>(x));
}

function log1pSquareLanesRare(x: v128): v128 {
  const a = log1p_square(f64x2.extract_lane(x, 0));
  const b = log1p_square(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

export function log1p_square_v(x: v128): v128 {
  const square = f64x2.mul(x, x);
  if (allWithin<v128>(square, 0.0, LARGEST)) return log1pCommon<v128>(square);
  return log1pSquareLanesRare(x);
}

/** log(1 + e) for 0 ≤ e ≤ 1 without reduction: e - s (e - R), s = e/(2 + e) ≤ 1/3. */
@inline
export function log1pUnit<T>(e: T): T {
  const s = over<T>(e, plus<T>(splat<T>(2.0), e));
  const z = times<T>(s, s);
  const z2 = times<T>(z, z);
  const z4 = times<T>(z2, z2);
  const low = cubic<T>(z, z2, 0.6666666666666631, 0.400000000001572, 0.28571428547860606, 0.22222223969281354);
  const high = cubic<T>(z, z2, 0.18181743941194073, 0.15386559575915312, 0.13300978092591934, 0.12106051247663425);
  const top = linear<T>(z, 0.08340251205773877, 0.1701830414216864);
  const tail = multiplyAdd<T>(multiplyAdd<T>(top, z4, high), z4, low);
  return minus<T>(e, times<T>(s, minus<T>(e, times<T>(z, tail))));
}

/** log(1 + e), 0 ≤ e ≤ 1 only: the rest of log(1 + exp(x)) once exp(-|x|) is computed. */
export function log1p_unit(e: f64): f64 {
  return log1pUnit<f64>(e);
}

export function log1p_unit_v(e: v128): v128 {
  return log1pUnit<v128>(e);
}

const LOG10_E: f64 = 0.4342944819032518;
const LOG10_2_HIGH: f64 = 0.30102999566224753;
const LOG10_2_LOW: f64 = 1.7336659603752853e-12;

/** Logarithm to base 2; exact at powers of two. */
export function log2(x: f64): f64 {
  if (!allWithin<f64>(x, SMALLEST_NORMAL, LARGEST)) {
    return x > 0.0 && x < 1.0 ? log2(x * 18014398509481984.0) - 54.0 : logRare(x);
  }
  const centered = centeredBits<f64>(x);
  const l = logReduced<f64>(significand<f64>(centered) - 1.0, 0.0);
  return binaryExponent<f64>(centered) + l / LN2;
}

/** Logarithm to base 10. */
export function log10(x: f64): f64 {
  if (!allWithin<f64>(x, SMALLEST_NORMAL, LARGEST)) {
    return x > 0.0 && x < 1.0 ? log(x) * LOG10_E : logRare(x);
  }
  const centered = centeredBits<f64>(x);
  const k = binaryExponent<f64>(centered);
  const l = logReduced<f64>(significand<f64>(centered) - 1.0, 0.0);
  return k * LOG10_2_HIGH + (k * LOG10_2_LOW + l * LOG10_E);
}

/** log(1 - x). */
export function log1m(x: f64): f64 {
  return log1p(-x);
}

/** x log y, with 0 log 0 = 0. */
export function lmultiply(x: f64, y: f64): f64 {
  return x == 0.0 && y == 0.0 ? 0.0 : x * log(y);
}

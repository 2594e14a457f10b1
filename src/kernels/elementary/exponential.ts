// exp, expm1, exp2 and their rare cases.
// Argument reduction after Cody and Waite (Software Manual for the Elementary Functions, 1980);
// the polynomial is our own minimax fit (Remez, 60 digits) of (e^r - 1 - r)/r² on |r| ≤ ½ ln 2.
import {
  allAtMost,
  cubic,
  linear,
  magnitude,
  minus,
  multiplyAdd,
  plus,
  powerOfShifted,
  ROUNDING_SHIFT,
  scaleByShifted,
  splat,
  times,
} from './lanes';

export const LOG2_E: f64 = 1.4426950408889634;
export const LN2: f64 = 0.6931471805599453;
/** ln 2 = LN2_HIGH + LN2_LOW; LN2_HIGH has 38 significant bits. */
export const LN2_HIGH: f64 = 0.6931471805582987;
export const LN2_LOW: f64 = 1.6465949582897082e-12;

/** The common case; 2^k times e^r - 1 is then a normal number. */
const EXP_COMMON_LIMIT: f64 = 650.0;

/** (e^r - 1 - r)/r² for |r| ≤ ½ ln 2; relative error of e^r below 2^-57. */
@inline
function exponentialTail<T>(r: T, r2: T): T {
  const r4 = times<T>(r2, r2);
  const low = cubic<T>(r, r2, 0.5000000000000011, 0.16666666666666413, 0.04166666666653018, 0.008333333333494838);
  const high = cubic<T>(
    r,
    r2,
    0.0013888888943625994,
    0.00019841269505716576,
    2.4801493101310986e-5,
    2.755758715574932e-6,
  );
  const top = linear<T>(r, 2.763024807164778e-7, 2.4999815540014122e-8);
  return multiplyAdd<T>(multiplyAdd<T>(top, r4, high), r4, low);
}

/** e^r - 1 for |r| ≤ ½ ln 2. */
@inline
export function expm1Reduced<T>(r: T): T {
  const r2 = times<T>(r, r);
  return multiplyAdd<T>(r2, exponentialTail<T>(r, r2), r);
}

/** The integer nearest to x/ln 2, plus ROUNDING_SHIFT. */
@inline
export function shiftedQuotient<T>(x: T): T {
  return plus<T>(times<T>(x, splat<T>(LOG2_E)), splat<T>(ROUNDING_SHIFT));
}

/** x - k ln 2 for shifted = k + ROUNDING_SHIFT. */
@inline
export function remainder<T>(x: T, shifted: T): T {
  const k = minus<T>(shifted, splat<T>(ROUNDING_SHIFT));
  return minus<T>(minus<T>(x, times<T>(k, splat<T>(LN2_HIGH))), times<T>(k, splat<T>(LN2_LOW)));
}

/** e^x; requires |x| ≤ 650. */
@inline
export function expCommon<T>(x: T): T {
  const shifted = shiftedQuotient<T>(x);
  const p = expm1Reduced<T>(remainder<T>(x, shifted));
  if (isVector<T>()) return scaleByShifted<T>(plus<T>(splat<T>(1.0), p), shifted);
  // The same bits, but the power of two is computed before the polynomial.
  const scale = powerOfShifted<T>(shifted);
  return multiplyAdd<T>(scale, p, scale);
}

/** e^(x + low); requires |x| ≤ 650 and |low| ≤ ulp(x). */
@inline
export function expOfSum<T>(x: T, low: T): T {
  const shifted = shiftedQuotient<T>(x);
  const p = expm1Reduced<T>(plus<T>(remainder<T>(x, shifted), low));
  return scaleByShifted<T>(plus<T>(splat<T>(1.0), p), shifted);
}

@inline
export function isExpCommon<T>(x: T): bool {
  return allAtMost<T>(magnitude<T>(x), EXP_COMMON_LIMIT);
}

/** e^(x + low) for every x: overflow, underflow, subnormal results, infinities, NaN. */
export function expEverywhere(x: f64, low: f64): f64 {
  if (!(x <= 709.8)) return x > 0.0 ? Infinity : x;
  if (x < -745.2) return 0.0;
  const shifted = shiftedQuotient<f64>(x);
  const y = 1.0 + expm1Reduced<f64>(remainder<f64>(x, shifted) + low);
  const k = <i64>(shifted - ROUNDING_SHIFT);
  const half = k >> 1;
  return y * powerOfTwo(half) * powerOfTwo(k - half);
}

/** 2^k for -1022 ≤ k ≤ 1023. */
@inline
export function powerOfTwo(k: i64): f64 {
  return reinterpret<f64>((k + 1023) << 52);
}

function expLanesRare(x: v128): v128 {
  const a = expEverywhere(f64x2.extract_lane(x, 0), 0.0);
  const b = expEverywhere(f64x2.extract_lane(x, 1), 0.0);
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

/** e^x. */
export function exp(x: f64): f64 {
  if (isExpCommon<f64>(x)) return expCommon<f64>(x);
  return expEverywhere(x, 0.0);
}

export function exp_v(x: v128): v128 {
  if (isExpCommon<v128>(x)) return expCommon<v128>(x);
  return expLanesRare(x);
}

/** e^x - 1; requires |x| ≤ 650. It is 2^k p + (2^k - 1) with p = e^r - 1. */
@inline
export function expm1Common<T>(x: T): T {
  const shifted = shiftedQuotient<T>(x);
  const p = expm1Reduced<T>(remainder<T>(x, shifted));
  const scale = powerOfShifted<T>(shifted);
  return multiplyAdd<T>(scale, p, minus<T>(scale, splat<T>(1.0)));
}

function expm1Rare(x: f64): f64 {
  return x < 0.0 ? -1.0 : expEverywhere(x, 0.0);
}

/** e^x - 1 without cancellation at 0. */
export function expm1(x: f64): f64 {
  if (isExpCommon<f64>(x)) return expm1Common<f64>(x);
  return expm1Rare(x);
}

function expm1LanesRare(x: v128): v128 {
  const a = expm1(f64x2.extract_lane(x, 0));
  const b = expm1(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

export function expm1_v(x: v128): v128 {
  if (isExpCommon<v128>(x)) return expm1Common<v128>(x);
  return expm1LanesRare(x);
}

/** 2^x. */
export function exp2(x: f64): f64 {
  if (!(x < 1025.0)) return x > 0.0 ? Infinity : x;
  if (x < -1080.0) return 0.0;
  const k = nearest<f64>(x);
  const y = 1.0 + expm1Reduced<f64>((x - k) * LN2);
  const half = <i64>k >> 1;
  return y * powerOfTwo(half) * powerOfTwo(<i64>k - half);
}

// One definition, two widths: arithmetic over T = f64 (one number) or T = v128 (two f64 lanes).
// Every formula of the mathematics module is written once with these functions, so that the scalar
// and the SIMD form of a function return the same bits.

/** 1.5 · 2^52: adding it rounds to an integer in the low bits of the sum. */
export const ROUNDING_SHIFT: f64 = 6755399441055744.0;

const EXPONENT_OF_TWO_52: i64 = 0x4330000000000000;
const FRACTION_BITS: i64 = 0x000fffffffffffff;
const SQRT_HALF_BITS: i64 = 0x3fe6a09e667f3bcd;
const ONE_BITS: i64 = 0x3ff0000000000000;
const SIGN_BIT: i64 = i64.MIN_VALUE;
const UPPER_HALF: i64 = 0xfffffffff8000000;

@inline
export function splat<T>(c: f64): T {
  if (isVector<T>()) return f64x2.splat(c);
  return c;
}

@inline
export function plus<T>(a: T, b: T): T {
  if (isVector<T>()) return f64x2.add(a, b);
  return a + b;
}

@inline
export function minus<T>(a: T, b: T): T {
  if (isVector<T>()) return f64x2.sub(a, b);
  return a - b;
}

@inline
export function times<T>(a: T, b: T): T {
  if (isVector<T>()) return f64x2.mul(a, b);
  return a * b;
}

@inline
export function over<T>(a: T, b: T): T {
  if (isVector<T>()) return f64x2.div(a, b);
  return a / b;
}

@inline
export function negative<T>(a: T): T {
  if (isVector<T>()) return f64x2.neg(a);
  return -a;
}

@inline
export function magnitude<T>(a: T): T {
  if (isVector<T>()) return f64x2.abs(a);
  return abs<f64>(a);
}

/** The smaller of a and b; where one is NaN, the result is unspecified. */
@inline
export function smaller<T>(a: T, b: T): T {
  if (isVector<T>()) return f64x2.pmin(a, b);
  return b < a ? b : a;
}

/** The larger of a and b; where one is NaN, the result is unspecified. */
@inline
export function larger<T>(a: T, b: T): T {
  if (isVector<T>()) return f64x2.pmax(a, b);
  return a < b ? b : a;
}

@inline
export function nearestInteger<T>(a: T): T {
  if (isVector<T>()) return f64x2.nearest(a);
  return nearest<f64>(a);
}

@inline
export function wholePart<T>(a: T): T {
  if (isVector<T>()) return f64x2.floor(a);
  return floor<f64>(a);
}

/** a where x < y, else b. */
@inline
export function whereLess<T>(x: T, y: T, a: T, b: T): T {
  if (isVector<T>()) return v128.bitselect(a, b, f64x2.lt(x, y));
  return x < y ? a : b;
}

/** a·b + c, rounded twice. */
@inline
export function multiplyAdd<T>(a: T, b: T, c: T): T {
  return plus<T>(times<T>(a, b), c);
}

/** c0 + c1 z */
@inline
export function linear<T>(z: T, c0: f64, c1: f64): T {
  return plus<T>(times<T>(z, splat<T>(c1)), splat<T>(c0));
}

/** h z + c: one step of Horner's rule. */
@inline
export function horner<T>(h: T, z: T, c: f64): T {
  return plus<T>(times<T>(h, z), splat<T>(c));
}

/** Cubic in z by Estrin's scheme; z2 = z². */
@inline
export function cubic<T>(z: T, z2: T, c0: f64, c1: f64, c2: f64, c3: f64): T {
  return plus<T>(times<T>(linear<T>(z, c2, c3), z2), linear<T>(z, c0, c1));
}

/** True if every lane lies in [low, high]; false for NaN. */
@inline
export function allWithin<T>(x: T, low: f64, high: f64): bool {
  if (isVector<T>()) {
    return i64x2.all_true(v128.and(f64x2.ge(x, f64x2.splat(low)), f64x2.le(x, f64x2.splat(high))));
  }
  return x >= low && x <= high;
}

/** True if every lane is ≤ high; false for NaN. */
@inline
export function allAtMost<T>(x: T, high: f64): bool {
  // One instruction on x86-64, instead of five for all_true. The other checks use all_true: lgamma_v is slower with bitmask.
  if (isVector<T>()) return i64x2.bitmask(f64x2.le(x, f64x2.splat(high))) == 3;
  return x <= high;
}

/** True if every lane is ≥ low; false for NaN. */
@inline
export function allAtLeast<T>(x: T, low: f64): bool {
  if (isVector<T>()) return i64x2.all_true(f64x2.ge(x, f64x2.splat(low)));
  return x >= low;
}

/** True if every lane is < high; false for NaN. */
@inline
export function allBelow<T>(x: T, high: f64): bool {
  if (isVector<T>()) return i64x2.all_true(f64x2.lt(x, f64x2.splat(high)));
  return x < high;
}

/** y · 2^k for shifted = k + ROUNDING_SHIFT; y and the result must be normal numbers. */
@inline
export function scaleByShifted<T>(y: T, shifted: T): T {
  if (isVector<T>()) return i64x2.add(y, i64x2.shl(shifted, 52));
  return reinterpret<f64>(reinterpret<i64>(y) + (reinterpret<i64>(shifted) << 52));
}

/** 2^k for shifted = k + ROUNDING_SHIFT, -1022 ≤ k ≤ 1023. */
@inline
export function powerOfShifted<T>(shifted: T): T {
  return scaleByShifted<T>(splat<T>(1.0), shifted);
}

/**
 * Bits of a positive normal x, shifted so that the exponent field counts from √½: with
 * e = binaryExponent(b) and m = significand(b), x = m · 2^e and √½ ≤ m < √2.
 */
@inline
export function centeredBits<T>(x: T): T {
  if (isVector<T>()) return i64x2.add(x, i64x2.splat(ONE_BITS - SQRT_HALF_BITS));
  return reinterpret<f64>(reinterpret<i64>(x) + (ONE_BITS - SQRT_HALF_BITS));
}

@inline
export function binaryExponent<T>(centered: T): T {
  if (isVector<T>()) {
    const e = v128.or(i64x2.shr_u(centered, 52), i64x2.splat(EXPONENT_OF_TWO_52));
    return f64x2.sub(e, f64x2.splat(4503599627370496.0 + 1023.0));
  }
  const e = (reinterpret<u64>(centered) >> 52) | EXPONENT_OF_TWO_52;
  return reinterpret<f64>(e) - (4503599627370496.0 + 1023.0);
}

@inline
export function significand<T>(centered: T): T {
  if (isVector<T>()) {
    return i64x2.add(v128.and(centered, i64x2.splat(FRACTION_BITS)), i64x2.splat(SQRT_HALF_BITS));
  }
  return reinterpret<f64>((reinterpret<i64>(centered) & FRACTION_BITS) + SQRT_HALF_BITS);
}

/** 2^-e for the e of binaryExponent; 0 where e = 1023. */
@inline
export function inversePowerOfExponent<T>(centered: T): T {
  if (isVector<T>()) {
    return i64x2.sub(i64x2.splat(0x7fe0000000000000), v128.andnot(centered, i64x2.splat(FRACTION_BITS)));
  }
  return reinterpret<f64>(0x7fe0000000000000 - (reinterpret<i64>(centered) & ~FRACTION_BITS));
}

/** x with the lower 27 bits of its significand cleared, so that products of two such are exact. */
@inline
export function upperPart<T>(x: T): T {
  if (isVector<T>()) return v128.and(x, i64x2.splat(UPPER_HALF));
  return reinterpret<f64>(reinterpret<i64>(x) & UPPER_HALF);
}

/** |x| with the sign of s, for x ≥ 0. */
@inline
export function withSignOf<T>(x: T, s: T): T {
  if (isVector<T>()) return v128.or(x, v128.and(s, i64x2.splat(SIGN_BIT)));
  return copysign<f64>(x, s);
}

/** a where bit 0 of the shifted integer (k + ROUNDING_SHIFT) is clear, else b. */
@inline
export function whereEven<T>(shifted: T, a: T, b: T): T {
  if (isVector<T>()) {
    const odd = i64x2.sub(i64x2.splat(0), v128.and(shifted, i64x2.splat(1)));
    return v128.bitselect(b, a, odd);
  }
  return (reinterpret<i64>(shifted) & 1) == 0 ? a : b;
}

/** x negated where bit 1 of the shifted integer (k + ROUNDING_SHIFT) is set. */
@inline
export function negateWhereBitOne<T>(shifted: T, x: T): T {
  if (isVector<T>()) {
    return v128.xor(x, v128.and(i64x2.shl(shifted, 62), i64x2.splat(SIGN_BIT)));
  }
  return reinterpret<f64>(reinterpret<i64>(x) ^ ((reinterpret<i64>(shifted) << 62) & SIGN_BIT));
}

/** Stores both numbers, or only the first one. */
@inline
export function storePair(at: usize, pair: v128, isSingle: bool): void {
  if (isSingle) store<f64>(at, f64x2.extract_lane(pair, 0));
  else v128.store(at, pair);
}

// sin, cos, tan and their inverses. Reduction by π/2 in four parts (Cody and Waite) up to 10^5 in magnitude,
// above by the bits of 2/π that matter (Payne and Hanek, 1983). Polynomials are our own minimax fits; the kernels use
// the lower part of the argument as fdlibm's k_sin.c and k_cos.c do.
import {
  allAtMost,
  cubic,
  linear,
  magnitude,
  minus,
  multiplyAdd,
  negateWhereBitOne,
  over,
  plus,
  ROUNDING_SHIFT,
  splat,
  times,
  whereEven,
  whereLess,
  withSignOf,
} from './lanes';
import { sumError } from './logarithm';

const TWO_OVER_PI: f64 = 0.6366197723675814;
const HALF_PI: f64 = 1.5707963267948966;
const HALF_PI_LOW: f64 = 6.123233995736766e-17;
const PI: f64 = 3.141592653589793;
const PI_LOW: f64 = 1.2246467991473532e-16;
const QUARTER_PI: f64 = 0.7853981633974483;
const QUARTER_PI_LOW: f64 = 3.061616997868383e-17;
const HALF_PI_1: f64 = 1.5707963267341256;
const HALF_PI_2: f64 = 6.077100506303966e-11;
const HALF_PI_3: f64 = 2.0222662487111665e-21;
const HALF_PI_4: f64 = 8.4784276603689e-32;
const COMMON_LIMIT: f64 = 100000.0;

/** sin(x + y) for |x| ≤ π/4, |y| ≤ ulp(x). */
@inline
function sinReduced<T>(x: T, y: T): T {
  const z = times<T>(x, x);
  const z2 = times<T>(z, z);
  const cube = times<T>(z, x);
  const tail = multiplyAdd<T>(
    times<T>(z2, z),
    linear<T>(z, -2.505075869699315e-8, 1.5896830680434594e-10),
    multiplyAdd<T>(z, linear<T>(z, -0.00019841269829817593, 2.755731369547945e-6), splat<T>(0.008333333333322425)),
  );
  const half = minus<T>(times<T>(splat<T>(0.5), y), times<T>(cube, tail));
  const low = minus<T>(times<T>(z, half), y);
  return minus<T>(x, minus<T>(low, times<T>(cube, splat<T>(-0.16666666666666632))));
}

/** cos(x + y) for |x| ≤ π/4, |y| ≤ ulp(x). */
@inline
function cosReduced<T>(x: T, y: T): T {
  const one = splat<T>(1.0);
  const z = times<T>(x, x);
  const z2 = times<T>(z, z);
  const tail = multiplyAdd<T>(
    times<T>(z2, z2),
    linear<T>(z, 2.0875723707180764e-9, -1.135967073288437e-11),
    cubic<T>(z, z2, 0.0416666666666666, -0.001388888888887414, 2.48015872894928e-5, -2.755731435546267e-7),
  );
  const half = times<T>(splat<T>(0.5), z);
  const w = minus<T>(one, half);
  const low = minus<T>(times<T>(z2, tail), times<T>(x, y));
  return plus<T>(w, plus<T>(minus<T>(minus<T>(one, w), half), low));
}

/** sin(x + turns·π/2) for |x| ≤ 10^5. */
function sinCommon<T>(x: T, turns: T): T {
  const shifted = plus<T>(times<T>(x, splat<T>(TWO_OVER_PI)), splat<T>(ROUNDING_SHIFT));
  const k = minus<T>(shifted, splat<T>(ROUNDING_SHIFT));
  // x - k π/2 and its rounding errors
  const a = minus<T>(x, times<T>(k, splat<T>(HALF_PI_1)));
  const b = times<T>(k, splat<T>(-HALF_PI_2));
  const first = plus<T>(a, b);
  const firstLow = sumError<T>(a, b, first);
  const c = minus<T>(firstLow, times<T>(k, splat<T>(HALF_PI_3)));
  const second = plus<T>(first, c);
  const secondLow = minus<T>(sumError<T>(first, c, second), times<T>(k, splat<T>(HALF_PI_4)));
  const high = plus<T>(second, secondLow);
  const low = plus<T>(minus<T>(second, high), secondLow);
  const quadrant = plus<T>(shifted, turns);
  return negateWhereBitOne<T>(quadrant, whereEven<T>(quadrant, sinReduced<T>(high, low), cosReduced<T>(high, low)));
}

/** The first 1280 bits of 2/π after the binary point. */
const TWO_OVER_PI_BITS: usize = memory.data<u64>([
  0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
  0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
  0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
  0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
]);

function upperProduct(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const middle = aHigh * bLow + ((aLow * bLow) >> 32);
  const carry = aLow * bHigh + (middle & 0xffffffff);
  return aHigh * bHigh + (middle >> 32) + (carry >> 32);
}

/** Bits position … position + 63 of 2/π. */
function windowOfTwoOverPi(position: i32): u64 {
  const word = TWO_OVER_PI_BITS + ((position >> 6) << 3);
  const offset = position & 63;
  const upper = load<u64>(word);
  return offset == 0 ? upper : (upper << offset) | (load<u64>(word, 8) >> (64 - offset));
}

/**
 * sin of x + turns·π/2 for |x| > 10^5: x = M·2^e; only the bits of 2/π from position e - 2 on affect M·2/π
 * mod 4. 192 of them leave more than 60 correct bits after the worst cancellation that is possible for a double.
 */
function sinOfLarge(x: f64, turns: i64): f64 {
  if (!(abs<f64>(x) < Infinity)) return NaN;
  const bits = reinterpret<u64>(x);
  const exponent = <i32>((bits >> 52) & 0x7ff) - 1075;
  const m: u64 = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  let start = exponent - 2;
  let lead: i32 = 0;
  if (start < 0) {
    lead = -start;
    start = 0;
  }
  const w0 = windowOfTwoOverPi(start) >> lead;
  let w1 = windowOfTwoOverPi(start + 64);
  let w2 = windowOfTwoOverPi(start + 128);
  if (lead > 0) {
    const c0 = windowOfTwoOverPi(start) << (64 - lead);
    w2 = (w2 >> lead) | (w1 << (64 - lead));
    w1 = (w1 >> lead) | c0;
  }
  // product mod 2^192, the binary point two bits below the top
  const p2 = m * w2;
  const h2 = upperProduct(m, w2);
  const p1 = m * w1 + h2;
  const p0 = m * w0 + upperProduct(m, w1) + (p1 < h2 ? 1 : 0);
  let quadrant = <i64>(p0 >> 62);
  let fraction = (p0 << 2) | (p1 >> 62);
  let fractionLow = (p1 << 2) | (p2 >> 62);
  let sign: f64 = 1.0;
  if (<i64>fraction < 0) {
    quadrant++;
    fraction = ~fraction;
    fractionLow = ~fractionLow;
    sign = -1.0;
  }
  // fraction · 2^-64 in turns of π/2
  const shift = clz<u64>(fraction);
  if (shift > 0) fraction = (fraction << shift) | (fractionLow >> (64 - shift));
  const scale = reinterpret<f64>((<u64>(1023 - 64 - shift)) << 52);
  const upper = <f64>(fraction & 0xffffffc000000000);
  const lower = <f64>(fraction & 0x3fffffffff);
  const halfPiHigh: f64 = 1.5707963109016418;
  const halfPiRest: f64 = 1.5893254773528196e-8;
  const product = upper * halfPiHigh;
  const rest = upper * halfPiRest + lower * HALF_PI;
  let high = product + rest;
  let low = rest - (high - product);
  sign *= scale;
  high *= sign;
  low *= sign;
  if (x < 0.0) {
    high = -high;
    low = -low;
    quadrant = -quadrant;
  }
  quadrant += turns;
  const value = (quadrant & 1) == 0 ? sinReduced<f64>(high, low) : cosReduced<f64>(high, low);
  return (quadrant & 2) == 0 ? value : -value;
}

/** Sine, whole range; NaN at infinity. */
export function sin(x: f64): f64 {
  if (allAtMost<f64>(abs<f64>(x), COMMON_LIMIT)) return sinCommon<f64>(x, 0.0);
  return sinOfLarge(x, 0);
}

/** Cosine, whole range; NaN at infinity. */
export function cos(x: f64): f64 {
  if (allAtMost<f64>(abs<f64>(x), COMMON_LIMIT)) return sinCommon<f64>(x, 1.0);
  return sinOfLarge(x, 1);
}

/** Tangent as sin/cos: within 2 ulp. */
export function tan(x: f64): f64 {
  return sin(x) / cos(x);
}

function sinLanesRare(x: v128): v128 {
  const a = sin(f64x2.extract_lane(x, 0));
  const b = sin(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

function cosLanesRare(x: v128): v128 {
  const a = cos(f64x2.extract_lane(x, 0));
  const b = cos(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

export function sin_v(x: v128): v128 {
  if (allAtMost<v128>(f64x2.abs(x), COMMON_LIMIT)) return sinCommon<v128>(x, f64x2.splat(0.0));
  return sinLanesRare(x);
}

export function cos_v(x: v128): v128 {
  if (allAtMost<v128>(f64x2.abs(x), COMMON_LIMIT)) return sinCommon<v128>(x, f64x2.splat(1.0));
  return cosLanesRare(x);
}

/** Three ranges as in Cephes' atan.c: t = x, (x-1)/(x+1) or -1/x with |t| ≤ √2 - 1. */
@inline
function atanAll<T>(x: T): T {
  const one = splat<T>(1.0);
  const zero = splat<T>(0.0);
  const a = magnitude<T>(x);
  const small = splat<T>(0.41421356237309503);
  const large = splat<T>(2.414213562373095);
  const top = whereLess<T>(small, a, whereLess<T>(large, a, splat<T>(-1.0), minus<T>(a, one)), a);
  const bottom = whereLess<T>(small, a, whereLess<T>(large, a, a, plus<T>(a, one)), one);
  const high = whereLess<T>(small, a, whereLess<T>(large, a, splat<T>(HALF_PI), splat<T>(QUARTER_PI)), zero);
  const low = whereLess<T>(small, a, whereLess<T>(large, a, splat<T>(HALF_PI_LOW), splat<T>(QUARTER_PI_LOW)), zero);
  const t = over<T>(top, bottom);
  const z = times<T>(t, t);
  const z2 = times<T>(z, z);
  const z4 = times<T>(z2, z2);
  const p0 = cubic<T>(z, z2, -0.333333333333332, 0.19999999999954077, -0.14285714280247783, 0.11111110786088624);
  const p1 = cubic<T>(z, z2, -0.09090897834701174, 0.07692061600799494, -0.06663119919361221, 0.05848005211421649);
  const p2 = multiplyAdd<T>(
    z2,
    splat<T>(-0.017921723826731066),
    linear<T>(z, -0.05039827560056377, 0.0380778373982303),
  );
  const tail = multiplyAdd<T>(multiplyAdd<T>(p2, z4, p1), z4, p0);
  const value = plus<T>(high, plus<T>(t, plus<T>(low, times<T>(times<T>(t, z), tail))));
  return withSignOf<T>(value, x);
}

/** Arc tangent in [-π/2, π/2]. */
export function atan(x: f64): f64 {
  return isNaN<f64>(x) ? x : atanAll<f64>(x);
}

/** NaN lanes pass through the arithmetic. */
export function atan_v(x: v128): v128 {
  return atanAll<v128>(x);
}

/** Angle of the point (x, y) in [-π, π], with C's special values. */
export function atan2(y: f64, x: f64): f64 {
  if (isNaN<f64>(x) || isNaN<f64>(y)) return x + y;
  const size = abs<f64>(y);
  const run = abs<f64>(x);
  let angle: f64;
  if (size == 0.0) angle = 0.0;
  else if (size == Infinity && run == Infinity) angle = QUARTER_PI;
  else angle = atanAll<f64>(size / run);
  if (reinterpret<i64>(x) < 0) angle = PI - (angle - PI_LOW);
  return copysign<f64>(angle, y);
}

/** Arc sine on [-1, 1]. */
export function asin(x: f64): f64 {
  return NativeMath.asin(x);
}

/** Arc cosine on [-1, 1]. */
export function acos(x: f64): f64 {
  return NativeMath.acos(x);
}

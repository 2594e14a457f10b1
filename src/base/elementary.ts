/**
 * Elementary functions with bit-identical results in every JavaScript engine. Results of `Math` may differ between engines in the last bit,
 * and then every draw of a chain differs. Source: FDLIBM (Sun Microsystems, 1993); errors are below one unit in the last place.
 */

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const INVERSE_LN2 = Math.LOG2E;

/** Coefficients of r²ʲ in r (exp(r) + 1) / (exp(r) - 1) - 2, from j = 1. */
const EXP = [
  0.16666666666666602, -0.0027777777777015593, 6.613756321437934e-5, -1.6533902205465252e-6, 4.1381367970572385e-8,
] as const;

/** Coefficients of s²ʲ in (log(1 + s) - log(1 - s)) / s - 2, from j = 1. */
const LOG = [
  0.6666666666666735, 0.3999999999940942, 0.2857142874366239, 0.22222198432149784, 0.1818357216161805,
  0.15313837699209373, 0.14798198605116586,
] as const;

/** The greatest argument whose exponential is finite. */
const OVERFLOW = 709.782712893384;
/** The least argument whose exponential is not 0. */
const UNDERFLOW = -745.1332191019411;

/** eˣ, infinite on overflow. */
export function exponential(x: number): number {
  if (Number.isNaN(x) || x > OVERFLOW) return x > 0 ? Number.POSITIVE_INFINITY : x;
  if (x < UNDERFLOW) return 0;
  const halves = Math.floor(INVERSE_LN2 * x + 0.5);
  const high = x - halves * LN2_HIGH;
  const low = halves * LN2_LOW;
  const r = high - low;
  const t = r * r;
  const c = r - t * (EXP[0] + t * (EXP[1] + t * (EXP[2] + t * (EXP[3] + t * EXP[4]))));
  return scaled(1 - (low - (r * c) / (2 - c) - high), halves);
}

/** The natural logarithm; -∞ at 0, NaN below. */
export function logarithm(x: number): number {
  if (Number.isNaN(x) || x < 0) return Number.NaN;
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (x === Number.POSITIVE_INFINITY) return x;
  BITS_AS_DOUBLE[0] = x < SMALLEST_NORMAL ? x * TWO_54 : x;
  const word = BITS_AS_WORDS[HIGH];
  // The mantissa is between the square roots of 1/2 and 2.
  const moved = (word & 0xfffff) + 0x95f64;
  const isUpper = moved >> 20;
  const power = (word >> 20) - 1023 + isUpper - (x < SMALLEST_NORMAL ? 54 : 0);
  BITS_AS_WORDS[HIGH] = (word & 0xfffff) | ((1023 - isUpper) << 20);
  const f = BITS_AS_DOUBLE[0] - 1;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (LOG[1] + w * (LOG[3] + w * LOG[5]));
  const odd = z * (LOG[0] + w * (LOG[2] + w * (LOG[4] + w * LOG[6])));
  const half = 0.5 * f * f;
  const high = power * LN2_HIGH;
  return high - (half - (s * (half + even + odd) + power * LN2_LOW) - f);
}

/** log(1 + x), accurate near 0 (Kahan's correction: Goldberg, "What every computer scientist should know about floating-point arithmetic", 1991, theorem 4). */
export function logarithmPlusOne(x: number): number {
  const sum = 1 + x;
  if (sum === 1) return x;
  return sum === Number.POSITIVE_INFINITY ? sum : (logarithm(sum) * x) / (sum - 1);
}

/** exp(x) - 1, accurate near 0 (Higham, "Accuracy and stability of numerical algorithms", 2002, section 1.14.1). */
export function exponentialMinusOne(x: number): number {
  const power = exponential(x);
  if (power === 1) return x;
  const difference = power - 1;
  return difference === -1 || power === Number.POSITIVE_INFINITY ? difference : (difference * x) / logarithm(power);
}

/** A positive number raised to a real power. */
export function power(base: number, exponent: number): number {
  return exponential(exponent * logarithm(base));
}

const TWO_54 = 18014398509481984;
const SMALLEST_NORMAL = 2.2250738585072014e-308;
const BITS_AS_DOUBLE = new Float64Array(1);
const BITS_AS_WORDS = new Int32Array(BITS_AS_DOUBLE.buffer);
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0;

/** y · 2ᵏ for an integer k, in two steps if 2ᵏ is not a normal number. */
function scaled(y: number, exponent: number): number {
  const first = Math.max(-1022, Math.min(1023, exponent));
  return y * powerOfTwo(first) * (exponent === first ? 1 : powerOfTwo(exponent - first));
}

/** 2ᵏ for integers k from -1022 to 1023. */
function powerOfTwo(exponent: number): number {
  BITS_AS_WORDS[HIGH] = (exponent + 1023) << 20;
  BITS_AS_WORDS[1 - HIGH] = 0;
  return BITS_AS_DOUBLE[0];
}

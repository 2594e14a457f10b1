// Entry of text.wasm: formats rows of numbers as text. The host writes the powers of ten at `POWERS`, and the arguments of calls.
//
// A number becomes the shortest decimal that reads back as the same double and, of those, the one nearest to it, in the
// notation of ECMAScript's Number::toString. If the caller requests at most 15 significant digits, this decimal is rounded to them, in
// the notation of C++'s streams. A decimal with fewer digits that lies between a number and its shortest decimal would also read back as the
// number, so the result equals the number itself rounded, unless the shortest decimal is halfway between two results or the number is subnormal. The
// host writes such numbers. Source of the digits: R. Giulietti, "The Schubfach way to render doubles" (2020). The interval of decimals that
// read back as the double is scaled by a 128-bit power of ten, so that it contains at least one integer and at most one multiple of ten.
// Digits are written eight at a time, in the bytes of one 64-bit number.

/** 10^k for k from -292 to 324: the 128 leading bits, rounded up, lower half first. */
const POWERS: usize = 1024;
const LEAST_POWER: i32 = -292;

const SIGNIFICAND_BITS = 52;
const HIDDEN_BIT: u64 = 1 << SIGNIFICAND_BITS;
const EXPONENT_OFFSET = 1075;
const ZEROS: u64 = 0x3030303030303030;

/** Number of digits into which a number is split. */
const DIGITS = 17;
const LEAST_OF_DIGITS: u64 = 10000000000000000;

/** The power of ten by which the digits that `digitsOf` returns must be multiplied. */
let scale: i32 = 0;

/** Whether numbers are written in the notation of C++'s streams. */
let isStream = false;
/** The 17 digits are rounded to a multiple of this. */
let unit: u64 = 1;
/** The positions of the decimal point, in digits, for which numbers are written without an exponent. */
let leastPoint: i32 = 0;
let greatestPoint: i32 = 0;

/** The host's function for numbers that this module does not format. Returns the end of the text. */
@external("env", "write_text")
declare function writeText(value: f64, out: usize): usize;

/**
 * Writes `count` rows of `width` numbers; the numbers of a column are contiguous. `texts` are the start addresses
 * of the contiguous texts before each number and after the last one, then the end of the last text. `words` are the texts for NaN,
 * infinity and negative infinity, 16 bytes each, with the length in the last byte. `digits` is the number of significant digits, 0 for the
 * shortest decimals. Returns the end of the text; up to 32 bytes after it are overwritten.
 */
export function write_rows(
  values: usize,
  count: i32,
  width: i32,
  texts: usize,
  words: usize,
  out: usize,
  digits: i32,
): usize {
  isStream = digits > 0;
  unit = 1;
  for (let k = digits; isStream && k < DIGITS; k++) unit *= 10;
  leastPoint = isStream ? -3 : -5;
  greatestPoint = isStream ? digits : 21;
  for (let row = 0; row < count; row++) {
    let value = values + (<usize>row << 3);
    let text = texts;
    for (let column = 0; column < width; column++) {
      out = copy(load<u32>(text), load<u32>(text, 4), out);
      out = writeNumber(load<f64>(value), words, out);
      value += <usize>count << 3;
      text += 4;
    }
    out = copy(load<u32>(text), load<u32>(text, 4), out);
  }
  return out;
}

function copy(from: usize, end: usize, out: usize): usize {
  const target = out + end - from;
  for (; from < end; from += 16, out += 16) v128.store(out, v128.load(from));
  return target;
}

function writeNumber(value: f64, words: usize, out: usize): usize {
  const bits = reinterpret<u64>(value);
  const exponent = <i32>((bits >> SIGNIFICAND_BITS) & 0x7ff);
  const significand = bits & (HIDDEN_BIT - 1);
  const isNegative = bits >> 63 != 0;
  if (exponent == 0x7ff) {
    const word = words + (significand != 0 ? 0 : isNegative ? 32 : 16);
    v128.store(out, v128.load(word));
    return out + load<u8>(word, 15);
  }
  const start = out;
  store<u8>(out, 0x2d);
  out += <usize>isNegative;
  if ((bits << 1) == 0) {
    store<u8>(out, 0x30);
    return out + 1;
  }
  if (isStream && exponent == 0) return writeText(value, start);
  const digits = rounded(padded(digitsOf(significand, exponent)));
  return digits == 0 ? writeText(value, start) : writeDigits(digits, out);
}

/** Pads at most 17 digits with zeros to 17. Changes `scale`. */
function padded(digits: u64): u64 {
  if (digits < 100000000) {
    digits *= 100000000;
    scale -= 8;
  }
  for (; digits < LEAST_OF_DIGITS; scale--) digits *= 10;
  return digits;
}

/** The nearest multiple of `unit`, or 0 if two are equally near. Changes `scale` if rounding adds a digit. */
function rounded(digits: u64): u64 {
  const rest = digits % unit;
  if (rest << 1 == unit) return 0;
  if (rest << 1 < unit) return digits - rest;
  const up = digits - rest + unit;
  if (up < 10 * LEAST_OF_DIGITS) return up;
  scale += 1;
  return LEAST_OF_DIGITS;
}

/** Writes 17 digits × 10^scale, without trailing zeros of a fraction. */
function writeDigits(digits: u64, out: usize): usize {
  const upper = digits / 100000000;
  const first = <u32>upper / 100000000;
  const middle = bytesOf(<u32>upper - first * 100000000);
  const last = bytesOf(<u32>(digits - upper * 100000000));
  const length = last != 0 ? 17 - <i32>(clz(last) >> 3) : middle != 0 ? 9 - <i32>(clz(middle) >> 3) : 1;
  // Position of the decimal point, in digits.
  const point = scale + DIGITS;

  if (point >= leastPoint && point <= 0) {
    store<u64>(out, ZEROS & ~0xff00 | 0x2e00);
    const start = out + 2 - point;
    put(start, start + 1, first, middle, last);
    return start + length;
  }
  if (point > greatestPoint || point < leastPoint) {
    put(out, out + 2, first, middle, last);
    store<u8>(out, 0x2e, 1);
    return writeExponent(point - 1, out + length + <i32>(length > 1));
  }
  if (point >= length) {
    put(out, out + 1, first, middle, last);
    store<u32>(out, <u32>ZEROS, 17);
    return out + point;
  }
  if (point == 1) {
    put(out, out + 2, first, middle, last);
  } else {
    put(out, out + 1, first, middle, last);
    v128.store(out + point, v128.load(out + point), 1);
  }
  store<u8>(out + point, 0x2e);
  return out + length + 1;
}

function put(start: usize, rest: usize, first: u32, middle: u64, last: u64): void {
  store<u8>(start, 0x30 + first);
  store<u64>(rest, middle | ZEROS);
  store<u64>(rest, last | ZEROS, 8);
}

function writeExponent(exponent: i32, out: usize): usize {
  const size = abs(exponent);
  store<u8>(out, 0x65);
  store<u8>(out, exponent < 0 ? 0x2d : 0x2b, 1);
  out += 2;
  if (size >= 100) store<u8>(out++, 0x30 + size / 100);
  if (size >= 10 || isStream) store<u8>(out++, 0x30 + (size / 10) % 10);
  store<u8>(out, 0x30 + size % 10);
  return out + 1;
}

/** The eight digits of a number, the first one in the lowest byte: the number is split into halves, quarters and digits. */
function bytesOf(digits: u32): u64 {
  const upper = digits / 10000;
  const halves = <u64>upper | (<u64>(digits - upper * 10000) << 32);
  const hundreds = ((halves * 10486) >> 20) & 0x0000007f0000007f;
  const quarters = hundreds | ((halves - 100 * hundreds) << 16);
  const tens = ((quarters * 103) >> 10) & 0x000f000f000f000f;
  return tens | ((quarters - 10 * tens) << 8);
}

/** Giulietti's figure 7, for a positive number. Sets `scale`. */
function digitsOf(fraction: u64, exponent: i32): u64 {
  const c = exponent == 0 ? fraction : fraction | HIDDEN_BIT;
  const q = max(exponent, 1) - EXPONENT_OFFSET;
  if (q <= 0 && q > -53 && (c & ((<u64>1 << -q) - 1)) == 0) {
    scale = 0;
    return c >> -q;
  }
  const isClose = fraction == 0 && exponent > 1;
  const odd = c & 1;
  // floor(q log10(2)), or floor(q log10(2) + log10(3/4)) if the double below is nearer than the one above.
  const k = (q * 1262611 - (isClose ? 524031 : 0)) >> 22;
  const h = q + ((-k * 1741647) >> 19) + 1;
  const power = POWERS + (<usize>(-k - LEAST_POWER) << 4);
  const high = load<u64>(power, 8);
  const low = load<u64>(power);
  const lower = scaled(high, low, ((c << 2) - 2 + <u64>isClose) << h) + odd;
  const middle = scaled(high, low, c << 2 << h);
  const upper = scaled(high, low, ((c << 2) + 2) << h) - odd;

  const s = middle >> 2;
  if (s >= 10) {
    const tens = s / 10;
    const isBelow = lower <= 40 * tens;
    const isAbove = 40 * tens + 40 <= upper;
    if (isBelow != isAbove) {
      scale = k + 1;
      return tens + <u64>isAbove;
    }
  }
  scale = k;
  const isBelow = lower <= s << 2;
  const isAbove = (s << 2) + 4 <= upper;
  if (isBelow != isAbove) return s + <u64>isAbove;
  const half = (s << 2) + 2;
  return s + <u64>(middle > half || (middle == half && (s & 1) != 0));
}

/** The upper 64 bits of the product with a power; the lowest bit is set if the truncated rest exceeds the error of the power. */
function scaled(high: u64, low: u64, factor: u64): u64 {
  const carried = upperHalf(low, factor);
  const rest = high * factor + carried;
  const result = upperHalf(high, factor) + <u64>(rest < carried);
  return result | <u64>(rest > 1);
}

function upperHalf(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff;
  const a1 = a >> 32;
  const b0 = b & 0xffffffff;
  const b1 = b >> 32;
  const cross = a1 * b0 + ((a0 * b0) >> 32);
  return a1 * b1 + (cross >> 32) + ((a0 * b1 + (cross & 0xffffffff)) >> 32);
}

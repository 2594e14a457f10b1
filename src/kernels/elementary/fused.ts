// Multiplication and addition with one rounding, for which WebAssembly has no instruction. Error-free transformations of the product
// (Dekker, Numerische Mathematik 18, 1971) and the sum (Knuth, The Art of Computer Programming 2, section 4.2.2) decide almost all cases. Near
// ties, overflow and underflow, the sum is formed in integers of 128 bits.

const FRACTION: u64 = 0x000fffffffffffff;
const HIDDEN: u64 = 0x0010000000000000;
const LEAST_EXPONENT: i32 = -1074;

@inline
function powerOfTwo(k: i32): f64 {
  return reinterpret<f64>(<u64>(1023 + k) << 52);
}

/** The exponent e with |x| = m 2^e, where m has 53 digits; x is finite and not 0. */
@inline
function exponentOf(x: f64): i32 {
  const bits = reinterpret<u64>(x) & ~(<u64>1 << 63);
  if (bits >= HIDDEN) return <i32>(bits >> 52) - 1075;
  return LEAST_EXPONENT - (<i32>clz<u64>(bits) - 11);
}

/** The m of `exponentOf`. */
@inline
function digitsOf(x: f64): u64 {
  const bits = reinterpret<u64>(x) & ~(<u64>1 << 63);
  if (bits >= HIDDEN) return (bits & FRACTION) | HIDDEN;
  return bits << (clz<u64>(bits) - 11);
}

/** The high half of a product of numbers below 2^63. */
@inline
function productHigh(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const bLow = b & 0xffffffff;
  const aHigh = a >> 32;
  const bHigh = b >> 32;
  const middle = aHigh * bLow + ((aLow * bLow) >> 32);
  const other = aLow * bHigh + (middle & 0xffffffff);
  return aHigh * bHigh + (middle >> 32) + (other >> 32);
}

/** The high half of (high, low) / 2^n. */
@inline
function shiftedHigh(high: u64, n: i32): u64 {
  return n < 64 ? high >> <u64>n : 0;
}

/** The low half of (high, low) / 2^n; its last bit is also 1 if a bit of the remainder is. */
function shiftedLow(high: u64, low: u64, n: i32): u64 {
  const k = <u64>(n & 63);
  if (n == 0) return low;
  if (n < 64) return (low >> k) | (high << (64 - k)) | <u64>((low << (64 - k)) != 0);
  if (n == 64) return high | <u64>(low != 0);
  if (n < 128) return (high >> k) | <u64>((low | (high << (64 - k))) != 0);
  return <u64>((high | low) != 0);
}

/** 2^27 + 1, which splits a number into halves of 26 digits. */
const SPLITTER: f64 = 134217729.0;
/** Products between these bounds have exact errors, and factors below the last bound can be split. */
const SMALLEST_PRODUCT: f64 = 1e-250;
const LARGEST: f64 = 1e290;
const ONE_ULP: f64 = 2.220446049250313e-16;

/** x y + z, rounded once. */
export function fma(x: f64, y: f64, z: f64): f64 {
  const product = x * y;
  const isRegular =
    <i32>(abs<f64>(product) > SMALLEST_PRODUCT) &
    <i32>(abs<f64>(product) < LARGEST) &
    <i32>(abs<f64>(x) < LARGEST) &
    <i32>(abs<f64>(y) < LARGEST) &
    <i32>(abs<f64>(z) < LARGEST);
  if (isRegular) {
    const xScaled = SPLITTER * x;
    const xHigh = xScaled - (xScaled - x);
    const xLow = x - xHigh;
    const yScaled = SPLITTER * y;
    const yHigh = yScaled - (yScaled - y);
    const yLow = y - yHigh;
    const productError = xLow * yLow - (product - xHigh * yHigh - xLow * yHigh - xHigh * yLow);
    const sum = product + z;
    const added = sum - product;
    const sumError = product - (sum - added) + (z - added);
    // The sum of both errors is rounded, so the result is right if it is the same at either end of the interval around it.
    const error = productError + sumError;
    const one = sum + (error - error * ONE_ULP);
    const other = sum + (error + error * ONE_ULP);
    if (one == other) return one;
  }
  return fusedInIntegers(x, y, z);
}

function fusedInIntegers(x: f64, y: f64, z: f64): f64 {
  if (x == 0.0 || y == 0.0 || !(abs<f64>(x) < Infinity && abs<f64>(y) < Infinity)) return x * y + z;
  if (!(abs<f64>(z) < Infinity)) return z;
  if (z == 0.0) return x * y;
  const isMinus = (reinterpret<i64>(x) ^ reinterpret<i64>(y)) < 0;
  const isOther = (reinterpret<i64>(z) < 0) != isMinus;

  // both terms with the first digit at bit 124 or 125
  const left = digitsOf(x);
  const right = digitsOf(y);
  let high = (productHigh(left, right) << 20) | ((left * right) >> 44);
  let rest = (left * right) << 20;
  let exponent = exponentOf(x) + exponentOf(y) - 20;
  let addend = digitsOf(z) << 9;
  let addendRest: u64 = 0;
  const gap = exponent - (exponentOf(z) - 73);
  if (gap < 0) {
    rest = shiftedLow(high, rest, -gap);
    high = shiftedHigh(high, -gap);
    exponent -= gap;
  } else {
    addendRest = shiftedLow(addend, 0, gap);
    addend = shiftedHigh(addend, gap);
  }

  let negative = isMinus;
  if (!isOther) {
    rest += addendRest;
    high += addend + <u64>(rest < addendRest);
  } else if (high > addend || (high == addend && rest >= addendRest)) {
    high -= addend + <u64>(rest < addendRest);
    rest -= addendRest;
  } else {
    negative = !negative;
    high = addend - high - <u64>(addendRest < rest);
    rest = addendRest - rest;
  }
  if ((high | rest) == 0) return 0.0;

  const length = high != 0 ? 128 - <i32>clz<u64>(high) : 64 - <i32>clz<u64>(rest);
  const unit = max<i32>(exponent + length - 53, LEAST_EXPONENT);
  const dropped = unit - exponent;
  let digits = rest;
  let scale = exponent;
  if (dropped > 0) {
    // two bits behind the last digit decide the rounding: half a unit, and whether anything follows
    const kept = dropped > 1 ? shiftedLow(high, rest, dropped - 2) : rest << 1;
    const tail = kept & 3;
    digits = kept >> 2;
    digits += <u64>(tail == 3 || (tail == 2 && (digits & 1) == 1));
    scale = unit;
  }
  let value = <f64>digits;
  if (scale > 971) value = Infinity;
  else if (scale < -1022) value = value * powerOfTwo(-537) * powerOfTwo(scale + 537);
  else value *= powerOfTwo(scale);
  return negative ? -value : value;
}

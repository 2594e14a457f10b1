// Discrete Fourier transforms of any length: radix 2 for powers of two (Cooley and Tukey 1965), otherwise a convolution with a chirp
// (Bluestein 1970).
import { addPart, complex, conjugate, join, minus, part, plus, scaled, times } from './complex';
import { cos, sin } from '../elementary/trigonometric';

const PI: f64 = 3.141592653589793;

/** exp(±2πi k/n) */
function rootOfUnity(k: i32, n: i32, sign: f64): v128 {
  const angle = (2.0 * PI * f64(k)) / f64(n);
  return complex(cos(angle), sign * sin(angle));
}

/** Smallest power of two that is not below n. */
function powerOfTwo(n: i32): i32 {
  let power = 1;
  while (power < n) power <<= 1;
  return power;
}

/** In place, n a power of two; roots: n/2 entries. */
function transformPower(x: usize, roots: usize, n: i32, sign: f64): void {
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const kept = v128.load(x + (i << 4));
      v128.store(x + (i << 4), v128.load(x + (j << 4)));
      v128.store(x + (j << 4), kept);
    }
  }
  for (let k = 0; k < n >> 1; k++) v128.store(roots + (k << 4), rootOfUnity(k, n, sign));
  for (let length = 2; length <= n; length <<= 1) {
    const half = length >> 1;
    const step = n / length;
    for (let start = 0; start < n; start += length) {
      for (let k = 0; k < half; k++) {
        const low = x + ((start + k) << 4);
        const high = low + (half << 4);
        const turned = times(v128.load(roots + ((k * step) << 4)), v128.load(high));
        const kept = v128.load(low);
        v128.store(low, plus(kept, turned));
        v128.store(high, minus(kept, turned));
      }
    }
  }
}

/** exp(±πi k²/n), which depends on k² modulo 2n only. */
function chirp(k: i32, n: i32, sign: f64): v128 {
  const square = i32((i64(k) * i64(k)) % i64(2 * n));
  return rootOfUnity(square, 2 * n, sign);
}

/** In place for any n; work: 3 powers of two of 2n entries. */
function transform(x: usize, work: usize, n: i32, sign: f64): void {
  if (n <= 1) return;
  if (powerOfTwo(n) == n) {
    transformPower(x, work, n, sign);
    return;
  }
  const length = powerOfTwo(2 * n - 1);
  const a = work;
  const b = a + (length << 4);
  const roots = b + (length << 4);
  memory.fill(a, 0, length << 5);
  for (let k = 0; k < n; k++) {
    const c = chirp(k, n, sign);
    v128.store(a + (k << 4), times(v128.load(x + (k << 4)), c));
    v128.store(b + (k << 4), conjugate(c));
    if (k > 0) v128.store(b + ((length - k) << 4), conjugate(c));
  }
  transformPower(a, roots, length, 1.0);
  transformPower(b, roots, length, 1.0);
  for (let k = 0; k < length; k++) {
    const offset = k << 4;
    v128.store(a + offset, times(v128.load(a + offset), v128.load(b + offset)));
  }
  transformPower(a, roots, length, -1.0);
  for (let k = 0; k < n; k++) {
    const z = times(v128.load(a + (k << 4)), chirp(k, n, sign));
    v128.store(x + (k << 4), scaled(1.0 / f64(length), z));
  }
}

/** Both axes of an interleaved rows × cols matrix; line: one row, then the work of `transform`. */
function transformMatrix(x: usize, line: usize, rows: i32, cols: i32, sign: f64): void {
  const longest = max<i32>(rows, cols);
  const work = line + (longest << 4);
  for (let j = 0; j < cols; j++) transform(x + ((j * rows) << 4), work, rows, sign);
  if (cols < 2) return;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) v128.store(line + (j << 4), v128.load(x + ((j * rows + i) << 4)));
    transform(line, work, cols, sign);
    for (let j = 0; j < cols; j++) v128.store(x + ((j * rows + i) << 4), v128.load(line + (j << 4)));
  }
}

/**
 * The discrete Fourier transform of a rows × cols matrix over both axes, times `factor`; sign of the exponent -1 or 1. work:
 * 2 rows cols + 26 max(rows, cols) numbers.
 */
export function fft(
  outRe: usize,
  outIm: usize,
  re: usize,
  im: usize,
  work: usize,
  rows: i32,
  cols: i32,
  sign: f64,
  factor: f64,
): void {
  const total = rows * cols;
  prepare(work, re, im, rows, cols, sign, factor);
  part(outRe, outIm, work, total);
}

/** Like `fft`, but adds to the outputs; an output with a null pointer is skipped. */
export function fft_add(
  outRe: usize,
  outIm: usize,
  re: usize,
  im: usize,
  work: usize,
  rows: i32,
  cols: i32,
  sign: f64,
  factor: f64,
): void {
  prepare(work, re, im, rows, cols, sign, factor);
  addPart(outRe, outIm, work, rows * cols);
}

function prepare(work: usize, re: usize, im: usize, rows: i32, cols: i32, sign: f64, factor: f64): void {
  const total = rows * cols;
  join(work, re, im, total);
  transformMatrix(work, work + (total << 4), rows, cols, sign);
  for (let i = 0; i < total; i++) v128.store(work + (i << 4), scaled(factor, v128.load(work + (i << 4))));
}

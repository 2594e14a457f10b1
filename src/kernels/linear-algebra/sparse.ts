// Products with data matrices that have many zeros, as compressed rows (Duff, Erisman and Reid, Direct Methods for Sparse Matrices, 2.7). The compressed
// form holds the index of each row's first entry (m + 1 slots of 8 bytes), then the entries row by row: value and column, 16 bytes each.
//
// Infinity or NaN times 0 is NaN, so products with such numbers are computed from the matrix itself.
import { gemm, gemm_tn_add, gemv, gemv_t_add } from './products';
import { clearVector } from './vectors';

/** Compressing smaller matrices does not pay off. */
const LEAST_ELEMENTS: i32 = 64;

/** Columns of the right factor that are multiplied at once. */
const BLOCK: i32 = 8;

/**
 * The number of 8-byte slots of the compressed form of the m × k matrix A; 0 if products with n columns are faster without it. An entry costs
 * the time of four elements in a product with a vector, and of two and a half in a product of matrices.
 */
export function sparse_size(a: usize, m: i32, k: i32, n: i32): i32 {
  const elements = m * k;
  if (elements < LEAST_ELEMENTS) return 0;
  let entries = 0;
  for (let i = 0; i < elements; i++) entries += i32(load<f64>(a + (i << 3)) != 0.0);
  const most = f64(elements) * (n < 4 ? 0.25 : 0.4);
  return f64(entries) <= most ? m + 1 + 2 * entries : 0;
}

/** Writes the compressed form of the m × k matrix A, unless its size is 0. */
export function sparse_rows(out: usize, a: usize, m: i32, k: i32, size: i32): void {
  if (size == 0) return;
  const entries = entriesOf(out, m);
  let count = 0;
  for (let i = 0; i < m; i++) {
    store<i32>(out + (i << 3), count);
    for (let p = 0; p < k; p++) {
      const value = load<f64>(a + ((i + p * m) << 3));
      if (value == 0.0) continue;
      const entry = entries + (count << 4);
      store<f64>(entry, value);
      store<i32>(entry, p, 8);
      count++;
    }
  }
  store<i32>(out + (m << 3), count);
}

@inline
function entriesOf(rows: usize, m: i32): usize {
  return rows + ((m + 1) << 3);
}

@inline
function entryAt(rows: usize, m: i32, row: i32): usize {
  return entriesOf(rows, m) + (<usize>load<i32>(rows + (row << 3)) << 4);
}

/** Whether all numbers are finite. */
function areFinite(x: usize, n: i32): bool {
  let low = f64x2.splat(0.0);
  let high = low;
  const zero = low;
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    low = f64x2.add(low, f64x2.mul(zero, v128.load(x)));
    high = f64x2.add(high, f64x2.mul(zero, v128.load(x, 16)));
    x += 32;
  }
  low = f64x2.add(low, high);
  let sum = f64x2.extract_lane(low, 0) + f64x2.extract_lane(low, 1);
  for (; i < n; i++) {
    sum += 0.0 * load<f64>(x);
    x += 8;
  }
  return sum == 0.0;
}

/** out = A B, A m × k and B k × n: from the compressed rows of A, unless their size is 0. work: 8 k numbers, if n > 1 and the size is not 0. */
export function sparse_gemm(
  out: usize,
  rows: usize,
  a: usize,
  b: usize,
  work: usize,
  m: i32,
  k: i32,
  n: i32,
  size: i32,
): void {
  if (size == 0 || !areFinite(b, k * n)) {
    if (n == 1) gemv(out, a, b, m, k);
    else gemm(out, a, b, m, k, n);
  } else if (n == 1) multiplyVector(out, rows, b, m);
  else {
    for (let j = 0; j < n; j += BLOCK) {
      const width = min<i32>(BLOCK, n - j);
      const slots = width > 4 ? 8 : 4;
      const from = b + ((j * k) << 3);
      for (let p = 0; p < k; p++) {
        const to = work + ((p * slots) << 3);
        for (let c = 0; c < slots; c++) {
          store<f64>(to + (c << 3), c < width ? load<f64>(from + ((c * k + p) << 3)) : 0.0);
        }
      }
      const to = out + ((j * m) << 3);
      if (slots == 8) multiplyEight(to, rows, work, m, width);
      else multiplyFour(to, rows, work, m, width);
    }
  }
}

function multiplyVector(out: usize, rows: usize, x: usize, m: i32): void {
  let entry = entriesOf(rows, m);
  for (let i = 0; i < m; i++) {
    const end = entryAt(rows, m, i + 1);
    let even: f64 = 0.0;
    let odd: f64 = 0.0;
    for (; entry + 32 <= end; entry += 32) {
      even += load<f64>(entry) * load<f64>(x + (load<i32>(entry, 8) << 3));
      odd += load<f64>(entry, 16) * load<f64>(x + (load<i32>(entry, 24) << 3));
    }
    if (entry < end) {
      even += load<f64>(entry) * load<f64>(x + (load<i32>(entry, 8) << 3));
      entry += 16;
    }
    store<f64>(out + (i << 3), even + odd);
  }
}

/** Stores the lanes in columns `at` and `at + 1` of a row, those below `width`. */
@inline
function storePair(out: usize, column: usize, at: i32, width: i32, pair: v128): void {
  if (at < width) store<f64>(out + at * column, f64x2.extract_lane(pair, 0));
  if (at + 1 < width) store<f64>(out + (at + 1) * column, f64x2.extract_lane(pair, 1));
}

/** out[.., 0..width] = A W' for W with rows of 8 numbers. */
function multiplyEight(out: usize, rows: usize, work: usize, m: i32, width: i32): void {
  const column: usize = m << 3;
  let entry = entriesOf(rows, m);
  for (let i = 0; i < m; i++) {
    const end = entryAt(rows, m, i + 1);
    let s0 = f64x2.splat(0.0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    for (; entry < end; entry += 16) {
      const value = v128.load_splat<f64>(entry);
      const from = work + (load<i32>(entry, 8) << 6);
      s0 = f64x2.add(s0, f64x2.mul(value, v128.load(from)));
      s1 = f64x2.add(s1, f64x2.mul(value, v128.load(from, 16)));
      s2 = f64x2.add(s2, f64x2.mul(value, v128.load(from, 32)));
      s3 = f64x2.add(s3, f64x2.mul(value, v128.load(from, 48)));
    }
    const to = out + (i << 3);
    storePair(to, column, 0, width, s0);
    storePair(to, column, 2, width, s1);
    storePair(to, column, 4, width, s2);
    storePair(to, column, 6, width, s3);
  }
}

/** out[.., 0..width] = A W' for W with rows of 4 numbers. */
function multiplyFour(out: usize, rows: usize, work: usize, m: i32, width: i32): void {
  const column: usize = m << 3;
  let entry = entriesOf(rows, m);
  for (let i = 0; i < m; i++) {
    const end = entryAt(rows, m, i + 1);
    let s0 = f64x2.splat(0.0);
    let s1 = s0;
    let t0 = s0;
    let t1 = s0;
    for (; entry + 32 <= end; entry += 32) {
      const value = v128.load_splat<f64>(entry);
      const from = work + (load<i32>(entry, 8) << 5);
      s0 = f64x2.add(s0, f64x2.mul(value, v128.load(from)));
      s1 = f64x2.add(s1, f64x2.mul(value, v128.load(from, 16)));
      const next = v128.load_splat<f64>(entry, 16);
      const other = work + (load<i32>(entry, 24) << 5);
      t0 = f64x2.add(t0, f64x2.mul(next, v128.load(other)));
      t1 = f64x2.add(t1, f64x2.mul(next, v128.load(other, 16)));
    }
    if (entry < end) {
      const value = v128.load_splat<f64>(entry);
      const from = work + (load<i32>(entry, 8) << 5);
      s0 = f64x2.add(s0, f64x2.mul(value, v128.load(from)));
      s1 = f64x2.add(s1, f64x2.mul(value, v128.load(from, 16)));
      entry += 16;
    }
    const to = out + (i << 3);
    storePair(to, column, 0, width, f64x2.add(s0, t0));
    storePair(to, column, 2, width, f64x2.add(s1, t1));
  }
}

/** out += A' C, A m × k and C m × n: from the compressed rows of A, unless their size is 0. work: as for sparse_gemm. */
export function sparse_gemm_t_add(
  out: usize,
  rows: usize,
  a: usize,
  c: usize,
  work: usize,
  m: i32,
  k: i32,
  n: i32,
  size: i32,
): void {
  if (size == 0 || !areFinite(c, m * n)) {
    if (n == 1) gemv_t_add(out, a, c, m, k);
    else gemm_tn_add(out, a, c, k, m, n);
  } else if (n == 1) addTransposedVector(out, rows, c, m);
  else {
    for (let j = 0; j < n; j += BLOCK) {
      const width = min<i32>(BLOCK, n - j);
      const slots = width > 4 ? 8 : 4;
      clearVector(work, k * slots);
      const from = c + ((j * m) << 3);
      if (slots == 8) addTransposedEight(work, rows, from, m, width);
      else addTransposedFour(work, rows, from, m, width);
      const to = out + ((j * k) << 3);
      for (let p = 0; p < k; p++) {
        const sums = work + ((p * slots) << 3);
        for (let l = 0; l < width; l++) {
          const at = to + ((l * k + p) << 3);
          store<f64>(at, load<f64>(at) + load<f64>(sums + (l << 3)));
        }
      }
    }
  }
}

function addTransposedVector(out: usize, rows: usize, c: usize, m: i32): void {
  let entry = entriesOf(rows, m);
  for (let i = 0; i < m; i++) {
    const end = entryAt(rows, m, i + 1);
    const factor = load<f64>(c + (i << 3));
    for (; entry < end; entry += 16) {
      const at = out + (load<i32>(entry, 8) << 3);
      store<f64>(at, load<f64>(at) + factor * load<f64>(entry));
    }
  }
}

@inline
function loadPair(c: usize, column: usize, at: i32, width: i32): v128 {
  const first = at < width ? load<f64>(c + at * column) : 0.0;
  const second = at + 1 < width ? load<f64>(c + (at + 1) * column) : 0.0;
  return f64x2.replace_lane(f64x2.splat(first), 1, second);
}

/** W += A' C[.., 0..width] for W with rows of 8 numbers. */
function addTransposedEight(work: usize, rows: usize, c: usize, m: i32, width: i32): void {
  const column: usize = m << 3;
  let entry = entriesOf(rows, m);
  for (let i = 0; i < m; i++) {
    const end = entryAt(rows, m, i + 1);
    const from = c + (i << 3);
    const c0 = loadPair(from, column, 0, width);
    const c1 = loadPair(from, column, 2, width);
    const c2 = loadPair(from, column, 4, width);
    const c3 = loadPair(from, column, 6, width);
    for (; entry < end; entry += 16) {
      const value = v128.load_splat<f64>(entry);
      const to = work + (load<i32>(entry, 8) << 6);
      v128.store(to, f64x2.add(v128.load(to), f64x2.mul(value, c0)));
      v128.store(to, f64x2.add(v128.load(to, 16), f64x2.mul(value, c1)), 16);
      v128.store(to, f64x2.add(v128.load(to, 32), f64x2.mul(value, c2)), 32);
      v128.store(to, f64x2.add(v128.load(to, 48), f64x2.mul(value, c3)), 48);
    }
  }
}

/** W += A' C[.., 0..width] for W with rows of 4 numbers. */
function addTransposedFour(work: usize, rows: usize, c: usize, m: i32, width: i32): void {
  const column: usize = m << 3;
  let entry = entriesOf(rows, m);
  for (let i = 0; i < m; i++) {
    const end = entryAt(rows, m, i + 1);
    const from = c + (i << 3);
    const c0 = loadPair(from, column, 0, width);
    const c1 = loadPair(from, column, 2, width);
    for (; entry < end; entry += 16) {
      const value = v128.load_splat<f64>(entry);
      const to = work + (load<i32>(entry, 8) << 5);
      v128.store(to, f64x2.add(v128.load(to), f64x2.mul(value, c0)));
      v128.store(to, f64x2.add(v128.load(to, 16), f64x2.mul(value, c1)), 16);
    }
  }
}

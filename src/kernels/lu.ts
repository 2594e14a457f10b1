// LU factorisation with partial pivoting, P A = L U in one matrix (L unit lower), blocked by columns; solves, inverse, determinant.
import { log } from './logarithm';
import { addProduct } from './products';
import { axpy, clearVector, copyVector, dot } from './vectors';

const BLOCK: i32 = 32;

function swapRows(a: usize, column: usize, i: i32, j: i32, cols: i32): void {
  let p = a + (i << 3);
  let q = a + (j << 3);
  for (let c = 0; c < cols; c++) {
    const kept = load<f64>(p);
    store<f64>(p, load<f64>(q));
    store<f64>(q, kept);
    p += column;
    q += column;
  }
}

/**
 * P A = L U; pivots: n i32, row k was exchanged with row pivots[k] ≥ k. Returns the sign of the permutation, 0 if a pivot is
 * exactly 0 (the factorisation is completed all the same). LU may be A.
 */
export function lu(lu: usize, pivots: usize, a: usize, n: i32): i32 {
  copyVector(lu, a, n * n);
  const column: usize = n << 3;
  let sign = 1;
  let singular = false;
  for (let start = 0; start < n; start += BLOCK) {
    const end = min<i32>(n, start + BLOCK);
    for (let k = start; k < end; k++) {
      const at = lu + k * column;
      // bring column k of the panel up to date
      for (let j = start; j < k; j++) {
        const factor = load<f64>(at + (j << 3));
        const below = (j + 1) << 3;
        axpy(at + below, -factor, lu + j * column + below, n - j - 1);
      }
      let pivot = k;
      let largest = abs<f64>(load<f64>(at + (k << 3)));
      for (let i = k + 1; i < n; i++) {
        const size = abs<f64>(load<f64>(at + (i << 3)));
        if (size > largest) {
          largest = size;
          pivot = i;
        }
      }
      store<i32>(pivots + (k << 2), pivot);
      if (pivot != k) {
        sign = -sign;
        swapRows(lu, column, k, pivot, n);
      }
      const diagonal = load<f64>(at + (k << 3));
      if (diagonal == 0.0) {
        singular = true;
        continue;
      }
      for (let i = k + 1; i < n; i++) {
        store<f64>(at + (i << 3), load<f64>(at + (i << 3)) / diagonal);
      }
    }
    if (end == n) break;
    const size = end - start;
    for (let c = end; c < n; c++) {
      unitForward(lu + start * (column + 8), column, lu + c * column + (start << 3), size);
    }
    addProduct(
      lu + end * (column + 8),
      column,
      lu + start * column + (end << 3),
      8,
      column,
      lu + end * column + (start << 3),
      8,
      column,
      n - end,
      size,
      n - end,
      -1.0,
    );
  }
  return singular ? 0 : sign;
}

/** Unit lower L x = b in place. */
function unitForward(l: usize, column: usize, x: usize, n: i32): void {
  for (let j = 0; j < n; j++) {
    axpy(x + ((j + 1) << 3), -load<f64>(x + (j << 3)), l + j * (column + 8) + 8, n - j - 1);
  }
}

/** U x = b in place. */
function upperBackward(u: usize, column: usize, x: usize, n: i32): void {
  for (let j = n - 1; j >= 0; j--) {
    const at = x + (j << 3);
    const value = load<f64>(at) / load<f64>(u + j * (column + 8));
    store<f64>(at, value);
    axpy(x, -value, u + j * column, j);
  }
}

function exchange(x: usize, i: i32, j: i32): void {
  const kept = load<f64>(x + (i << 3));
  store<f64>(x + (i << 3), load<f64>(x + (j << 3)));
  store<f64>(x + (j << 3), kept);
}

/** A X = B, B and X n × m; X may be B. */
export function lu_solve(x: usize, lu: usize, pivots: usize, b: usize, n: i32, m: i32): void {
  copyVector(x, b, n * m);
  const column: usize = n << 3;
  for (let c = 0; c < m; c++) {
    const at = x + c * column;
    for (let k = 0; k < n; k++) exchange(at, k, load<i32>(pivots + (k << 2)));
    unitForward(lu, column, at, n);
    upperBackward(lu, column, at, n);
  }
}

/** A' X = B, B and X n × m; X may be B. */
export function lu_solve_t(x: usize, lu: usize, pivots: usize, b: usize, n: i32, m: i32): void {
  copyVector(x, b, n * m);
  const column: usize = n << 3;
  for (let c = 0; c < m; c++) {
    const at = x + c * column;
    for (let j = 0; j < n; j++) {
      const entry = at + (j << 3);
      const rest = dot(lu + j * column, at, j);
      store<f64>(entry, (load<f64>(entry) - rest) / load<f64>(lu + j * (column + 8)));
    }
    for (let j = n - 1; j >= 0; j--) {
      const entry = at + (j << 3);
      const below = lu + j * (column + 8) + 8;
      store<f64>(entry, load<f64>(entry) - dot(below, entry + 8, n - j - 1));
    }
    for (let k = n - 1; k >= 0; k--) exchange(at, k, load<i32>(pivots + (k << 2)));
  }
}

/** out = A⁻¹; work: n² + n numbers. Returns the sign of lu, 0 if A is singular (out then holds no inverse). */
export function inverse(out: usize, a: usize, work: usize, n: i32): i32 {
  const pivots = work + ((n * n) << 3);
  const sign = lu(work, pivots, a, n);
  clearVector(out, n * n);
  for (let j = 0; j < n; j++) store<f64>(out + ((j * (n + 1)) << 3), 1.0);
  lu_solve(out, work, pivots, out, n, n);
  return sign;
}

/** log |det A|; -inf if singular. work: n² + n numbers. */
export function log_abs_determinant(a: usize, work: usize, n: i32): f64 {
  const pivots = work + ((n * n) << 3);
  lu(work, pivots, a, n);
  let sum: f64 = 0.0;
  for (let j = 0; j < n; j++) sum += log(abs<f64>(load<f64>(work + ((j * (n + 1)) << 3))));
  return sum;
}

/** det A; work: n² + n numbers. */
export function determinant(a: usize, work: usize, n: i32): f64 {
  const pivots = work + ((n * n) << 3);
  let product = <f64>lu(work, pivots, a, n);
  for (let j = 0; j < n; j++) product *= load<f64>(work + ((j * (n + 1)) << 3));
  return product;
}

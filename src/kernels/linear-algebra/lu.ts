// LU factorization with partial pivoting, P A = L U in one matrix (L unit lower), blocked by columns; solves, inverse, determinant.
import { log } from '../elementary/logarithm';
import { addProduct } from './products';
import { axpy, clearVector, copyVector, dot, swapVectors } from './vectors';

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
 * P A = L U; pivots: n i32, row k was exchanged with row pivots[k] ≥ k. Returns the sign of the permutation, or 0 if a pivot is exactly 0
 * (the factorization is completed anyway). LU may be A.
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
    for (let c = end; c < n; c++) unitForward(lu + start * (column + 8), column, lu + c * column + (start << 3), size);
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

/** U' x = b in place. */
function upperForward(u: usize, column: usize, x: usize, n: i32): void {
  for (let j = 0; j < n; j++) {
    const at = x + (j << 3);
    store<f64>(at, (load<f64>(at) - dot(u + j * column, x, j)) / load<f64>(u + j * (column + 8)));
  }
}

/** L' x = b in place, L unit lower. */
function unitBackward(l: usize, column: usize, x: usize, n: i32): void {
  for (let j = n - 1; j >= 0; j--) {
    const at = x + (j << 3);
    store<f64>(at, load<f64>(at) - dot(l + j * (column + 8) + 8, at + 8, n - j - 1));
  }
}

function exchange(x: usize, i: i32, j: i32): void {
  const kept = load<f64>(x + (i << 3));
  store<f64>(x + (i << 3), load<f64>(x + (j << 3)));
  store<f64>(x + (j << 3), kept);
}

/**
 * L U X = B in place. `triangular`: B is lower triangular, so that the forward substitution can skip elements that stay zero.
 */
function substitute(x: usize, lu: usize, n: i32, m: i32, triangular: bool): void {
  const column: usize = n << 3;
  for (let start = 0; start < n; start += BLOCK) {
    const size = min<i32>(BLOCK, n - start);
    const block = x + (start << 3);
    const diagonal = lu + start * (column + 8);
    const filled = triangular ? start + size : m;
    for (let c = 0; c < filled; c++) unitForward(diagonal, column, block + c * column, size);
    const below: usize = size << 3;
    const rest = n - start - size;
    addProduct(block + below, column, diagonal + below, 8, column, block, 8, column, rest, size, filled, -1.0);
  }
  for (let start = ((n - 1) / BLOCK) * BLOCK; start >= 0; start -= BLOCK) {
    const size = min<i32>(BLOCK, n - start);
    const block = x + (start << 3);
    for (let c = 0; c < m; c++) upperBackward(lu + start * (column + 8), column, block + c * column, size);
    addProduct(x, column, lu + start * column, 8, column, block, 8, column, start, size, m, -1.0);
  }
}

/** A X = B, B and X n × m; X may be B. */
export function lu_solve(x: usize, lu: usize, pivots: usize, b: usize, n: i32, m: i32): void {
  copyVector(x, b, n * m);
  const column: usize = n << 3;
  for (let c = 0; c < m; c++) {
    for (let k = 0; k < n; k++) exchange(x + c * column, k, load<i32>(pivots + (k << 2)));
  }
  substitute(x, lu, n, m, false);
}

/** A' X = B, B and X n × m; X may be B. */
export function lu_solve_t(x: usize, lu: usize, pivots: usize, b: usize, n: i32, m: i32): void {
  copyVector(x, b, n * m);
  const column: usize = n << 3;
  for (let start = 0; start < n; start += BLOCK) {
    const size = min<i32>(BLOCK, n - start);
    const block = x + (start << 3);
    addProduct(block, column, lu + start * column, column, 8, x, 8, column, size, start, m, -1.0);
    for (let c = 0; c < m; c++) upperForward(lu + start * (column + 8), column, block + c * column, size);
  }
  for (let start = ((n - 1) / BLOCK) * BLOCK; start >= 0; start -= BLOCK) {
    const size = min<i32>(BLOCK, n - start);
    const block = x + (start << 3);
    const below: usize = size << 3;
    const diagonal = lu + start * (column + 8);
    addProduct(block, column, diagonal + below, column, 8, block + below, 8, column, size, n - start - size, m, -1.0);
    for (let c = 0; c < m; c++) unitBackward(diagonal, column, block + c * column, size);
  }
  for (let c = 0; c < m; c++) {
    for (let k = n - 1; k >= 0; k--) exchange(x + c * column, k, load<i32>(pivots + (k << 2)));
  }
}

/** out = A⁻¹ from the factors of lu; not meaningful if A is singular. */
function inverseOfFactors(out: usize, lu: usize, pivots: usize, n: i32): void {
  clearVector(out, n * n);
  for (let j = 0; j < n; j++) store<f64>(out + ((j * (n + 1)) << 3), 1.0);
  substitute(out, lu, n, n, true);
  const column: usize = n << 3;
  for (let k = n - 1; k >= 0; k--) {
    const pivot = load<i32>(pivots + (k << 2));
    if (pivot != k) swapVectors(out + k * column, out + pivot * column, n);
  }
}

/** out = A⁻¹; work: n² + n numbers. */
export function inverse(out: usize, a: usize, work: usize, n: i32): void {
  const pivots = work + ((n * n) << 3);
  lu(work, pivots, a, n);
  inverseOfFactors(out, work, pivots, n);
}

/** out[0] = log |det A|, -inf if singular; keeps the factors for the reverse mode. */
export function log_abs_determinant(out: usize, factors: usize, pivots: usize, a: usize, n: i32): void {
  lu(factors, pivots, a, n);
  let sum: f64 = 0.0;
  for (let j = 0; j < n; j++) sum += log(abs<f64>(load<f64>(factors + ((j * (n + 1)) << 3))));
  store<f64>(out, sum);
}

/** out[0] = det A; keeps the factors for the reverse mode. */
export function determinant(out: usize, factors: usize, pivots: usize, a: usize, n: i32): void {
  let product = <f64>lu(factors, pivots, a, n);
  for (let j = 0; j < n; j++) product *= load<f64>(factors + ((j * (n + 1)) << 3));
  store<f64>(out, product);
}

/** Aadj += weight A⁻ᵀ: reverse mode of log |det A|, or of det A with the determinant in the weight. work: n² numbers. */
export function determinant_adjoint(
  aAdj: usize,
  factors: usize,
  pivots: usize,
  weight: f64,
  work: usize,
  n: i32,
): void {
  inverseOfFactors(work, factors, pivots, n);
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < n; i++) {
      const at = aAdj + ((j * n + i) << 3);
      store<f64>(at, load<f64>(at) + weight * load<f64>(work + ((i * n + j) << 3)));
    }
  }
}

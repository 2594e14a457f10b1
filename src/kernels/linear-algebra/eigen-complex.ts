// Eigenvalues and eigenvectors of a general complex matrix from its Schur form; order and phases are as in Eigen's
// ComplexEigenSolver.
import { at, complex, join, minus, part, plus, product, quotient, scaled, sizeOf, squaredSize, times } from './complex';
import { schurInPlace } from './schur';


/** Scales columns to length 1. */
export function normalizeColumns(v: usize, n: i32): void {
  for (let j = 0; j < n; j++) {
    let sum = 0.0;
    for (let i = 0; i < n; i++) sum += squaredSize(v128.load(at(v, n, i, j)));
    if (!(sum > 0.0)) continue;
    const factor = 1.0 / sqrt<f64>(sum);
    for (let i = 0; i < n; i++) {
      const place = at(v, n, i, j);
      v128.store(place, scaled(factor, v128.load(place)));
    }
  }
}

/** X with T X = X diag(T), ones on its diagonal. */
function triangularVectors(x: usize, t: usize, n: i32): void {
  let norm = 0.0;
  for (let j = 0; j < n; j++) {
    for (let i = 0; i <= j; i++) norm += squaredSize(v128.load(at(t, n, i, j)));
  }
  norm = max<f64>(sqrt<f64>(norm), f64.MIN_NORMAL_VALUE);
  memory.fill(x, 0, (n * n) << 4);
  for (let k = n - 1; k >= 0; k--) {
    v128.store(at(x, n, k, k), complex(1.0, 0.0));
    for (let i = k - 1; i >= 0; i--) {
      let sum = v128.load(at(t, n, i, k));
      for (let l = i + 1; l < k; l++) {
        sum = plus(sum, times(v128.load(at(t, n, i, l)), v128.load(at(x, n, l, k))));
      }
      let gap = minus(v128.load(at(t, n, k, k)), v128.load(at(t, n, i, i)));
      if (sizeOf(gap) == 0.0) gap = complex(-f64.EPSILON * norm, 0.0);
      v128.store(at(x, n, i, k), quotient(sum, gap));
    }
  }
}

/** Selection sort by absolute value, ascending, of values and the columns of vectors. */
function sortBySize(values: usize, vectors: usize, n: i32): void {
  const column: usize = n << 4;
  for (let i = 0; i < n; i++) {
    let least = i;
    let size = sizeOf(v128.load(values + (i << 4)));
    for (let k = i + 1; k < n; k++) {
      const other = sizeOf(v128.load(values + (k << 4)));
      if (other < size) {
        least = k;
        size = other;
      }
    }
    if (least == i) continue;
    exchange(values + (i << 4), values + (least << 4), 1);
    exchange(vectors + i * column, vectors + least * column, n);
  }
}

function exchange(p: usize, q: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const kept = v128.load(p);
    v128.store(p, v128.load(q));
    v128.store(q, kept);
    p += 16;
    q += 16;
  }
}

/**
 * Eigenvalues, by absolute value, and eigenvectors of length 1. work: 8 n² + 4 n + 6 numbers. Returns 0, or 1 if the
 * iteration did not converge.
 */
export function eigen_complex(
  valuesRe: usize,
  valuesIm: usize,
  vectorsRe: usize,
  vectorsIm: usize,
  aRe: usize,
  aIm: usize,
  work: usize,
  n: i32,
): i32 {
  const size: usize = (n * n) << 4;
  const t = work;
  const u = t + size;
  const x = u + size;
  const vectors = x + size;
  const values = vectors + size;
  join(t, aRe, aIm, n * n);
  const converged = schurInPlace(t, u, x, n);
  for (let i = 0; i < n; i++) v128.store(values + (i << 4), v128.load(at(t, n, i, i)));
  triangularVectors(x, t, n);
  product(vectors, u, x, n, n, n, false);
  normalizeColumns(vectors, n);
  sortBySize(values, vectors, n);
  part(valuesRe, valuesIm, values, n);
  part(vectorsRe, vectorsIm, vectors, n * n);
  return converged ? 0 : 1;
}

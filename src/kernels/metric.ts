// Entry of metric.wasm: the linear algebra of `inference/adaptation/low-rank-estimate.ts`. Matrices are stored by column at addresses that the
// host chooses, above `SCRATCH_BYTES` of `low-rank-kernel.ts`.
import { cholesky } from './linear-algebra/cholesky';
import { eigen_symmetric } from './linear-algebra/eigen';
import { crossprod, gemm, gemm_tn, tcrossprod } from './linear-algebra/products';
import { solve_lower_t } from './linear-algebra/triangular';
import { dot, scale } from './linear-algebra/vectors';

/** A vector whose square, after projection on the vectors before it, is at most this part of its square depends on them. */
const DEPENDENT: f64 = 1e-12;

/**
 * C upper triangular with C' C = B' B for B rows × n: the coordinates of the columns of B in an orthonormal basis of their span. A column
 * that depends on those before it adds no basis vector: its row of C is 0. gram: n² numbers.
 */
export function coordinates(c: usize, gram: usize, b: usize, rows: i32, n: i32): void {
  const column: usize = n << 3;
  crossprod(gram, b, rows, n);
  memory.fill(c, 0, n * column);
  for (let j = 0; j < n; j++) {
    const own = c + j * column;
    for (let i = 0; i < j; i++) {
      const before = c + i * column;
      const pivot = load<f64>(before + (i << 3));
      if (pivot == 0.0) continue;
      store<f64>(own + (i << 3), (load<f64>(gram + j * column + (i << 3)) - dot(before, own, i)) / pivot);
    }
    const square = load<f64>(gram + j * column + (j << 3));
    const rest = square - dot(own, own, j);
    store<f64>(own + (j << 3), rest <= DEPENDENT * square ? 0.0 : sqrt(rest));
  }
}

/** Overwrites v with w such that Σ w_j b_j is the vector with coordinates v, for C of `coordinates`. */
export function weights(v: usize, c: usize, n: i32): void {
  for (let j = n - 1; j >= 0; j--) {
    const own = c + j * (n << 3);
    const pivot = load<f64>(own + (j << 3));
    const weight = pivot == 0.0 ? 0.0 : load<f64>(v + (j << 3)) / pivot;
    store<f64>(v + (j << 3), weight);
    for (let i = 0; i < j; i++) {
      const at = v + (i << 3);
      store<f64>(at, load<f64>(at) - weight * load<f64>(own + (i << 3)));
    }
  }
}

/** out = Σ v v' over `count` columns v of length n, plus `regularization` on the diagonal. */
function scatter(out: usize, v: usize, n: i32, count: i32, regularization: f64): void {
  tcrossprod(out, v, n, count);
  for (let i = 0; i < n; i++) {
    const at = out + i * ((n << 3) + 8);
    store<f64>(at, load<f64>(at) + regularization);
  }
}

/**
 * Eigenvalues and eigenvectors of the positive definite A with A G A = X, where X and G are the scatters of the first and of the other
 * `count` of the columns at v: with G = L L', A = L'⁻¹ (L' X L)^1/2 L⁻¹. Returns 0, or 1 if the matrices are not finite or not numerically
 * positive definite. work: 3 n² + 3 n numbers.
 */
export function geometric_mean(
  values: usize,
  vectors: usize,
  v: usize,
  n: i32,
  count: i32,
  regularization: f64,
  work: usize,
): i32 {
  const column: usize = n << 3;
  const square: usize = n * column;
  const x = work;
  const l = work + square;
  const product = work + 2 * square;
  scatter(x, v, n, count, regularization);
  scatter(l, v + count * column, n, count, regularization);
  if (cholesky(l, l, n)) return 1;
  gemm(product, x, l, n, n, n);
  gemm_tn(x, l, product, n, n, n);
  if (eigen_symmetric(values, vectors, x, product, n)) return 1;
  solve_lower_t(x, l, vectors, n, n);
  for (let k = 0; k < n; k++) {
    const value = load<f64>(values + (k << 3));
    if (!(value > 0.0 && value < Infinity)) return 1;
    scale(x + k * column, sqrt(sqrt(value)), n);
  }
  tcrossprod(l, x, n, n);
  return eigen_symmetric(values, vectors, l, product, n);
}

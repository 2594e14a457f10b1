// Eigenvalues and eigenvectors of a symmetric matrix: Householder tridiagonalisation and implicit QR steps with
// Wilkinson's shift (Golub and Van Loan, Matrix Computations, 8.3). Scaling, shift, rotation and sorting conventions
// are Eigen's SelfAdjointEigenSolver's, so that the signs of the vectors agree with Stan's.
import { hypot } from './hyperbolic';
import { gemm, gemm_nt_add, gemm_tn } from './products';
import { applyReflection, makeReflection } from './qr';
import { axpy, clearVector, copyVector, dot, rotateColumns, scale, swapVectors } from './vectors';

const EPSILON: f64 = 2.220446049250313e-16;
const TINY: f64 = 2.2250738585072014e-308;
const SWEEPS: i32 = 30;

/** y = S x for the symmetric S given by its lower triangle. */
function symmetricProduct(y: usize, s: usize, column: usize, x: usize, n: i32): void {
  clearVector(y, n);
  for (let j = 0; j < n; j++) {
    const diagonal = s + j * (column + 8);
    const rest = n - j - 1;
    const at = y + (j << 3);
    const entry = load<f64>(x + (j << 3));
    const below = dot(diagonal + 8, x + ((j + 1) << 3), rest);
    store<f64>(at, load<f64>(at) + load<f64>(diagonal) * entry + below);
    axpy(at + 8, entry, diagonal + 8, rest);
  }
}

/** Reduces the lower triangle of A to tridiagonal form; reflections stay below the subdiagonal. */
function tridiagonalise(a: usize, column: usize, taus: usize, work: usize, n: i32): void {
  for (let i = 0; i < n - 1; i++) {
    const rest = n - i - 1;
    const v = a + i * (column + 8) + 8;
    const tau = makeReflection(v, rest);
    const beta = load<f64>(v);
    store<f64>(v, 1.0);
    store<f64>(taus + (i << 3), tau);
    const block = a + (i + 1) * (column + 8);
    symmetricProduct(work, block, column, v, rest);
    for (let j = 0; j < rest; j++) {
      const at = work + (j << 3);
      store<f64>(at, load<f64>(at) * tau);
    }
    axpy(work, -0.5 * tau * dot(work, v, rest), v, rest);
    for (let j = 0; j < rest; j++) {
      const at = block + j * (column + 8);
      const offset = j << 3;
      axpy(at, -load<f64>(work + offset), v + offset, rest - j);
      axpy(at, -load<f64>(v + offset), work + offset, rest - j);
    }
    store<f64>(v, beta);
  }
}

/** One implicit QR step on the unreduced block start … end. */
function step(diagonal: usize, subdiagonal: usize, start: i32, end: i32, q: usize, column: usize, n: i32): void {
  const last = load<f64>(diagonal + (end << 3));
  const half = 0.5 * (load<f64>(diagonal + ((end - 1) << 3)) - last);
  const e = load<f64>(subdiagonal + ((end - 1) << 3));
  let mu = last;
  if (half == 0.0) mu -= abs<f64>(e);
  else if (e != 0.0) {
    const h = hypot(half, e);
    const denominator = half + (half > 0.0 ? h : -h);
    mu -= e * e == 0.0 ? e / (denominator / e) : (e * e) / denominator;
  }
  let x = load<f64>(diagonal + (start << 3)) - mu;
  let z = load<f64>(subdiagonal + (start << 3));
  for (let k = start; k < end && z != 0.0; k++) {
    let c: f64;
    let s: f64;
    if (x == 0.0) {
      c = 0.0;
      s = z < 0.0 ? 1.0 : -1.0;
    } else if (abs<f64>(x) > abs<f64>(z)) {
      const t = z / x;
      const u = copysign<f64>(sqrt<f64>(1.0 + t * t), x);
      c = 1.0 / u;
      s = -t * c;
    } else {
      const t = x / z;
      const u = copysign<f64>(sqrt<f64>(1.0 + t * t), z);
      s = -1.0 / u;
      c = -t * s;
    }
    const at = diagonal + (k << 3);
    const off = subdiagonal + (k << 3);
    const d0 = load<f64>(at);
    const d1 = load<f64>(at, 8);
    const e0 = load<f64>(off);
    const sdk = s * d0 + c * e0;
    const dkp1 = s * e0 + c * d1;
    store<f64>(at, c * (c * d0 - s * e0) - s * (c * e0 - s * d1));
    store<f64>(at, s * sdk + c * dkp1, 8);
    const next = c * sdk - s * dkp1;
    store<f64>(off, next);
    if (k > start) store<f64>(off - 8, c * load<f64>(off - 8) - s * z);
    x = next;
    if (k < end - 1) {
      const following = load<f64>(off, 8);
      z = -s * following;
      store<f64>(off, c * following, 8);
    }
    if (q) rotateColumns(q + k * column, q + (k + 1) * column, c, s, n);
  }
}


export function iterate(diagonal: usize, subdiagonal: usize, q: usize, column: usize, n: i32): bool {
  let end = n - 1;
  let start = 0;
  let sweeps = 0;
  while (end > 0) {
    for (let i = start; i < end; i++) {
      const at = subdiagonal + (i << 3);
      const entry = load<f64>(at);
      if (abs<f64>(entry) < TINY) store<f64>(at, 0.0);
      else {
        const scaled = entry / EPSILON;
        const here = abs<f64>(load<f64>(diagonal + (i << 3)));
        const there = abs<f64>(load<f64>(diagonal + ((i + 1) << 3)));
        if (scaled * scaled <= here + there) store<f64>(at, 0.0);
      }
    }
    while (end > 0 && load<f64>(subdiagonal + ((end - 1) << 3)) == 0.0) end--;
    if (end <= 0) break;
    if (++sweeps > SWEEPS * n) return false;
    start = end - 1;
    while (start > 0 && load<f64>(subdiagonal + ((start - 1) << 3)) != 0.0) start--;
    step(diagonal, subdiagonal, start, end, q, column, n);
  }
  return true;
}

/** Selection sort, ascending, as Eigen does it. */
export function sortPairs(values: usize, vectors: usize, column: usize, n: i32): void {
  for (let i = 0; i < n - 1; i++) {
    let least = i;
    for (let k = i + 1; k < n; k++) {
      if (load<f64>(values + (k << 3)) < load<f64>(values + (least << 3))) least = k;
    }
    if (least == i) continue;
    swapVectors(values + (i << 3), values + (least << 3), 1);
    if (vectors) swapVectors(vectors + i * column, vectors + least * column, n);
  }
}

/**
 * Eigenvalues (ascending) and eigenvectors (columns; pointer 0 leaves them out) of the symmetric A, of which the lower
 * triangle is read. work: n² + 3n numbers. Returns 0, or 1 if the iteration did not converge.
 */
export function eigen_symmetric(values: usize, vectors: usize, a: usize, work: usize, n: i32): i32 {
  if (n == 0) return 0;
  const column: usize = n << 3;
  const matrix = work;
  const taus = work + n * column;
  const subdiagonal = taus + column;
  const spare = subdiagonal + column;
  let largest: f64 = 0.0;
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      largest = max<f64>(largest, abs<f64>(load<f64>(a + j * column + (i << 3))));
    }
  }
  if (largest == 0.0) largest = 1.0;
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      const offset = j * column + (i << 3);
      store<f64>(matrix + offset, load<f64>(a + offset) / largest);
    }
  }
  tridiagonalise(matrix, column, taus, spare, n);
  for (let i = 0; i < n; i++) {
    const at = matrix + i * (column + 8);
    store<f64>(values + (i << 3), load<f64>(at));
    if (i < n - 1) store<f64>(subdiagonal + (i << 3), load<f64>(at, 8));
  }
  if (vectors) {
    clearVector(vectors, n * n);
    for (let i = 0; i < n; i++) store<f64>(vectors + i * (column + 8), 1.0);
    for (let i = n - 2; i >= 0; i--) {
      const rest = n - i - 1;
      applyReflection(
        vectors + (i + 1) * (column + 8),
        column,
        matrix + i * (column + 8) + 8,
        load<f64>(taus + (i << 3)),
        rest,
        rest,
      );
    }
  }
  const converged = iterate(values, subdiagonal, vectors, column, n);
  sortPairs(values, vectors, column, n);
  for (let i = 0; i < n; i++) {
    const at = values + (i << 3);
    store<f64>(at, load<f64>(at) * largest);
  }
  return converged ? 0 : 1;
}

/**
 * Reverse mode of eigen_symmetric, eigenvalues distinct where vectorsAdj is given: Aadj += V (diag(λ̄) + (V'V̄) ∘ F) V' with
 * F_ij = 1/(λ_j - λ_i), not symmetrised (as Stan's). A pointer 0 for valuesAdj or vectorsAdj is left out, not both. work: 2 n².
 */
export function eigen_symmetric_adjoint(
  aAdj: usize,
  values: usize,
  vectors: usize,
  valuesAdj: usize,
  vectorsAdj: usize,
  work: usize,
  n: i32,
): void {
  const column: usize = n << 3;
  const inner = work;
  const product = work + n * column;
  if (vectorsAdj) {
    gemm_tn(inner, vectors, vectorsAdj, n, n, n);
    for (let j = 0; j < n; j++) {
      const own = load<f64>(values + (j << 3));
      for (let i = 0; i < n; i++) {
        const at = inner + j * column + (i << 3);
        const gap = own - load<f64>(values + (i << 3));
        store<f64>(at, i == j ? 0.0 : load<f64>(at) / gap);
      }
      if (valuesAdj) store<f64>(inner + j * (column + 8), load<f64>(valuesAdj + (j << 3)));
    }
    gemm(product, vectors, inner, n, n, n);
  } else {
    copyVector(product, vectors, n * n);
    for (let j = 0; j < n; j++) scale(product + j * column, load<f64>(valuesAdj + (j << 3)), n);
  }
  gemm_nt_add(aAdj, product, vectors, n, n, n);
}

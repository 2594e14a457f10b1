// Eigenvalues and eigenvectors of a symmetric matrix: Householder tridiagonalization and implicit QR steps with
// Wilkinson's shift (Golub and Van Loan, Matrix Computations, 8.3). Scaling, shift, rotation and sorting conventions
// are Eigen's SelfAdjointEigenSolver's, so that the signs of the vectors agree with Stan's.
import { hypot } from '../elementary/hyperbolic';
import { gemm, gemm_nt_add, gemm_tn } from './products';
import { applyReflection, makeReflection } from './qr';
import { ROTATIONS, scratch } from './scratch';
import { addColumns, addDots, axpy, clearVector, copyVector, dot, rotateColumns, scale, swapVectors } from './vectors';

const SWEEPS: i32 = 30;

const GATHERED: i32 = 64;

/**
 * Rotates columns 0 and 1 of Q, then 1 and 2, and so on. All gathered rotations are applied to eight rows at a time, so that
 * the column shared by two rotations stays in registers.
 */
function rotateInTurn(q: usize, column: usize, count: i32, rows: i32): void {
  const rotations = scratch + ROTATIONS;
  let i = 0;
  for (; i + 8 <= rows; i += 8) {
    let at = q + (i << 3);
    let p0 = v128.load(at);
    let p1 = v128.load(at, 16);
    let p2 = v128.load(at, 32);
    let p3 = v128.load(at, 48);
    for (let r = 0; r < count; r++) {
      const c = v128.load_splat<f64>(rotations + (r << 4));
      const s = v128.load_splat<f64>(rotations + (r << 4), 8);
      const next = at + column;
      const q0 = v128.load(next);
      v128.store(at, f64x2.sub(f64x2.mul(c, p0), f64x2.mul(s, q0)));
      p0 = f64x2.add(f64x2.mul(s, p0), f64x2.mul(c, q0));
      const q1 = v128.load(next, 16);
      v128.store(at, f64x2.sub(f64x2.mul(c, p1), f64x2.mul(s, q1)), 16);
      p1 = f64x2.add(f64x2.mul(s, p1), f64x2.mul(c, q1));
      const q2 = v128.load(next, 32);
      v128.store(at, f64x2.sub(f64x2.mul(c, p2), f64x2.mul(s, q2)), 32);
      p2 = f64x2.add(f64x2.mul(s, p2), f64x2.mul(c, q2));
      const q3 = v128.load(next, 48);
      v128.store(at, f64x2.sub(f64x2.mul(c, p3), f64x2.mul(s, q3)), 48);
      p3 = f64x2.add(f64x2.mul(s, p3), f64x2.mul(c, q3));
      at = next;
    }
    v128.store(at, p0);
    v128.store(at, p1, 16);
    v128.store(at, p2, 32);
    v128.store(at, p3, 48);
  }
  if (i == rows) return;
  for (let r = 0; r < count; r++) {
    const at = q + r * column + (i << 3);
    const c = load<f64>(rotations + (r << 4));
    rotateColumns(at, at + column, c, load<f64>(rotations + (r << 4), 8), rows - i);
  }
}

/** y = S x for the symmetric S given by its lower triangle, four columns at a time. */
function symmetricProduct(y: usize, s: usize, column: usize, x: usize, n: i32): void {
  clearVector(y, n);
  for (let j = 0; j < n; j += 4) {
    const width = min<i32>(4, n - j);
    for (let c = j; c < j + width; c++) {
      const diagonal = s + c * (column + 8);
      const at = y + (c << 3);
      const entry = load<f64>(x + (c << 3));
      let sum = load<f64>(diagonal) * entry;
      for (let i = c + 1; i < j + width; i++) {
        const value = load<f64>(diagonal + ((i - c) << 3));
        sum += value * load<f64>(x + (i << 3));
        store<f64>(y + (i << 3), load<f64>(y + (i << 3)) + value * entry);
      }
      store<f64>(at, load<f64>(at) + sum);
    }
    const first = j + width;
    const below = s + j * column + (first << 3);
    addDots(y + (j << 3), 8, below, column, x + (first << 3), n - first, width, 1.0);
    addColumns(y + (first << 3), below, column, x + (j << 3), 8, n - first, width, 1.0);
  }
}

/** y -= a u + b v */
function subtractTwo(y: usize, a: f64, u: usize, b: f64, v: usize, n: i32): void {
  const first = f64x2.splat(a);
  const second = f64x2.splat(b);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const low = f64x2.add(f64x2.mul(first, v128.load(u)), f64x2.mul(second, v128.load(v)));
    const high = f64x2.add(f64x2.mul(first, v128.load(u, 16)), f64x2.mul(second, v128.load(v, 16)));
    v128.store(y, f64x2.sub(v128.load(y), low));
    v128.store(y, f64x2.sub(v128.load(y, 16), high), 16);
    y += 32;
    u += 32;
    v += 32;
  }
  for (; i < n; i++) {
    store<f64>(y, load<f64>(y) - (a * load<f64>(u) + b * load<f64>(v)));
    y += 8;
    u += 8;
    v += 8;
  }
}

/** Reduces the lower triangle of A to tridiagonal form; reflections stay below the subdiagonal. */
function tridiagonalize(a: usize, column: usize, taus: usize, work: usize, n: i32): void {
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
      subtractTwo(at, load<f64>(work + offset), v + offset, load<f64>(v + offset), work + offset, rest - j);
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
  let gathered = 0;
  let first = q + start * column;
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
    if (!q) continue;
    store<f64>(scratch + ROTATIONS + (gathered << 4), c);
    store<f64>(scratch + ROTATIONS + (gathered << 4), s, 8);
    if (++gathered == GATHERED) {
      rotateInTurn(first, column, gathered, n);
      first += gathered * column;
      gathered = 0;
    }
  }
  if (gathered) rotateInTurn(first, column, gathered, n);
}


export function iterate(diagonal: usize, subdiagonal: usize, q: usize, column: usize, n: i32): bool {
  let end = n - 1;
  let start = 0;
  let sweeps = 0;
  while (end > 0) {
    for (let i = start; i < end; i++) {
      const at = subdiagonal + (i << 3);
      const entry = load<f64>(at);
      if (abs<f64>(entry) < f64.MIN_NORMAL_VALUE) store<f64>(at, 0.0);
      else {
        const scaled = entry / f64.EPSILON;
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

/** Selection sort, ascending, as in Eigen. */
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
 * Eigenvalues (ascending) and eigenvectors (columns; omitted with a null pointer) of the symmetric A, whose lower triangle is read. work:
 * n² + 3n numbers. Returns 0, or 1 if the iteration did not converge.
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
  tridiagonalize(matrix, column, taus, spare, n);
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
 * Reverse mode of eigen_symmetric, eigenvalues distinct where vectorsAdj is given: Aadj += V (diag(λ̄) + (K - K') ∘ F / 2) V' with K = V'V̄
 * and F_ij = 1/(λ_j - λ_i) for i ≠ j (Giles 2008, Collected matrix derivative results, 3.1, for a symmetric A). The symmetric part of K is
 * omitted: symmetric changes of A do not depend on it, and its rounding errors, divided by small gaps, would dominate. One of valuesAdj and
 * vectorsAdj may be a null pointer. work: 2 n².
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
      for (let i = 0; i < j; i++) {
        const above = inner + j * column + (i << 3);
        const below = inner + i * column + (j << 3);
        const part = (0.5 * (load<f64>(above) - load<f64>(below))) / (own - load<f64>(values + (i << 3)));
        store<f64>(above, part);
        store<f64>(below, part);
      }
      store<f64>(inner + j * (column + 8), valuesAdj ? load<f64>(valuesAdj + (j << 3)) : 0.0);
    }
    gemm(product, vectors, inner, n, n, n);
  } else {
    copyVector(product, vectors, n * n);
    for (let j = 0; j < n; j++) scale(product + j * column, load<f64>(valuesAdj + (j << 3)), n);
  }
  gemm_nt_add(aAdj, product, vectors, n, n, n);
}

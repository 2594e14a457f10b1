// Householder reflections and QR factorization (Golub and Van Loan, Matrix Computations, 5.1 and 5.2) with its reverse mode, with Stan's
// signs (diagonal of R not negative).
import { ALONG, scratch } from './scratch';
import { add_to, addDots, axpy, clearVector, copyVector, dot, scale } from './vectors';

/**
 * Reflection H = I - τ v v', v = (1, essential), with H x = (β, 0, …), β of the sign opposite to x[0] (Eigen's convention).
 * Overwrites x[1..] with the essential part and x[0] with β; returns τ.
 */
export function makeReflection(x: usize, n: i32): f64 {
  const first = load<f64>(x);
  const tail = dot(x + 8, x + 8, n - 1);
  if (tail <= f64.MIN_NORMAL_VALUE) {
    clearVector(x + 8, n - 1);
    return 0.0;
  }
  let beta = sqrt<f64>(first * first + tail);
  if (first >= 0.0) beta = -beta;
  const divisor = first - beta;
  for (let i = 1; i < n; i++) {
    const at = x + (i << 3);
    store<f64>(at, load<f64>(at) / divisor);
  }
  store<f64>(x, beta);
  return (beta - first) / beta;
}

/** Applies H = I - τ v v' (v[0] = 1 implied, essential part at v + 8) from the left to a block of cols columns. */
export function applyReflection(a: usize, column: usize, v: usize, tau: f64, n: i32, cols: i32): void {
  if (tau == 0.0) return;
  const along = scratch + ALONG;
  for (let j = 0; j < cols; j += 8) {
    const count = min<i32>(8, cols - j);
    for (let c = 0; c < count; c++) store<f64>(along + (c << 3), load<f64>(a + c * column));
    addDots(along, 8, a + 8, column, v + 8, n - 1, count, 1.0);
    for (let c = 0; c < count; c++) {
      const factor = tau * load<f64>(along + (c << 3));
      store<f64>(a, load<f64>(a) - factor);
      axpy(a + 8, -factor, v + 8, n - 1);
      a += column;
    }
  }
}

/**
 * A = Q R with the diagonal of R not negative: Q rows × height orthonormal columns, R height × cols; height is rows (full) or
 * min(rows, cols) (thin). factors: rows·cols + min(rows, cols) numbers, the reflections and their τ, for the reverse mode.
 */
export function qr(q: usize, r: usize, factors: usize, a: usize, rows: i32, cols: i32, height: i32): void {
  const column: usize = rows << 3;
  const rank = min<i32>(rows, cols);
  const taus = factors + ((rows * cols) << 3);
  copyVector(factors, a, rows * cols);
  for (let k = 0; k < rank; k++) {
    const at = factors + k * (column + 8);
    const tau = makeReflection(at, rows - k);
    store<f64>(taus + (k << 3), tau);
    applyReflection(at + column, column, at, tau, rows - k, cols - k - 1);
  }
  clearVector(q, rows * height);
  for (let j = 0; j < height; j++) store<f64>(q + j * (column + 8), 1.0);
  for (let k = rank - 1; k >= 0; k--) {
    const offset = k * (column + 8);
    applyReflection(q + offset, column, factors + offset, load<f64>(taus + (k << 3)), rows - k, height - k);
  }
  clearVector(r, height * cols);
  for (let j = 0; j < cols; j++) copyVector(r + ((j * height) << 3), factors + j * column, min<i32>(j + 1, height));
  flipNegative(q, r, factors, rows, cols, height);
}

/** Changes the signs of the rows of R with a negative diagonal element, and of the matching columns of Q (unless its pointer is null). */
function flipNegative(q: usize, r: usize, factors: usize, rows: i32, cols: i32, height: i32): void {
  const column: usize = rows << 3;
  for (let k = 0; k < min<i32>(rows, cols); k++) {
    if (!(load<f64>(factors + k * (column + 8)) < 0.0)) continue;
    if (q) scale(q + k * column, -1.0, rows);
    for (let j = k; j < cols; j++) {
      const at = r + ((j * height + k) << 3);
      store<f64>(at, -load<f64>(at));
    }
  }
}

/**
 * Reverse of y = H x for the columns of a block: y becomes x, yAdj becomes xAdj, and the adjoint of v (including that of
 * v[0] = 1) is added to vAdj; returns that of τ.
 */
function reverseReflection(
  y: usize,
  yAdj: usize,
  column: usize,
  v: usize,
  vAdj: usize,
  tau: f64,
  n: i32,
  cols: i32,
): f64 {
  let tauAdj: f64 = 0.0;
  for (let j = 0; j < cols; j++) {
    const along = load<f64>(y) + dot(v + 8, y + 8, n - 1);
    const alongAdj = load<f64>(yAdj) + dot(v + 8, yAdj + 8, n - 1);
    tauAdj += along * alongAdj;
    axpy(vAdj, tau * along, yAdj, n);
    store<f64>(y, load<f64>(y) - tau * along);
    axpy(y + 8, -tau * along, v + 8, n - 1);
    axpy(vAdj, -tau * alongAdj, y, n);
    store<f64>(yAdj, load<f64>(yAdj) - tau * alongAdj);
    axpy(yAdj + 8, -tau * alongAdj, v + 8, n - 1);
    y += column;
    yAdj += column;
  }
  return tauAdj;
}

/**
 * Reverse mode of qr, reflection by reflection, so that it also holds for the columns of Q that complete the basis. A reflection is its own
 * inverse, so the intermediate matrices are recomputed from the results. A null pointer for qAdj or rAdj is ignored. work: 2 rows (height +
 * cols) + (rows + 1) min(rows, cols).
 */
export function qr_adjoint(
  aAdj: usize,
  q: usize,
  factors: usize,
  qAdj: usize,
  rAdj: usize,
  work: usize,
  rows: i32,
  cols: i32,
  height: i32,
): void {
  const column: usize = rows << 3;
  const rank = min<i32>(rows, cols);
  const taus = factors + ((rows * cols) << 3);
  const basis = work;
  const basisAdj = basis + height * column;
  const state = basisAdj + height * column;
  const stateAdj = state + cols * column;
  const vAdj = stateAdj + cols * column;
  const tauAdj = vAdj + rank * column;
  clearVector(state, rows * (2 * cols + rank));
  for (let j = 0; j < cols; j++) {
    const count = min<i32>(j + 1, height);
    copyVector(state + j * column, factors + j * column, count);
    if (rAdj) copyVector(stateAdj + j * column, rAdj + ((j * height) << 3), count);
  }
  flipNegative(0, stateAdj, factors, rows, cols, rows);
  clearVector(tauAdj, rank);
  if (qAdj) {
    copyVector(basis, q, rows * height);
    copyVector(basisAdj, qAdj, rows * height);
    for (let k = 0; k < rank; k++) {
      const offset = k * (column + 8);
      if (load<f64>(factors + offset) < 0.0) {
        scale(basis + k * column, -1.0, rows);
        scale(basisAdj + k * column, -1.0, rows);
      }
    }
    for (let k = 0; k < rank; k++) {
      const offset = k * (column + 8);
      const tau = load<f64>(taus + (k << 3));
      if (tau == 0.0) continue;
      const y = basis + offset;
      const yAdj = basisAdj + offset;
      const byTau = reverseReflection(y, yAdj, column, factors + offset, vAdj + offset, tau, rows - k, height - k);
      store<f64>(tauAdj + (k << 3), byTau);
    }
  }
  for (let k = rank - 1; k >= 0; k--) {
    const tau = load<f64>(taus + (k << 3));
    if (tau == 0.0) continue;
    const n = rows - k;
    const offset = k * (column + 8);
    const v = factors + offset;
    const own = vAdj + offset;
    const after = offset + column;
    const byTau =
      load<f64>(tauAdj + (k << 3)) +
      reverseReflection(state + after, stateAdj + after, column, v, own, tau, n, cols - k - 1);
    // x = (first, tail) became (beta, 0) with tail = divisor · v[1..], divisor = first - beta = -beta tau
    const beta = load<f64>(v);
    const divisor = -beta * tau;
    const first = beta + divisor;
    const divisorAdj = -dot(own + 8, v + 8, n - 1) / divisor;
    const betaAdj = load<f64>(stateAdj + offset) + (byTau * first) / (beta * beta) - divisorAdj;
    store<f64>(state + offset, first);
    store<f64>(stateAdj + offset, divisorAdj - byTau / beta + (betaAdj * first) / beta);
    axpy(state + offset + 8, divisor, v + 8, n - 1);
    axpy(stateAdj + offset + 8, 1.0 / divisor, own + 8, n - 1);
    axpy(stateAdj + offset + 8, (betaAdj * divisor) / beta, v + 8, n - 1);
  }
  add_to(aAdj, stateAdj, rows * cols);
}

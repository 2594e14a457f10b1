// Householder reflections and QR factorisation, signs as Stan gives them (diagonal of R not negative).
import { gemm_add, gemm_nt_add, gemm_tn_add } from './products';
import { solve_right_lower } from './triangular';
import { axpy, clearVector, copyVector, dot } from './vectors';

const TINY: f64 = 2.2250738585072014e-308;

/**
 * Reflection H = I - τ v v', v = (1, essential), with H x = (β, 0, …), β of the sign opposite to x[0] (Eigen's convention).
 * Overwrites x[1..] by the essential part and x[0] by β; returns τ.
 */
export function makeReflection(x: usize, n: i32): f64 {
  const first = load<f64>(x);
  const tail = dot(x + 8, x + 8, n - 1);
  if (tail <= TINY) {
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
  for (let j = 0; j < cols; j++) {
    const factor = tau * (load<f64>(a) + dot(v + 8, a + 8, n - 1));
    store<f64>(a, load<f64>(a) - factor);
    axpy(a + 8, -factor, v + 8, n - 1);
    a += column;
  }
}

/** Q (rows × qCols) and R (rRows × cols) from A; rRows is cols for thin, rows for full. */
function factor(q: usize, r: usize, a: usize, work: usize, rows: i32, cols: i32, qCols: i32): void {
  const column: usize = rows << 3;
  const rank = min<i32>(rows, cols);
  const taus = work + ((rows * cols) << 3);
  copyVector(work, a, rows * cols);
  for (let k = 0; k < rank; k++) {
    const at = work + k * (column + 8);
    const tau = makeReflection(at, rows - k);
    store<f64>(taus + (k << 3), tau);
    applyReflection(at + column, column, at, tau, rows - k, cols - k - 1);
  }
  clearVector(q, rows * qCols);
  for (let j = 0; j < qCols; j++) store<f64>(q + j * (column + 8), 1.0);
  for (let k = rank - 1; k >= 0; k--) {
    const offset = k * (column + 8);
    applyReflection(q + offset, column, work + offset, load<f64>(taus + (k << 3)), rows - k, qCols - k);
  }
  clearVector(r, qCols * cols);
  for (let j = 0; j < cols; j++) {
    const height = min<i32>(j + 1, qCols);
    copyVector(r + ((j * qCols) << 3), work + j * column, height);
  }
  for (let k = 0; k < rank; k++) {
    if (load<f64>(r + ((k * qCols + k) << 3)) < 0.0) {
      for (let j = k; j < cols; j++) {
        const at = r + ((j * qCols + k) << 3);
        store<f64>(at, -load<f64>(at));
      }
      for (let i = 0; i < rows; i++) {
        const at = q + k * column + (i << 3);
        store<f64>(at, -load<f64>(at));
      }
    }
  }
}

/** A = Q R, Q rows × rows orthogonal, R rows × cols; diagonal of R ≥ 0. work: rows·cols + min(rows, cols). */
export function qr(q: usize, r: usize, a: usize, work: usize, rows: i32, cols: i32): void {
  factor(q, r, a, work, rows, cols, rows);
}

/** A = Q R, Q rows × k, R k × cols with k = min(rows, cols); diagonal of R ≥ 0. work: rows·cols + k. */
export function qr_thin(q: usize, r: usize, a: usize, work: usize, rows: i32, cols: i32): void {
  factor(q, r, a, work, rows, cols, min<i32>(rows, cols));
}

/**
 * Reverse mode of qr_thin, A of full rank: with M = R R̄' - Q̄' Q, the adjoint of the first k = min(rows, cols) columns is
 * (Q̄ + Q copyltu(M)) R⁻ᵀ, copyltu mirroring the lower triangle (Walter and Lehmann 2010); further columns Y = Q V give Q̄ += Y V̄' and
 * Ȳ = Q V̄ (Roberts and Roberts 2020). work: rows·k + 2 k².
 */
export function qr_thin_adjoint(
  aAdj: usize,
  a: usize,
  q: usize,
  r: usize,
  qAdj: usize,
  rAdj: usize,
  work: usize,
  rows: i32,
  cols: i32,
): void {
  const k = min<i32>(rows, cols);
  const column: usize = rows << 3;
  const side: usize = k << 3;
  const b = work;
  const m = work + k * column;
  const l = m + k * side;
  copyVector(b, qAdj, rows * k);
  if (cols > k) {
    const rest = cols - k;
    gemm_nt_add(b, a + k * column, rAdj + k * side, rows, rest, k);
    gemm_add(aAdj + k * column, q, rAdj + k * side, rows, k, rest);
  }
  clearVector(m, k * k);
  gemm_tn_add(m, b, q, k, rows, k);
  for (let i = 0; i < k * k; i++) store<f64>(m + (i << 3), -load<f64>(m + (i << 3)));
  gemm_nt_add(m, r, rAdj, k, k, k);
  for (let j = 0; j < k; j++) {
    for (let i = j; i < k; i++) {
      store<f64>(m + i * side + (j << 3), load<f64>(m + j * side + (i << 3)));
      store<f64>(l + j * side + (i << 3), load<f64>(r + i * side + (j << 3)));
    }
  }
  gemm_add(b, q, m, rows, k, k);
  solve_right_lower(b, b, l, rows, k);
  axpy(aAdj, 1.0, b, rows * k);
}

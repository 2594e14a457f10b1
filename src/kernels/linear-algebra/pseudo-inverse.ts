// Moore-Penrose inverse from the singular value decomposition, and its derivative at constant rank (Golub and Pereyra 1973, "The
// differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate", eq. 4.12).
import { gemm, gemm_add, gemm_nt_add, gemm_nt_subtract, gemm_tn } from './products';
import { svd } from './svd';
import { add_to, clearVector, scale } from './vectors';


/**
 * out = A⁺, cols × rows; singular values below the rounding errors count as zero.
 * work: rows cols + k (rows + cols + 2 k + 4) numbers, k = min(rows, cols).
 */
export function generalized_inverse(out: usize, a: usize, work: usize, rows: i32, cols: i32): void {
  const k = min<i32>(rows, cols);
  const u = work;
  const v = u + ((rows * k) << 3);
  const s = v + ((cols * k) << 3);
  svd(u, s, v, a, s + (k << 3), rows, cols);
  const least = f64.EPSILON * <f64>max<i32>(rows, cols) * (k > 0 ? load<f64>(s) : 0.0);
  let rank = 0;
  while (rank < k && load<f64>(s + (rank << 3)) > least) {
    scale(v + ((rank * cols) << 3), 1.0 / load<f64>(s + (rank << 3)), cols);
    rank++;
  }
  clearVector(out, rows * cols);
  gemm_nt_add(out, v, u, cols, rank, rows);
}

/**
 * With P = A⁺: Aadj += -P' P̄ P' + (I - A P) P̄' P P' + P' P P̄' (I - P A).
 * work: (rows + cols) max(rows, cols) numbers.
 */
export function generalized_inverse_adjoint(
  aAdj: usize,
  a: usize,
  p: usize,
  pAdj: usize,
  work: usize,
  rows: i32,
  cols: i32,
): void {
  const largest = max<i32>(rows, cols);
  const square = work;
  const flat = square + ((largest * largest) << 3);
  gemm_tn(square, p, pAdj, rows, cols, rows);
  gemm_nt_subtract(aAdj, square, p, rows, rows, cols);
  // (P̄' P) P' = X, then X - A (P X)
  gemm_tn(square, pAdj, p, rows, cols, rows);
  clearVector(flat, rows * cols);
  gemm_nt_add(flat, square, p, rows, rows, cols);
  add_to(aAdj, flat, rows * cols);
  gemm(square, p, flat, cols, rows, cols);
  scale(square, -1.0, cols * cols);
  gemm_add(aAdj, a, square, rows, cols, cols);
  // P' (P P̄') = Z, then Z - (Z P) A
  clearVector(square, cols * cols);
  gemm_nt_add(square, p, pAdj, cols, rows, cols);
  gemm_tn(flat, p, square, rows, cols, cols);
  add_to(aAdj, flat, rows * cols);
  gemm(square, flat, p, rows, cols, rows);
  scale(square, -1.0, rows * rows);
  gemm_add(aAdj, square, a, rows, rows, cols);
}

// Thin singular value decomposition by one-sided Jacobi rotations (Hestenes 1958; de Rijk's pivoting left out), accurate to full relative
// precision in small singular values, and its reverse mode.
import { gemm, gemm_add, gemm_nt_add, gemm_tn, transpose } from './products';
import { axpy, clearVector, copyVector, dot, rotateColumns, scale } from './vectors';

const PRECISION: f64 = 1e-15;
const SWEEPS: i32 = 60;

function exchange(p: usize, q: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const kept = load<f64>(p);
    store<f64>(p, load<f64>(q));
    store<f64>(q, kept);
    p += 8;
    q += 8;
  }
}

/** Makes the columns of W (rows × cols, rows ≥ cols) orthogonal by rotations from the right, gathered in V. */
function orthogonalise(w: usize, v: usize, rows: i32, cols: i32): bool {
  const column: usize = rows << 3;
  const side: usize = cols << 3;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let rotated = false;
    for (let i = 0; i < cols - 1; i++) {
      for (let j = i + 1; j < cols; j++) {
        const p = w + i * column;
        const q = w + j * column;
        const alpha = dot(p, p, rows);
        const beta = dot(q, q, rows);
        const gamma = dot(p, q, rows);
        if (abs<f64>(gamma) <= PRECISION * sqrt<f64>(alpha * beta) || gamma == 0.0) continue;
        rotated = true;
        const zeta = (beta - alpha) / (2.0 * gamma);
        const t = copysign<f64>(1.0, zeta) / (abs<f64>(zeta) + sqrt<f64>(1.0 + zeta * zeta));
        const c = 1.0 / sqrt<f64>(1.0 + t * t);
        rotateColumns(p, q, c, c * t, rows);
        rotateColumns(v + i * side, v + j * side, c, c * t, cols);
      }
    }
    if (!rotated) return true;
  }
  return false;
}

/** Decomposition for rows ≥ cols; u holds A on entry. A zero singular value leaves its column of U zero. */
function decompose(u: usize, s: usize, v: usize, rows: i32, cols: i32): bool {
  const column: usize = rows << 3;
  const side: usize = cols << 3;
  clearVector(v, cols * cols);
  for (let i = 0; i < cols; i++) store<f64>(v + i * (side + 8), 1.0);
  const converged = orthogonalise(u, v, rows, cols);
  for (let i = 0; i < cols; i++) {
    const at = u + i * column;
    store<f64>(s + (i << 3), sqrt<f64>(dot(at, at, rows)));
  }
  for (let i = 0; i < cols; i++) {
    let largest = i;
    for (let j = i + 1; j < cols; j++) {
      if (load<f64>(s + (j << 3)) > load<f64>(s + (largest << 3))) largest = j;
    }
    if (largest != i) {
      exchange(s + (i << 3), s + (largest << 3), 1);
      exchange(u + i * column, u + largest * column, rows);
      exchange(v + i * side, v + largest * side, cols);
    }
    const size = load<f64>(s + (i << 3));
    if (size > 0.0) scale(u + i * column, 1.0 / size, rows);
  }
  return converged;
}

/**
 * A = U diag(s) V' with k = min(rows, cols) singular values, descending; U rows × k, V cols × k. Signs of the vectors are
 * not determined. Returns 0, or 1 if the rotations did not converge.
 */
export function svd(u: usize, s: usize, v: usize, a: usize, rows: i32, cols: i32): i32 {
  let converged: bool;
  if (rows >= cols) {
    copyVector(u, a, rows * cols);
    converged = decompose(u, s, v, rows, cols);
  } else {
    transpose(v, a, rows, cols);
    converged = decompose(v, s, u, cols, rows);
  }
  return converged ? 0 : 1;
}

/** inner = F ∘ (X'X̄ - X̄'X) with F_ij = 1/(s_j² - s_i²), diagonal 0; gram = X'X̄. */
function antisymmetric(inner: usize, gram: usize, s: usize, k: i32): void {
  const side: usize = k << 3;
  for (let j = 0; j < k; j++) {
    for (let i = 0; i < k; i++) {
      const a = load<f64>(s + (i << 3));
      const b = load<f64>(s + (j << 3));
      const difference = load<f64>(gram + j * side + (i << 3)) - load<f64>(gram + i * side + (j << 3));
      store<f64>(inner + j * side + (i << 3), i == j ? 0.0 : difference / ((b - a) * (b + a)));
    }
  }
}

/** out = (X̄ - X gram) diag(1/s) */
function outside(out: usize, x: usize, xAdj: usize, gram: usize, s: usize, rows: i32, k: i32): void {
  gemm(out, x, gram, rows, k, k);
  scale(out, -1.0, rows * k);
  axpy(out, 1.0, xAdj, rows * k);
  for (let j = 0; j < k; j++) scale(out + ((j * rows) << 3), 1.0 / load<f64>(s + (j << 3)), rows);
}

/**
 * Reverse mode of svd, singular values distinct and positive where U or V has an adjoint (Townsend 2016, "Differentiating the
 * singular value decomposition"). A pointer 0 for uAdj, sAdj or vAdj is left out. work: 2 k² + max(rows, cols)·k + rows·k.
 */
export function svd_adjoint(
  aAdj: usize,
  u: usize,
  s: usize,
  v: usize,
  uAdj: usize,
  sAdj: usize,
  vAdj: usize,
  work: usize,
  rows: i32,
  cols: i32,
): void {
  const k = min<i32>(rows, cols);
  const side: usize = k << 3;
  const core = work;
  const gram = core + k * side;
  const left = gram + k * side;
  const outer = left + ((rows * k) << 3);
  clearVector(core, k * k);
  if (uAdj) {
    gemm_tn(gram, u, uAdj, k, rows, k);
    outside(outer, u, uAdj, gram, s, rows, k);
    gemm_nt_add(aAdj, outer, v, rows, k, cols);
    antisymmetric(core, gram, s, k);
    for (let j = 0; j < k; j++) scale(core + j * side, load<f64>(s + (j << 3)), k);
  }
  if (vAdj) {
    gemm_tn(gram, v, vAdj, k, cols, k);
    outside(outer, v, vAdj, gram, s, cols, k);
    gemm_nt_add(aAdj, u, outer, rows, k, cols);
    antisymmetric(outer, gram, s, k);
    for (let j = 0; j < k; j++) {
      for (let i = 0; i < k; i++) {
        const offset = j * side + (i << 3);
        store<f64>(core + offset, load<f64>(core + offset) + load<f64>(s + (i << 3)) * load<f64>(outer + offset));
      }
    }
  }
  if (sAdj) {
    for (let i = 0; i < k; i++) {
      const at = core + i * (side + 8);
      store<f64>(at, load<f64>(at) + load<f64>(sAdj + (i << 3)));
    }
  }
  clearVector(left, rows * k);
  gemm_add(left, u, core, rows, k, k);
  gemm_nt_add(aAdj, left, v, rows, k, cols);
}

// Thin singular value decomposition: QR with column pivoting, then one-sided Jacobi rotations of the transposed triangle, which
// is graded and nearly orthogonal already (Drmač and Veselić 2008, "New fast and accurate Jacobi SVD algorithm"); and its reverse mode.
import { gemm, gemm_add, gemm_nt_add, gemm_tn, transpose } from './products';
import { applyReflection, makeReflection } from './qr';
import { axpy, clearVector, copyVector, dot, rotateColumns, scale, swapVectors } from './vectors';

const SWEEPS: i32 = 60;

/** A P = Q R in place, the largest remaining column first: reflections below the diagonal, the original positions of the columns in `order`. */
function pivotedFactor(a: usize, taus: usize, order: usize, norms: usize, rows: i32, cols: i32): void {
  const column: usize = rows << 3;
  for (let j = 0; j < cols; j++) {
    store<i32>(order + (j << 2), j);
    store<f64>(norms + (j << 3), dot(a + j * column, a + j * column, rows));
  }
  for (let k = 0; k < cols; k++) {
    let largest = k;
    for (let j = k + 1; j < cols; j++) {
      if (load<f64>(norms + (j << 3)) > load<f64>(norms + (largest << 3))) largest = j;
    }
    if (largest != k) {
      swapVectors(a + k * column, a + largest * column, rows);
      swapVectors(norms + (k << 3), norms + (largest << 3), 1);
      const place = load<i32>(order + (k << 2));
      store<i32>(order + (k << 2), load<i32>(order + (largest << 2)));
      store<i32>(order + (largest << 2), place);
    }
    const at = a + k * (column + 8);
    const tau = makeReflection(at, rows - k);
    store<f64>(taus + (k << 3), tau);
    applyReflection(at + column, column, at, tau, rows - k, cols - k - 1);
    for (let j = k + 1; j < cols; j++) {
      const rest = a + j * column + ((k + 1) << 3);
      store<f64>(norms + (j << 3), dot(rest, rest, rows - k - 1));
    }
  }
}

/** Makes the columns of the n × n matrix W orthogonal by rotations from the right, accumulated in J. */
function orthogonalise(w: usize, rotations: usize, norms: usize, n: i32): bool {
  const column: usize = n << 3;
  const tolerance = f64.EPSILON * sqrt<f64>(<f64>n);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let rotated = false;
    for (let i = 0; i < n; i++) store<f64>(norms + (i << 3), dot(w + i * column, w + i * column, n));
    for (let i = 0; i < n - 1; i++) {
      for (let j = i + 1; j < n; j++) {
        const p = w + i * column;
        const q = w + j * column;
        const alpha = load<f64>(norms + (i << 3));
        const beta = load<f64>(norms + (j << 3));
        const gamma = dot(p, q, n);
        if (!(abs<f64>(gamma) > tolerance * sqrt<f64>(alpha) * sqrt<f64>(beta))) continue;
        rotated = true;
        const zeta = (beta - alpha) / (2.0 * gamma);
        const t = copysign<f64>(1.0, zeta) / (abs<f64>(zeta) + sqrt<f64>(1.0 + zeta * zeta));
        const c = 1.0 / sqrt<f64>(1.0 + t * t);
        rotateColumns(p, q, c, c * t, n);
        rotateColumns(rotations + i * column, rotations + j * column, c, c * t, n);
        store<f64>(norms + (i << 3), alpha - t * gamma);
        store<f64>(norms + (j << 3), beta + t * gamma);
      }
    }
    if (!rotated) return true;
  }
  return false;
}

/** Turns column k of the n × n matrix W into a unit vector orthogonal to the columns before it. */
function completeBasis(w: usize, k: i32, n: i32): void {
  const column: usize = n << 3;
  const at = w + k * column;
  for (let axis = 0; axis < n; axis++) {
    clearVector(at, n);
    store<f64>(at + (axis << 3), 1.0);
    for (let pass = 0; pass < 2; pass++) {
      for (let j = 0; j < k; j++) axpy(at, -dot(w + j * column, at, n), w + j * column, n);
    }
    const norm = sqrt<f64>(dot(at, at, n));
    if (norm * norm * <f64>n < 0.5) continue;
    scale(at, 1.0 / norm, n);
    return;
  }
}

/** Decomposition of A, rows ≥ cols, which is overwritten; spare: 2 cols² + 3 cols numbers. */
function decompose(u: usize, s: usize, v: usize, a: usize, spare: usize, rows: i32, cols: i32): bool {
  const column: usize = rows << 3;
  const side: usize = cols << 3;
  const w = spare;
  const rotations = w + cols * side;
  const taus = rotations + cols * side;
  const norms = taus + side;
  const order = norms + side;
  pivotedFactor(a, taus, order, norms, rows, cols);
  clearVector(w, 2 * cols * cols);
  for (let j = 0; j < cols; j++) {
    for (let i = 0; i <= j; i++) store<f64>(w + i * side + (j << 3), load<f64>(a + j * column + (i << 3)));
    store<f64>(rotations + j * (side + 8), 1.0);
  }
  const converged = orthogonalise(w, rotations, norms, cols);
  for (let i = 0; i < cols; i++) store<f64>(s + (i << 3), sqrt<f64>(dot(w + i * side, w + i * side, cols)));
  for (let i = 0; i < cols; i++) {
    let largest = i;
    for (let j = i + 1; j < cols; j++) {
      if (load<f64>(s + (j << 3)) > load<f64>(s + (largest << 3))) largest = j;
    }
    if (largest != i) {
      swapVectors(s + (i << 3), s + (largest << 3), 1);
      swapVectors(w + i * side, w + largest * side, cols);
      swapVectors(rotations + i * side, rotations + largest * side, cols);
    }
    const size = load<f64>(s + (i << 3));
    if (size > 0.0) scale(w + i * side, 1.0 / size, cols);
    else completeBasis(w, i, cols);
  }
  for (let j = 0; j < cols; j++) {
    for (let i = 0; i < cols; i++) {
      store<f64>(v + j * side + (load<i32>(order + (i << 2)) << 3), load<f64>(w + j * side + (i << 3)));
    }
  }
  clearVector(u, rows * cols);
  for (let j = 0; j < cols; j++) copyVector(u + j * column, rotations + j * side, cols);
  for (let k = cols - 1; k >= 0; k--) {
    applyReflection(u + (k << 3), column, a + k * (column + 8), load<f64>(taus + (k << 3)), rows - k, cols);
  }
  return converged;
}

/**
 * A = U diag(s) V' with k = min(rows, cols) singular values, descending; U rows × k, V cols × k. Signs of the vectors are
 * not determined. work: rows cols + 2 k² + 3 k. Returns 0, or 1 if the rotations did not converge.
 */
export function svd(u: usize, s: usize, v: usize, a: usize, work: usize, rows: i32, cols: i32): i32 {
  const spare = work + ((rows * cols) << 3);
  let converged: bool;
  if (rows >= cols) {
    copyVector(work, a, rows * cols);
    converged = decompose(u, s, v, work, spare, rows, cols);
  } else {
    transpose(work, a, rows, cols);
    converged = decompose(v, s, u, work, spare, cols, rows);
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
 * Reverse mode of svd, singular values distinct and positive if U or V has an adjoint (Townsend 2016, "Differentiating the
 * singular value decomposition"). A null pointer for uAdj, sAdj or vAdj is ignored. work: 2 k² + max(rows, cols)·k + rows·k.
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

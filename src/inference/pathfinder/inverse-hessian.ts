import { logarithm } from '../../base/elementary.js';
import type { NormalApproximation } from '../approximation/normal.js';
import { choleskyFactor } from '../linear/cholesky.js';
import { thinQr } from '../linear/thin-qr.js';
import { dot } from '../linear/vectors.js';

/** A step of an optimizer and the change of the objective's gradient over the step. */
export interface PathStep {
  readonly step: Float64Array;
  readonly gradientChange: Float64Array;
}

/** An approximation with its components: the covariance is sqrt(alpha) (I + Q (L L' - I) Q') sqrt(alpha). */
export interface PathApproximation extends NormalApproximation {
  readonly alpha: Float64Array;
  /** The columns of Q, which are orthonormal. */
  readonly columns: readonly Float64Array[];
  /** L, lower triangular and row-major. */
  readonly factor: Float64Array;
}

/** Maximum curvature of an informative step; greater values are treated as noise. */
const LARGEST_CURVATURE = 1e12;

/**
 * Updates the estimate of the diagonal of the inverse Hessian with a step of the optimizer (Gilbert and Lemaréchal, 1989, as in Zhang,
 * Carpenter, Gelman and Vehtari, JMLR 23, 2022, algorithm 3); unchanged if the step is not informative.
 */
export function updateDiagonal(alpha: Float64Array, { gradientChange: y, step: s }: PathStep): Float64Array {
  const ys = dot(y, s);
  if (!(ys > 0 && dot(y, y) / ys <= LARGEST_CURVATURE)) return alpha;
  const yAlphaY = y.reduce((sum, value, i) => sum + value * value * alpha[i], 0);
  const sInverseS = s.reduce((sum, value, i) => sum + (value * value) / alpha[i], 0);
  return alpha.map((a, i) => {
    const change = s[i] / a;
    return ys / (yAlphaY / a + y[i] * y[i] - (yAlphaY / sInverseS) * change * change);
  });
}

/**
 * The normal approximation at a point of an optimizer's path. The covariance is the L-BFGS estimate of the inverse Hessian, and the mean is
 * one Newton step away (Zhang et al. 2022, algorithms 4 and 5, in low-rank form; Byrd, Nocedal and Schnabel 1994). For a bounded history,
 * work and memory are linear in the dimension. Undefined if the estimate is not positive definite.
 */
export function approximationAt(
  position: Float64Array,
  gradient: Float64Array,
  alpha: Float64Array,
  history: readonly PathStep[],
): PathApproximation | undefined {
  const rootAlpha = alpha.map(Math.sqrt);
  if (!rootAlpha.every((root) => root > 0 && Number.isFinite(root))) return undefined;
  const columns = lowRankColumns(rootAlpha, history);
  if (columns === undefined) return undefined;
  const { q, r } = thinQr(columns);
  const rank = q.length;
  const inner = congruence(r, middle(columns, history), rank);
  for (let i = 0; i < rank; i++) inner[i * (rank + 1)] += 1;
  const factor = choleskyFactor(inner, rank);
  if (factor === undefined) return undefined;

  const mean = position.slice();
  const scaled = gradient.map((value, i) => value * rootAlpha[i]);
  const projected = q.map((column) => dot(column, scaled));
  q.forEach((column, i) => {
    let share = -projected[i];
    for (let j = 0; j < rank; j++) share += inner[i * rank + j] * projected[j];
    for (let k = 0; k < scaled.length; k++) scaled[k] += share * column[k];
  });
  for (let k = 0; k < mean.length; k++) mean[k] -= rootAlpha[k] * scaled[k];
  if (!mean.every(Number.isFinite)) return undefined;

  let logDeterminant = rootAlpha.reduce((sum, root) => sum + logarithm(root), 0);
  for (let i = 0; i < rank; i++) logDeterminant += logarithm(factor[i * (rank + 1)]);
  const spread = (z: Float64Array, out: Float64Array): void => {
    const inQ = q.map((column) => dot(column, z));
    out.set(z);
    q.forEach((column, i) => {
      let share = -inQ[i];
      for (let j = 0; j <= i; j++) share += factor[i * rank + j] * inQ[j];
      for (let k = 0; k < out.length; k++) out[k] += share * column[k];
    });
    for (let k = 0; k < out.length; k++) out[k] *= rootAlpha[k];
  };
  return { mean, spread, logDeterminant, alpha, columns: q, factor };
}

/** Columns of sqrt(alpha) Y and of -S R^-T / sqrt(alpha), where R is the upper triangle of S'Y; undefined if R is singular. */
function lowRankColumns(rootAlpha: Float64Array, history: readonly PathStep[]): Float64Array[] | undefined {
  const y = history.map(({ gradientChange }) => gradientChange.map((value, i) => value * rootAlpha[i]));
  const solved: Float64Array[] = new Array(history.length);
  for (let i = history.length - 1; i >= 0; i--) {
    const { step } = history[i];
    const row = step.slice();
    for (let j = i + 1; j < history.length; j++) {
      const entry = dot(step, history[j].gradientChange);
      for (let k = 0; k < row.length; k++) row[k] -= entry * solved[j][k];
    }
    const pivot = dot(step, history[i].gradientChange);
    if (pivot === 0) return undefined;
    solved[i] = row.map((value) => value / pivot);
  }
  return [...y, ...solved.map((row) => row.map((value, k) => -value / rootAlpha[k]))];
}

/** [[0, I], [I, diagonal of R + Y' alpha Y]], row by row. */
function middle(columns: readonly Float64Array[], history: readonly PathStep[]): Float64Array {
  const size = history.length;
  const matrix = new Float64Array(4 * size * size);
  for (let i = 0; i < size; i++) {
    matrix[i * 2 * size + size + i] = 1;
    matrix[(size + i) * 2 * size + i] = 1;
    for (let j = 0; j < size; j++) {
      const own = i === j ? dot(history[i].step, history[i].gradientChange) : 0;
      matrix[(size + i) * 2 * size + size + j] = dot(columns[i], columns[j]) + own;
    }
  }
  return matrix;
}

/** R M R', row by row, for R given by its columns. */
function congruence(r: readonly Float64Array[], matrix: Float64Array, rank: number): Float64Array {
  const width = r.length;
  const result = new Float64Array(rank * rank);
  for (let a = 0; a < width; a++) {
    for (let b = 0; b < width; b++) {
      const entry = matrix[a * width + b];
      if (entry === 0) continue;
      for (let i = 0; i < rank; i++) for (let j = 0; j < rank; j++) result[i * rank + j] += r[a][i] * entry * r[b][j];
    }
  }
  return result;
}

import { choleskyFactor, solveTransposed } from '../linear/cholesky.js';
import { symmetricEigen } from '../linear/eigen.js';
import { thinQr } from '../linear/thin-qr.js';
import type { LowRankForm } from '../transition/low-rank-metric.js';

/** A position of the chain and the gradient of the log density there. */
export interface GradientAt {
  readonly position: Float64Array;
  readonly gradient: Float64Array;
}

/** Added to the sums of squares of scaled draws and gradients along every direction, so that both matrices are invertible. */
const REGULARIZATION = 1e-5;
/** Directions whose variance, relative to the diagonal, is within this factor of 1 are omitted. */
const CUTOFF = 2;
/** Bounds of the scales. */
const SMALLEST_SCALE = 1e-100;
const LARGEST_SCALE = 1e100;

/**
 * Estimates the inverse metric that minimizes the Fisher divergence from the transformed posterior to a standard normal, first among
 * diagonal matrices and then among corrections in the span of the draws and gradients (Seyboldt, Carlson and Carpenter, "Preconditioning
 * Hamiltonian Monte Carlo by minimizing Fisher divergence", arXiv 2603.18845, 2026, section 3).
 *
 * The scales are (var x / var g)^1/4. In scaled coordinates the minimizer over all metrics is the geometric mean of the covariance of the
 * draws and the inverse covariance of the gradients: the positive definite A with A C_g A = C_x. Its eigenvectors with
 * eigenvalues outside [1/2, 2] become directions, at most `maxRank` of them.
 *
 * If a scale cannot be estimated, because the coordinate is constant or overflows, it is taken from `fallback`. If the decomposition fails,
 * the estimate has no directions.
 */
export function estimateLowRank(points: readonly GradientAt[], fallback: Float64Array, maxRank: number): LowRankForm {
  const scales = fallback.slice();
  const positions = momentsOf(points, 'position', scales.length);
  const forces = momentsOf(points, 'gradient', scales.length);
  for (let i = 0; i < scales.length; i++) {
    const scale = Math.sqrt(Math.sqrt(positions.squares[i] / forces.squares[i]));
    if (scale >= SMALLEST_SCALE && scale <= LARGEST_SCALE) scales[i] = scale;
  }
  if (maxRank === 0) return { scales, directions: [] };
  const draws = points.map(({ position }) => position.map((value, i) => (value - positions.mean[i]) / scales[i]));
  const gradients = points.map(({ gradient }) => gradient.map((value, i) => (value - forces.mean[i]) * scales[i]));

  const basis = basisOf(draws, gradients, scales.length);
  const size = basis === undefined ? scales.length : basis.length;
  const project = (vectors: readonly Float64Array[]) => (basis === undefined ? vectors : coordinates(vectors, basis));
  const mean = geometricMean(scatter(project(draws), size), scatter(project(gradients), size), size);
  return { scales, directions: mean === undefined ? [] : directionsOf(mean, size, basis, maxRank) };
}

/**
 * The mean of each coordinate, and the sum of squares of its deviations. Copies no vectors, because the diagonal is estimated after every
 * draw.
 */
function momentsOf(
  points: readonly GradientAt[],
  part: 'position' | 'gradient',
  dimension: number,
): { readonly mean: Float64Array; readonly squares: Float64Array } {
  const mean = new Float64Array(dimension);
  const squares = new Float64Array(dimension);
  for (const point of points) {
    const vector = point[part];
    for (let i = 0; i < dimension; i++) mean[i] += vector[i];
  }
  for (let i = 0; i < dimension; i++) mean[i] /= points.length;
  for (const point of points) {
    const vector = point[part];
    for (let i = 0; i < dimension; i++) {
      const deviation = vector[i] - mean[i];
      squares[i] += deviation * deviation;
    }
  }
  return { mean, squares };
}

/** An orthonormal basis of the span of draws and gradients; undefined if the span is nearly the whole space. */
function basisOf(
  draws: readonly Float64Array[],
  gradients: readonly Float64Array[],
  dimension: number,
): readonly Float64Array[] | undefined {
  return draws.length + gradients.length >= dimension ? undefined : thinQr([...draws, ...gradients]).q;
}

function coordinates(vectors: readonly Float64Array[], basis: readonly Float64Array[]): Float64Array[] {
  return vectors.map((vector) =>
    Float64Array.from(basis, (direction) => {
      let product = 0;
      for (let i = 0; i < vector.length; i++) product += vector[i] * direction[i];
      return product;
    }),
  );
}

/** The sum of v v' over the vectors, regularized, row by row. */
function scatter(vectors: readonly Float64Array[], size: number): Float64Array {
  const sum = new Float64Array(size * size);
  for (const vector of vectors) {
    for (let i = 0; i < size; i++) {
      const element = vector[i];
      for (let j = 0; j <= i; j++) sum[i * size + j] += element * vector[j];
    }
  }
  for (let i = 0; i < size; i++) {
    sum[i * size + i] += REGULARIZATION;
    for (let j = 0; j < i; j++) sum[j * size + i] = sum[i * size + j];
  }
  return sum;
}

/**
 * The positive definite solution A of A G A = X: with G = L L', A = L'⁻¹ (L' X L)^1/2 L⁻¹. Undefined if the matrices are not finite or not
 * numerically positive definite.
 */
function geometricMean(x: Float64Array, g: Float64Array, size: number): Float64Array | undefined {
  const factor = choleskyFactor(g, size);
  if (factor === undefined) return undefined;
  const { values, vectors } = symmetricEigen(sandwich(factor, x, size), size);
  const mean = new Float64Array(size * size);
  for (const [k, vector] of vectors.entries()) {
    if (!(values[k] > 0 && values[k] < Number.POSITIVE_INFINITY)) return undefined;
    solveTransposed(factor, vector);
    const root = Math.sqrt(values[k]);
    for (let i = 0; i < size; i++) {
      const scaled = root * vector[i];
      for (let j = 0; j < size; j++) mean[i * size + j] += scaled * vector[j];
    }
  }
  return mean;
}

/** L' X L for lower triangular L and symmetric X. */
function sandwich(factor: Float64Array, x: Float64Array, size: number): Float64Array {
  const right = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < size; k++) {
      const element = x[i * size + k];
      for (let j = 0; j <= k; j++) right[i * size + j] += element * factor[k * size + j];
    }
  }
  const result = new Float64Array(size * size);
  for (let k = 0; k < size; k++) {
    for (let i = 0; i <= k; i++) {
      const element = factor[k * size + i];
      for (let j = 0; j < size; j++) result[i * size + j] += element * right[k * size + j];
    }
  }
  return result;
}

/** The eigenvectors whose eigenvalues are outside the cutoff, in all coordinates, with their eigenvalues as lengths. */
function directionsOf(
  metric: Float64Array,
  size: number,
  basis: readonly Float64Array[] | undefined,
  maxRank: number,
): Float64Array[] {
  const { values, vectors } = symmetricEigen(metric, size);
  const distance = (k: number) => Math.max(values[k], 1 / values[k]);
  const chosen = [...values.keys()].filter((k) => distance(k) > CUTOFF && Number.isFinite(distance(k)));
  chosen.sort((a, b) => distance(b) - distance(a));
  return chosen.slice(0, maxRank).map((k) => {
    const vector = basis === undefined ? vectors[k] : combine(basis, vectors[k]);
    return vector.map((element) => element * values[k]);
  });
}

function combine(basis: readonly Float64Array[], weights: Float64Array): Float64Array {
  const sum = new Float64Array(basis[0]?.length ?? 0);
  for (const [k, direction] of basis.entries()) {
    for (let i = 0; i < sum.length; i++) sum[i] += weights[k] * direction[i];
  }
  return sum;
}

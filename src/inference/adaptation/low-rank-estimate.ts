import type { LowRankForm } from '../transition/low-rank-metric.js';
import { type MetricSpectrum, MetricWorkspace } from './low-rank-kernel.js';

/** A position of the chain and the gradient of the log density there. */
export interface GradientAt {
  readonly position: Float64Array;
  readonly gradient: Float64Array;
}

/** Added to the sums of squares of scaled draws and gradients along every direction, so that both matrices are invertible. */
const REGULARIZATION = 1e-5;
/** Directions whose variance, relative to the diagonal, is within this factor of 1 are omitted. */
const CUTOFF = 2;
/** The Fisher divergence of the diagonal in a direction with a variance at the cutoff, (2^1/2 - 2^-1/2)²: the least for which it is used. */
const LEAST_DIVERGENCE = CUTOFF + 1 / CUTOFF - 2;
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
 * The Fisher divergence of the diagonal is the sum over directions of (λ^1/2 - λ^-1/2)² if the posterior is normal. If it is less than that
 * of one eigenvalue at the bound, no direction is sought.
 *
 * If a scale cannot be estimated, because the coordinate is constant or overflows, it is taken from `fallback`. If the decomposition fails,
 * the estimate has no directions.
 */
export function estimateLowRank(
  points: readonly GradientAt[],
  fallback: Float64Array,
  maxRank: number,
  workspace = new MetricWorkspace(),
): LowRankForm {
  const scales = fallback.slice();
  const positions = momentsOf(points, 'position', scales.length);
  const forces = momentsOf(points, 'gradient', scales.length);
  for (let i = 0; i < scales.length; i++) {
    const scale = Math.sqrt(Math.sqrt(positions.squares[i] / forces.squares[i]));
    if (scale >= SMALLEST_SCALE && scale <= LARGEST_SCALE) scales[i] = scale;
  }
  if (maxRank === 0) return { scales, directions: [] };
  const columns = workspace.begin(scales.length, points.length);
  let divergence = 0;
  for (const [k, { gradient, position }] of points.entries()) {
    const [draw, force] = [columns[k], columns[points.length + k]];
    for (let i = 0; i < scales.length; i++) {
      draw[i] = (position[i] - positions.mean[i]) / scales[i];
      force[i] = (gradient[i] - forces.mean[i]) * scales[i];
      const difference = draw[i] + force[i];
      divergence += difference * difference;
    }
  }
  if (divergence < LEAST_DIVERGENCE * points.length) return { scales, directions: [] };
  const spectrum = workspace.geometricMean(REGULARIZATION);
  return { scales, directions: spectrum === undefined ? [] : directionsOf(spectrum, maxRank) };
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

/** The eigenvectors whose eigenvalues are outside the cutoff, the most extreme first, with their eigenvalues as lengths. */
function directionsOf({ values, vector }: MetricSpectrum, maxRank: number): Float64Array[] {
  const distance = (k: number) => Math.max(values[k], 1 / values[k]);
  const chosen = [...values.keys()].filter((k) => distance(k) > CUTOFF && Number.isFinite(distance(k)));
  chosen.sort((a, b) => distance(b) - distance(a));
  return chosen.slice(0, maxRank).map((k) => vector(k).map((element) => element * values[k]));
}

import { dot } from '../linear/vectors.js';
import type { LowRankForm } from '../transition/low-rank-metric.js';
import { type MetricSpectrum, MetricWorkspace } from './low-rank-kernel.js';

/** A position of the chain and the gradient of the log density there. */
export interface GradientAt {
  readonly position: Float64Array;
  readonly gradient: Float64Array;
}

/** Fraction of the draws, the later ones, that measure the variances along the directions of the others. */
const JUDGES = 0.3;
/** Minimum number of draws for an estimate with directions. */
const FEWEST_WITH_DIRECTIONS = 20;
/**
 * Added to the sums of squares of scaled draws and gradients along every direction, so that both matrices are invertible: a constant, and,
 * with fewer draws than coordinates, this number for each draw.
 */
const REGULARIZATION = 1e-5;
const RIDGE = 0.03;
/** Directions whose variance, relative to the diagonal, is within this factor of 1 are omitted. */
const CUTOFF = 1.5;
/** The Fisher divergence of the diagonal in a direction with a variance at the cutoff, (c^1/2 - c^-1/2)²: the least for which it is used. */
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
 * draws and the inverse covariance of the gradients: the positive definite A with A C_g A = C_x. Its eigenvectors are the directions.
 *
 * Its eigenvalues are those of few draws: with about as many draws as coordinates, most of them are far from 1 even if the posterior
 * is nearly diagonal. Therefore directions come from the earlier draws, and their variances, (var u'x / var u'g)^1/2, from the later ones, as in
 * the nonlinear shrinkage of Lam ("Nonparametric eigenvalue-regularized precision or covariance matrix estimator", Annals of Statistics 44,
 * 2016). With at least 25 draws for each coordinate, noise alone has no variance outside the bounds, and all draws determine both. At most
 * `maxRank` directions with variances outside [2/3, 3/2] are kept. Both steps are exact for a normal posterior, if the earlier
 * draws span the space.
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
  if (maxRank === 0 || points.length < FEWEST_WITH_DIRECTIONS) return { scales, directions: [] };
  const isNoisy = largestNoise(points.length, scales.length) > CUTOFF;
  const first = points.length - (isNoisy ? Math.ceil(JUDGES * points.length) : 0);
  const earlier = points.slice(0, first);
  const columns = workspace.begin(scales.length, first);
  if (writeScaled(earlier, scales, columns) < LEAST_DIVERGENCE * first) return { scales, directions: [] };
  const ridge = first < scales.length ? RIDGE * first : 0;
  const spectrum = workspace.geometricMean(REGULARIZATION + ridge);
  if (spectrum === undefined) return { scales, directions: [] };
  const later = isNoisy ? points.slice(first) : points;
  const judges = Array.from({ length: 2 * later.length }, () => new Float64Array(scales.length));
  writeScaled(later, scales, judges);
  return { scales, directions: directionsOf(spectrum, judges, maxRank) };
}

/** The largest eigenvalue of the geometric mean if draws and gradients are independent normals (Marchenko and Pastur). */
function largestNoise(draws: number, dimension: number): number {
  const root = Math.sqrt(dimension / draws);
  return root < 1 ? (1 + root) / (1 - root) : Number.POSITIVE_INFINITY;
}

/** Writes the scaled deviations of positions and then those of gradients from their means. Returns the Fisher divergence of the diagonal. */
function writeScaled(points: readonly GradientAt[], scales: Float64Array, columns: readonly Float64Array[]): number {
  const positions = momentsOf(points, 'position', scales.length);
  const forces = momentsOf(points, 'gradient', scales.length);
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
  return divergence;
}

interface Moments {
  readonly mean: Float64Array;
  readonly squares: Float64Array;
}

/**
 * The mean of each coordinate, and the sum of squares of its deviations. Copies no vectors, because the diagonal is estimated after every
 * draw.
 */
function momentsOf(points: readonly GradientAt[], part: 'position' | 'gradient', dimension: number): Moments {
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

/** The eigenvectors along which scaled draws and gradients have a variance outside the cutoff, the most extreme first, with it as length. */
function directionsOf(
  { values, vector }: MetricSpectrum,
  columns: readonly Float64Array[],
  maxRank: number,
): Float64Array[] {
  const half = columns.length / 2;
  const square = (parts: readonly Float64Array[], unit: Float64Array) =>
    parts.reduce((sum, part) => sum + dot(part, unit) ** 2, 0);
  const distance = (value: number) => Math.max(value, 1 / value);
  return [...values.keys()]
    .filter((k) => distance(values[k]) > CUTOFF)
    .map((k) => {
      const unit = vector(k);
      const value = Math.sqrt(square(columns.slice(0, half), unit) / square(columns.slice(half), unit));
      return { unit, value };
    })
    .filter(({ value }) => distance(value) > CUTOFF && Number.isFinite(distance(value)))
    .sort((a, b) => distance(b.value) - distance(a.value))
    .slice(0, maxRank)
    .map(({ unit, value }) => unit.map((element) => element * value));
}

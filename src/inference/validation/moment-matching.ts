/**
 * Moment matching for importance sampling (T. Paananen, J. Piironen, P.-C. Bürkner and A. Vehtari, "Implicitly adaptive importance
 * sampling", Statistics and Computing 31, 2021), as in `loo_moment_match` of the R package loo. Affine maps move draws of the posterior
 * towards the posterior without an observation, until the tail of the importance ratios is light enough.
 */
import { exponential, logarithm, logarithmPlusOne } from '../../base/elementary.js';
import { type Chains, pool } from '../diagnostics/chains.js';
import { choleskyFactor } from '../linear/cholesky.js';
import { type LeftOut, logSum, mcseOf, relativeEfficiency, smoothedWeights } from './leave-one-out.js';

/** A posterior and an observation, at unconstrained positions. */
export interface ObservedPosterior {
  /** The log density with the Jacobian; -∞ outside of the support. */
  logDensity(position: Float64Array): number;
  /** The log likelihood of the observation; NaN if it is undefined. */
  logLikelihood(position: Float64Array): number;
}

/** Draws of a posterior, with the chains concatenated. */
export interface PosteriorDraws {
  readonly positions: readonly Float64Array[];
  readonly logDensities: Float64Array;
}

const MOST_ITERATIONS = 30;
/** Minimum number of draws per parameter for an estimate of covariances. */
const DRAWS_PER_PARAMETER = 10;

/** Maps a position x to mean + shift + mapping * (scaling * (x - mean)), where mean is the mean of all draws. */
interface Transform {
  readonly shift: Float64Array;
  readonly scaling: Float64Array;
  /** Lower triangular and row-major. */
  readonly mapping: Float64Array;
}

interface Weighted {
  readonly logLikelihood: Float64Array;
  /** The weights sum to 1. */
  readonly weights: Float64Array;
  readonly paretoK: number;
}

/**
 * Improves the estimates of an observation whose Pareto k is above `greatestK`. `logLikelihood` contains the log likelihood of the
 * observation in each draw, with an array per chain.
 */
export function matchMoments(
  target: ObservedPosterior,
  draws: PosteriorDraws,
  logLikelihood: Chains,
  found: LeftOut,
  greatestK: number,
): LeftOut {
  const { logDensities, positions } = draws;
  const efficiency = relativeEfficiency(logLikelihood);
  const own = pool(logLikelihood);
  const size = positions[0].length;
  const matchesCovariances = positions.length >= DRAWS_PER_PARAMETER * size;
  const weigh = (moved: readonly Float64Array[]): Weighted => {
    const likelihood = Float64Array.from(moved, (position) => target.logLikelihood(position));
    const ratios = likelihood.map((value, draw) => target.logDensity(moved[draw]) - value - logDensities[draw]);
    return { logLikelihood: likelihood, ...smoothedWeights(ratios, efficiency) };
  };
  let total: Transform = identity(size);
  let current = positions;
  let best: Weighted = {
    logLikelihood: own,
    ...smoothedWeights(
      own.map((value) => -value),
      efficiency,
    ),
    paretoK: found.paretoK,
  };
  let iterations = 0;
  while (iterations < MOST_ITERATIONS && best.paretoK > greatestK) {
    const moments = momentsOf(current, best.weights);
    const steps = [shiftOf, scaleOf, ...(matchesCovariances ? [covarianceOf] : [])];
    const improved = steps.some((step) => {
      const transform = step(moments, current, best.weights);
      const moved = apply(transform, moments.mean, current);
      const weighted = weigh(moved);
      if (!(weighted.paretoK < best.paretoK)) return false;
      total = after(total, transform);
      current = moved;
      best = weighted;
      return true;
    });
    if (!improved) break;
    iterations++;
  }
  if (iterations === 0) return found;
  const split = weighHalves(target, draws, total, efficiency);
  const elpd = logSum(split.logLikelihood.map((value, draw) => value + logarithm(split.weights[draw])));
  const half = Math.floor(positions.length / 2);
  const halves = [split.logLikelihood.subarray(0, half), split.logLikelihood.subarray(half)];
  const least = Math.min(...halves.map((each) => relativeEfficiency([each])));
  return {
    elpd,
    mcse: mcseOf(split.logLikelihood, split.weights, elpd, least),
    effectiveParameters: logSum(own) - logarithm(own.length) - elpd,
    paretoK: best.paretoK,
  };
}

interface Moments {
  readonly mean: Float64Array;
  readonly weightedMean: Float64Array;
}

function momentsOf(positions: readonly Float64Array[], weights: Float64Array): Moments {
  const mean = new Float64Array(positions[0].length);
  const weightedMean = new Float64Array(mean.length);
  for (const [draw, position] of positions.entries()) {
    for (let k = 0; k < mean.length; k++) {
      mean[k] += position[k] / positions.length;
      weightedMean[k] += weights[draw] * position[k];
    }
  }
  return { mean, weightedMean };
}

function identity(size: number): Transform {
  const mapping = new Float64Array(size * size);
  for (let k = 0; k < size; k++) mapping[k * size + k] = 1;
  return { shift: new Float64Array(size), scaling: new Float64Array(size).fill(1), mapping };
}

/** Matches means. */
function shiftOf({ mean, weightedMean }: Moments): Transform {
  return { ...identity(mean.length), shift: weightedMean.map((value, k) => value - mean[k]) };
}

/** Matches means and variances. */
function scaleOf(moments: Moments, positions: readonly Float64Array[], weights: Float64Array): Transform {
  const { mean, weightedMean } = moments;
  const count = positions.length;
  const scaling = mean.map((center, k) => {
    let [variance, weighted] = [0, 0];
    for (const [draw, position] of positions.entries()) {
      variance += (position[k] - center) ** 2 / (count - 1);
      weighted += weights[draw] * position[k] ** 2;
    }
    return Math.sqrt(((weighted - weightedMean[k] ** 2) * count) / (count - 1) / variance);
  });
  return { ...shiftOf(moments), scaling };
}

/** Matches means and covariances. */
function covarianceOf(moments: Moments, positions: readonly Float64Array[], weights: Float64Array): Transform {
  const { mean, weightedMean } = moments;
  const size = mean.length;
  const equal = new Float64Array(positions.length).fill(1 / positions.length);
  const wanted = choleskyFactor(covariance(positions, weights, weightedMean), size);
  const own = choleskyFactor(covariance(positions, equal, mean), size);
  const shift = shiftOf(moments);
  return wanted === undefined || own === undefined
    ? shift
    : { ...shift, mapping: product(wanted, inverse(own, size), size) };
}

/** The unbiased covariance matrix with weights that sum to 1. */
function covariance(positions: readonly Float64Array[], weights: Float64Array, mean: Float64Array): Float64Array {
  const size = mean.length;
  const sums = new Float64Array(size * size);
  const squares = weights.reduce((sum, weight) => sum + weight ** 2, 0);
  for (const [draw, position] of positions.entries()) {
    for (let i = 0; i < size; i++) {
      const scaled = (weights[draw] * (position[i] - mean[i])) / (1 - squares);
      for (let j = 0; j <= i; j++) sums[i * size + j] += scaled * (position[j] - mean[j]);
    }
  }
  return sums;
}

/** The product of two lower triangular matrices. */
function product(left: Float64Array, right: Float64Array, size: number): Float64Array {
  const result = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = j; k <= i; k++) sum += left[i * size + k] * right[k * size + j];
      result[i * size + j] = sum;
    }
  }
  return result;
}

/** The inverse of a lower triangular matrix. */
function inverse(factor: Float64Array, size: number): Float64Array {
  const result = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    for (let i = j; i < size; i++) {
      let rest = i === j ? 1 : 0;
      for (let k = j; k < i; k++) rest -= factor[i * size + k] * result[k * size + j];
      result[i * size + j] = rest / factor[i * size + i];
    }
  }
  return result;
}

/** The product of a lower triangular matrix with a vector. */
function times(mapping: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length;
  return vector.map((_, i) => {
    let sum = 0;
    for (let k = 0; k <= i; k++) sum += mapping[i * size + k] * vector[k];
    return sum;
  });
}

function apply({ mapping, scaling, shift }: Transform, mean: Float64Array, positions: readonly Float64Array[]) {
  return positions.map((position) => {
    const mapped = times(
      mapping,
      position.map((value, k) => scaling[k] * (value - mean[k])),
    );
    return mapped.map((value, k) => value + mean[k] + shift[k]);
  });
}

function after(first: Transform, second: Transform): Transform {
  return {
    shift: first.shift.map((value, k) => value + second.shift[k]),
    scaling: first.scaling.map((value, k) => value * second.scaling[k]),
    mapping: product(second.mapping, first.mapping, first.shift.length),
  };
}

/**
 * Weights of draws whose first half is transformed. Together they are draws of an equal mixture of the posterior and its transform. The
 * density of the mixture is known, so the tails of the posterior are still represented after the transform.
 */
function weighHalves(
  target: ObservedPosterior,
  { positions }: PosteriorDraws,
  transform: Transform,
  efficiency: number,
): Pick<Weighted, 'logLikelihood' | 'weights'> {
  const { mapping, scaling, shift } = transform;
  const size = shift.length;
  const half = Math.floor(positions.length / 2);
  const { mean } = momentsOf(positions, new Float64Array(positions.length));
  const back = inverse(mapping, size);
  const moved = [...apply(transform, mean, positions.slice(0, half)), ...positions.slice(half)];
  const movedBack = [
    ...positions.slice(0, half),
    ...positions.slice(half).map((position) =>
      times(
        back,
        position.map((value, k) => value - mean[k]),
      ).map((value, k) => value / scaling[k] + mean[k] - shift[k]),
    ),
  ];
  let determinant = 0;
  for (let k = 0; k < size; k++) determinant += logarithm(scaling[k]) + logarithm(mapping[k * size + k]);
  const logLikelihood = Float64Array.from(moved, (position) => target.logLikelihood(position));
  const ratios = logLikelihood.map((value, draw) => {
    const density = target.logDensity(moved[draw]);
    const transformed = target.logDensity(movedBack[draw]) - determinant;
    const [more, less] = density > transformed ? [density, transformed] : [transformed, density];
    return density - value - (more + logarithmPlusOne(exponential(less - more)));
  });
  return { logLikelihood, weights: smoothedWeights(ratios, efficiency).weights };
}

import { exponential, exponentialMinusOne, logarithm, logarithmPlusOne } from '../../base/elementary.js';
import type { Rng } from '../random/rng.js';

/** Weights in the order of the ratios, at most 1, and the shape of their tail. */
export interface SmoothedWeights {
  readonly weights: Float64Array;
  /** The estimated shape of the tail. Above 0.7, importance sampling is unreliable. NaN if it could not be estimated. */
  readonly paretoK: number;
}

/** Minimum length of a tail for an estimate of its shape. */
const SHORTEST_TAIL = 5;

/** The length of the tail for `count` ratios of independent draws, as in Stan's algorithms. */
function tailLengthOf(count: number): number {
  return Math.floor(Math.min(0.2 * count, 3 * Math.sqrt(count)));
}

/**
 * Pareto-smoothed importance weights (Vehtari, Simpson, Gelman, Yao and Gabry, JMLR 25, 2024): the `tailLength` largest ratios are replaced
 * by quantiles of a generalized Pareto distribution that is fitted to them.
 */
export function smoothWeights(logRatios: Float64Array, tailLength = tailLengthOf(logRatios.length)): SmoothedWeights {
  const largest = logRatios.reduce((most, x) => Math.max(most, x), Number.NEGATIVE_INFINITY);
  const logWeights = logRatios.map((x) => (Number.isNaN(x) ? Number.NEGATIVE_INFINITY : x - largest));
  const paretoK = tailLength >= SHORTEST_TAIL ? smoothTail(logWeights, tailLength) : Number.NaN;
  return { weights: logWeights.map((x) => exponential(Math.min(0, x))), paretoK };
}

/** Replaces the tail in place and returns its shape. */
function smoothTail(logWeights: Float64Array, tailLength: number): number {
  const order = Uint32Array.from(logWeights.keys()).sort((a, b) => logWeights[a] - logWeights[b]);
  const tail = order.subarray(order.length - tailLength);
  const cutoff = exponential(logWeights[order[order.length - tailLength - 1]]);
  const excess = Float64Array.from(tail, (index) => exponential(logWeights[index]) - cutoff);
  if (!(excess[tailLength - 1] - excess[0] > 10 * 2 ** -1022)) return Number.NaN;
  const { scale, shape } = fitGeneralizedPareto(excess);
  if (!Number.isFinite(shape)) return shape;
  tail.forEach((index, rank) => {
    const p = (rank + 0.5) / tailLength;
    logWeights[index] = logarithm((scale * exponentialMinusOne(-shape * logarithmPlusOne(-p))) / shape + cutoff);
  });
  return shape;
}

/**
 * Estimates scale and shape of a generalized Pareto distribution with location 0 from sorted draws, by averaging over a grid with profile
 * likelihood weights (Zhang and Stephens, Technometrics 51, 2009, section 4). The shape is shrunk towards 1/2 as if by ten additional
 * draws.
 */
function fitGeneralizedPareto(sorted: Float64Array): { readonly scale: number; readonly shape: number } {
  const count = sorted.length;
  const points = 30 + Math.floor(Math.sqrt(count));
  const quartile = sorted[Math.floor(count / 4 + 0.5) - 1];
  const theta = Float64Array.from(
    { length: points },
    (_, i) => 1 / sorted[count - 1] + (1 - Math.sqrt(points / (i + 0.5))) / (3 * quartile),
  );
  const logLikelihood = theta.map((t) => {
    const k = meanLog1p(sorted, -t);
    return count * (logarithm(-t / k) - k - 1);
  });
  const best = Math.max(...logLikelihood);
  const weights = logLikelihood.map((x) => exponential(x - best));
  const total = weights.reduce((sum, w) => sum + w, 0);
  const estimate = weights.reduce((sum, w, i) => sum + (w / total) * theta[i], 0);
  const k = meanLog1p(sorted, -estimate);
  return { scale: -k / estimate, shape: (k * count + 5) / (count + 10) };
}

function meanLog1p(values: Float64Array, factor: number): number {
  return values.reduce((sum, x) => sum + logarithmPlusOne(factor * x), 0) / values.length;
}

/** Draws `count` indexes with replacement, with probabilities proportional to the weights. */
export function resample(weights: Float64Array, count: number, rng: Rng): Uint32Array {
  const cumulative = new Float64Array(weights.length);
  let total = 0;
  weights.forEach((weight, i) => {
    total += weight;
    cumulative[i] = total;
  });
  return Uint32Array.from({ length: count }, () => firstAbove(cumulative, total * rng.uniform()));
}

function firstAbove(cumulative: Float64Array, value: number): number {
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cumulative[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

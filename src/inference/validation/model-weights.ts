/**
 * Weights for the average of predictive distributions of several models (Yao, Vehtari, Simpson and Gelman, "Using stacking to average
 * Bayesian predictive distributions", Bayesian Analysis 13, 2018), as in the R package loo.
 */
import { exponential, logarithm } from '../../base/elementary.js';
import { choleskyFactor, solveLower, solveTransposed } from '../linear/cholesky.js';
import { createRng } from '../random/random-stream.js';

/** Log predictive densities: an array per model, with one number per observation. */
export type PointwiseDensities = readonly (readonly number[])[];

/**
 * Stacking: the weights that maximize the mean logarithm of the weighted average of the densities. They are non-negative and sum to 1.
 * Models with equal predictions get equal weights. The mean is at most 1e-12 below its maximum. Uses a primal-dual interior-point method.
 */
export function stackingWeights(pointwise: PointwiseDensities): number[] {
  const models = pointwise.length;
  const densities = scaledDensities(pointwise);
  let weights = new Float64Array(models).fill(1 / models);
  let slacks = new Float64Array(models).fill(1);
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    const { gradient, hessian } = derivatives(densities, weights);
    const gap = weights.reduce((sum, weight, k) => sum + weight * slacks[k], 0);
    // The objective is concave in the weights, so the largest derivative minus 1 bounds the distance to the maximum.
    if (Math.max(...gradient) - 1 <= TOLERANCE && gap <= TOLERANCE) break;
    const target = (CENTERING * gap) / models;
    for (let k = 0; k < models; k++) hessian[k * models + k] += slacks[k] / weights[k];
    // The multiplier of the sum of the weights is 1, so the sum is not needed as a constraint.
    const step = solved(
      hessian,
      gradient.map((value, k) => value - 1 + target / weights[k]),
    );
    if (step === undefined) break;
    const slackStep = step.map((value, k) => (target - slacks[k] * value) / weights[k] - slacks[k]);
    const length = Math.min(longestStep(weights, step), longestStep(slacks, slackStep));
    weights = weights.map((value, k) => value + length * step[k]);
    slacks = slacks.map((value, k) => value + length * slackStep[k]);
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Array.from(weights, (weight) => (weight / total < NEGLIGIBLE ? 0 : weight / total));
}

const MOST_ITERATIONS = 200;
const TOLERANCE = 1e-12;
/** The fraction of the current complementarity that a step targets. */
const CENTERING = 0.1;
/** Models with smaller weights do not contribute. */
const NEGLIGIBLE = 1e-9;

/** The densities of each observation, divided by their maximum: an array per observation. */
function scaledDensities(pointwise: PointwiseDensities): Float64Array[] {
  const [first = []] = pointwise;
  return first.map((_, place) => {
    const values = Float64Array.from(pointwise, (model) => model[place]);
    const largest = Math.max(...values);
    return values.map((value) => exponential(value - largest));
  });
}

/** The gradient of the mean logarithm of the averaged densities, and its Hessian with the opposite sign. */
function derivatives(densities: readonly Float64Array[], weights: Float64Array) {
  const models = weights.length;
  const gradient = new Float64Array(models);
  const hessian = new Float64Array(models * models);
  for (const each of densities) {
    const average = each.reduce((sum, density, k) => sum + density * weights[k], 0);
    for (let k = 0; k < models; k++) {
      const ratio = each[k] / average;
      gradient[k] += ratio / densities.length;
      for (let j = 0; j <= k; j++) hessian[k * models + j] += (ratio * (each[j] / average)) / densities.length;
    }
  }
  for (let k = 0; k < models; k++) for (let j = 0; j < k; j++) hessian[j * models + k] = hessian[k * models + j];
  return { gradient, hessian };
}

function solved(matrix: Float64Array, vector: Float64Array): Float64Array | undefined {
  const factor = choleskyFactor(matrix, vector.length);
  if (factor === undefined) return undefined;
  const result = vector.slice();
  solveLower(factor, result);
  solveTransposed(factor, result);
  return result;
}

/** The largest fraction of a step, at most 1, that keeps the values positive. */
function longestStep(values: Float64Array, step: Float64Array): number {
  return values.reduce((most, value, k) => (step[k] < 0 ? Math.min(most, (-0.99 * value) / step[k]) : most), 1);
}

/**
 * Pseudo-BMA+: weights proportional to the exponential of the expected log predictive density, averaged over Bayesian bootstrap samples of
 * the observations. The samples are the same in each call.
 */
export function pseudoBmaWeights(pointwise: PointwiseDensities): number[] {
  const rng = createRng(BOOTSTRAP_SEED, 1);
  const count = pointwise[0]?.length ?? 0;
  const samples = Array.from({ length: BOOTSTRAP_SAMPLES }, () => {
    const shares = Float64Array.from({ length: count }, () => -logarithm(1 - rng.uniform()));
    const total = shares.reduce((sum, share) => sum + share, 0);
    return shares.map((share) => share / total);
  });
  return pseudoBmaOf(pointwise, samples);
}

const BOOTSTRAP_SEED = 1;
const BOOTSTRAP_SAMPLES = 1000;

/** Pseudo-BMA+ with given bootstrap samples. A sample contains the shares of the observations, which sum to 1. */
export function pseudoBmaOf(pointwise: PointwiseDensities, samples: readonly Float64Array[]): number[] {
  const weights = new Float64Array(pointwise.length);
  for (const shares of samples) {
    const sums = pointwise.map((model) => shares.length * shares.reduce((sum, share, n) => sum + share * model[n], 0));
    const largest = Math.max(...sums);
    const unscaled = sums.map((sum) => exponential(sum - largest));
    const total = unscaled.reduce((sum, value) => sum + value, 0);
    for (const [k, value] of unscaled.entries()) weights[k] += value / total / samples.length;
  }
  return [...weights];
}

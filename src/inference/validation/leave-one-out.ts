/**
 * Leave-one-out cross-validation by Pareto-smoothed importance sampling (Vehtari, Gelman and Gabry, "Practical Bayesian model evaluation
 * using leave-one-out cross-validation and WAIC", Statistics and Computing 27, 2017), as in the R package loo.
 */
import { exponential, exponentialMinusOne, logarithm, logarithmPlusOne } from '../../base/elementary.js';
import { type Chains, pool } from '../diagnostics/chains.js';
import { essMean } from '../diagnostics/effective-sample-size.js';
import { variance, weightedQuantiles } from '../diagnostics/moments.js';
import { type SmoothedWeights, smoothWeights } from '../importance/pareto-smoothing.js';

/** The estimates for one left-out observation. */
export interface LeftOut {
  /** Expected log pointwise predictive density. */
  readonly elpd: number;
  /** Monte Carlo standard error of `elpd`. */
  readonly mcse: number;
  /** Effective number of parameters: the gain in log predictive density if the observation is not left out. */
  readonly effectiveParameters: number;
  /** Shape of the tail of the importance ratios. NaN if it could not be estimated, for example because all ratios are equal. */
  readonly paretoK: number;
}

/**
 * The estimates for one left-out observation. `logLikelihood` contains its log density in each draw, with an array per chain; all values
 * must be finite. Accounts for the autocorrelation of draws.
 */
export function leaveOneOut(logLikelihood: Chains): LeftOut {
  const values = pool(logLikelihood);
  const draws = values.length;
  const efficiency = relativeEfficiency(logLikelihood);
  const { weights, paretoK } = weightsWithout(values, efficiency);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const elpd = logSum(values.map((value, draw) => value + logarithm(weights[draw]))) - logarithm(total);
  return {
    elpd,
    mcse: mcseOf(
      values,
      weights.map((weight) => weight / total),
      elpd,
      efficiency,
    ),
    effectiveParameters: logSum(values) - logarithm(draws) - elpd,
    paretoK,
  };
}

/** Monte Carlo standard error of an elpd from draws with weights that sum to 1. */
export function mcseOf(logLikelihood: Float64Array, weights: Float64Array, elpd: number, efficiency: number): number {
  const relativeVariance = logLikelihood.reduce(
    (sum, value, draw) => sum + (weights[draw] * exponentialMinusOne(value - elpd)) ** 2,
    0,
  );
  // The variance of a logarithm is matched to that of a log-normal (Vehtari and others, JMLR 25, 2024, equation 6).
  return Math.sqrt(logarithmPlusOne(relativeVariance / efficiency));
}

/**
 * The logarithm of the mean likelihood of an observation over draws that do not depend on it, and its Monte Carlo standard error. Log
 * likelihoods must be less than infinity.
 */
export function predictiveDensity(logLikelihood: Chains): Pick<LeftOut, 'elpd' | 'mcse'> {
  const values = pool(logLikelihood);
  if (values.every((value) => value === Number.NEGATIVE_INFINITY)) {
    return { elpd: Number.NEGATIVE_INFINITY, mcse: Number.NaN };
  }
  const elpd = logSum(values) - logarithm(values.length);
  const weights = new Float64Array(values.length).fill(1 / values.length);
  return { elpd, mcse: mcseOf(values, weights, elpd, relativeEfficiency(logLikelihood)) };
}

/** Importance weights from the posterior to the posterior without the observation that has these log likelihoods. */
function weightsWithout(logLikelihood: Float64Array, efficiency: number): SmoothedWeights {
  return weightsOf(
    logLikelihood.map((value) => -value),
    efficiency,
  );
}

function weightsOf(logRatios: Float64Array, efficiency: number): SmoothedWeights {
  const draws = logRatios.length;
  return smoothWeights(logRatios, Math.ceil(Math.min(0.2 * draws, 3 * Math.sqrt(draws / efficiency))));
}

/** Smoothed weights that sum to 1. `efficiency` is the relative efficiency of the draws. */
export function smoothedWeights(logRatios: Float64Array, efficiency: number): SmoothedWeights {
  const { paretoK, weights } = weightsOf(logRatios, efficiency);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { paretoK, weights: weights.map((weight) => weight / total) };
}

/** An observation in its predictive distribution given all others. */
export interface PredictivePlace {
  readonly observed: number;
  /** The probability of smaller values. */
  readonly smaller: number;
  /** The probability of equal values. */
  readonly equal: number;
  /** The quantiles of the distribution at `PREDICTIVE_PROBABILITIES`. */
  readonly quantiles: readonly number[];
}

/** The ends of 90 % and 50 % intervals, and the median. */
const PREDICTIVE_PROBABILITIES = [0.05, 0.25, 0.5, 0.75, 0.95];

/** The position of an observation among its simulations. Each simulation comes from the draw whose log likelihood has the same index. */
export function predictivePlace(logLikelihood: Chains, simulated: Chains, observed: number): PredictivePlace {
  const { weights } = weightsWithout(pool(logLikelihood), relativeEfficiency(logLikelihood));
  let [smaller, equal, total] = [0, 0, 0];
  const values = pool(simulated);
  for (const [draw, value] of values.entries()) {
    total += weights[draw];
    if (value < observed) smaller += weights[draw];
    else if (value === observed) equal += weights[draw];
  }
  return {
    observed,
    smaller: smaller / total,
    equal: equal / total,
    quantiles: weightedQuantiles(values, weights, PREDICTIVE_PROBABILITIES),
  };
}

/** The effective number of draws for the mean likelihood, divided by the number of draws; 1 if it cannot be estimated. */
export function relativeEfficiency(logLikelihood: Chains): number {
  const largest = Math.max(...logLikelihood.map((chain) => chain.reduce((most, x) => Math.max(most, x), -Infinity)));
  const likelihood = logLikelihood.map((chain) => chain.map((value) => exponential(value - largest)));
  const draws = logLikelihood.reduce((sum, { length }) => sum + length, 0);
  const efficiency = essMean(likelihood) / draws;
  return Number.isNaN(efficiency) ? 1 : efficiency;
}

/** The logarithm of the sum of exponentials. */
export function logSum(values: Float64Array): number {
  const largest = values.reduce((most, x) => Math.max(most, x), Number.NEGATIVE_INFINITY);
  return largest + logarithm(values.reduce((sum, value) => sum + exponential(value - largest), 0));
}

/** A sum over observations and its standard error. */
export interface Estimate {
  readonly estimate: number;
  readonly standardError: number;
}

export interface CrossValidation {
  readonly elpd: Estimate;
  /** Monte Carlo standard error of `elpd`; NaN if the importance ratios of an observation have too heavy a tail. */
  readonly mcse: number;
  readonly effectiveParameters: Estimate;
  /** -2 `elpd`, on the scale of deviances. */
  readonly looic: Estimate;
  /** Maximum tail shape of a reliable estimate. */
  readonly greatestK: number;
  /** Indexes of the observations whose estimates are unreliable, including those without an estimate of the shape. */
  readonly unreliable: readonly number[];
}

/** Sums the estimates of the observations; `draws` is the number of draws behind each. */
export function crossValidate(leftOut: readonly LeftOut[], draws: number): CrossValidation {
  const elpd = sumOf(leftOut.map((each) => each.elpd));
  const greatestK = greatestReliableK(draws);
  const unreliable = [...leftOut.keys()].filter((place) => !(leftOut[place].paretoK <= greatestK));
  return {
    elpd,
    mcse: unreliable.length > 0 ? Number.NaN : Math.sqrt(leftOut.reduce((sum, { mcse }) => sum + mcse ** 2, 0)),
    effectiveParameters: sumOf(leftOut.map((each) => each.effectiveParameters)),
    looic: { estimate: -2 * elpd.estimate, standardError: 2 * elpd.standardError },
    greatestK,
    unreliable,
  };
}

/** The maximum tail shape of a reliable estimate. It is smaller for fewer draws (Vehtari and others, JMLR 25, 2024, section 3.2.4). */
export function greatestReliableK(draws: number): number {
  return Math.min(1 - 1 / Math.log10(draws), 0.7);
}

/** The sum, with its standard error for independent observations. */
export function sumOf(values: readonly number[]): Estimate {
  return {
    estimate: values.reduce((sum, value) => sum + value, 0),
    standardError: Math.sqrt(values.length * variance(values)),
  };
}

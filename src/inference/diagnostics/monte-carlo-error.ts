import { type Chains, pool } from './chains.js';
import { essMean, essSd } from './effective-sample-size.js';
import { mean, standardDeviation } from './moments.js';

/** Monte Carlo standard error of the mean of all draws. */
export function mcseMean(chains: Chains): number {
  return standardDeviation(pool(chains)) / Math.sqrt(essMean(chains));
}

/**
 * Monte Carlo standard error of the standard deviation of all draws, from the variance of the variance's estimate (Kenney
 * and Keeping 1951, p. 141) by the delta method, as in the R package posterior.
 */
export function mcseSd(chains: Chains): number {
  const draws = pool(chains);
  const center = mean(draws);
  const squares = draws.map((value) => (value - center) ** 2);
  const secondMoment = mean(squares);
  const fourthMoment = mean(squares.map((square) => square * square));
  const varianceOfVariance = (fourthMoment - secondMoment ** 2) / essSd(chains);
  return Math.sqrt(varianceOfVariance / secondMoment / 4);
}

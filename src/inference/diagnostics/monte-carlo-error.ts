import type { Chains } from './chains.js';
import { statisticsOf } from './draw-statistics.js';

/** Monte Carlo standard error of the mean of all draws of one quantity. */
export function mcseMean(chains: Chains): number {
  return statisticsOf(chains, (statistics) => statistics.mcseMean);
}

/** Monte Carlo standard error of the standard deviation of all draws of one quantity. */
export function mcseSd(chains: Chains): number {
  return statisticsOf(chains, (statistics) => statistics.mcseSd);
}

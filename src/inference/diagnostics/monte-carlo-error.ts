import type { Chains } from './chains.js';
import { DrawStatistics } from './draw-statistics.js';

/** Monte Carlo standard error of the mean of all draws of one quantity. */
export function mcseMean(chains: Chains): number {
  return DrawStatistics.of(chains).mcseMean;
}

/** Monte Carlo standard error of the standard deviation of all draws of one quantity. */
export function mcseSd(chains: Chains): number {
  return DrawStatistics.of(chains).mcseSd;
}

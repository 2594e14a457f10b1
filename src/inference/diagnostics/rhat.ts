import type { Chains } from './chains.js';
import { statisticsOf } from './draw-statistics.js';

/** Rank-normalized split R-hat of one quantity. */
export function rhat(chains: Chains): number {
  return statisticsOf(chains, (statistics) => statistics.rhat);
}

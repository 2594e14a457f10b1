import type { Chains } from './chains.js';
import { DrawStatistics } from './draw-statistics.js';

/** Rank-normalized split R-hat of one quantity. */
export function rhat(chains: Chains): number {
  return DrawStatistics.of(chains).rhat;
}

import type { Chains } from './chains.js';
import { statisticsOf } from './draw-statistics.js';
import { mean } from './moments.js';

/** Bulk effective sample size of a quantity. */
export function essBulk(chains: Chains): number {
  return statisticsOf(chains, (statistics) => statistics.essBulk);
}

/** Effective sample size for the mean of a quantity. */
export function essMean(chains: Chains): number {
  return statisticsOf(chains, (statistics) => statistics.essMean);
}

/** Autocorrelations of the draws of one chain at lags 0 to `count` - 1, by default at all lags. */
export function autocorrelation(draws: Float64Array, count = draws.length): Float64Array {
  const center = mean(draws);
  const centered = draws.map((value) => value - center);
  const variance = autocovariance(centered, 0);
  return centered.slice(0, count).map((_, lag) => autocovariance(centered, lag) / variance);
}

/** The "biased" estimate with denominator n, which Geyer (1992) recommends. */
function autocovariance(centered: Float64Array, lag: number): number {
  let sum = 0;
  for (let i = lag; i < centered.length; i++) sum += centered[i] * centered[i - lag];
  return sum / centered.length;
}

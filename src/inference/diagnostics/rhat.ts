import { type Chains, isDegenerate, pool, splitChains, variationOf } from './chains.js';
import { mean, quantiles, variance } from './moments.js';
import { rankNormalize } from './rank-normalize.js';

/**
 * Rank-normalised split R-hat (Vehtari and others 2021): the larger one of that of the draws, which sees different
 * locations, and that of their distances from the median, which sees different scales. NaN for constant or non-finite
 * draws, infinite for chains that stay where they are. Where all distances are the same, as of draws that are 0 or 1
 * equally often, the R package posterior has none; here it is that of the draws.
 */
export function rhat(chains: Chains): number {
  if (isDegenerate(chains)) return Number.NaN;
  const [median] = quantiles(pool(chains), [0.5]);
  const folded = chains.map((chain) => chain.map((value) => Math.abs(value - median)));
  const locations = basicRhat(rankNormalize(splitChains(chains)));
  return isDegenerate(folded) ? locations : Math.max(locations, basicRhat(rankNormalize(splitChains(folded))));
}

function basicRhat(chains: Chains): number {
  const length = chains[0].length;
  if (length < 2) return Number.NaN;
  if (variationOf(chains) === 'between chains') return Number.POSITIVE_INFINITY;
  const between = length * variance(chains.map(mean));
  const within = mean(chains.map(variance));
  return Math.sqrt((between / within + length - 1) / length);
}

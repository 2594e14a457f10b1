import { type Chains, isDegenerate, pool, splitChains } from './chains.js';
import { mean, quantiles, variance } from './moments.js';
import { rankNormalize } from './rank-normalize.js';

/**
 * Rank-normalised split R-hat (Vehtari and others 2021): the larger one of that of the draws, which sees different
 * locations, and that of their distances from the median, which sees different scales. As the R package posterior has it:
 * NaN for draws or distances that are constant or not finite, huge or infinite for chains that stay where they are.
 */
export function rhat(
  chains: Chains,
  scores: Chains = rankNormalize(splitChains(chains)),
  [median]: readonly number[] = quantiles(pool(chains), [0.5]),
): number {
  if (isDegenerate(chains)) return Number.NaN;
  const folded = chains.map((chain) => chain.map((value) => Math.abs(value - median)));
  return Math.max(basicRhat(scores), basicRhat(rankNormalize(splitChains(folded))));
}

function basicRhat(chains: Chains): number {
  if (isDegenerate(chains)) return Number.NaN;
  const length = chains[0].length;
  const between = length * variance(chains.map(mean));
  const within = mean(chains.map(variance));
  return Math.sqrt((between / within + length - 1) / length);
}

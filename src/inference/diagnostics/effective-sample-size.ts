import { type Chains, isDegenerate, pool, splitChains } from './chains.js';
import { mean, quantiles, variance } from './moments.js';
import { rankNormalize } from './rank-normalize.js';

/**
 * Effective sample sizes of Vehtari, Gelman, Simpson, Carpenter and Bürkner, "Rank-normalization, folding, and
 * localization" (Bayesian Analysis 16, 2021), as the R package posterior computes them. NaN for draws that are
 * constant, not finite or fewer than three a half chain.
 */

/** Of the bulk: of rank-normalised draws, `scores` those of the halved chains. */
export function essBulk(chains: Chains, scores: Chains = rankNormalize(splitChains(chains))): number {
  return isDegenerate(chains) ? Number.NaN : effectiveSampleSize(scores);
}

/** Of the tails: the smaller one of the 5 % and the 95 % quantile's. */
export function essTail(chains: Chains, tails: readonly number[] = quantiles(pool(chains), [0.05, 0.95])): number {
  if (isDegenerate(chains)) return Number.NaN;
  const sizes = tails.map((quantile) =>
    effectiveSampleSize(splitChains(chains.map((chain) => chain.map((value) => (value <= quantile ? 1 : 0))))),
  );
  return Math.min(...sizes);
}

/** For the mean: of the draws themselves. */
export function essMean(chains: Chains): number {
  return effectiveSampleSize(splitChains(chains));
}

/** For the standard deviation: of the squared distances from the mean. */
export function essSd(chains: Chains): number {
  const center = mean(pool(chains));
  return effectiveSampleSize(splitChains(chains.map((chain) => chain.map((value) => (value - center) ** 2))));
}

/** By Geyer's initial monotone sequence over the chains' mean autocovariances; chains are taken as they are. */
function effectiveSampleSize(chains: Chains): number {
  const length = chains[0]?.length ?? 0;
  if (length < 3 || isDegenerate(chains)) return Number.NaN;
  const centered = chains.map((chain) => {
    const center = mean(chain);
    return chain.map((value) => value - center);
  });
  const covariance = (lag: number) => mean(centered.map((chain) => autocovariance(chain, lag)));
  const within = covariance(0) * (length / (length - 1));
  const between = chains.length > 1 ? variance(chains.map(mean)) : 0;
  const total = covariance(0) + between;
  const correlation = (lag: number) => 1 - (within - covariance(lag)) / total;

  const correlations = [1, correlation(1)];
  let even = 1;
  let odd = correlations[1];
  let lag = 0;
  while (lag < length - 5 && even + odd > 0) {
    lag += 2;
    even = correlation(lag);
    odd = correlation(lag + 1);
    if (even + odd >= 0) correlations.push(even, odd);
  }
  if (even > 0) correlations[lag] = even;
  makePairsMonotone(correlations, lag);

  let sum = 0;
  for (let i = 0; i < lag; i++) sum += correlations[i];
  const draws = chains.length * length;
  const time = -1 + 2 * sum + (correlations[lag] ?? 0);
  return draws / Math.max(time, 1 / Math.log10(draws));
}

/** No pair of neighbours may sum to more than the pair before it. */
function makePairsMonotone(correlations: number[], end: number): void {
  for (let i = 2; i <= end - 2; i += 2) {
    const previous = correlations[i - 2] + correlations[i - 1];
    if (correlations[i] + correlations[i + 1] > previous) {
      correlations[i] = previous / 2;
      correlations[i + 1] = previous / 2;
    }
  }
}

/** Correlations of one chain's draws with those so many draws later, from lag 0 on: of `count` lags, all there are unless told. */
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

import { variance } from './moments.js';

/** The properties of chains of the same length from which the effective sample size is computed. */
export interface Autocovariances {
  readonly length: number;
  /** Means of the chains. */
  readonly means: Float64Array;
  /** The mean of the chains' autocovariances at a lag: the "biased" estimates with denominator n, which Geyer (1992) recommends. */
  covariance(lag: number): number;
}

/**
 * Effective sample size by Geyer's initial monotone sequence over the chains' mean autocovariances, as the R package posterior computes it;
 * NaN below three draws per chain. `space` is working memory with one number per draw of a chain.
 */
export function effectiveSampleSize(chains: Autocovariances, space: Float64Array): number {
  const { length, means } = chains;
  if (length < 3) return Number.NaN;
  const atZero = chains.covariance(0);
  const within = atZero * (length / (length - 1));
  const total = atZero + (means.length > 1 ? variance(means) : 0);
  const correlation = (lag: number) => 1 - (within - chains.covariance(lag)) / total;

  let even = 1;
  let odd = correlation(1);
  let count = 2;
  space[0] = even;
  space[1] = odd;
  let lag = 0;
  while (lag < length - 5 && even + odd > 0) {
    lag += 2;
    even = correlation(lag);
    odd = correlation(lag + 1);
    if (even + odd >= 0) {
      space[count++] = even;
      space[count++] = odd;
    }
  }
  if (even > 0) {
    space[lag] = even;
    count = Math.max(count, lag + 1);
  }
  makePairsMonotone(space, lag);

  let sum = 0;
  for (let i = 0; i < lag; i++) sum += space[i];
  const draws = means.length * length;
  const time = -1 + 2 * sum + (lag < count ? space[lag] : 0);
  return draws / Math.max(time, 1 / Math.log10(draws));
}

/** Limits the sum of each pair of neighbors to that of the previous pair. */
function makePairsMonotone(correlations: Float64Array, end: number): void {
  for (let i = 2; i <= end - 2; i += 2) {
    const previous = correlations[i - 2] + correlations[i - 1];
    if (correlations[i] + correlations[i + 1] > previous) {
      correlations[i] = previous / 2;
      correlations[i + 1] = previous / 2;
    }
  }
}

/** Straightforward implementations of statistics of draws, from their definitions, with which tests compare the fast ones. */
import { type Chains, pool } from '../../src/inference/diagnostics/chains.js';
import { mean, quantiles, standardDeviation, variance } from '../../src/inference/diagnostics/moments.js';
import { normalQuantile } from '../../src/inference/diagnostics/normal-quantile.js';

export function plainStatistics(chains: Chains) {
  const draws = pool(chains);
  const halves = split(chains);
  const center = mean(draws);
  const [q05, q50, q95] = quantiles(draws, [0.05, 0.5, 0.95]);
  const mapped = (change: (value: number) => number) => split(chains.map((chain) => chain.map(change)));
  const unless = (value: number) => (isDegenerate(chains) ? Number.NaN : value);
  const second = mean(draws.map((value) => (value - center) ** 2));
  const fourth = mean(draws.map((value) => (value - center) ** 4));
  const essSd = ess(mapped((value) => (value - center) ** 2));
  const folded = mapped((value) => Math.abs(value - q50));
  return {
    mean: center,
    sd: standardDeviation(draws),
    mcseMean: standardDeviation(draws) / Math.sqrt(ess(halves)),
    mcseSd: Math.sqrt((fourth - second ** 2) / essSd / second / 4),
    q05,
    q50,
    q95,
    essBulk: unless(ess(scores(halves))),
    essTail: unless(Math.min(...[q05, q95].map((quantile) => ess(mapped((value) => (value <= quantile ? 1 : 0)))))),
    rhat: unless(Math.max(...[halves, folded].map((each) => basicRhat(scores(each))))),
  };
}

function split(chains: Chains): Chains {
  const half = Math.floor(chains[0].length / 2);
  return chains.flatMap((chain) => [chain.slice(0, half), chain.slice(chain.length - half)]);
}

function isDegenerate(chains: Chains): boolean {
  const draws = [...pool(chains)];
  const least = draws.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const greatest = draws.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return !draws.every(Number.isFinite) || !(greatest - least >= Number.EPSILON);
}

function scores(chains: Chains): Chains {
  if (isDegenerate(chains)) return chains;
  const sorted = pool(chains).sort();
  const ranks = new Map<number, number>();
  for (let first = 0; first < sorted.length; ) {
    let next = first;
    while (next < sorted.length && sorted[next] === sorted[first]) next++;
    ranks.set(sorted[first], (first + 1 + next) / 2);
    first = next;
  }
  const score = (value: number) => normalQuantile(((ranks.get(value) ?? Number.NaN) - 0.375) / (sorted.length + 0.25));
  return chains.map((chain) => chain.map(score));
}

function basicRhat(chains: Chains): number {
  if (isDegenerate(chains)) return Number.NaN;
  const { length } = chains[0];
  const between = length * variance(chains.map(mean));
  return Math.sqrt((between / mean(chains.map(variance)) + length - 1) / length);
}

function ess(chains: Chains): number {
  const { length } = chains[0];
  if (length < 3 || isDegenerate(chains)) return Number.NaN;
  const covariance = (lag: number) =>
    mean(
      chains.map((chain) => {
        const center = mean(chain);
        let sum = 0;
        for (let i = lag; i < length; i++) sum += (chain[i] - center) * (chain[i - lag] - center);
        return sum / length;
      }),
    );
  const within = (covariance(0) * length) / (length - 1);
  const total = covariance(0) + (chains.length > 1 ? variance(chains.map(mean)) : 0);
  const correlation = (lag: number) => 1 - (within - covariance(lag)) / total;
  const correlations = [1, correlation(1)];
  let pair = [1, correlations[1]];
  let lag = 0;
  while (lag < length - 5 && pair[0] + pair[1] > 0) {
    lag += 2;
    pair = [correlation(lag), correlation(lag + 1)];
    if (pair[0] + pair[1] >= 0) correlations.push(...pair);
  }
  if (pair[0] > 0) correlations[lag] = pair[0];
  for (let i = 2; i <= lag - 2; i += 2) {
    const previous = correlations[i - 2] + correlations[i - 1];
    if (correlations[i] + correlations[i + 1] > previous) correlations.fill(previous / 2, i, i + 2);
  }
  const sum = correlations.slice(0, lag).reduce((a, b) => a + b, 0);
  const draws = chains.length * length;
  return draws / Math.max(-1 + 2 * sum + (correlations[lag] ?? 0), 1 / Math.log10(draws));
}

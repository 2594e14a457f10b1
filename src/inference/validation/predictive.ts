/** Numerical posterior predictive checks (Gelman, Meng and Stern, Statistica Sinica 6, 1996): compares data with simulations of them. */
import { type Chains, pool } from '../diagnostics/chains.js';
import { quantiles } from '../diagnostics/moments.js';

/** A summary of the simulations of one observation. */
export interface PredictedObservation {
  readonly q05: number;
  readonly q25: number;
  readonly q50: number;
  readonly q75: number;
  readonly q95: number;
  readonly observed?: number;
  /** The fraction of simulations below the observation, plus half the fraction equal to it. */
  readonly rank?: number;
}

/** Summarizes the simulations of one observation, with an array per chain. */
export function predictObservation(chains: Chains, observed: number | undefined): PredictedObservation {
  const draws = pool(chains);
  const [q05, q25, q50, q75, q95] = quantiles(draws, [0.05, 0.25, 0.5, 0.75, 0.95]);
  const interval = { q05, q25, q50, q75, q95 };
  if (observed === undefined) return interval;
  const less = draws.reduce((sum, value) => sum + (value < observed ? 1 : value === observed ? 0.5 : 0), 0);
  return { ...interval, observed, rank: less / draws.length };
}

/** Partial moments of each data set, from `count` observations. */
export interface Gathered {
  readonly count: number;
  readonly mean: Float64Array;
  /** Sums of squared distances from the mean. */
  readonly squares: Float64Array;
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

/** The partial moments of observations. `observations` contains an array per observation, with one value per data set. */
export function gather(observations: readonly Float64Array[]): Gathered {
  return observations
    .map(
      (values): Gathered => ({
        count: 1,
        mean: values,
        squares: new Float64Array(values.length),
        least: values,
        greatest: values,
      }),
    )
    .reduce(together);
}

/** Combines the moments of two parts of data sets (Chan, Golub and LeVeque, The American Statistician 37, 1983). */
export function together(a: Gathered, b: Gathered): Gathered {
  const count = a.count + b.count;
  return {
    count,
    mean: a.mean.map((mean, k) => mean + ((b.mean[k] - mean) * b.count) / count),
    squares: a.squares.map((sum, k) => sum + b.squares[k] + ((b.mean[k] - a.mean[k]) ** 2 * a.count * b.count) / count),
    least: a.least.map((value, k) => Math.min(value, b.least[k])),
    greatest: a.greatest.map((value, k) => Math.max(value, b.greatest[k])),
  };
}

/** Statistics of data sets. */
const STATISTICS: readonly {
  readonly name: 'mean' | 'sd' | 'min' | 'max';
  readonly of: (gathered: Gathered) => Float64Array;
}[] = [
  { name: 'mean', of: ({ mean }) => mean },
  { name: 'sd', of: ({ count, squares }) => squares.map((sum) => Math.sqrt(sum / (count - 1))) },
  { name: 'min', of: ({ least }) => least },
  { name: 'max', of: ({ greatest }) => greatest },
];

/** A statistic of the data, compared with that of the simulations. */
export interface PredictedStatistic {
  readonly name: 'mean' | 'sd' | 'min' | 'max';
  readonly q05: number;
  readonly q50: number;
  readonly q95: number;
  readonly observed?: number;
  /** The posterior predictive p-value: the fraction of simulations whose statistic is at least that of the data. */
  readonly shareAtLeast?: number;
}

/** Compares statistics. `simulated` contains one data set per draw, `observed` a single data set. */
export function predictStatistics(simulated: Gathered, observed: Gathered | undefined): PredictedStatistic[] {
  return STATISTICS.map(({ name, of }) => {
    const values = of(simulated);
    const [q05, q50, q95] = quantiles(values, [0.05, 0.5, 0.95]);
    const interval = { name, q05, q50, q95 };
    if (observed === undefined) return interval;
    const [own] = of(observed);
    const share = values.reduce((sum, value) => sum + (value >= own ? 1 : 0), 0) / values.length;
    return { ...interval, observed: own, shareAtLeast: share };
  });
}

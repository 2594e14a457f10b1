import type { Chains } from '../../src/inference/diagnostics/chains.js';
import { pool } from '../../src/inference/diagnostics/chains.js';
import { mean, standardDeviation } from '../../src/inference/diagnostics/moments.js';
import { mcseMean, mcseSd } from '../../src/inference/diagnostics/monte-carlo-error.js';

/** The results of a long run of real Stan, value by value, and the statistics of its sampler. */
export interface Posterior {
  readonly names: readonly string[];
  readonly mean: readonly number[];
  readonly sd: readonly number[];
  readonly mcse_mean: readonly number[];
  readonly mcse_sd: readonly number[];
  readonly sampler?: {
    readonly mean_accept_stat: number;
    readonly mean_n_leapfrog: number;
    readonly stepsize: readonly number[];
    readonly divergent: number;
  };
}

export interface Deviation {
  readonly what: string;
  readonly found: number;
  readonly expected: number;
  /** Maximum difference, in combined Monte Carlo standard errors. */
  readonly z: number;
}

export interface Comparison {
  readonly largest: Deviation;
  readonly failures: readonly Deviation[];
}

/** Constants may differ only by rounding. */
const ROUNDING = 1e-8;

/** Maximum difference of a moment in combined standard errors: one more if many moments are compared. */
function limitFor(count: number): number {
  return count > 100 ? 5 : 4;
}

/** Compares means and standard deviations of draws with those of the reference. */
export function compare(draws: ReadonlyMap<string, Chains>, expected: Posterior): Comparison {
  const limit = limitFor(expected.names.length);
  const deviations = expected.names.flatMap((name, i): Deviation[] => {
    const chains = draws.get(name);
    if (chains === undefined) return [deviation(`${name} is missing`, Number.NaN, expected.mean[i], 0)];
    const all = pool(chains);
    return [
      deviation(`mean of ${name}`, mean(all), expected.mean[i], error(mcseMean(chains), expected.mcse_mean[i])),
      deviation(`sd of ${name}`, standardDeviation(all), expected.sd[i], error(mcseSd(chains), expected.mcse_sd[i])),
    ];
  });
  const size = ({ z }: Deviation): number => (Number.isNaN(z) ? Number.POSITIVE_INFINITY : Math.abs(z));
  return {
    largest: deviations.reduce((most, each) => (size(each) > size(most) ? each : most)),
    failures: deviations.filter((each) => size(each) > limit),
  };
}

/** The combined error of both runs; that of constant draws is zero. */
function error(ours: number, theirs: number): number {
  return Math.hypot(Number.isNaN(ours) ? 0 : ours, Number.isNaN(theirs) ? 0 : theirs);
}

function deviation(what: string, found: number, expected: number, standardError: number): Deviation {
  const difference = found - expected;
  const isRounding = Math.abs(difference) <= ROUNDING * Math.max(1, Math.abs(expected));
  return { what, found, expected, z: isRounding ? 0 : difference / standardError };
}

import type { Chains } from '../../src/inference/diagnostics/chains.js';
import { summarize } from '../../src/inference/diagnostics/summary.js';
import {
  type ComparedQuantity,
  compareWithReference,
  type NamedMoments,
} from '../../src/inference/validation/reference-comparison.js';

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

/** Compares means and standard deviations of draws with those of the reference. */
export function compare(draws: ReadonlyMap<string, Chains>, expected: Posterior): Comparison {
  const found = expected.names.flatMap((name) => {
    const chains = draws.get(name);
    return chains === undefined ? [] : [{ name, ...summarize(chains) }];
  });
  const { limit, missing, quantities } = compareWithReference(found, momentsOf(expected));
  const deviations = [
    ...missing.map((name) => ({ what: `${name} is missing`, found: NaN, expected: NaN, z: NaN })),
    ...quantities.flatMap(deviationsOf),
  ];
  const size = ({ z }: Deviation): number => (Number.isNaN(z) ? Number.POSITIVE_INFINITY : Math.abs(z));
  return {
    largest: deviations.reduce((most, each) => (size(each) > size(most) ? each : most)),
    failures: deviations.filter((each) => size(each) > limit),
  };
}

function momentsOf({ mcse_mean, mcse_sd, mean, names, sd }: Posterior): readonly NamedMoments[] {
  return names.map((name, k) => ({ name, mean: mean[k], sd: sd[k], mcseMean: mcse_mean[k], mcseSd: mcse_sd[k] }));
}

function deviationsOf({ mean, name, sd }: ComparedQuantity): readonly Deviation[] {
  return [
    { what: `mean of ${name}`, found: mean.found, expected: mean.reference, z: mean.z },
    { what: `sd of ${name}`, found: sd.found, expected: sd.reference, z: sd.z },
  ];
}

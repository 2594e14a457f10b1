import type { Chains, Variation } from './chains.js';
import { statisticsOf } from './draw-statistics.js';
import type { Convergence } from './findings.js';

/** The default summary of a quantity of the posterior. */
export interface Summary extends Pick<Convergence, 'isSeparated'> {
  readonly mean: number;
  readonly sd: number;
  readonly mcseMean: number;
  readonly mcseSd: number;
  readonly q05: number;
  readonly q50: number;
  readonly q95: number;
  readonly essBulk: number;
  readonly essTail: number;
  readonly rhat: number;
  readonly variation: Variation;
}

/** Summarizes the draws of one quantity. */
export function summarize(chains: Chains): Summary {
  return statisticsOf(chains, (statistics) => ({
    mean: statistics.mean,
    sd: statistics.sd,
    mcseMean: statistics.mcseMean,
    mcseSd: statistics.mcseSd,
    q05: statistics.quantile(0.05),
    q50: statistics.quantile(0.5),
    q95: statistics.quantile(0.95),
    essBulk: statistics.essBulk,
    essTail: statistics.essTail,
    rhat: statistics.rhat,
    variation: statistics.variation,
    ...(statistics.isSeparated && { isSeparated: true }),
  }));
}

/** The part of a summary that is required to assess convergence, in three quarters of the time of the whole. */
export function judge(chains: Chains): Omit<Convergence, 'name'> {
  return statisticsOf(chains, ({ essBulk, essTail, isSeparated, rhat, variation }) => ({
    essBulk,
    essTail,
    rhat,
    variation,
    ...(isSeparated && { isSeparated }),
  }));
}

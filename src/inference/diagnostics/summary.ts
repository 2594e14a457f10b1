import type { Chains, Variation } from './chains.js';
import { DrawStatistics } from './draw-statistics.js';
import type { Convergence } from './findings.js';

/** The usual summary of a quantity of the posterior. */
export interface Summary {
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

/** Summarizes quantities one after another, reusing memory for those of one size. */
export class Summarizer {
  private statistics: DrawStatistics | undefined;

  summarize(chains: Chains): Summary {
    const statistics = this.load(chains);
    return {
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
    };
  }

  /** The part of a summary on which convergence is judged, in three quarters of the time. */
  judge(chains: Chains): Omit<Convergence, 'name'> {
    const { essBulk, essTail, rhat, variation } = this.load(chains);
    return { essBulk, essTail, rhat, variation };
  }

  private load(chains: Chains): DrawStatistics {
    this.statistics = DrawStatistics.of(chains, this.statistics);
    return this.statistics;
  }
}

/** Summarizes one quantity's draws. */
export function summarize(chains: Chains): Summary {
  return new Summarizer().summarize(chains);
}

import { type Chains, pool, splitChains, type Variation, variationOf } from './chains.js';
import { essBulk, essTail } from './effective-sample-size.js';
import { mean, quantiles, standardDeviation } from './moments.js';
import { mcseMean, mcseSd } from './monte-carlo-error.js';
import { rankNormalize } from './rank-normalize.js';
import { rhat } from './rhat.js';

/** What is usually told about a quantity of the posterior. */
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

/** Summarises one quantity's draws. */
export function summarize(chains: Chains): Summary {
  const draws = pool(chains);
  const [q05, q50, q95] = quantiles(draws, [0.05, 0.5, 0.95]);
  const scores = rankNormalize(splitChains(chains));
  return {
    mean: mean(draws),
    sd: standardDeviation(draws),
    mcseMean: mcseMean(chains),
    mcseSd: mcseSd(chains),
    q05,
    q50,
    q95,
    essBulk: essBulk(chains, scores),
    essTail: essTail(chains, [q05, q95]),
    rhat: rhat(chains, scores, [q50]),
    variation: variationOf(chains),
  };
}

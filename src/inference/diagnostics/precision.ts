/** When draws are precise enough to stop a sampler: a rule on effective sample sizes and R-hat (Vehtari and others 2021). */
import type { Convergence } from './findings.js';

/** Limits that every quantity must keep. A limit that is absent does not count. */
export interface PrecisionRule {
  /** Least effective sample size of means and medians. */
  readonly ess_bulk?: number;
  /** Least effective sample size of the 5 % and 95 % quantiles. */
  readonly ess_tail?: number;
  /** Greatest rank-normalized split R-hat. */
  readonly rhat?: number;
}

/** A quantity that does not keep a limit. */
export interface Shortfall {
  readonly quantity: string;
  readonly statistic: keyof PrecisionRule;
  /** NaN where the statistic does not exist. */
  readonly value: number;
  readonly limit: number;
}

/**
 * The worst shortfall of a rule; undefined if the draws are precise enough. Quantities that are the same in all draws do not count,
 * unless all quantities are: then nothing shows that the sampler moves. Statistics that do not exist, of too few draws, of draws that are not
 * finite and of chains that do not move, are shortfalls.
 */
export function worstShortfall(rule: PrecisionRule, quantities: readonly Convergence[]): Shortfall | undefined {
  const varying = quantities.filter(({ variation }) => variation !== 'none');
  const judged = varying.length === 0 ? quantities : varying;
  const found = judged.flatMap((quantity) => shortfallsOf(rule, quantity));
  return found.reduce<Shortfall | undefined>(
    (worst, each) => (worst === undefined || factorOfDraws(each) > factorOfDraws(worst) ? each : worst),
    undefined,
  );
}

function shortfallsOf({ ess_bulk, ess_tail, rhat }: PrecisionRule, quantity: Convergence): Shortfall[] {
  const { essBulk, essTail, name, variation } = quantity;
  const exists = variation === 'within chains';
  const row = (statistic: keyof PrecisionRule, value: number, limit: number | undefined): Shortfall[] =>
    limit === undefined ? [] : [{ quantity: name, statistic, value: exists ? value : Number.NaN, limit }];
  return [
    ...row('ess_bulk', essBulk, ess_bulk).filter(({ limit, value }) => !(value >= limit)),
    ...row('ess_tail', essTail, ess_tail).filter(({ limit, value }) => !(value >= limit)),
    ...row('rhat', quantity.rhat, rhat).filter(({ limit, value }) => !(value <= limit)),
  ];
}

/** How many times more draws would be needed, supposing that effective sample sizes and 1 / (R-hat - 1) grow with their number. */
export function factorOfDraws({ limit, statistic, value }: Pick<Shortfall, 'limit' | 'statistic' | 'value'>): number {
  if (Number.isNaN(value)) return Number.POSITIVE_INFINITY;
  return statistic === 'rhat' ? (value - 1) / (limit - 1) : limit / value;
}

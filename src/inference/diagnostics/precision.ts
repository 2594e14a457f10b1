/**
 * Rules that stop a sampler when draws are precise enough, by effective sample sizes, R-hat and Monte Carlo errors (Vehtari and others
 * 2021).
 */
import type { Convergence } from './findings.js';

/** Limits for every quantity. An absent limit does not apply. */
export interface PrecisionRule {
  /** Minimum effective sample size of means and medians. */
  readonly ess_bulk?: number;
  /** Minimum effective sample size of the 5 % and 95 % quantiles. */
  readonly ess_tail?: number;
  /** Maximum rank-normalized split R-hat. */
  readonly rhat?: number;
  /** Maximum Monte Carlo standard error of the mean, in the unit of the quantity. */
  readonly mcse_mean?: number;
  /** Maximum Monte Carlo standard error of the standard deviation, in the unit of the quantity. */
  readonly mcse_sd?: number;
}

/** A quantity with all statistics that a rule may limit. */
export interface Precision extends Convergence {
  readonly mcseMean: number;
  readonly mcseSd: number;
}

/** A quantity that violates a limit. */
export interface Shortfall {
  readonly quantity: string;
  readonly statistic: keyof PrecisionRule;
  /** NaN if the statistic does not exist. */
  readonly value: number;
  readonly limit: number;
}

interface Criterion {
  readonly field: Exclude<keyof Precision, 'name' | 'variation' | 'isSeparated'>;
  /** Whether the limit is a maximum. */
  readonly isUpper: boolean;
  /** Limits must be greater than this. */
  readonly least: number;
  /**
   * The factor by which the number of draws must grow. Sample sizes and 1 / (R-hat - 1) are proportional to the number of draws; errors are
   * inversely proportional to its square root.
   */
  readonly factor: (value: number, limit: number) => number;
}

const inverse = (value: number, limit: number) => limit / value;
const squared = (value: number, limit: number) => (value / limit) ** 2;

export const CRITERIA: Readonly<Record<keyof PrecisionRule, Criterion>> = {
  ess_bulk: { field: 'essBulk', isUpper: false, least: 0, factor: inverse },
  ess_tail: { field: 'essTail', isUpper: false, least: 0, factor: inverse },
  rhat: { field: 'rhat', isUpper: true, least: 1, factor: (value, limit) => (value - 1) / (limit - 1) },
  mcse_mean: { field: 'mcseMean', isUpper: true, least: 0, factor: squared },
  mcse_sd: { field: 'mcseSd', isUpper: true, least: 0, factor: squared },
};
export const STATISTICS = [
  'ess_bulk',
  'ess_tail',
  'rhat',
  'mcse_mean',
  'mcse_sd',
] as const satisfies readonly (keyof PrecisionRule)[];

/**
 * The worst shortfall of a rule; undefined if the draws are precise enough. Ignores constant quantities, unless all quantities are
 * constant, because the sampler then may not move. Statistics that do not exist, because there are too few draws, draws are not finite or
 * chains do not move, count as shortfalls.
 */
export function worstShortfall(rule: PrecisionRule, quantities: readonly Precision[]): Shortfall | undefined {
  const varying = quantities.filter(({ variation }) => variation !== 'none');
  const judged = varying.length === 0 ? quantities : varying;
  const found = judged.flatMap((quantity) => shortfallsOf(rule, quantity));
  return found.reduce<Shortfall | undefined>(
    (worst, each) => (worst === undefined || factorOfDraws(each) > factorOfDraws(worst) ? each : worst),
    undefined,
  );
}

function shortfallsOf(rule: PrecisionRule, quantity: Precision): Shortfall[] {
  const exists = quantity.variation === 'within chains';
  return STATISTICS.flatMap((statistic): Shortfall[] => {
    const limit = rule[statistic];
    if (limit === undefined) return [];
    const { field, isUpper } = CRITERIA[statistic];
    const value = exists ? quantity[field] : Number.NaN;
    const isKept = isUpper ? value <= limit : value >= limit;
    return isKept ? [] : [{ quantity: quantity.name, statistic, value, limit }];
  });
}

/** The factor by which the number of draws would have to grow. */
export function factorOfDraws({ limit, statistic, value }: Pick<Shortfall, 'limit' | 'statistic' | 'value'>): number {
  return Number.isNaN(value) ? Number.POSITIVE_INFINITY : CRITERIA[statistic].factor(value, limit);
}

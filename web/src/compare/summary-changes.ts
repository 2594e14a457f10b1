/** Compares the summaries of the same quantities in two fits. */
import type { QuantitySummary } from '../state/quantity-summary.js';

export interface SummaryChange {
  readonly name: string;
  readonly before: QuantitySummary;
  readonly after: QuantitySummary;
  /** Difference of the means. */
  readonly difference: number;
  /** The difference of the means in units of its Monte Carlo standard error; NaN if that is unknown. */
  readonly inErrors: number;
  /** The later standard deviation divided by the earlier one. */
  readonly spread: number;
}

/** Quantities of both fits, in the order of the second. */
export function summaryChanges(
  before: readonly QuantitySummary[],
  after: readonly QuantitySummary[],
): readonly SummaryChange[] {
  const known = new Map(before.map((each) => [each.name, each]));
  return after.flatMap((now) => {
    const old = known.get(now.name);
    if (old === undefined) return [];
    const difference = now.mean - old.mean;
    return [
      {
        name: now.name,
        before: old,
        after: now,
        difference,
        inErrors: difference / Math.hypot(now.mcseMean, old.mcseMean),
        spread: now.sd / old.sd,
      },
    ];
  });
}

/** Names of quantities that only the first of two fits has. */
export function onlyIn(these: readonly QuantitySummary[], those: readonly QuantitySummary[]): readonly string[] {
  const names = new Set(those.map(({ name }) => name));
  return these.map(({ name }) => name).filter((name) => !names.has(name));
}

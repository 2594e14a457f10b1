/** The order of quantities by how badly their chains mix. */
import { displayName } from '#engine/formats/columns.js';
import type { QuantitySummary } from '../state/quantity-summary.js';

/** What checks of a run require of R-hat, and of the effective sample size of each chain. */
const RHAT = 1.01;
const ESS_PER_CHAIN = 100;

/** The columns in the order of R-hat and effective sample sizes, relative to what checks require, worst first; constants are last. */
export function worstFirst(
  columns: readonly string[],
  summaries: readonly QuantitySummary[],
  chains: number,
): readonly string[] {
  const badness = new Map(
    summaries.map(({ essBulk, essTail, name, rhat }) => [
      name,
      Math.max((rhat - 1) / (RHAT - 1), (ESS_PER_CHAIN * chains) / Math.min(essBulk, essTail)),
    ]),
  );
  const of = (column: string) => badness.get(displayName(column)) ?? Number.NaN;
  return columns.toSorted((a, b) => {
    const [left, right] = [of(a), of(b)];
    if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
    return right - left;
  });
}

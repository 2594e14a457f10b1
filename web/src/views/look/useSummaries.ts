import { reasonOf } from '../../reasons.js';
import type { QuantitySummary } from '../../state/quantity-summary.js';
import { isOver, type Run } from '../../state/run.js';
import { summaryOf } from '../../state/statistics.js';
import { useFit } from './useFit.js';
import { useStatistic } from './useStatistic.js';

/** Summaries of quantities, or the reason why they are not available. */
export type Summaries = readonly QuantitySummary[] | { readonly refused: string };

export function areRefused(summaries: Summaries | undefined): summaries is { readonly refused: string } {
  return summaries !== undefined && 'refused' in summaries;
}

/** Summaries of a finished run; undefined until they are computed. */
export function useSummaries(run: Run | undefined): Summaries | undefined {
  const fit = useFit(run);
  return useStatistic<Summaries>(run, run !== undefined && isOver(run) ? fit : undefined, summaryOf, refusalOf);
}

function refusalOf(error: unknown): { readonly refused: string } {
  return { refused: reasonOf(error) };
}

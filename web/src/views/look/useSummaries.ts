import { useEffect, useState } from 'react';
import { reasonOf } from '../../reasons.js';
import { isOver, type Run } from '../../state/run.js';
import { type QuantitySummary, summaryOf } from '../../state/statistics.js';
import { useFit } from './useFit.js';

/** Summaries of quantities, or why they cannot be had. */
export type Summaries = readonly QuantitySummary[] | { readonly refused: string };

export function areRefused(summaries: Summaries | undefined): summaries is { readonly refused: string } {
  return summaries !== undefined && 'refused' in summaries;
}

/** Summaries of a run that is over; undefined until they are there. */
export function useSummaries(run: Run | undefined): Summaries | undefined {
  const fit = useFit(run);
  const [found, setFound] = useState<{ readonly id: string; readonly summaries: Summaries }>();
  const id = run?.id;
  const wanted = run !== undefined && isOver(run) ? fit : undefined;
  useEffect(() => {
    let isWanted = true;
    if (wanted !== undefined && run !== undefined && id !== undefined) {
      summaryOf(run, wanted)
        .catch((error: unknown) => ({ refused: reasonOf(error) }))
        .then((summaries) => isWanted && setFound({ id, summaries }));
    }
    return () => {
      isWanted = false;
    };
  }, [run, id, wanted]);
  return found?.id === id ? found?.summaries : undefined;
}

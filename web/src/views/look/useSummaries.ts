import { useEffect, useState } from 'react';
import { isOver, type Run } from '../../state/run.js';
import { type QuantitySummary, summaryOf } from '../../state/statistics.js';
import { useFit } from './useFit.js';

/** Summaries of a run that is over; undefined until they are there. */
export function useSummaries(run: Run | undefined): readonly QuantitySummary[] | undefined {
  const fit = useFit(run);
  const [found, setFound] = useState<{ readonly id: string; readonly summaries: readonly QuantitySummary[] }>();
  const id = run?.id;
  const wanted = run !== undefined && isOver(run) ? fit : undefined;
  useEffect(() => {
    let isWanted = true;
    if (wanted !== undefined && run !== undefined && id !== undefined) {
      void summaryOf(run, wanted).then((summaries) => isWanted && setFound({ id, summaries }));
    }
    return () => {
      isWanted = false;
    };
  }, [run, id, wanted]);
  return found?.id === id ? found?.summaries : undefined;
}

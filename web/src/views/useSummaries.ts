import type { NamedSummary } from 'leapfrog';
import { useEffect, useState } from 'react';
import { isOver, type Run } from '../state/run.js';
import { summaryOf } from '../statistics/statistics.js';
import { useFit } from './useFit.js';

/** Summaries of a run that is over; undefined until they are there. */
export function useSummaries(run: Run): readonly NamedSummary[] | undefined {
  const fit = useFit(run);
  const [found, setFound] = useState<{ readonly id: string; readonly summaries: readonly NamedSummary[] }>();
  const wanted = isOver(run) ? fit : undefined;
  useEffect(() => {
    let isWanted = true;
    if (wanted !== undefined) {
      void summaryOf(wanted).then((summaries) => isWanted && setFound({ id: run.id, summaries }));
    }
    return () => {
      isWanted = false;
    };
  }, [run.id, wanted]);
  return found?.id === run.id ? found.summaries : undefined;
}

import type { NamedSummary } from 'leapfrog';
import { useEffect, useState } from 'react';
import { isOver, type Run } from '../../state/run.js';
import { summaryOf } from '../../statistics/statistics.js';
import { useFit } from './useFit.js';

/** Summaries of a run that is over; undefined until they are there. */
export function useSummaries(run: Run | undefined): readonly NamedSummary[] | undefined {
  const fit = useFit(run);
  const [found, setFound] = useState<{ readonly id: string; readonly summaries: readonly NamedSummary[] }>();
  const id = run?.id;
  const wanted = run !== undefined && isOver(run) ? fit : undefined;
  useEffect(() => {
    let isWanted = true;
    if (wanted !== undefined && id !== undefined) {
      void summaryOf(wanted).then((summaries) => isWanted && setFound({ id, summaries }));
    }
    return () => {
      isWanted = false;
    };
  }, [id, wanted]);
  return found?.id === id ? found?.summaries : undefined;
}

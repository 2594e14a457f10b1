import { useEffect, useState } from 'react';
import type { NamedSummary } from '#engine/run/statistics.js';
import { isOver, type Run } from '../state/run.js';
import { summariesOf } from '../statistics/statistics.js';

/** Summaries of a run that is over; undefined until they are there. */
export function useSummaries(run: Run): readonly NamedSummary[] | undefined {
  const [found, setFound] = useState<{ readonly id: string; readonly summaries: readonly NamedSummary[] }>();
  const over = isOver(run);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that is over does not change
  useEffect(() => {
    let isWanted = over;
    if (over) void summariesOf(run).then((summaries) => isWanted && setFound({ id: run.id, summaries }));
    return () => {
      isWanted = false;
    };
  }, [run.id, over]);
  return found?.id === run.id ? found.summaries : undefined;
}

import { useEffect, useState } from 'react';
import { hasLabels, type Labeling, labelingOf, PLAIN } from '../../run/labeling.js';
import type { Run } from '../../state/run.js';

/** The labels of the levels of a run's data, in the names of its quantities. */
export function useLabels(run: Run | undefined): Labeling {
  const [found, setFound] = useState<{ readonly id: string; readonly labeling: Labeling }>();
  const id = run?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the source of a run does not change
  useEffect(() => {
    if (run === undefined || !hasLabels(run)) return;
    let isCurrent = true;
    void labelingOf(run).then((labeling) => isCurrent && setFound({ id: run.id, labeling }));
    return () => {
      isCurrent = false;
    };
  }, [id]);
  return found?.id === id && found !== undefined ? found.labeling : PLAIN;
}

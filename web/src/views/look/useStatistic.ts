import type { Fit } from 'leapfrog';
import { useEffect, useState } from 'react';
import type { Run } from '../../state/run.js';

/**
 * A statistic of the draws of a run; undefined until it is computed, which requires `fit`. If `compute` rejects, the result is what
 * `refusal` returns for the error; undefined leaves it as it was. Both functions must stay the same between renderings.
 */
export function useStatistic<Statistic>(
  run: Run | undefined,
  fit: Fit | undefined,
  compute: (run: Run, fit: Fit) => Promise<Statistic>,
  refusal: (error: unknown) => Statistic | undefined,
): Statistic | undefined {
  const [found, setFound] = useState<{ readonly id: string; readonly statistic: Statistic }>();
  useEffect(() => {
    let isCurrent = true;
    if (run !== undefined && fit !== undefined) {
      compute(run, fit)
        .catch(refusal)
        .then((statistic) => isCurrent && statistic !== undefined && setFound({ id: run.id, statistic }));
    }
    return () => {
      isCurrent = false;
    };
  }, [run, fit, compute, refusal]);
  return found?.id === run?.id ? found?.statistic : undefined;
}

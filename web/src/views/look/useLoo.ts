import type { LeaveOneOut } from 'leapfrog';
import { useEffect, useState } from 'react';
import { variableOf } from '#engine/run/columns.js';
import { LOG_LIKELIHOOD } from '#engine/run/cross-validation.js';
import { isOver, type Run } from '../../state/run.js';
import { looOf } from '../../statistics/statistics.js';
import { useFit } from './useFit.js';

/** Cross-validation, or why the draws do not allow it. */
export type Loo = LeaveOneOut | { readonly refused: string };

/** Leave-one-out cross-validation of a run that is over; undefined until it is there, and of runs without `log_lik`. */
export function useLoo(run: Run | undefined): Loo | undefined {
  const fit = useFit(run);
  const [found, setFound] = useState<{ readonly id: string; readonly loo: Loo }>();
  const id = run?.id;
  const wanted =
    run !== undefined && isOver(run) && fit?.columns.some((name) => variableOf(name) === LOG_LIKELIHOOD) === true
      ? fit
      : undefined;
  useEffect(() => {
    let isWanted = true;
    if (wanted !== undefined && id !== undefined) {
      looOf(wanted)
        .catch((error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) }))
        .then((loo) => isWanted && setFound({ id, loo }));
    }
    return () => {
      isWanted = false;
    };
  }, [id, wanted]);
  return found?.id === id ? found?.loo : undefined;
}

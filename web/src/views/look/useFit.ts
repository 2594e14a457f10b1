import type { Fit } from 'leapfrog';
import { useEffect } from 'react';
import { fitOf } from '../../state/fits.js';
import { loadFit } from '../../state/kept-runs.js';
import type { Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';

/** The draws of a run as there are now; those that were kept are loaded. */
export function useFit(run: Run | undefined): Fit | undefined {
  useStore(({ drawsVersion }) => drawsVersion);
  useEffect(() => {
    if (run !== undefined) void loadFit(run);
  }, [run]);
  return run && fitOf(run.id);
}

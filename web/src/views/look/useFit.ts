import type { Fit } from 'leapfrog';
import { useEffect } from 'react';
import { fitOf } from '../../state/fits.js';
import { loadFit } from '../../state/kept-runs.js';
import type { Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';

/** The current draws of a run; loads them if they are stored. */
export function useFit(run: Run | undefined): Fit | undefined {
  useStore(({ drawsVersion }) => drawsVersion);
  useEffect(() => {
    if (run !== undefined) void loadFit(run);
  }, [run]);
  return run && fitOf(run.id);
}

/** Names of all columns, including columns of a server's large runs that are not loaded. */
export function columnNames(run: Run, fit: Fit | undefined): readonly string[] {
  return run.remote?.columns ?? fit?.columns ?? [];
}

/** The draws of a run with at least these columns; undefined while they are loaded. */
export function useColumns(run: Run | undefined, names: readonly string[]): Fit | undefined {
  const fit = useFit(run);
  const missing = run?.remote?.isLarge === true ? names.filter((name) => fit?.columns.includes(name) !== true) : [];
  const key = missing.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key determines the names
  useEffect(() => {
    if (run === undefined || missing.length === 0) return;
    void import('../../server/remote-draws.js').then(({ loadMore }) => loadMore(run, missing));
  }, [run?.id, key]);
  return missing.length === 0 ? fit : undefined;
}

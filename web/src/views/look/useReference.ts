import type { Fit } from 'leapfrog';
import { useMemo } from 'react';
import { pool } from '#engine/inference/diagnostics/chains.js';
import type { Quantity } from '#engine/plots/scene.js';
import { columnOf } from '../../state/fits.js';
import { nameOf, type Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { useColumns } from './useFit.js';

/** The run that the user has chosen for comparison in plots. */
export interface Reference {
  readonly name: string;
  readonly fit: Fit;
}

/** The reference for plots of a run with these columns; undefined if no run is one, and until its draws are loaded. */
export function useReference(run: Run, columns: readonly string[]): Reference | undefined {
  const pinned = useStore(({ runs }) => runs.find(({ id, isReference }) => isReference === true && id !== run.id));
  const fit = useColumns(pinned, columns);
  const name = pinned && nameOf(pinned);
  return useMemo(() => (fit === undefined || name === undefined ? undefined : { name, fit }), [fit, name]);
}

/** The draws of a quantity in the reference, if it has this quantity. */
export function referenceOf(column: string, reference: Reference | undefined): Pick<Quantity, 'reference'> {
  const chains = reference && columnOf(reference.fit, column);
  if (reference === undefined || chains === undefined) return {};
  return { reference: { name: reference.name, draws: pool(chains) } };
}

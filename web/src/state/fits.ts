/** Draws of runs, as fits of the library. They are too large to copy on every change, so they are not part of the state. */

import type { Fit } from 'leapfrog';
import { quantitiesIn } from '#engine/formats/columns.js';

const fits = new Map<string, Fit>();

/** The current draws of a run; undefined before the first. */
export function fitOf(runId: string): Fit | undefined {
  return fits.get(runId);
}

export function setFit(runId: string, fit: Fit): void {
  fits.set(runId, fit);
}

export function forgetFit(runId: string): void {
  fits.delete(runId);
}

/** The log density after each iteration of warmup, an array per chain, of runs in this browser that have not ended. */
const warmups = new Map<string, readonly (readonly number[])[]>();

export function warmupOf(runId: string): readonly (readonly number[])[] {
  return warmups.get(runId) ?? [];
}

/** Shows the arrays, which may grow, while the run lasts. */
export function setWarmup(runId: string, logDensities: readonly (readonly number[])[]): void {
  warmups.set(runId, logDensities);
}

export function forgetWarmup(runId: string): void {
  warmups.delete(runId);
}

/** The model's quantities and the log density, without the sampler's diagnostics. */
export function quantitiesOf(columns: readonly string[]): readonly string[] {
  return quantitiesIn(columns).map((place) => columns[place]);
}

/** A column's draws after warmup, one array per chain; undefined for an unknown name. */
export function columnOf(fit: Fit, name: string): readonly Float64Array[] | undefined {
  const place = fit.columns.indexOf(name);
  return place < 0 ? undefined : fit.columnAt(place);
}

/** Like `columnOf`, with the same number of draws from each chain. */
export function evenColumn(fit: Fit, name: string): readonly Float64Array[] {
  return (columnOf(fit, name) ?? []).map((column) => column.subarray(0, fit.draws));
}

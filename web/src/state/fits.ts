/** Draws of runs, as fits of the library; too large to be copied on every change, so they are kept outside of the state. */
import type { Fit } from 'leapfrog';
import { quantitiesIn } from '#engine/run/statistics.js';

const fits = new Map<string, Fit>();

/** The draws that a run has so far; undefined before the first. */
export function fitOf(runId: string): Fit | undefined {
  return fits.get(runId);
}

export function setFit(runId: string, fit: Fit): void {
  fits.set(runId, fit);
}

export function forgetFit(runId: string): void {
  fits.delete(runId);
}

/** The model's own quantities and the log density; without what a sampler reports of itself. */
export function quantitiesOf(columns: readonly string[]): readonly string[] {
  return quantitiesIn(columns).map((place) => columns[place]);
}

/** A column's draws after warmup, an array a chain; undefined for an unknown name. */
export function columnOf(fit: Fit, name: string): readonly Float64Array[] | undefined {
  const place = fit.columns.indexOf(name);
  return place < 0 ? undefined : fit.columnAt(place);
}

/** The same number of draws of each chain. */
export function evenColumn(fit: Fit, name: string): readonly Float64Array[] {
  return (columnOf(fit, name) ?? []).map((column) => column.subarray(0, fit.draws));
}

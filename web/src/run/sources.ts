/** Inputs of a function that come from an earlier run. */

import type { Fit } from 'leapfrog';
import type { Algorithm } from '#engine/inference/algorithms/algorithm.js';
import { reasonOf } from '../reasons.js';
import { isRecord } from '../share/reading.js';
import { fitOf } from '../state/fits.js';
import { loadFit } from '../state/kept-runs.js';
import type { RunSettings } from '../state/project.js';
import { isOver, nameOf, type Run } from '../state/run.js';
import { useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { algorithmOf } from './functions.js';

type Input = Algorithm['inputs'][number];

/** Runs whose draws can be an input: optima as modes; draws as initial values or for reprocessing. */
export function runsFor(input: Input, runs: readonly Run[]): readonly Run[] {
  return runs.filter((run) => isOver(run) && run.draws > 0 && (input !== 'mode' || isOptimum(run)));
}

function isOptimum({ source }: Run): boolean {
  return source.settings.functionName.startsWith('stan::services::optimize::');
}

/** The fits that the settings refer to, for the library. Throws an `Error` if a run no longer exists. */
export async function fitsFrom({ sources = {} }: RunSettings): Promise<Readonly<Record<string, Fit>>> {
  const found: Record<string, Fit> = {};
  for (const [input, id] of Object.entries(sources)) {
    const run = runOf(id);
    await loadFit(run);
    const fit = fitOf(id);
    if (fit === undefined) throw new Error(t('runs.drawsGone', { run: nameOf(run), input }));
    found[input] = fit;
  }
  return found;
}

/** The names of these fits on the server. Throws an `Error` for runs that the server does not have. */
export function namesFrom({ sources = {} }: RunSettings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(sources).map(([input, id]) => {
      const run = runOf(id);
      if (run.remote === undefined) {
        throw new Error(t('runs.notOnServer', { run: nameOf(run) }));
      }
      return [input, run.remote.fit];
    }),
  );
}

/** The problem with initial values as JSON text; undefined if they are valid. */
export function problemWithInitialValues(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? undefined : t('write.notAnObject');
  } catch (error) {
    return t('write.notJson', { reason: reasonOf(error) });
  }
}

/** The initial values that the settings contain as text. Throws an `Error` if they are not valid. */
export function initialValuesOf(settings: RunSettings): { readonly init?: unknown } {
  const { initialValues } = settings;
  if (initialValues === undefined || !algorithmOf(settings).inputs.includes('init')) return {};
  const problem = problemWithInitialValues(initialValues);
  if (problem !== undefined) throw new Error(problem);
  return { init: JSON.parse(initialValues) };
}

function runOf(id: string): Run {
  const run = useStore.getState().runs.find((each) => each.id === id);
  if (run === undefined) throw new Error(t('runs.runGone'));
  return run;
}

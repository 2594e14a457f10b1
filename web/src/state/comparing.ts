import type { Run } from './run.js';
import type { PageState } from './store.js';

/** The run that another one is compared with: the one that was chosen, or else the one before it. */
export function compareWith({ runs, compareId }: PageState, run: Run): Run | undefined {
  const others = runs.filter(({ id }) => id !== run.id);
  return others.find(({ id }) => id === compareId) ?? others.find(({ number }) => number < run.number) ?? others.at(-1);
}

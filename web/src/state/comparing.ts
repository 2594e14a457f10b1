import type { Run } from './run.js';
import type { PageState } from './store.js';

/** The run to compare another one with: the chosen one, otherwise the previous one. */
export function compareWith({ runs, compareId }: PageState, run: Run): Run | undefined {
  const others = runs.filter(({ id }) => id !== run.id);
  return others.find(({ id }) => id === compareId) ?? others.find(({ number }) => number < run.number) ?? others.at(-1);
}

/** Fixes errors of the program. */
import type { Fix } from '#engine/editing/fix.js';
import { useStore } from '../state/store.js';
import { analyzeNow } from './analysis.js';
import { applyEdits } from './editors.js';

/** Applies a fix to the current program, which may have changed since the fix was found. */
export async function applyFix(wanted: Fix): Promise<void> {
  await analyzeNow();
  const fixes = useStore.getState().report?.remarks.flatMap(({ fixes }) => fixes) ?? [];
  const [nearest] = fixes
    .filter(({ title }) => title === wanted.title)
    .toSorted((a, b) => distance(a, wanted) - distance(b, wanted));
  applyEdits(nearest?.edits ?? []);
}

function distance(one: Fix, other: Fix): number {
  return Math.abs((one.edits[0]?.at.from ?? 0) - (other.edits[0]?.at.from ?? 0));
}

/**
 * Marks of projects that are being opened. A mark that remains means that the page did not survive the last opening of the
 * project, which then opens without checking or running anything.
 */
import { isEmbedded } from './embedded.js';
import { update, useStore } from './store.js';

const PREFIX = 'leapfrog.opening.';

let marked: string | undefined;

/** Marks a project that is opened now. Returns whether its last opening did not end. */
export function markOpening(id: string): boolean {
  endOpening();
  if (isEmbedded) return false;
  try {
    const remained = localStorage.getItem(PREFIX + id) !== null;
    localStorage.setItem(PREFIX + id, 'opening');
    marked = id;
    return remained;
  } catch {
    return false;
  }
}

/**
 * Removes the mark: the project has been checked, another one is opened, or the page is closed by the user. A project that
 * has not been checked since its mark was found keeps it.
 */
function endOpening(): void {
  const id = marked;
  marked = undefined;
  if (id === undefined || useStore.getState().isSafe) return;
  try {
    localStorage.removeItem(PREFIX + id);
  } catch {
    // Without storage, there is no mark.
  }
}

/** Removes the mark after the first check of the open project. */
export function watchOpening(): void {
  addEventListener('pagehide', endOpening);
  useStore.subscribe(({ isChecked, isSafe, project, report }) => {
    if (marked === undefined || isSafe) return;
    const cannotBeChecked = project.program.trim() === '' || (report !== undefined && report.info === undefined);
    if (isChecked || cannotBeChecked) endOpening();
  });
}

/** Checks a project that was opened without. */
export function endSafeMode(): void {
  update(({ isSafe, runs, runId }) => (isSafe ? { isSafe: false, runId: runId ?? runs[0]?.id } : {}));
}

/** Runs and their draws in the browser's storage. */
import { database } from './database.js';
import { fitOf, setFit } from './fits.js';
import { keepFit, keptFit } from './kept-fits.js';
import { isOver, type Run } from './run.js';
import { runWith, update } from './store.js';
import { reportUnstored, write } from './writing.js';

/** Stores a run in its current state, without its draws. */
export async function keepRun(id: string): Promise<void> {
  const run = runWith(id);
  if (run !== undefined) await write((kept) => kept.put('runs', run));
}

/** Runs whose draws could not be stored. */
const unstored = new Set<string>();

export function areDrawsStored(): boolean {
  return unstored.size === 0;
}

/** Runs from a link that are stored with their project. */
const linked = new Set<string>();

export function keepWithProject(runs: readonly Run[]): void {
  for (const { id } of runs) linked.add(id);
}

/** Stores the runs of a link, after their project. */
export async function keepLinked(): Promise<void> {
  for (const id of [...linked]) {
    linked.delete(id);
    if (runWith(id) !== undefined) await keepDraws(id);
  }
}

/** Tries again to store draws. Those of deleted runs are no longer needed. */
export async function keepUnstoredDraws(): Promise<void> {
  for (const id of [...unstored]) {
    if (runWith(id) === undefined) unstored.delete(id);
    else await keepDraws(id);
  }
}

/** Stores a finished run with its draws. A server stores those of its own runs. */
export async function keepDraws(id: string): Promise<void> {
  update(({ writing }) => ({ writing: [...writing, id] }));
  const run = runWith(id);
  const fit = fitOf(id);
  try {
    if (fit !== undefined && run !== undefined && run.remote === undefined) await keepFit(id, fit.contents());
    unstored.delete(id);
  } catch (error) {
    unstored.add(id);
    await reportUnstored(error);
  }
  await keepRun(id);
  update(({ writing }) => ({ writing: writing.filter((each) => each !== id) }));
}

/**
 * The runs of a project, newest first. Runs in this browser that were in progress when the page was closed count as ended;
 * with `areElsewhere` they are left out, because another tab may still run them.
 */
export async function keptRuns(projectId: string, areElsewhere = false): Promise<readonly Run[]> {
  try {
    const runs = await (await database()).getAllFromIndex('runs', 'projectId', projectId);
    return runs
      .filter((run) => run.deletedAt === undefined && (isOver(run) || run.remote !== undefined || !areElsewhere))
      .map((run) =>
        isOver(run) || run.remote !== undefined
          ? run
          : { ...run, status: 'cancelled' as const, isInterrupted: true, endedAt: run.startedAt },
      )
      .map(inCurrentForm)
      .toSorted((a, b) => b.number - a.number);
  } catch {
    return [];
  }
}

/** Earlier versions stored findings and the reason for stopping as text only. The draws are judged again. */
function inCurrentForm(run: Run): Run {
  const { findings, stopped, ...others } = run;
  return {
    ...others,
    ...(findings?.every(({ statements }) => Array.isArray(statements)) && { findings }),
    ...(typeof stopped === 'object' && { stopped }),
  };
}

const loading = new Map<string, Promise<void>>();

/** Loads the draws of a run, if they were stored. */
export function loadFit(run: Run): Promise<void> {
  if (fitOf(run.id) !== undefined || !isOver(run) || run.draws === 0) return Promise.resolve();
  const begun = loading.get(run.id) ?? load(run);
  loading.set(run.id, begun);
  return begun;
}

async function load(run: Run): Promise<void> {
  const { id, remote } = run;
  try {
    if (remote !== undefined) {
      const { loadRemote } = await import('../server/remote-draws.js');
      await loadRemote({ ...run, remote });
      return;
    }
    const [contents, { openFit }] = await Promise.all([keptFit(id), import('leapfrog')]);
    if (contents === undefined) return;
    setFit(id, openFit(contents));
    update(({ drawsVersion }) => ({ drawsVersion: drawsVersion + 1 }));
  } finally {
    loading.delete(id);
  }
}

/** Deleted projects and runs stay in the browser for 30 days and can be restored. */
import { t } from '../words/messages.js';
import { database } from './database.js';
import { forgetFit } from './fits.js';
import { deleteFit } from './kept-fits.js';
import { openProject } from './opening.js';
import { emptyProject, type Project } from './project.js';
import { nameOf, type Run } from './run.js';
import { announceProject, announceRuns, takeOver } from './sharing-tabs.js';
import { forgetStatistics } from './statistics.js';
import { notify, update, useStore } from './store.js';
import { write } from './writing.js';

const DAY = 24 * 60 * 60 * 1000;
export const DAYS_KEPT = 30;

/** A project or a run in the trash. */
export interface Discarded {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
  readonly restore: () => Promise<void>;
}

/** Moves the open project to the trash, with its runs, and opens an empty one. */
export async function discardProject(): Promise<void> {
  const { project } = useStore.getState();
  announceProject(project.id, 'deleted');
  openProject(emptyProject());
  await write((kept) => kept.put('projects', { ...project, deletedAt: Date.now() }));
  notify(t('frame.projectDeleted', { name: project.name || t('frame.untitled') }), () => void restoreProject(project));
}

async function restoreProject({ deletedAt, ...project }: Project): Promise<void> {
  await write((kept) => kept.put('projects', project));
  openProject(project);
  announceProject(project.id, 'restored');
}

/** Makes this tab the one that writes the open project. A project that another tab has deleted is restored. */
export async function makeWritable(): Promise<void> {
  const { isDeleted, project } = useStore.getState();
  if (isDeleted) await restoreProject(project);
  else await takeOver();
}

/** Moves a run of the open project to the trash. Its draws are loaded again when it is restored. */
export async function discardRun(id: string): Promise<void> {
  const { runs, runId, project } = useStore.getState();
  const run = runs.find((each) => each.id === id);
  if (run === undefined) return;
  const left = runs.filter((each) => each !== run);
  update({ runs: left, runId: runId === id ? left[0]?.id : runId });
  const name = project.name || t('frame.untitled');
  notify(t('frame.runDeleted', { run: nameOf(run), project: name }), () => void restoreRun(run));
  await write(async (kept) => {
    await kept.put('runs', { ...run, deletedAt: Date.now() });
    if (run.remote !== undefined || (await kept.count('fits', id)) > 0) forgetFit(id);
  });
  forgetStatistics(id);
  announceRuns(run.projectId);
}

async function restoreRun({ deletedAt, ...run }: Run): Promise<void> {
  await write((kept) => kept.put('runs', run));
  announceRuns(run.projectId);
  update(({ runs, project }) =>
    project.id !== run.projectId || runs.some(({ id }) => id === run.id)
      ? {}
      : { runs: [run, ...runs].toSorted((a, b) => b.number - a.number), runId: run.id },
  );
}

/** Items that can be restored, latest first. Runs of deleted projects are restored with these. */
export async function discarded(): Promise<readonly Discarded[]> {
  try {
    const kept = await database();
    const [projects, runs] = await Promise.all([kept.getAll('projects'), kept.getAll('runs')]);
    const found: Discarded[] = [];
    for (const project of projects)
      if (project.deletedAt !== undefined)
        found.push({
          id: project.id,
          title: project.name || t('frame.untitled'),
          deletedAt: project.deletedAt,
          restore: () => restoreProject(project),
        });
    for (const run of runs) {
      const project = projects.find(({ id }) => id === run.projectId);
      if (run.deletedAt === undefined || project === undefined || project.deletedAt !== undefined) continue;
      found.push({
        id: run.id,
        title: t('frame.runOf', { run: nameOf(run), project: project.name || t('frame.untitled') }),
        deletedAt: run.deletedAt,
        restore: async () => {
          if (useStore.getState().project.id !== project.id) openProject(project);
          await restoreRun(run);
        },
      });
    }
    return found.toSorted((a, b) => b.deletedAt - a.deletedAt);
  } catch {
    return [];
  }
}

/** Permanently deletes items that have been in the trash for longer than `days`. */
export async function emptyTrash(days: number): Promise<void> {
  const kept = await database();
  const until = Date.now() - days * DAY;
  const isOld = ({ deletedAt }: { readonly deletedAt?: number }) => deletedAt !== undefined && deletedAt <= until;
  const projects = (await kept.getAll('projects')).filter(isOld).map(({ id }) => id);
  const runs = (await kept.getAll('runs')).filter((run) => isOld(run) || projects.includes(run.projectId));
  for (const { id } of runs) {
    forgetFit(id);
    await Promise.all([kept.delete('runs', id), deleteFit(id)]);
  }
  await Promise.all(projects.map((id) => kept.delete('projects', id)));
}

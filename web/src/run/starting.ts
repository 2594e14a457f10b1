/** Manages runs of the project from start to verdict. */

import { CompileError, LoadError, RequestError, RunError } from 'leapfrog';
import { ServerError } from '#engine/client/index.js';
import { keyQuantities } from '#engine/fits/key-quantities.js';
import { displayName } from '#engine/formats/columns.js';
import type { Finding } from '#engine/inference/diagnostics/findings.js';
import type { Remedy } from '#engine/requests/remedies.js';
import { dataChecked } from '../data/checking.js';
import { analyzeNow, language } from '../language/analysis.js';
import { jumpTo } from '../language/editors.js';
import { reasonOf } from '../reasons.js';
import { serverClient } from '../server/server.js';
import { DATA_FILE } from '../state/file-names.js';
import { fitOf } from '../state/fits.js';
import { keepProject } from '../state/keeping.js';
import { keepDraws, keepRun } from '../state/kept-runs.js';
import { endSafeMode } from '../state/opening-marks.js';
import { inputsOf, type Project, type RunSettings } from '../state/project.js';
import { isOver, nameOf, type Run } from '../state/run.js';
import { announceRuns } from '../state/sharing-tabs.js';
import { summaryOf } from '../state/statistics.js';
import { notify, runWith, update, updateProject, updateRun, useStore } from '../state/store.js';
import { makeWritable } from '../state/trash.js';
import { unsettled } from '../state/unsettled.js';
import { t } from '../words/messages.js';
import type { PlainKey } from '../words/types.js';
import { runInBrowser } from './browser-run.js';
import { chainIds, isSampler } from './functions.js';
import { followRemote, runOnServer } from './server-run.js';

const aborts = new Map<string, AbortController>();

// Runs in this browser end with the page, and draws that are being written would be lost: the browser asks before closing the page.
addEventListener('beforeunload', (event) => {
  const { runs, elsewhere, writing } = useStore.getState();
  const isRunningHere = ({ id, remote }: Run) => remote === undefined && aborts.has(id);
  if (writing.length > 0 || [...runs, ...elsewhere].some(isRunningHere)) event.preventDefault();
});

function firstError() {
  return useStore.getState().report?.remarks.find(({ severity }) => severity === 'error');
}

/** The project whose data problems were shown instead of starting a run. */
let held: Pick<Project, 'program' | 'includes' | 'data'> | undefined;

/** Shows problems with the data instead of starting a run. False if there are no problems, or if the same run is started again. */
async function isHeldByData(): Promise<boolean> {
  await dataChecked();
  const { project, dataProblems } = useStore.getState();
  const [first, ...others] = dataProblems.filter(({ severity }) => severity === 'error');
  const isAgain = held?.program === project.program && held.includes === project.includes && held.data === project.data;
  if (first === undefined || isAgain) return false;
  held = project;
  jumpTo(DATA_FILE, first.from);
  const { message } = first;
  notify(
    others.length === 0
      ? t('runs.notRunData', { message })
      : t('runs.notRunDataMore', { message, count: others.length }),
  );
  return true;
}

/** Runs the current project. If the program has errors, shows the first one instead. */
export async function startRun(): Promise<void> {
  await makeWritable();
  endSafeMode();
  if (firstError() !== undefined) await analyzeNow();
  const error = firstError();
  if (error !== undefined) {
    jumpTo(error.at.file, error.at.from);
    notify(t('runs.notRunError', { message: error.message }));
    return;
  }
  if (await isHeldByData()) return;
  await start(inputsOf(useStore.getState().project), {});
}

/** Runs the program without its likelihood. Resolves to a reason if the prior distribution cannot be derived. */
export async function startPrior(): Promise<string | undefined> {
  await makeWritable();
  endSafeMode();
  await analyzeNow();
  const prior = await language().prior();
  if (prior.kind === 'unclear') return t('runs.unclearPrior', prior);
  if (prior.flat !== undefined) return t('runs.flatPrior', prior.flat);
  if (await isHeldByData()) return undefined;
  const { project } = useStore.getState();
  const includes = Object.entries(prior.includes).map(([name, text]) => ({ name, text }));
  await start(
    { ...inputsOf(project), program: prior.text, includes },
    {
      isPrior: true,
      original: { program: project.program, includes: project.includes },
    },
  );
  return undefined;
}

/** Runs the program of an earlier run with other settings, which become those of the project if it still has this program. */
export async function runAgain(run: Run, { functionName, arguments: given }: Remedy): Promise<void> {
  await makeWritable();
  const { project } = useStore.getState();
  const settings: RunSettings = { ...run.source.settings, functionName, arguments: given };
  if (project.program === run.source.program && project.data === run.source.data) updateProject({ settings });
  const { isPrior, original } = run;
  await start(
    { ...run.source, settings },
    { remedyFor: run.id, ...(isPrior && { isPrior }), ...(original && { original }) },
  );
}

/** Ends a run; its draws so far are kept. */
export function cancelRun(id: string): void {
  aborts.get(id)?.abort();
}

async function start(source: Run['source'], kind: Pick<Run, 'isPrior' | 'original' | 'remedyFor'>): Promise<void> {
  const { project, runs } = useStore.getState();
  const run: Run = {
    id: crypto.randomUUID(),
    number: (runs[0]?.number ?? 0) + 1,
    projectId: project.id,
    source,
    ...kind,
    status: 'compiling',
    startedAt: Date.now(),
    chains: chainIds(source.settings).map((id) => ({ id, progress: undefined, isOver: false })),
    log: [],
    draws: 0,
    generated: [],
  };
  update({ runs: [run, ...runs], runId: run.id, side: 'right' });
  // The run is loaded again with its project.
  void keepProject();
  void keepRun(run.id);
  const { place, server } = useStore.getState();
  await see(run.id, async (signal) => {
    await analyzeNow();
    const generated = Object.keys(useStore.getState().report?.info?.['generated quantities'] ?? {});
    updateRun(run.id, { generated });
    if (place === 'server' && server === 'ready') await runOnServer(run, signal);
    else await runInBrowser(run, signal);
  });
}

/** Follows the runs that the server continued while the page was closed. */
export function resumeRuns(): void {
  for (const run of useStore.getState().runs) {
    const { id, remote } = run;
    if (remote === undefined || isOver(run) || aborts.has(id)) continue;
    void see(id, (signal) => followRemote({ ...run, remote }, serverClient(), signal));
  }
}

/** Completes a run: records its end, judges its draws, and stores it. */
async function see(id: string, running: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  aborts.set(id, stop);
  unsettled.add(id);
  try {
    await running(stop.signal);
    updateRun(id, { status: 'done', endedAt: Date.now() });
  } catch (error) {
    if (stop.signal.aborted) updateRun(id, { status: 'cancelled', endedAt: Date.now() });
    else updateRun(id, { status: 'failed', endedAt: Date.now(), message: reportOf(error) });
    if (error instanceof ServerError && error.code === 401) update({ server: 'locked' });
  }
  // The first step of `keepDraws` marks the draws as being written, so that the page is guarded without a gap.
  const kept = keepDraws(id);
  aborts.delete(id);
  await kept;
  await judge(id);
  // Not after the run is stored: the user may leave the page in the meantime, after seeing the verdict.
  notifyEnd(id);
  await keepRun(id);
  await keepEstimates(id);
  announceRuns(runWith(id)?.projectId);
  unsettled.delete(id);
  update(({ elsewhere }) => ({ elsewhere: elsewhere.filter((run) => run.id !== id) }));
}

/** Maximum number of stored estimates. */
const MOST_ESTIMATES = 100;

/** Stores summaries of the key quantities, so that they are shown at once when the run is opened again. */
async function keepEstimates(id: string): Promise<void> {
  const run = runWith(id);
  const fit = fitOf(id);
  if (run === undefined || fit === undefined || fit.draws === 0) return;
  try {
    const summaries = await summaryOf(run, fit);
    const key = new Set(keyQuantities(summaries.map(({ name }) => name)).slice(0, MOST_ESTIMATES));
    updateRun(id, { estimates: summaries.filter(({ name }) => key.has(name)) });
    await keepRun(id);
  } catch {
    // They are computed again when the run is shown.
  }
}

const STATES = {
  compiling: 'runs.running',
  running: 'runs.running',
  done: 'runs.done',
  failed: 'runs.failed',
  cancelled: 'runs.cancelled',
} as const satisfies Readonly<Record<Run['status'], PlainKey>>;

/** Shows a system notification if the user has allowed them and the page is hidden. */
function notifyEnd(id: string): void {
  const run = runWith(id);
  if (run === undefined || !document.hidden || !('Notification' in window) || Notification.permission !== 'granted')
    return;
  const problems = run.findings?.filter(({ ok }) => !ok).length ?? 0;
  const words =
    run.status === 'done' && problems > 0 ? t('runs.doneProblems', { count: problems }) : t(STATES[run.status]);
  new Notification(`${nameOf(run)}: ${words}`, { body: useStore.getState().project.name, icon: './icon.svg' });
}

/** The message for users; internal errors include the stack for a report. */
function reportOf(error: unknown): string {
  const isExpected = [CompileError, LoadError, RequestError, RunError, ServerError].some(
    (kind) => error instanceof kind,
  );
  return error instanceof Error && !isExpected ? (error.stack ?? error.message) : reasonOf(error);
}

const judging = new Map<string, Promise<void>>();

/** Judges whether the draws of a finished run are reliable. */
export function judge(id: string): Promise<void> {
  const begun = judging.get(id) ?? judgeDraws(id).finally(() => judging.delete(id));
  judging.set(id, begun);
  return begun;
}

async function judgeDraws(id: string): Promise<void> {
  const run = runWith(id);
  const fit = fitOf(id);
  if (run === undefined || run.status === 'failed' || fit === undefined || fit.draws === 0) return;
  // The findings of a link are those of all draws.
  if (!isSampler(run) || (run.linked !== undefined && run.findings !== undefined)) return;
  const { remote } = run;
  try {
    const findings =
      remote === undefined ? await fit.diagnose() : withDisplayNames(await serverClient().fit(remote.fit).diagnose());
    updateRun(id, { findings });
  } catch (error) {
    updateRun(id, { unjudged: reasonOf(error) });
  }
}

function withDisplayNames({ findings }: { readonly findings: readonly Finding[] }): readonly Finding[] {
  return findings.map((each) => ({
    ...each,
    concerns: each.concerns.map((concern) => ({ ...concern, name: displayName(concern.name) })),
  }));
}

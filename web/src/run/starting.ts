/** Runs of the project, from their start to their verdict. */
import { CompileError, RequestError, RunError } from 'leapfrog';
import { analyzeNow, language } from '../language/analysis.js';
import { fitOf } from '../state/fits.js';
import { keepRun } from '../state/kept-runs.js';
import type { Run } from '../state/run.js';
import { update, updateRun, useStore } from '../state/store.js';
import { runInBrowser } from './browser-run.js';
import { isSampler } from './functions.js';

const aborts = new Map<string, AbortController>();

// Runs in this browser end with the page: it is not left by mistake.
addEventListener('beforeunload', (event) => {
  if (aborts.size > 0) event.preventDefault();
});

/** Runs the project as it is now. */
export async function startRun(): Promise<void> {
  const { program, includes, data, settings } = useStore.getState().project;
  await start({ program, includes, data, settings }, {});
}

/** Runs the program without its likelihood; resolves to the reason where it cannot be told apart. */
export async function startPrior(): Promise<string | undefined> {
  await analyzeNow();
  const prior = await language.prior();
  if (prior.kind === 'unclear') return `Line ${prior.line}: ${prior.reason}.`;
  const { data, settings } = useStore.getState().project;
  const includes = Object.entries(prior.includes).map(([name, text]) => ({ name, text }));
  await start({ program: prior.text, includes, data, settings }, { isPrior: true });
  return undefined;
}

/** Ends a run; its draws so far are kept. */
export function cancelRun(id: string): void {
  aborts.get(id)?.abort();
}

async function start(source: Run['source'], kind: Pick<Run, 'isPrior'>): Promise<void> {
  const { project, runs } = useStore.getState();
  const run: Run = {
    id: crypto.randomUUID(),
    number: (runs[0]?.number ?? 0) + 1,
    projectId: project.id,
    source,
    ...kind,
    status: 'compiling',
    startedAt: Date.now(),
    chains: [],
    log: [],
    draws: 0,
    generated: [],
  };
  const stop = new AbortController();
  aborts.set(run.id, stop);
  update({ runs: [run, ...runs], runId: run.id, side: 'right' });
  void keepRun(run.id);
  try {
    await analyzeNow();
    const generated = Object.keys(useStore.getState().report?.info?.['generated quantities'] ?? {});
    updateRun(run.id, { generated });
    await runInBrowser(run, stop.signal);
    updateRun(run.id, { status: 'done', endedAt: Date.now() });
  } catch (error) {
    if (stop.signal.aborted) updateRun(run.id, { status: 'cancelled', endedAt: Date.now() });
    else updateRun(run.id, { status: 'failed', endedAt: Date.now(), message: reasonOf(error) });
  } finally {
    aborts.delete(run.id);
  }
  await judge(run.id);
  await keepRun(run.id);
}

/** Words for people; faults of ours keep their stack for a report. */
function reasonOf(error: unknown): string {
  if (error instanceof CompileError || error instanceof RequestError || error instanceof RunError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Says whether the draws of a run that is over can be relied on. */
export async function judge(id: string): Promise<void> {
  const run = useStore.getState().runs.find((each) => each.id === id);
  const fit = fitOf(id);
  if (run === undefined || run.status === 'failed' || fit === undefined || fit.draws === 0) return;
  if (isSampler(run)) updateRun(id, { findings: await fit.diagnose() });
}

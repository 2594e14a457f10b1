/** Runs of the project in this browser. */
import {
  CompileError,
  type Run as EngineRun,
  functions,
  RequestError,
  RunError,
  type RunEvent,
  type RunRequest,
} from 'leapfrog';
import { analyzeNow } from '../language/analysis.js';
import { fitOf, setFit } from '../state/fits.js';
import { keepRun } from '../state/kept-runs.js';
import type { ChainState, LogLine, Run } from '../state/run.js';
import { update, updateRun, useStore } from '../state/store.js';
import { modelOf } from './compiled.js';
import { givenArguments, isSampler } from './functions.js';

const aborts = new Map<string, AbortController>();

// Runs in this browser end with the page: it is not left by mistake.
addEventListener('beforeunload', (event) => {
  if (aborts.size > 0) event.preventDefault();
});

/** Runs the project as it is now. */
export async function startRun(): Promise<void> {
  const { project, runs } = useStore.getState();
  const { program, includes, data, settings } = project;
  const run: Run = {
    id: crypto.randomUUID(),
    number: (runs[0]?.number ?? 0) + 1,
    projectId: project.id,
    source: { program, includes, data, settings },
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
    const model = await modelOf(run.source);
    const request = { ...givenArguments(settings), function: settings.functionName, data };
    if (!isRequest(request)) throw new Error(`there is no function ${settings.functionName}`);
    const begun = model.run(request, { signal: stop.signal });
    updateRun(run.id, { status: 'running' });
    await follow(run.id, begun);
    updateRun(run.id, { status: 'done', endedAt: Date.now() });
  } catch (error) {
    if (stop.signal.aborted) updateRun(run.id, { status: 'cancelled', endedAt: Date.now() });
    else updateRun(run.id, { status: 'failed', endedAt: Date.now(), message: reasonOf(error) });
  } finally {
    aborts.delete(run.id);
  }
  await judgeIfDrawn(run.id);
  await keepRun(run.id);
}

/** The library checks arguments itself. */
function isRequest(request: { readonly function: string }): request is RunRequest {
  return functions.some(({ name }) => name === request.function);
}

/** Ends a run; its draws so far are kept. */
export function cancelRun(id: string): void {
  aborts.get(id)?.abort();
}

/** Words for people; faults of ours keep their stack for a report. */
function reasonOf(error: unknown): string {
  if (error instanceof CompileError || error instanceof RequestError || error instanceof RunError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function judgeIfDrawn(id: string): Promise<void> {
  const run = useStore.getState().runs.find((each) => each.id === id);
  const fit = fitOf(id);
  if (run === undefined || run.status === 'failed' || fit === undefined || fit.draws === 0) return;
  if (isSampler(run)) updateRun(id, { findings: await fit.diagnose() });
}

/** Milliseconds between two changes of the page while a run goes on. */
const INTERVAL = 80;

/** Takes in what a run tells, and shows it several times a second. */
async function follow(id: string, run: EngineRun): Promise<void> {
  const chains = new Map<number, ChainState>();
  const log: LogLine[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    timer = undefined;
    const fit = run.soFar();
    if (fit !== undefined) setFit(id, fit);
    updateRun(id, { draws: fit?.draws ?? 0, chains: [...chains.values()].sort((a, b) => a.id - b.id), log: [...log] });
    update(({ drawsVersion }) => ({ drawsVersion: drawsVersion + 1 }));
  };
  try {
    for await (const event of run) {
      take(event, chains, log);
      timer ??= setTimeout(show, INTERVAL);
    }
  } finally {
    clearTimeout(timer);
    show();
  }
}

function take(event: RunEvent, chains: Map<number, ChainState>, log: LogLine[]): void {
  const { chain } = event;
  const known = chains.get(chain) ?? { id: chain, progress: undefined, isOver: false };
  switch (event.kind) {
    case 'start':
      chains.set(chain, known);
      break;
    case 'adaptation':
      for (const text of event.text) log.push({ chain, level: 'info', text });
      break;
    case 'progress':
      chains.set(chain, { ...known, progress: event.progress });
      break;
    case 'log':
      log.push({ chain, level: event.level, text: event.text });
      break;
    case 'remark':
      log.push({ chain, level: 'info', text: event.text });
      break;
    case 'end':
      chains.set(chain, { ...known, isOver: true });
      break;
  }
}

/** Runs in this browser, with the library's workers. */

import type { Run as EngineRun, RunEvent, RunRequest } from 'leapfrog';
import { forgetWarmup, setFit, setWarmup } from '../state/fits.js';
import type { ChainState, LogLine, Run } from '../state/run.js';
import { update, updateRun } from '../state/store.js';
import { modelOf } from './compiled.js';
import { chainIds } from './functions.js';
import { requestOf } from './settings-request.js';
import { fitsFrom, initialValuesOf } from './sources.js';

/** Executes a run until it ends or is aborted, and shows its events. Rejects with the library's errors. */
export async function runInBrowser({ id, source }: Run, signal: AbortSignal): Promise<void> {
  const { data, settings } = source;
  const model = await modelOf(source);
  const inputs = { ...initialValuesOf(settings), ...(await fitsFrom(settings)) };
  const request = requestOf<RunRequest>(settings, { ...inputs, data });
  const begun = model.run(request, { signal, diagnostics: false });
  updateRun(id, { status: 'running' });
  await follow(id, begun, chainIds(settings));
  const { stopped } = await begun.result();
  if (stopped !== undefined) updateRun(id, { stopped });
}

/** Milliseconds between two updates of the page during a run. */
const INTERVAL = 80;

/** Collects the events of a run, and updates the page at intervals. */
async function follow(id: string, run: EngineRun, ids: readonly number[]): Promise<void> {
  const chains = new Map<number, ChainState>(ids.map((chain) => [chain, waiting(chain)]));
  const log: LogLine[] = [];
  const warmups = new Map(ids.map((chain): [number, number[]] => [chain, []]));
  setWarmup(id, [...warmups.values()]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    timer = undefined;
    const fit = run.soFar();
    if (fit !== undefined) setFit(id, fit);
    updateRun(id, {
      draws: fit?.draws ?? 0,
      chains: [...chains.values()].sort((a, b) => a.id - b.id),
      log: [...log],
      outlook: run.outlook(),
    });
    update(({ drawsVersion }) => ({ drawsVersion: drawsVersion + 1 }));
  };
  try {
    for await (const event of run) {
      if (event.kind === 'warmup') for (const each of event.logDensities) warmups.get(event.chain)?.push(each);
      else take(event, chains, log);
      timer ??= setTimeout(show, INTERVAL);
    }
  } finally {
    clearTimeout(timer);
    show();
    forgetWarmup(id);
    updateRun(id, { outlook: undefined });
  }
}

function waiting(id: number): ChainState {
  return { id, progress: undefined, isOver: false };
}

function take(event: RunEvent, chains: Map<number, ChainState>, log: LogLine[]): void {
  const { chain } = event;
  const known = chains.get(chain) ?? waiting(chain);
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

/** A run on the server that sent the page. It continues when the page is closed, and is found again. */
import type { Client, FitRequest } from '#engine/client/index.js';
import { outlookOf } from '#engine/run/outlook.js';
import { showLive } from '../server/live-draws.js';
import { loadRemote } from '../server/remote-draws.js';
import { serverClient } from '../server/server.js';
import { forgetFit } from '../state/fits.js';
import { keepRun } from '../state/kept-runs.js';
import type { ChainState, RemoteRun, Run } from '../state/run.js';
import { updateRun } from '../state/store.js';
import { chainIds, givenArguments, isRequest } from './functions.js';
import { initialValuesOf, namesFrom } from './sources.js';
import { blockOf, untilOf } from './until-settings.js';

/** Starts a run, and follows it to its end. Rejects with `ServerError`, also where it failed. */
export async function runOnServer(run: Run, signal: AbortSignal): Promise<void> {
  const { program, includes, data, settings } = run.source;
  const client = serverClient();
  const model = await client.compile(program, {
    includes: Object.fromEntries(includes.map(({ name, text }) => [name, text])),
  });
  const inputs = { ...initialValuesOf(settings), ...namesFrom(settings) };
  const request = {
    ...givenArguments(settings),
    ...untilOf(settings),
    ...inputs,
    function: settings.functionName,
    data,
  };
  if (!isRequest<FitRequest>(request)) throw new Error(`there is no function ${settings.functionName}`);
  const started = await model.fit(request);
  const remote: RemoteRun = { fit: started.name, operation: started.operation.name };
  updateRun(run.id, { status: 'running', remote });
  await keepRun(run.id);
  await followRemote({ ...run, remote }, client, signal);
}

/** Follows a run that the server makes, to its end; then its draws are loaded. */
export async function followRemote(
  run: Run & { readonly remote: RemoteRun },
  client: Client,
  signal: AbortSignal,
): Promise<void> {
  const started = await client.startedFit(run.remote.operation);
  signal.addEventListener('abort', () => void started.cancel().catch(() => undefined), { once: true });
  const { until } = untilOf(run.source.settings);
  let isOver = false;
  // If the server cannot send draws so early, only the progress is shown.
  void showLive(run, client, () => isOver || signal.aborted).catch(() => undefined);
  await started.wait({
    interval: INTERVAL,
    onProgress: ({ metadata }) => {
      const known = (metadata?.chains ?? []).map(
        ({ chain, state, ...progress }): ChainState => ({
          id: chain,
          progress,
          isOver: state !== undefined && state !== 'running' && state !== 'waiting',
        }),
      );
      // The server lists a chain once a thread has taken it.
      const waiting = chainIds(run.source.settings)
        .filter((id) => !known.some((chain) => chain.id === id))
        .map((id): ChainState => ({ id, progress: undefined, isOver: false }));
      const chains = [...known, ...waiting].toSorted((a, b) => a.id - b.id);
      const target = until && { until, block: blockOf(run.source.settings), shortfall: metadata?.shortfall };
      const outlook = outlookOf(chains, metadata?.estimates ?? [], target);
      const stopped = metadata?.stopped && { stopped: metadata.stopped.message };
      updateRun(run.id, { status: 'running', chains, outlook, ...stopped });
    },
  });
  isOver = true;
  updateRun(run.id, { outlook: undefined });
  // What was shown of it while it ran is incomplete.
  forgetFit(run.id);
  await loadRemote(run);
}

/** Milliseconds between two questions how far a run is. */
const INTERVAL = 250;

/** Runs on the server that sent the page. They continue when the page is closed, and the page follows them again later. */

import type { Client, FitRequest } from '#engine/client/index.js';
import { outlookOf } from '#engine/fits/outlook.js';
import type { ReportedStop } from '#engine/requests/until.js';
import { showLive } from '../server/live-draws.js';
import { loadRemote } from '../server/remote-draws.js';
import { cancelWith, serverClient } from '../server/server.js';
import { forgetFit } from '../state/fits.js';
import { keepRun } from '../state/kept-runs.js';
import type { ChainState, RemoteRun, Run } from '../state/run.js';
import { updateRun } from '../state/store.js';
import { chainIds } from './functions.js';
import { requestOf } from './settings-request.js';
import { initialValuesOf, namesFrom } from './sources.js';
import { blockOf, untilOf } from './until-settings.js';

/** Starts a run, and follows it until it ends. Rejects with `ServerError`, also if the run fails. */
export async function runOnServer(run: Run, signal: AbortSignal): Promise<void> {
  const { program, includes, data, settings } = run.source;
  const client = serverClient();
  const model = await client.compile(program, {
    includes: Object.fromEntries(includes.map(({ name, text }) => [name, text])),
  });
  const inputs = { ...initialValuesOf(settings), ...namesFrom(settings) };
  const started = await model.fit(requestOf<FitRequest>(settings, { ...inputs, data }));
  const remote: RemoteRun = { fit: started.name, operation: started.operation.name };
  updateRun(run.id, { status: 'running', remote });
  await keepRun(run.id);
  await followRemote({ ...run, remote }, client, signal);
}

/** Follows a run on the server until it ends, and then loads its draws. */
export async function followRemote(
  run: Run & { readonly remote: RemoteRun },
  client: Client,
  signal: AbortSignal,
): Promise<void> {
  const started = await client.startedFit(run.remote.operation);
  cancelWith(signal, started);
  const { until } = untilOf(run.source.settings);
  let isOver = false;
  // If the server cannot send draws yet, only the progress is shown.
  void showLive(run, client, { isOver: () => isOver, signal }).catch(() => undefined);
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
      // The server does not list a chain until a thread runs it.
      const waiting = chainIds(run.source.settings)
        .filter((id) => !known.some((chain) => chain.id === id))
        .map((id): ChainState => ({ id, progress: undefined, isOver: false }));
      const chains = [...known, ...waiting].toSorted((a, b) => a.id - b.id);
      const target = until && { until, block: blockOf(run.source.settings), shortfall: metadata?.shortfall };
      const outlook = outlookOf(chains, metadata?.estimates ?? [], target);
      const { stopped } = metadata ?? {};
      updateRun(run.id, { status: 'running', chains, outlook, ...(isByRule(stopped) && { stopped }) });
    },
  });
  isOver = true;
  updateRun(run.id, { outlook: undefined });
  // The draws that were shown during the run are incomplete.
  forgetFit(run.id);
  await loadRemote(run);
}

/** Whether a run has stopped by its rule, rather than by being cancelled. */
function isByRule(stopped: { readonly reason: string } | undefined): stopped is ReportedStop {
  return stopped !== undefined && stopped.reason !== 'cancelled';
}

/** Milliseconds between two requests for progress. */
const INTERVAL = 250;

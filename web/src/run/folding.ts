/** K-fold cross-validation of a run: its program is fitted again without each fold of the observations, in this browser or on the server. */
import type { Fit, Refits } from 'leapfrog';
import type { RefitRequest } from '#engine/client/index.js';
import { displayName } from '#engine/formats/columns.js';
import { USUAL_REFIT_CHAINS } from '#engine/requests/refit-request.js';
import { cancelWith, serverClient } from '../server/server.js';
import type { Folding, Folds } from '../state/refitting.js';
import type { Run } from '../state/run.js';
import { update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { modelOfRun } from './compiled.js';
import { calibratedArguments, isRequest, isSampler, samplerFields } from './functions.js';
import { type Job, RefitJobs } from './refit-jobs.js';

const jobs = new RefitJobs<Folding>((id, folding) =>
  update(({ foldings }) => ({ foldings: { ...foldings, [id]: folding } })),
);

export function cancelFolding(run: Run): void {
  jobs.cancel(run);
}

/** Cross-validates a run with its own sampler, until the refits end or are cancelled. */
export function startFolding(run: Run, fit: Fit, folds: Folds): Promise<void> {
  const { place, server } = useStore.getState();
  const refit = place === 'server' && server === 'ready' ? refitOnServer : refitInBrowser;
  const plan = { folds, chains: isSampler(run) ? fit.chains.length : USUAL_REFIT_CHAINS };
  return jobs.start(run, async (job) => ({ kind: 'done', folds, refits: await refit(run, plan, job) }));
}

interface Plan {
  readonly folds: Folds;
  /** Number of Markov chains of each refit. */
  readonly chains: number;
}

type Refit = (run: Run, plan: Plan, job: Job) => Promise<Refits>;

/** Like `model.kfold` of the library, with progress. */
const refitInBrowser: Refit = async (run, { chains, folds }, { onProgress, signal }) => {
  const { calibrationProgress, refitsIn } = await import('leapfrog');
  const model = await modelOfRun(run);
  signal.throwIfAborted();
  const { data, settings } = run.source;
  const sampler = { ...samplerFields(settings), num_chains: chains };
  const started = model.startKfold({ ...sampler, data, ...heldOut(folds) }, { signal });
  const count = countOf(folds);
  onProgress(0, count);
  for await (const done of calibrationProgress(started)) onProgress(done, count);
  return refitsIn(await started.result());
};

const refitOnServer: Refit = async (run, { chains, folds }, { onProgress, signal }) => {
  const { data, includes, program, settings } = run.source;
  const texts = Object.fromEntries(includes.map(({ name, text }) => [name, text]));
  const client = serverClient(signal);
  const model = await client.compile(program, { includes: texts });
  const { functionName, given } = calibratedArguments(settings);
  const request = { ...given, ...heldOut(folds), num_chains: chains, function: functionName, data };
  if (!isRequest<RefitRequest & { readonly function: string }>(request))
    throw new Error(t('runs.noFunction', { name: functionName }));
  // By another client, whose requests do not end with the signal: it also cancels. A cancelled operation must not be polled.
  const accepted = await serverClient().model(model.name).kfold(request);
  cancelWith(signal, accepted);
  const started = await client.startedFit(accepted.operation.name);
  const count = countOf(folds);
  await started.wait({
    interval: INTERVAL,
    onProgress: ({ metadata }) =>
      onProgress(
        (metadata?.chains ?? []).reduce((sum, { iteration = 0 }) => sum + iteration, 0),
        count,
      ),
  });
  const found = await started.kfold();
  return {
    elpd: { estimate: found.elpd_kfold, standardError: found.se_elpd_kfold },
    mcse: found.mcse_elpd_kfold,
    kfoldic: { estimate: found.kfoldic, standardError: found.se_kfoldic },
    observations: found.observations.map(({ elpd_kfold, fold, mcse_elpd_kfold, name }) => ({
      name: displayName(name),
      fold,
      elpd: elpd_kfold,
      mcse: mcse_elpd_kfold,
    })),
    refits: found.refits,
    ok: found.ok,
    message: found.text,
    statements: found.statements,
  };
};

/** Milliseconds between two requests for progress. */
const INTERVAL = 250;

function heldOut(folds: Folds): { readonly folds: number } | { readonly groups: string } {
  return 'variable' in folds ? { groups: folds.variable } : { folds: folds.count };
}

function countOf(folds: Folds): number {
  return 'variable' in folds ? folds.values.length : folds.count;
}

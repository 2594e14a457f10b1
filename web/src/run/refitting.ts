/** Exact leave-one-out cross-validation of a run: its program is fitted again without each observation whose Pareto k is high. */
import type { Fit } from 'leapfrog';
import { unreliableNames, withRefits } from '#engine/studies/refit-results.js';
import type { Refitting } from '../state/refitting.js';
import type { Run } from '../state/run.js';
import { derivedTermsOf } from '../state/statistics.js';
import { update } from '../state/store.js';
import { modelOfRun } from './compiled.js';
import { samplerFields } from './functions.js';
import { type Job, RefitJobs } from './refit-jobs.js';

const jobs = new RefitJobs<Refitting>(show);

export function cancelRefits(run: Run): void {
  jobs.cancel(run);
}

/** Removes the result of refits, so that the approximate estimates are shown again. */
export function discardRefits({ id }: Run): void {
  show(id, undefined);
}

/** Refits a run in this browser, with its own sampler, until the refits end or are cancelled. */
export function startRefits(run: Run, fit: Fit): Promise<void> {
  return jobs.start(run, (job) => refitted(run, fit, job));
}

/** Like `model.loo` of the library with `exact`, with progress. */
async function refitted(run: Run, fit: Fit, { onProgress, signal }: Job): Promise<Refitting> {
  const { calibrationProgress, refitsIn } = await import('leapfrog');
  const model = await modelOfRun(run);
  const terms = await derivedTermsOf(run, fit);
  const weighted = await terms.loo();
  signal.throwIfAborted();
  const approximate = weighted.elpd.estimate;
  const observations = unreliableNames(weighted);
  // The program's own `log_lik` may differ from its likelihood, and have a high Pareto k for observations for which the likelihood does
  // not.
  if (observations.length === 0) return { kind: 'done', loo: weighted, names: new Set(), approximate };
  const chains = fit.chains.length;
  const { data, settings } = run.source;
  const sampler = { ...samplerFields(settings), num_chains: chains };
  const started = model.startKfold({ ...sampler, data, warm_start: fit, observations }, { signal });
  const count = observations.length;
  onProgress(0, count);
  for await (const done of calibrationProgress(started)) onProgress(done, count);
  const refits = refitsIn(await started.result());
  const names = new Set(refits.observations.map(({ name }) => name));
  return { kind: 'done', loo: withRefits(weighted, refits, terms.draws * chains), names, approximate };
}

function show(id: string, refitting: Refitting | undefined): void {
  update(({ refits: { [id]: _, ...others } }) => ({
    refits: refitting === undefined ? others : { ...others, [id]: refitting },
  }));
}

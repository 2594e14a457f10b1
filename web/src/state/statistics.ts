/** Statistics of finished runs, computed once by threads of the library. */
import type { Fit, LeaveOneOut, LeftOutTransforms, Run as LibraryRun, LogEvidence, Prediction } from 'leapfrog';
import { LOG_LIKELIHOOD } from '#engine/derive/derived-names.js';
import { displayName, variableOf } from '#engine/formats/columns.js';
import { modelOfRun } from '../run/compiled.js';
import type { Deriving, DerivingChoice } from './deriving.js';
import type { QuantitySummary } from './quantity-summary.js';
import type { RemoteRun, Run } from './run.js';
import { update, useStore } from './store.js';

interface Statistics {
  summary?: Promise<readonly QuantitySummary[]>;
  loo?: Promise<LeaveOneOut>;
  terms?: Promise<Fit>;
  replicated?: Promise<Fit>;
  evidence?: Promise<LogEvidence>;
  /** Cancels the computation of `loo`, `terms` and `replicated`. */
  stop?: AbortController;
  /** By the name of the outcome. */
  readonly transforms: Map<string, Promise<LeftOutTransforms | undefined>>;
  /** The draws that the user has chosen, by the draws that they are chosen from. */
  readonly chosen: Map<Fit, Fit>;
}

const known = new Map<string, Statistics>();

function of({ id }: Run): Statistics {
  const there = known.get(id) ?? { transforms: new Map(), chosen: new Map() };
  known.set(id, there);
  return there;
}

/** Summaries of all quantities; the server computes those of its large runs. */
export function summaryOf(run: Run, fit: Fit): Promise<readonly QuantitySummary[]> {
  const there = of(run);
  const { linked } = run;
  if (linked !== undefined) return Promise.resolve(linked.summaries);
  there.summary ??=
    run.remote?.isLarge === true ? remoteSummary(run.remote) : fit.draws === 0 ? Promise.resolve([]) : fit.summary();
  return there.summary;
}

/** Leave-one-out cross-validation; rejects if the draws do not allow it. */
export function looOf(run: Run, fit: Fit): Promise<LeaveOneOut> {
  const there = of(run);
  there.loo ??= leftOut(run, fit);
  return there.loo;
}

/** Leave-one-out cross-validation from log likelihoods that are derived from the program; rejects if they cannot be derived. */
export function derivedLooOf(run: Run, fit: Fit): Promise<LeaveOneOut> {
  const there = of(run);
  there.loo ??= derivedTermsOf(run, fit).then((terms) => leftOut(run, terms));
  return there.loo;
}

/** Leave-one-out cross-validation, with its progress. */
async function leftOut(run: Run, terms: Fit): Promise<LeaveOneOut> {
  const signal = signalOf(run);
  const onProgress = (done: number, count: number) =>
    !signal.aborted && showDeriving(run, { kind: 'loo', done, count });
  try {
    return await terms.loo({ onProgress, signal });
  } finally {
    if (!signal.aborted) showDeriving(run, undefined);
  }
}

function signalOf(run: Run): AbortSignal {
  const there = of(run);
  there.stop ??= new AbortController();
  return there.stop.signal;
}

/** Log likelihoods of the observations, derived from the program. */
export function derivedTermsOf(run: Run, fit: Fit): Promise<Fit> {
  const there = of(run);
  // Simulations first: they are shown above the cross-validation.
  const before = there.replicated?.catch(() => undefined);
  there.terms ??= derived(run, fit, 'terms', async (signal) => {
    await before;
    const request = { fitted_params: fit, data: run.source.data, refresh: 0 };
    return (await modelOfRun(run)).logLikelihood(request, { signal });
  });
  return there.terms;
}

/** Derives quantities from the program for draws, and shows the progress. */
async function derived(
  run: Run,
  fit: Fit,
  kind: Deriving['kind'],
  start: (signal: AbortSignal) => Promise<LibraryRun>,
): Promise<Fit> {
  const signal = signalOf(run);
  const count = fit.draws * fit.chains.length;
  const started = await start(signal);
  let done = 0;
  try {
    for await (const event of started) {
      if (event.kind !== 'draws' || signal.aborted) continue;
      done += event.count;
      showDeriving(run, { kind, done, count });
    }
    return await started.result();
  } finally {
    if (!signal.aborted) showDeriving(run, undefined);
  }
}

/** The draws for predictive checks: all, or at most the number that the user has chosen. */
export function chosenDraws(run: Run, fit: Fit): Fit {
  const most = useStore.getState().derivingChoices[run.id]?.most;
  if (most === undefined) return fit;
  const { chosen } = of(run);
  const made = chosen.get(fit) ?? fit.thin(most);
  chosen.set(fit, made);
  return made;
}

function showDeriving({ id }: Run, state: Deriving | undefined): void {
  update(({ deriving: { [id]: _, ...others } }) => ({
    deriving: state === undefined ? others : { ...others, [id]: state },
  }));
}

/** Cancels the computation of predictive checks of a run. The next one follows the choice. */
export function chooseDeriving(run: Run, choice: DerivingChoice): void {
  const { evidence, stop, summary } = of(run);
  stop?.abort();
  known.set(run.id, {
    transforms: new Map(),
    chosen: new Map(),
    ...(summary && { summary }),
    ...(evidence && { evidence }),
  });
  showDeriving(run, undefined);
  update(({ derivingChoices }) => ({ derivingChoices: { ...derivingChoices, [run.id]: choice } }));
}

/**
 * Leave-one-out probability integral transforms of the observations. `simulated` are draws of the prediction, from the run or derived; log
 * likelihoods are the run's `log_lik` or derived.
 */
export function transformsOf(
  run: Run,
  fit: Fit,
  prediction: Prediction,
  simulated: Fit,
): Promise<LeftOutTransforms | undefined> {
  const { transforms } = of(run);
  const isOwn = fit.columns.some((name) => variableOf(name) === LOG_LIKELIHOOD);
  const terms = isOwn ? Promise.resolve(fit) : derivedTermsOf(run, fit);
  const made = transforms.get(prediction.name) ?? terms.then((found) => found.looPit(prediction, simulated));
  transforms.set(prediction.name, made);
  return made;
}

/** The log evidence of the program; rejects if the draws do not determine it. */
export function evidenceOf(run: Run, fit: Fit): Promise<LogEvidence> {
  const there = of(run);
  there.evidence ??= modelOfRun(run).then((model) => model.logEvidence(fit, run.source.data));
  return there.evidence;
}

/** Replicated data that are derived from the program; rejects if they cannot be derived. */
export function replicatedOf(run: Run, fit: Fit): Promise<Fit> {
  const there = of(run);
  there.replicated ??= derived(run, fit, 'replicated', async (signal) => {
    const request = { fitted_params: fit, data: run.source.data, random_seed: 1, refresh: 0 };
    return (await modelOfRun(run, run.original)).predict(request, { signal });
  });
  return there.replicated;
}

async function remoteSummary({ fit }: RemoteRun): Promise<readonly QuantitySummary[]> {
  const { serverClient } = await import('../server/server.js');
  const { variables } = await serverClient().fit(fit).summary();
  return variables.map((each) => ({
    name: displayName(each.name),
    mean: each.mean,
    sd: each.sd,
    mcseMean: each.mcse_mean,
    mcseSd: each.mcse_sd,
    q05: each.q5,
    q50: each.q50,
    q95: each.q95,
    essBulk: each.ess_bulk,
    essTail: each.ess_tail,
    rhat: each.rhat,
  }));
}

/** Must be called when a run is removed. */
export function forgetStatistics(runId: string): void {
  known.delete(runId);
}

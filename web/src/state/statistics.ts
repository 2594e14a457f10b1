/** Statistics of finished runs, computed once by threads of the library. */
import type { Fit, LeaveOneOut, LeftOutTransforms, LogEvidence, NamedSummary, Prediction } from 'leapfrog';
import { displayName, variableOf } from '#engine/formats/columns.js';
import { LOG_LIKELIHOOD } from '#engine/run/cross-validation.js';
import { modelOfRun } from '../run/compiled.js';
import type { RemoteRun, Run } from './run.js';

/** The statistics of a quantity that tables show, with its name in their form (`theta[1]`). */
export type QuantitySummary = Omit<NamedSummary, 'variation' | 'isSeparated'>;

interface Statistics {
  summary?: Promise<readonly QuantitySummary[]>;
  loo?: Promise<LeaveOneOut>;
  terms?: Promise<Fit>;
  replicated?: Promise<Fit>;
  evidence?: Promise<LogEvidence>;
  /** By the name of the outcome. */
  readonly transforms: Map<string, Promise<LeftOutTransforms | undefined>>;
}

const known = new Map<string, Statistics>();

function of({ id }: Run): Statistics {
  const there = known.get(id) ?? { transforms: new Map() };
  known.set(id, there);
  return there;
}

/** Summaries of all quantities; the server computes those of its large runs. */
export function summaryOf(run: Run, fit: Fit): Promise<readonly QuantitySummary[]> {
  const there = of(run);
  there.summary ??=
    run.remote?.isLarge === true ? remoteSummary(run.remote) : fit.draws === 0 ? Promise.resolve([]) : fit.summary();
  return there.summary;
}

/** Leave-one-out cross-validation; rejects if the draws do not allow it. */
export function looOf(run: Run, fit: Fit): Promise<LeaveOneOut> {
  const there = of(run);
  there.loo ??= fit.loo();
  return there.loo;
}

/** Leave-one-out cross-validation from log likelihoods that are derived from the program; rejects if they cannot be derived. */
export function derivedLooOf(run: Run, fit: Fit): Promise<LeaveOneOut> {
  const there = of(run);
  there.loo ??= derivedTermsOf(run, fit).then((terms) => terms.loo());
  return there.loo;
}

/** Log likelihoods of the observations, derived from the program. */
export function derivedTermsOf(run: Run, fit: Fit): Promise<Fit> {
  const there = of(run);
  const request = { fitted_params: fit, data: run.source.data, refresh: 0 };
  there.terms ??= modelOfRun(run).then((model) => model.logLikelihood(request).result());
  return there.terms;
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
  const request = { fitted_params: fit, data: run.source.data, random_seed: 1, refresh: 0 };
  there.replicated ??= modelOfRun(run, run.original).then((model) => model.predict(request).result());
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

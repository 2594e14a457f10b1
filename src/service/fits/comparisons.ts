/** Comparison of fits by their predictions of the same observations. */
import { compareFits } from '../../fits/comparison.js';
import type { LeaveOneOut } from '../../fits/cross-validation.js';
import { type ErrorDetail, type ErrorReason, problems, ServiceError } from '../errors.js';
import { parseFitName } from '../operations/fit-request.js';
import type { ComparisonResource } from '../schemas/comparisons.js';
import { selectFrom } from '../threads/selection.js';
import { crossValidated } from './cross-validation.js';
import { type OpenFit, openFit } from './open-fit.js';
import { estimatesOf } from './predictions.js';
import type { Services } from './services.js';

interface FitToCompare {
  readonly name: string;
  /** JSON text. */
  readonly data: string;
  readonly variable?: string | undefined;
  readonly moment_match?: boolean | undefined;
  readonly refits?: string | undefined;
}

/** The cross-validation of the fit with this name. */
type ValidatedFit = LeaveOneOut & { readonly name: string };

/** Cross-validates fits, and compares them. Throws if one of them does not exist, and for fits of different observations. */
export async function compareFinished(
  services: Services,
  fits: readonly FitToCompare[],
  signal: AbortSignal,
): Promise<ComparisonResource> {
  const refits = fits.flatMap(({ refits: name }) => (name === undefined ? [] : [services.store.hold(name)]));
  try {
    return comparisonOf(
      await withFits(services, fits, signal, (opened, modelId, fit, index) =>
        validatedFit(services, modelId, opened, fit, `/fits/${index}`, signal),
      ),
    );
  } finally {
    for (const release of refits) release();
  }
}

/**
 * Runs an action on each of several fits, one after another. All fits are opened before the first action, so that a
 * missing fit is reported immediately and none is evicted.
 */
export async function withFits<Fit extends { readonly name: string }, Result>(
  services: Services,
  fits: readonly Fit[],
  signal: AbortSignal,
  action: (opened: OpenFit, modelId: string, fit: Fit, index: number) => Promise<Result>,
): Promise<Result[]> {
  const ids = idsOf(fits);
  const opened: OpenFit[] = [];
  try {
    for (const { fitId, modelId } of ids) opened.push(await openFit(services, modelId, fitId));
    const results: Result[] = [];
    for (const [index, fit] of fits.entries()) {
      signal.throwIfAborted();
      results.push(await action(opened[index], ids[index].modelId, fit, index));
    }
    return results;
  } finally {
    for (const { release } of opened) release();
  }
}

function idsOf(fits: readonly { readonly name: string }[]): { readonly modelId: string; readonly fitId: string }[] {
  const details: ErrorDetail[] = [];
  const ids = fits.flatMap(({ name }, index) => {
    const field = `/fits/${index}/name`;
    const own = parseFitName(name);
    if (own === undefined) {
      details.push({ field, message: 'must be the name of a fit, models/<model_id>/fits/<fit_id>' });
      return [];
    }
    const first = fits.findIndex((each) => each.name === name);
    if (first < index) details.push({ field, message: `names the same fit as /fits/${first}/name` });
    return [own];
  });
  if (details.length > 0) throw problems.invalidRequest(details);
  return ids;
}

async function validatedFit(
  services: Services,
  modelId: string,
  { contents, name, record }: OpenFit,
  fit: FitToCompare,
  at: string,
  signal: AbortSignal,
): Promise<ValidatedFit> {
  const reported = { name, contents, selection: selectFrom(contents, {}, false), stopped: record.stopped };
  const loo = await naming(name, () => crossValidated(services, modelId, reported, { ...fit, at, signal }));
  const source = await services.models.source(modelId);
  if (source === undefined) throw problems.modelNotFound(modelId);
  const job = { kind: 'observe', source, data: fit.data, count: loo.observations.length } as const;
  const { observed } = await services.requests.perform('Reading the outcomes', job, 'observed');
  return { ...loo, name, observed };
}

/** Runs an action on a fit. The message of a program's or the engine's error begins with the name of the fit. */
export async function naming<Result>(name: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof ServiceError) || !OF_FIT.includes(error.reason)) throw error;
    throw new ServiceError(error.reason, `${name}: ${error.message}`, error.details);
  }
}

/** Errors that do not name a field of the request. */
const OF_FIT: readonly ErrorReason[] = ['refused', 'not_compiled'];

function comparisonOf(validated: readonly ValidatedFit[]): ComparisonResource {
  const { comparison, ranked } = compareFits(validated);
  return {
    models: ranked.map((loo, k) => {
      const { difference, name, probabilityWorse, pseudoBmaPlus, stacking, standardError } = comparison.models[k];
      return {
        name,
        elpd_diff: difference,
        se_diff: standardError,
        p_worse: probabilityWorse,
        stacking,
        pseudo_bma_plus: pseudoBmaPlus,
        ...estimatesOf(loo),
      };
    }),
    observations: ranked[0].observations.length,
    text: comparison.cautions.join(' '),
    statements: [...comparison.statements],
  };
}

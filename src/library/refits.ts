import type { SampleFields } from '../requests/fit-requests.js';
import { type RefitPlan, readRefitPlan, refitShares } from '../requests/refit-request.js';
import { type Refits, refitsOf } from '../studies/refit-results.js';
import { RequestError } from './errors.js';
import type { Fit } from './fit.js';
import type { Data } from './requests.js';

/** The fields of the sampler for refits. `num_chains` is the number of Markov chains of each refit, 4 by default. */
export type RefitSampler = Omit<
  SampleFields<Fit, Data>,
  'chain' | 'save' | 'continue' | 'init' | 'data' | 'warm_start'
>;

/** The fields of cross-validation with refits. At most one of `folds`, `groups` and `observations` is given. */
export type RefitFields = RefitSampler &
  Pick<SampleFields<Fit, Data>, 'data' | 'warm_start'> & {
    /** Number of groups into which observations are divided at random; 10 by default. */
    readonly folds?: number;
    /** A member of the data with the group number of each observation. */
    readonly groups?: string;
    /** Names of observations, such as `y[3]`, to leave out one at a time. */
    readonly observations?: readonly string[];
  };

/**
 * The fields of `sample` for refits, and the plan of the refits. Throws `RequestError` for fields that refits do not
 * support.
 */
export function refitRequest(fields: RefitFields): { readonly request: object; readonly plan: RefitPlan } {
  const read = readRefitPlan({ ...fields });
  if ('problems' in read) throw new RequestError(read.problems);
  const { plan, rest } = read;
  return { request: { ...rest, num_chains: refitShares(plan.held) }, plan };
}

/** The result of refits, from their fit, whose draws are estimates. */
export function refitsIn(fit: Fit): Refits {
  return refitsOf(fit.columns.map((name, place) => ({ name, chains: fit.columnAt(place) })));
}

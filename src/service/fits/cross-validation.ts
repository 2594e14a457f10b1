/** Leave-one-out cross-validation of a fit with the data of its model. */

import { LOG_LIKELIHOOD } from '../../derive/derived-names.js';
import type { LeaveOneOut } from '../../fits/cross-validation.js';
import { placesOf } from '../../formats/columns.js';
import { withRefits } from '../../studies/refit-results.js';
import { problems } from '../errors.js';
import { parseFitName } from '../operations/fit-request.js';
import { type Reported, rangesOf } from '../threads/reports.js';
import { type FitQuery, wantedColumns } from '../threads/selection.js';
import { leaveOneOut, leaveOneOutDerived, leaveOneOutMatched } from './predictions.js';
import { refitsOfFit } from './refits.js';
import type { Services } from './services.js';
import { withDerived } from './with-derived.js';

interface LooRequest {
  /** JSON text. */
  readonly data: string;
  /**
   * The variable with log likelihoods. By default `log_lik`, which is derived from the program if the draws do not
   * contain it.
   */
  readonly variable?: string | undefined;
  readonly moment_match?: boolean | undefined;
  /** The name of a fit with the results of refits. */
  readonly refits?: string | undefined;
  /** Selects draws. */
  readonly query?: FitQuery;
  /** The JSON pointer to the object with these fields. */
  readonly at?: string;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

/** Cross-validates the selected draws of a model's fit. */
export async function crossValidated(
  services: Services,
  id: string,
  reported: Reported,
  { at = '', data, moment_match: matches = false, query = {}, refits: name, signal, variable }: LooRequest,
): Promise<LeaveOneOut> {
  const { requests } = services;
  const field = `${at}/variable`;
  const ofVariable = (columns: readonly number[]) =>
    leaveOneOut(requests, { ...reported, selection: { ...reported.selection, columns } }, field);
  if (variable !== undefined) {
    if (matches || name !== undefined) {
      const message = 'cannot be combined with moment_match or refits';
      throw problems.invalidRequest([{ field, message }]);
    }
    const wanted = wantedColumns(variable, reported.contents.columns);
    if ('places' in wanted) return ofVariable(wanted.places);
    throw problems.invalidRequest([{ ...wanted.problem, field }]);
  }
  const derives = name !== undefined;
  const fit = name === undefined ? undefined : parseFitName(name);
  if (derives && fit?.modelId !== id) {
    const message = 'must name a fit of kfold of this model';
    throw problems.invalidRequest([{ field: `${at}/refits`, message }]);
  }
  const weigh = async (): Promise<LeaveOneOut> => {
    if (matches) {
      const source = await services.models.source(id);
      if (source === undefined) throw problems.modelNotFound(id);
      return leaveOneOutMatched(requests.until(signal), reported, { data, derives, id, source });
    }
    const own = derives ? [] : placesOf(LOG_LIKELIHOOD, reported.contents.columns);
    if (own.length > 0) return ofVariable(own);
    const derived = { data, kind: 'log_lik', query, seed: 1 } as const;
    return withDerived(services, id, reported, derived, (each) => leaveOneOutDerived(requests, each, field));
  };
  const loo = await weigh();
  if (fit === undefined) return loo;
  const { refits } = await refitsOfFit(services, { model_id: id, fit_id: fit.fitId });
  const draws = rangesOf(reported.selection).reduce((sum, { count }) => sum + count, 0);
  return withRefits(loo, refits, draws);
}

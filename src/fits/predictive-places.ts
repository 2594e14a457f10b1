/**
 * Leave-one-out probability integral transforms of a fit: the position of each observation among its predictions from all other
 * observations.
 */
import { LOG_LIKELIHOOD, LOG_LIKELIHOOD_OF, TERMS_OF } from '../derive/derived-names.js';
import { variableOf } from '../formats/columns.js';
import { createRng } from '../inference/random/random-stream.js';
import { type PredictivePlace, predictivePlace } from '../inference/validation/leave-one-out.js';
import type { Prediction } from './predictions.js';
import type { NamedDraws } from './statistics.js';

/** Columns that belong to one observation. */
export interface ObservationColumns {
  readonly observed: number;
  readonly logLikelihood: string;
  /** Column that is 0 if an element of the data is not an outcome. */
  readonly mark: string | undefined;
  readonly simulated: string;
}

/**
 * The log likelihoods among `columns` that belong to the observations of a prediction: derived ones, or `log_lik` with the same number of
 * elements; none if they cannot be matched.
 */
export function observationColumns(columns: readonly string[], prediction: Prediction): readonly ObservationColumns[] {
  const { columns: simulated, name, observed } = prediction;
  const known = new Set(columns);
  const own = columns.filter((column) => variableOf(column) === LOG_LIKELIHOOD);
  const found = simulated.flatMap((column, place) => {
    const element = `${name}${column.slice(variableOf(column).length)}`;
    const derived = LOG_LIKELIHOOD_OF + element;
    const logLikelihood = known.has(derived) ? derived : own.length === simulated.length ? own[place] : undefined;
    if (logLikelihood === undefined) return [];
    const mark = known.has(TERMS_OF + element) ? TERMS_OF + element : undefined;
    return [{ observed: observed[place], logLikelihood, mark, simulated: column }];
  });
  return found.length === simulated.length ? found : [];
}

/** Positions of some observations. The draws of log likelihoods and simulations are in the same order. */
export function placesAmong(
  observations: readonly { readonly observed: number }[],
  logLikelihoods: readonly NamedDraws[],
  simulated: readonly NamedDraws[],
): readonly PredictivePlace[] {
  return observations.map(({ observed }, index) =>
    predictivePlace(logLikelihoods[index].chains, simulated[index].chains, observed),
  );
}

export interface LeftOutTransforms {
  /** One number from 0 to 1 for each observation. */
  readonly places: Float64Array;
  /** Whether simulations equal observations. */
  readonly isRandomized: boolean;
  /** The observations. */
  readonly observed: Float64Array;
  /** The quantiles at 0.05, 0.25, 0.5, 0.75 and 0.95 of the predictions of each observation from all others. */
  readonly quantiles: readonly (readonly number[])[];
}

/**
 * Probability integral transforms. If simulations equal an observation, as counts do, its transform is uniform between the probabilities
 * of smaller and of smaller or equal values (C. Czado, T. Gneiting and L. Held, "Predictive model assessment for count data", 2009,
 * section 2.1), which makes it uniform over observations if the model is right. The random numbers are always the same.
 */
export function transformsOf(places: readonly PredictivePlace[]): LeftOutTransforms {
  const rng = createRng(1, 1);
  return {
    places: Float64Array.from(places, ({ equal, smaller }) => smaller + equal * rng.uniform()),
    isRandomized: places.some(({ equal }) => equal > 0),
    observed: Float64Array.from(places, ({ observed }) => observed),
    quantiles: places.map(({ quantiles }) => quantiles),
  };
}

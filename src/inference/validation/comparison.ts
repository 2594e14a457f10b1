import { type Statement, write } from '../../base/statement.js';
import { normalCumulative } from '../diagnostics/normal-cumulative.js';
import { CAUTION_SENTENCES } from './caution-sentences.js';
import { type LeftOut, sumOf } from './leave-one-out.js';
import { pseudoBmaWeights, stackingWeights } from './model-weights.js';

/** A model with leave-one-out estimates for each observation. */
export interface Validated {
  readonly name: string;
  /** In the order of the observations. */
  readonly leftOut: readonly LeftOut[];
}

/** A model compared with the best one. */
export interface Compared {
  readonly name: string;
  readonly elpd: number;
  /** `elpd` minus that of the best model; 0 for the best model. */
  readonly difference: number;
  /** Standard error of the difference, from the differences of the individual observations. */
  readonly standardError: number;
  /** The probability that the model predicts worse than the best model, if the difference is normal; NaN for the best model. */
  readonly probabilityWorse: number;
  /** Stacking weight: the weight in the average of predictive distributions that predicts best. */
  readonly stacking: number;
  /** Pseudo-BMA+ weight: proportional to the predictive density of the model on its own. */
  readonly pseudoBmaPlus: number;
}

/**
 * Compares the predictive performance of models of the same observations. Returns the best model first (Vehtari, Gelman and Gabry, 2017,
 * section 5.2; Sivula, Magnusson, Matamoros and Vehtari, "Uncertainty in Bayesian leave-one-out cross-validation based model comparison",
 * 2025).
 */
export function compareModels<Model extends Validated>(
  models: readonly Model[],
): { readonly model: Model; readonly compared: Compared }[] {
  const ranked = models
    .map((model) => ({ model, pointwise: model.leftOut.map(({ elpd }) => elpd) }))
    .map((each) => ({ ...each, elpd: sumOf(each.pointwise).estimate }))
    .sort((a, b) => b.elpd - a.elpd);
  const [best] = ranked;
  const all = ranked.map(({ pointwise }) => pointwise);
  const [stacking, pseudoBmaPlus] = [stackingWeights(all), pseudoBmaWeights(all)];
  return ranked.map(({ elpd, model, pointwise }, k) => {
    const { estimate, standardError } = sumOf(pointwise.map((value, place) => value - best.pointwise[place]));
    const probabilityWorse = pointwise === best.pointwise ? Number.NaN : normalCumulative(-estimate / standardError);
    const weights = { stacking: stacking[k], pseudoBmaPlus: pseudoBmaPlus[k] };
    const compared = { name: model.name, elpd, difference: estimate, standardError, probabilityWorse, ...weights };
    return { model, compared };
  });
}

/** Cautions about a comparison: with fewer than a hundred observations, or a difference below 4, standard errors are too small. */
export function cautionStatements(
  compared: readonly Compared[],
  observations: number,
): Statement<keyof typeof CAUTION_SENTENCES>[] {
  const [, ...others] = compared;
  const close = others.filter(({ difference }) => difference > -LEAST_DIFFERENCE).map(({ name }) => name);
  return [
    ...(observations < LEAST_OBSERVATIONS
      ? [{ key: 'fewObservations', values: { count: observations, least: LEAST_OBSERVATIONS } } as const]
      : []),
    ...(close.length > 0
      ? [{ key: 'smallDifferences', values: { names: close.join(', '), least: LEAST_DIFFERENCE } } as const]
      : []),
  ];
}

/** The cautions in English, one sentence each. */
export function cautions(compared: readonly Compared[], observations: number): string[] {
  return cautionStatements(compared, observations).map((statement) => write(CAUTION_SENTENCES, [statement]));
}

const LEAST_OBSERVATIONS = 100;
const LEAST_DIFFERENCE = 4;

import { type Comparison, compareFits } from '../fits/comparison.js';
import type { LeaveOneOut } from '../fits/cross-validation.js';

/**
 * Compares the predictions of several models of the same observations, from the result of `Model.loo` or `Fit.loo` for
 * each model, by name. Throws `RequestError` for fewer than two models, and if their observations differ in number,
 * names, order, or values of the outcomes. Values are known if `Model.loo` received data.
 */
export function compare(models: Readonly<Record<string, LeaveOneOut>>): Comparison {
  return compareFits(Object.entries(models).map(([name, loo]) => ({ ...loo, name }))).comparison;
}

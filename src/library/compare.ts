import { type Comparison, compareFits, incomparableText } from '../run/comparison.js';
import type { LeaveOneOut } from '../run/cross-validation.js';
import { RequestError } from './errors.js';

/**
 * Compares the predictions of several models of the same observations, from the result of `Model.loo` or `Fit.loo` for
 * each model, by name. Throws `RequestError` for fewer than two models, and if their observations differ in number,
 * names, order, or values of the outcomes. Values are known if `Model.loo` received data.
 */
export function compare(models: Readonly<Record<string, LeaveOneOut>>): Comparison {
  const compared = compareFits(Object.entries(models).map(([name, loo]) => ({ ...loo, name })));
  if (!('refused' in compared)) return compared;
  throw new RequestError([{ field: 'models', message: `cannot be compared: ${incomparableText(compared.refused)}` }]);
}

/** The quantities of a fit that a reader views first. */
import { variableOf } from './columns.js';
import { LOG_LIKELIHOOD } from './cross-validation.js';
import { simulatedVariables } from './predictions.js';

/**
 * Names without the log density, the terms of the log likelihood, and simulations of data; all names if there are no others. Indices are
 * written with dots, as columns have them, or in brackets.
 */
export function keyQuantities(names: readonly string[]): readonly string[] {
  const left = new Set([...simulatedVariables(names.map(variableOf)), LOG_LIKELIHOOD, 'lp__']);
  const key = names.filter((name) => !left.has(variableOf(name)));
  return key.length > 0 ? key : names;
}

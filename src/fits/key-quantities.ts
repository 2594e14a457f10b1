/** The quantities of a fit to show first. */

import { LOG_LIKELIHOOD } from '../derive/derived-names.js';
import { variableOf } from '../formats/columns.js';
import { simulatedVariables } from './predictions.js';

/**
 * The names without the log density, terms of the log likelihood, and simulations of data; all names if no others remain. Indexes may be
 * written with dots, as in columns, or in brackets.
 */
export function keyQuantities(names: readonly string[]): readonly string[] {
  const left = new Set([...simulatedVariables(names.map(variableOf)), LOG_LIKELIHOOD, 'lp__']);
  const key = names.filter((name) => !left.has(variableOf(name)));
  return key.length > 0 ? key : names;
}

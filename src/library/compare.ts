import { type Compared, cautionStatements, cautions, compareModels } from '../inference/validation/comparison.js';
import type { LeaveOneOut } from '../run/cross-validation.js';
import type { Statement } from '../sentences/statement.js';
import { RequestError } from './errors.js';

export interface Comparison {
  /** Models, best first. */
  readonly models: readonly Compared[];
  /** Reasons why the numbers may be less reliable than they seem, one sentence each. */
  readonly cautions: readonly string[];
  /** The cautions as data, for translation. */
  readonly statements: readonly Statement[];
}

/**
 * Compares how well models of the same observations predict, from the result of `Fit.loo` for each, by name. Throws `RequestError` if their
 * numbers of observations differ.
 */
export function compare(models: Readonly<Record<string, LeaveOneOut>>): Comparison {
  const named = Object.entries(models).map(([name, { observations }]) => ({ name, leftOut: observations }));
  const count = named[0]?.leftOut.length ?? 0;
  for (const { leftOut, name } of named) {
    if (leftOut.length === count) continue;
    const message = `has ${leftOut.length} observations and ${named[0].name} ${count}: a comparison requires the same observations`;
    throw new RequestError([{ field: name, message }]);
  }
  const compared = compareModels(named);
  return {
    models: compared,
    cautions: cautions(compared, count),
    statements: cautionStatements(compared, count),
  };
}

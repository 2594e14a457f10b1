/** The outcomes of a program in its data. */

import type { ProgramSource } from '../chain/compiler.js';
import { outcomesOf } from '../derive/outcomes.js';
import { type ObservedVariable, observedVariables } from '../fits/observed-variables.js';

export interface ObservedRequest {
  readonly source: ProgramSource;
  /** In Stan's JSON format. */
  readonly data: string;
  /** Number of observations. */
  readonly count: number;
}

/** The outcomes of a program with their values, as `observedVariables` returns them. */
export function observedIn({ count, data, source }: ObservedRequest): readonly ObservedVariable[] {
  const { includes, name = 'string', program } = source;
  return observedVariables(outcomesOf({ name, text: program, includes }), data, count);
}

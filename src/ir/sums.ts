import type { Expr } from './nodes.js';

/** One term of a sum; `negative` if it is subtracted. */
export interface Term {
  readonly value: Expr;
  readonly negative: boolean;
}

/** The terms of a sum with their signs; what is no sum is its own only term. */
export function termsOf(e: Expr, negative = false): readonly Term[] {
  if (e.kind !== 'apply') return [{ value: e, negative }];
  if (e.op === 'neg') return termsOf(e.args[0], !negative);
  if (e.op !== 'add' && e.op !== 'sub') return [{ value: e, negative }];
  return [...termsOf(e.args[0], negative), ...termsOf(e.args[1], e.op === 'sub' ? !negative : negative)];
}

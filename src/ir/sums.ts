import { add, neg, sub } from './expressions.js';
import type { Expr } from './nodes.js';
import { someNode } from './walk.js';

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

/** The sum of the terms, of which there is at least one. */
export function sumOf([first, ...rest]: readonly Term[]): Expr {
  const start = first.negative ? neg(first.value) : first.value;
  return rest.reduce((sum, { value, negative }) => (negative ? sub(sum, value) : add(sum, value)), start);
}

/**
 * What an assignment of the value to a place adds to it: the terms beside the place's own value. Null where the value is no such
 * sum, or reads the place in one of these terms, too.
 */
export function incrementsOf(value: Expr, isPlace: (node: Expr) => boolean): readonly Term[] | null {
  if (isPlace(value)) return [];
  if (value.kind !== 'apply' || (value.op !== 'add' && value.op !== 'sub')) return null;
  const [left, right] = value.args;
  const inLeft = incrementsOf(left, isPlace);
  if (inLeft !== null) {
    return someNode(right, isPlace) ? null : [...inLeft, { value: right, negative: value.op === 'sub' }];
  }
  if (value.op === 'sub') return null;
  const inRight = incrementsOf(right, isPlace);
  return inRight === null || someNode(left, isPlace) ? null : [...inRight, { value: left, negative: false }];
}

import { add, neg, sub } from './expressions.js';
import type { Expr } from './nodes.js';
import { SmallMap, SmallSet } from './small.js';
import { operandsOf } from './walk.js';

/** One term of a sum; `negative` if it is subtracted. */
export interface Term {
  readonly value: Expr;
  readonly negative: boolean;
}

/**
 * The terms of a sum with their signs. Any other expression is its own only term. An inner sum that occurs more than once counts as one
 * term.
 */
export function termsOf(e: Expr, negative = false): readonly Term[] {
  const terms: Term[] = [];
  const split = new SmallSet<Expr>();
  const collect = (node: Expr, isNegative: boolean): void => {
    if (node.kind !== 'apply' || !SUMS.has(node.op) || !split.add(node)) {
      terms.push({ value: node, negative: isNegative });
      return;
    }
    const [first, second] = node.args;
    collect(first, node.op === 'neg' ? !isNegative : isNegative);
    if (node.op !== 'neg') collect(second, node.op === 'sub' ? !isNegative : isNegative);
  };
  collect(e, negative);
  return terms;
}

const SUMS: ReadonlySet<string> = new Set(['add', 'sub', 'neg']);

/** The sum of at least one term. */
export function sumOf([first, ...rest]: readonly Term[]): Expr {
  const start = first.negative ? neg(first.value) : first.value;
  return rest.reduce((sum, { value, negative }) => (negative ? sub(sum, value) : add(sum, value)), start);
}

/**
 * The terms that an assignment of the value adds to the old value of its target, a variable or element. Null if the value is not such a
 * sum, or if a term reads the target.
 */
export function incrementsOf(value: Expr, isPlace: (node: Expr) => boolean): readonly Term[] | null {
  if (isPlace(value)) return [];
  if (value.kind !== 'apply' || (value.op !== 'add' && value.op !== 'sub')) return null;
  return new Increments(isPlace).of(value);
}

/** Finds the target of an assignment in the assigned sum. */
class Increments {
  readonly #isPlace: (node: Expr) => boolean;
  readonly #reads = new SmallMap<Expr, boolean>();

  constructor(isPlace: (node: Expr) => boolean) {
    this.#isPlace = isPlace;
  }

  /** The other terms. Null unless the target occurs exactly once and is not subtracted. */
  of(value: Expr): Term[] | null {
    if (this.#isPlace(value)) return [];
    if (value.kind !== 'apply' || (value.op !== 'add' && value.op !== 'sub')) return null;
    const [left, right] = value.args;
    const isLeft = this.#readsPlace(left);
    if (isLeft === this.#readsPlace(right) || (!isLeft && value.op === 'sub')) return null;
    const terms = this.of(isLeft ? left : right);
    terms?.push({ value: isLeft ? right : left, negative: value.op === 'sub' });
    return terms;
  }

  #readsPlace(e: Expr): boolean {
    const operands = operandsOf(e);
    if (operands.length === 0) return this.#isPlace(e);
    const known = this.#reads.get(e);
    if (known !== undefined) return known;
    const reads = this.#isPlace(e) || operands.some((operand) => this.#readsPlace(operand));
    this.#reads.set(e, reads);
    return reads;
  }
}

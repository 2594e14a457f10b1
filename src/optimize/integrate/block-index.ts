import { type Interval, linearOf } from '../../dataflow/linear.js';
import { add, apply, int, isConst, isValue, maxInt, mul, sub } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Expr, Local } from '../../ir/nodes.js';

/** The position of an element in a container of blocks with the same number of elements. */
interface BlockIndex {
  readonly block: Expr;
  readonly within: Expr;
}

/** What is known about integers at a point of a block: the bounds of loops' indexes, and minima that checks have ensured. */
export class KnownBounds {
  readonly #loops = new Map<Local, { readonly from: Expr; readonly to: Expr }>();
  readonly #minima: { readonly value: Expr; readonly minimum: number }[] = [];

  addLoop(index: Local, from: Expr, to: Expr): void {
    this.#loops.set(index, { from, to });
  }

  addCheck(condition: Expr): void {
    if (condition.kind !== 'apply') return;
    const [first, second] = condition.args;
    if (condition.op === 'and') for (const each of condition.args) this.addCheck(each);
    if (condition.op === 'le_int' && isConst(first)) this.#minima.push({ value: second, minimum: first.value });
    if (condition.op === 'ge_int' && isConst(second)) this.#minima.push({ value: first, minimum: second.value });
  }

  /** What checks ensure inside a block is known only there. */
  within(write: () => void): void {
    const before = this.#minima.length;
    write();
    this.#minima.length = before;
  }

  /** The block of an element, as an expression that is equal for elements of one block wherever their indexes are written alike. */
  blockIndex(at: Expr, width: Expr): BlockIndex {
    let block: Expr = int(0);
    let within: Expr = int(0);
    for (const term of termsOf(at)) {
      const quotient = quotientOf(term, width);
      if (quotient === null) within = add(within, term);
      else block = add(block, quotient);
    }
    if (isConst(within) && isConst(width) && width.value > 0) {
      const blocks = Math.floor(within.value / width.value);
      return { block: add(block, int(blocks)), within: int(within.value - blocks * width.value) };
    }
    if (this.#isBelow(within, width)) return { block, within };
    return this.#divided(at, width);
  }

  /** An expression whose variables have been replaced, with quotients and remainders of indexes in their simple form. */
  simplified(node: Expr): Expr {
    if (node.kind !== 'apply') return node;
    const [first, second] = node.args;
    if (node.op === 'div_int') {
      const { block } = this.blockIndex(first, second);
      return block.kind === 'apply' && block.op === 'div_int' ? node : block;
    }
    if (node.op !== 'sub_int' || second.kind !== 'apply' || second.op !== 'mul_int') return node;
    const [quotient, width] = second.args;
    const { block, within } = this.blockIndex(first, width);
    return sameExpression(block, quotient) ? within : node;
  }

  #divided(at: Expr, width: Expr): BlockIndex {
    const whole = apply('div_int', 'int', at, isConst(width) ? width : maxInt(width, int(1)));
    return { block: whole, within: sub(at, mul(whole, width)) };
  }

  /** Whether an expression is at least 0 and less than a size, if the size is not 0. */
  #isBelow(e: Expr, size: Expr): boolean {
    if (isConst(e)) return isValue(e, 0) || this.#minima.some((each) => isMinimum(each, size, e.value + 1));
    const { base, offset } = linearOf(e, () => INDEX);
    const bounds = base?.kind === 'get' ? this.#loops.get(base.local) : undefined;
    if (bounds === undefined) return false;
    const [first, end] = [bounds.from, bounds.to].map((each) => add(each, int(offset)));
    if (!isConst(first) || first.value < 0) return false;
    return sameExpression(end, size) || (isConst(end) && isConst(size) && end.value <= size.value);
  }
}

function isMinimum(known: { readonly value: Expr; readonly minimum: number }, value: Expr, minimum: number): boolean {
  return minimum > 0 && known.minimum >= minimum && sameExpression(known.value, value);
}

function termsOf(e: Expr): readonly Expr[] {
  return e.kind === 'apply' && e.op === 'add_int' ? e.args.flatMap(termsOf) : [e];
}

function quotientOf(term: Expr, by: Expr): Expr | null {
  if (sameExpression(term, by)) return int(1);
  if (term.kind !== 'apply' || term.op !== 'mul_int') return null;
  const [first, second] = term.args;
  if (sameExpression(second, by)) return first;
  return sameExpression(first, by) ? second : null;
}

/** Indexes and their parts are far from the limits of integers. */
const INDEX: Interval = { low: -(2 ** 30), high: 2 ** 30 };

import type { LoopStatement } from '../../dataflow/effects.js';
import { add, int } from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Expr, Local, StatementOf } from '../../ir/nodes.js';
import { operandsOf } from '../../ir/walk.js';

type ForLoop = StatementOf<'for'>;

/** base + offset; the base may be missing. */
interface Shifted {
  readonly base: Expr | null;
  readonly offset: number;
}

/** A range that a check has established: from ≤ of ≤ last. */
export interface CheckedRange {
  readonly of: Expr;
  readonly from: Expr;
  readonly last: Expr;
}

/** The position of an element, with the loops around the expression. */
interface Position {
  readonly index: Expr;
  readonly loops: readonly LoopStatement[];
}

/**
 * Positions of elements that are determined by the indexes of loops: sums of an index and a constant, and (row * size + column) of such
 * sums. Comparisons return false if they cannot decide.
 */
export class Positions {
  readonly #loops: readonly ForLoop[];
  readonly #interner = new Interner();

  constructor(loops: readonly ForLoop[]) {
    this.#loops = loops;
  }

  /** Whether no two iterations of the loops have the same position. */
  areDistinct(index: Expr): boolean {
    const left = new Set(this.#loops);
    return this.#isDistinct(index, left) && left.size === 0;
  }

  #isDistinct(index: Expr, left: Set<ForLoop>): boolean {
    const { base } = shifted(index);
    if (base?.kind === 'get') {
      const loop = this.#loops.find((other) => other.index === base.local);
      return loop !== undefined && left.delete(loop);
    }
    const parts = partsOf(index);
    if (parts === null || !this.#isBelow(parts.column, this.#loops, parts.size)) return false;
    return this.#isDistinct(parts.column, left) && this.#isDistinct(parts.row, left);
  }

  /** The loops' indexes at which the two positions are equal; null if they are not found. */
  match(pattern: Expr, index: Expr): ReadonlyMap<Local, Expr> | null {
    const found = new Map<Local, Expr>();
    const matches = (one: Expr, other: Expr): boolean => {
      const { base, offset } = shifted(one);
      if (base?.kind === 'get') {
        found.set(base.local, add(other, int(-offset)));
        return true;
      }
      const [parts, others] = [partsOf(one), partsOf(other)];
      if (parts === null || others === null || !this.#isSame(parts.size, others.size)) return false;
      return matches(parts.row, others.row) && matches(parts.column, others.column);
    };
    return matches(pattern, index) ? found : null;
  }

  /**
   * Whether all values of the expression are values of `loop`'s index: it is the index of one of the loops `around` plus a constant, or
   * checks have found it to be in that range.
   */
  isWithin(
    value: Expr,
    around: readonly LoopStatement[],
    loop: ForLoop,
    checked: (value: Expr) => readonly CheckedRange[] = () => [],
  ): boolean {
    const range = rangeOf(value, around);
    if (range !== null) return this.#isAtMost(loop.from, range.from) && this.#isAtMost(range.to, loop.to);
    const { base, offset } = shifted(value);
    return checked(value).some(({ of, from, last }) => {
      const other = shifted(of);
      if (base === null || other.base === null || !this.#isSame(base, other.base)) return false;
      const distance = offset - other.offset;
      return (
        this.#isAtMost(loop.from, add(from, int(distance))) && this.#isAtMost(add(last, int(distance + 1)), loop.to)
      );
    });
  }

  /** Whether the value is at least 0 and below the size. */
  #isBelow(value: Expr, around: readonly LoopStatement[], size: Expr): boolean {
    const range = rangeOf(value, around);
    return range !== null && this.#isAtMost(int(0), range.from) && this.#isAtMost(range.to, size);
  }

  /** Whether each of the positions belongs to one iteration of the loop, and all positions in an iteration belong to the same one. */
  areOfOneIteration(loop: ForLoop, positions: readonly Position[]): boolean {
    const sizes = new Set<number>();
    const offsets = new Set<string>();
    const ofLoop = (e: Expr, kind: string): boolean => {
      const { base, offset } = shifted(e);
      if (base?.kind !== 'get' || base.local !== loop.index) return false;
      offsets.add(`${kind} ${offset}`);
      return true;
    };
    for (const { index, loops } of positions) {
      const parts = partsOf(index);
      if (parts === null) {
        if (!ofLoop(index, 'column')) return false;
        continue;
      }
      sizes.add(this.#interner.numberOf(parts.size));
      if (ofLoop(parts.column, 'column')) {
        if (!this.#isBelow(parts.column, [loop], parts.size)) return false;
      } else if (!ofLoop(parts.row, 'row') || !this.#isBelow(parts.column, loops, parts.size)) return false;
    }
    return sizes.size === 1 && offsets.size === 1;
  }

  #isSame(one: Expr, other: Expr): boolean {
    return this.#interner.numberOf(one) === this.#interner.numberOf(other);
  }

  #isAtMost(one: Expr, other: Expr): boolean {
    const [low, high] = [shifted(one), shifted(other)];
    const sameBase =
      low.base === null || high.base === null ? low.base === high.base : this.#isSame(low.base, high.base);
    return sameBase && low.offset <= high.offset;
  }
}

function shifted(e: Expr): Shifted {
  if (e.kind === 'const') return { base: null, offset: e.value };
  if (e.kind !== 'apply' || e.op !== 'add_int') return { base: e, offset: 0 };
  const [base, last] = e.args;
  return last.kind === 'const' ? { base, offset: last.value } : { base: e, offset: 0 };
}

/** The parts of row * size + column. */
function partsOf(e: Expr): { readonly row: Expr; readonly size: Expr; readonly column: Expr } | null {
  if (e.kind !== 'apply' || e.op !== 'add_int') return null;
  const [product, column] = operandsOf(e);
  if (product.kind !== 'apply' || product.op !== 'mul_int') return null;
  const [row, size] = operandsOf(product);
  return { row, size, column };
}

/** The range of a sum of a loop's index and a constant. */
function rangeOf(value: Expr, around: readonly LoopStatement[]): { readonly from: Expr; readonly to: Expr } | null {
  const { base, offset } = shifted(value);
  if (base?.kind !== 'get') return null;
  const loop = around.find((other) => other.kind === 'for' && other.index === base.local);
  if (loop?.kind !== 'for') return null;
  return { from: add(loop.from, int(offset)), to: add(loop.to, int(offset)) };
}

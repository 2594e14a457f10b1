import { sameExpression } from '../ir/interned.js';
import type { Expr, Ref, Statement, StatementOf } from '../ir/nodes.js';
import type { LoopStatement } from './effects.js';
import type { Uses, WriteSite } from './uses.js';

/**
 * Whether a write to a container may replace an element that was written before, so that the old value (and its adjoint) is needed. It
 * cannot if the container is filled once: by one write since its allocation, at an index that differs in every iteration of the loops
 * between, or by several writes at disjoint indexes (`x[1] = …; for (t in 2:T) x[t] = …`). Reads of elements that are never written do not
 * matter, because these are NaN in Stan.
 */
export function overwritesContents(
  statement: Statement,
  root: Ref,
  uses: Uses,
  region: Statement | null,
  fillings: Map<Ref, Filling> = new Map(),
): boolean {
  const definitions = uses.definitions(root);
  if (definitions.length !== 1) return true;
  const [definition] = definitions;
  if (definition.statement.kind !== 'allocate' || definition.statement.fill === 'zero') return true;
  if (region !== null && !uses.contains(region, definition.position)) return true;
  if (statement.kind === 'kernel' && isFirst(statement, definition, uses.writes(root))) return false;
  const filling = fillings.get(root) ?? fillingOf(root, definition.statement, uses);
  fillings.set(root, filling);
  return filling === 'several' ? true : filling === 'stores' && statement.kind !== 'store';
}

/** How a container is filled: each element once; each element at most once by stores; or possibly several times. */
export type Filling = 'once' | 'stores' | 'several';

function fillingOf(root: Ref, definition: StatementOf<'allocate'>, uses: Uses): Filling {
  const { sizes } = definition;
  const around = uses.loops(definition);
  const writes = writesBehind(definition, root, uses);
  const places = writes.map((site) => {
    const loops = site.loops.filter((loop) => !around.includes(loop));
    return new Indexing(loops, uses, root, sizes).placeOf(site);
  });
  if (places.some((place) => place === null)) return 'several';
  if (writes.length === 1) return 'once';
  if (writes.some(({ statement: s }) => s.kind === 'store' && s.ref !== root)) return 'several';
  const ranges = places.filter((place) => place?.kind === 'range');
  if (ranges.length > 1) return 'several';
  const points = new Set<number>();
  for (const place of places) {
    if (place === null || place.kind === 'whole') return 'several';
    if (place.kind === 'point') {
      if (points.has(place.at)) return 'several';
      points.add(place.at);
    }
  }
  const [range] = ranges;
  if (range === undefined || range === null || range.kind !== 'range') return 'stores';
  const { first } = range;
  return first === null || [...points].some((point) => point >= first) ? 'several' : 'stores';
}

type Place =
  /** A constant index outside of loops. */
  | { readonly kind: 'point'; readonly at: number }
  /** A different element in every iteration, ascending from `first` if that is known. */
  | { readonly kind: 'range'; readonly first: number | null }
  /** The whole container, or any one element, once. */
  | { readonly kind: 'whole' };

function writesBehind(definition: Statement, root: Ref, uses: Uses): readonly WriteSite[] {
  return uses.writes(root).filter((site) => site.statement !== definition);
}

/** Whether a write runs once and precedes all other writes since the allocation. */
function isFirst(statement: Statement, definition: WriteSite, writes: readonly WriteSite[]): boolean {
  const [first] = writes.filter((site) => site.statement !== definition.statement);
  return first.statement === statement && first.loops.every((loop) => definition.loops.includes(loop));
}

/** How an index varies: by ±1 per iteration of `loop`. Null for a constant index. */
interface Digit {
  readonly loop: LoopStatement | null;
}

/** Analyzes the indexes of writes to `root`, which was allocated with `sizes`, in the loops since its allocation. */
class Indexing {
  readonly #loops: readonly LoopStatement[];
  readonly #uses: Uses;
  readonly #root: Ref;
  readonly #sizes: readonly Expr[];
  readonly #fixed = new Map<Expr, boolean>();

  constructor(loops: readonly LoopStatement[], uses: Uses, root: Ref, sizes: readonly Expr[]) {
    this.#loops = loops;
    this.#uses = uses;
    this.#root = root;
    this.#sizes = sizes;
  }

  placeOf({ statement }: WriteSite): Place | null {
    const loops = this.#loops;
    if (statement.kind === 'kernel') return loops.length === 0 ? { kind: 'whole' } : null;
    if (statement.kind !== 'store') return null;
    const { ref, index } = statement;
    if (loops.length === 0) return index.kind === 'const' ? { kind: 'point', at: index.value } : { kind: 'whole' };
    if (ref !== this.#root && !this.#isFixedHeader(ref)) return null;
    const digits = this.#digits(index);
    if (digits === null) return null;
    const covered = digits.flatMap(({ loop }) => (loop === null ? [] : [loop]));
    if (covered.length !== loops.length || new Set(covered).size !== loops.length) return null;
    return { kind: 'range', first: loops.length === 1 ? firstIndex(index, loops[0]) : null };
  }

  /** An index as digits of a mixed-radix number, so that different digits mean different elements; null if unknown. */
  #digits(index: Expr): readonly Digit[] | null {
    const e = withoutConstant(index);
    if (e.kind === 'apply' && e.op === 'add_int') {
      const [high, low] = e.args;
      if (high.kind === 'apply' && high.op === 'mul_int') {
        const [rest, radix] = high.args;
        const last = this.#digit(low);
        const others = this.#digits(rest);
        if (last === null || others === null || !this.#isFixed(radix)) return null;
        return last.loop === null || this.#isBelow(last.loop, radix) ? [...others, last] : null;
      }
    }
    const digit = this.#digit(e);
    return digit === null ? null : [digit];
  }

  /** Whether the index of `loop` has at most `radix` values, according to the loop's bounds or a check against that size. */
  #isBelow(loop: LoopStatement, radix: Expr): boolean {
    if (this.#isSize(radix)) return true;
    if (loop.kind !== 'for' || loop.from.kind !== 'const') return false;
    if (loop.to.kind === 'const' && radix.kind === 'const') return loop.to.value - loop.from.value <= radix.value;
    return loop.from.value === 0 && sameExpression(loop.to, radix);
  }

  #isSize(e: Expr): boolean {
    if (this.#root.rank < 2) return false;
    return (e.kind === 'size' && e.ref === this.#root) || this.#sizes.some((size) => sameExpression(size, e));
  }

  /** The digit of a sum of loop-invariant terms and at most one loop's index, ascending or descending. */
  #digit(e: Expr): Digit | null {
    if (this.#isFixed(e)) return { loop: null };
    if (e.kind === 'get') {
      const loop = this.#loops.find((around) => around.kind !== 'while' && around.index === e.local);
      return loop === undefined ? null : { loop };
    }
    if (e.kind !== 'apply' || (e.op !== 'add_int' && e.op !== 'sub_int')) return null;
    const left = this.#digit(e.args[0]);
    const right = left === null ? null : this.#digit(e.args[1]);
    if (left === null || right === null || (left.loop !== null && right.loop !== null)) return null;
    return left.loop !== null ? left : right;
  }

  /** Whether the expression consists of sums and products of loop-invariant terms. */
  #isFixed(e: Expr): boolean {
    const known = this.#fixed.get(e);
    if (known !== undefined) return known;
    const result = this.#isSumOfFixed(e);
    this.#fixed.set(e, result);
    return result;
  }

  #isSumOfFixed(e: Expr): boolean {
    switch (e.kind) {
      case 'const':
        return true;
      case 'size':
        return this.#isFixedHeader(e.ref);
      case 'get':
        return !this.#uses.writes(e.local).some(({ position }) => this.#uses.contains(this.#loops[0], position));
      case 'apply':
        return (
          (e.op === 'add_int' || e.op === 'sub_int' || e.op === 'mul_int') && e.args.every((arg) => this.#isFixed(arg))
        );
      default:
        return false;
    }
  }

  #isFixedHeader(ref: Ref): boolean {
    return !this.#uses.definitions(ref).some(({ position }) => this.#uses.contains(this.#loops[0], position));
  }
}

function withoutConstant(e: Expr): Expr {
  return e.kind === 'apply' && e.op === 'add_int' && e.args[1].kind === 'const' ? e.args[0] : e;
}

function firstIndex(index: Expr, loop: LoopStatement): number | null {
  if (loop.kind !== 'for' || loop.from.kind !== 'const') return null;
  const moving = withoutConstant(index);
  if (moving.kind !== 'get' || moving.local !== loop.index) return null;
  const shift = index.kind === 'apply' && index.args[1].kind === 'const' ? index.args[1].value : 0;
  return loop.from.value + shift;
}

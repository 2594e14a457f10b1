import { append } from '../../base/multimap.js';
import { usesOf } from '../../dataflow/cached.js';
import { type LoopStatement, mentionsOf, mentionsOfNode } from '../../dataflow/effects.js';
import type { Uses } from '../../dataflow/uses.js';
import { add } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import {
  blocksOf,
  countNodes,
  mapBlocks,
  mapExpression,
  mapExpressions,
  someNode,
  visitOwnExpressions,
} from '../../ir/walk.js';
import { type CheckedRange, Positions } from './positions.js';

type ForLoop = StatementOf<'for'>;
type Store = StatementOf<'store'>;
type Load = Extract<Expr, { kind: 'load' }>;

/** A container that one statement fills, which is enclosed only by loops: outermost loop first. */
interface Filled {
  readonly ref: Ref;
  readonly store: Store;
  readonly loops: readonly ForLoop[];
}

interface Reader {
  readonly node: Load;
  readonly statement: Statement;
  readonly known: Known | null;
}

/** A check that has passed before a statement runs, and the checks before it. */
interface Known {
  readonly check: StatementOf<'check'>;
  readonly before: Known | null;
}

/** Maximum number of readers that each compute a cheap value, and maximum size of such a value: copies of copies grow exponentially. */
const MOST_READERS = 2;
const MOST_COPIED = 16;
/** Maximum number of nodes of a value. In longer chains of containers, some stay in memory. */
const LARGEST_VALUE = 128;

/**
 * Store-to-load forwarding: with `for (n in 1:N) mu[n] = f(n)`, a later `g(mu[k])` for k from 1 to N becomes `g(f(k))`, in the same loop or
 * in another one, and the container is no longer needed. Applies to containers that one statement fills in loops and that are read only
 * element by element, over a range that is known to be filled; what f reads must not change after the loops. If the value is an element of
 * another container, as with `rep_matrix`, it also replaces reads whose indexes are in that range according to checks. `removeDead` then
 * removes the store.
 */
export function forwardElements(block: Block): Block {
  if (!block.some((statement) => statement.kind === 'for')) return block;
  let current = block;
  for (;;) {
    const next = new Containers(current).forwardSome();
    if (next === null) return current;
    current = next;
  }
}

/** The containers of a block that loops fill. */
class Containers {
  readonly #block: Block;
  readonly #uses: Uses;
  readonly #filled: Filled[] = [];
  readonly #readers = new Map<Ref, Reader[]>();
  /** Containers with uses other than reading or writing an element or reading a size. */
  readonly #whole = new Set<Variable>();

  constructor(block: Block) {
    this.#block = block;
    this.#uses = usesOf(block);
    this.#visit(block, [], null);
  }

  /** `loops`: the enclosing loops; null if other statements also enclose the block. `known`: checks that have passed at its start. */
  #visit(block: Block, loops: readonly ForLoop[] | null, before: Known | null): void {
    let known = before;
    for (const statement of block) {
      const holds = known;
      visitOwnExpressions(statement, (node) => {
        if (node.kind === 'load') append(this.#readers, node.ref, { node, statement, known: holds });
      });
      if (statement.kind === 'check') known = { check: statement, before: known };
      this.#noteWhole(statement);
      if (statement.kind === 'store' && loops !== null && loops.length > 0) {
        this.#filled.push({ ref: statement.ref, store: statement, loops });
      }
      const around = statement.kind === 'for' && loops !== null ? [...loops, statement] : null;
      for (const inner of blocksOf(statement)) this.#visit(inner, around, known);
    }
  }

  #noteWhole(statement: Statement): void {
    if (WHOLE.has(statement.kind)) mentionsOf(statement, (variable) => this.#whole.add(variable));
  }

  /** The block with the reads of some containers replaced; null if none is replaced. A value may read containers that come before it. */
  forwardSome(): Block | null {
    const values = new Map<Expr, Expr>();
    const resolved = new Map<Expr, Expr>();
    const forwarded = new Set<Ref>();
    const kept = new Set<Ref>();
    const resolve = (value: Expr): Expr => mapExpression(value, (node) => node, resolved);
    for (const filled of this.#filled) {
      const readers = this.#readers.get(filled.ref) ?? [];
      if (readers.length === 0 || kept.has(filled.ref) || !this.#isFilledOnce(filled.ref)) continue;
      const found = new Forwarding(this.#block, this.#uses, filled).valuesFor(readers, resolve);
      if (found === null) continue;
      const read = [...found.values()].flatMap(readsOf);
      if (read.some((ref) => forwarded.has(ref))) continue;
      forwarded.add(filled.ref);
      for (const ref of read) kept.add(ref);
      for (const [node, value] of found) {
        values.set(node, value);
        resolved.set(node, value);
      }
    }
    return values.size === 0 ? null : replaceNodes(this.#block, values);
  }

  #isFilledOnce(ref: Ref): boolean {
    if (ref.storage === 'global' || ref.parent !== null || ref.element !== 'real' || this.#whole.has(ref)) return false;
    const [definition, ...others] = this.#uses.definitions(ref);
    if (definition === undefined || others.length > 0) return false;
    if (definition.statement.kind !== 'allocate' || !this.#block.includes(definition.statement)) return false;
    return this.#uses.writes(ref).filter(({ statement }) => statement.kind === 'store').length === 1;
  }
}

/** Statements that may pass a whole container to others. */
const WHOLE: ReadonlySet<Statement['kind']> = new Set(['kernel', 'view', 'call', 'print', 'reject']);

/** Finds the expressions that replace the elements of one container. */
class Forwarding {
  readonly #block: Block;
  readonly #uses: Uses;
  readonly #filled: Filled;
  readonly #positions: Positions;
  readonly #start: number;

  constructor(block: Block, uses: Uses, filled: Filled) {
    this.#block = block;
    this.#uses = uses;
    this.#filled = filled;
    this.#positions = new Positions(filled.loops);
    this.#start = uses.position(filled.loops[0]);
  }

  /** The value for each read of an element; null if the container must stay. `resolve` replaces reads of other containers. */
  valuesFor(readers: readonly Reader[], resolve: (value: Expr) => Expr): ReadonlyMap<Expr, Expr> | null {
    const { store } = this.#filled;
    if (!this.#positions.areDistinct(store.index)) return null;
    const definition = this.#definition(store.value);
    const value = definition && resolve(definition);
    if (value === null || !this.#isFinal(value)) return null;
    const isRead = isSingleRead(value);
    const costly = someNode(value, (node) => node.kind === 'apply' && OPS[node.op].cost === 'expensive');
    if (readers.length > (costly ? 1 : MOST_READERS) && !isRead) return null;
    const largest = readers.length > 1 ? MOST_COPIED : LARGEST_VALUE;
    if (countNodes(value, largest) > largest) return null;
    const values = new Map<Expr, Expr>();
    for (const reader of readers) {
      const { node } = reader;
      const indexes = this.#indexesOf(reader) ?? (isRead ? this.#lookedUp(reader) : null);
      if (indexes === null) return null;
      values.set(node, withIndexes(value, indexes));
    }
    return values;
  }

  /** The values of the loops' indexes at the write of the element that is read. */
  #indexesOf({ node, statement }: Reader): ReadonlyMap<Local, Expr> | null {
    const { loops, store } = this.#filled;
    const indexes = this.#positions.match(store.index, node.index);
    if (indexes === null) return null;
    const around: readonly LoopStatement[] = this.#uses.loops(statement);
    if (around.length !== loops.length || !around.every((loop) => loop.kind === 'for')) return null;
    if (around[0] === loops[0]) {
      const same =
        around.every((loop, k) => loop === loops[k]) && this.#uses.position(statement) > this.#uses.position(store);
      const isSame = (loop: ForLoop): boolean => {
        const index = indexes.get(loop.index);
        return index?.kind === 'get' && index.local === loop.index;
      };
      return same && loops.every(isSame) ? indexes : null;
    }
    if (this.#uses.position(statement) < this.#start) return null;
    const within = loops.every((loop) => {
      const index = indexes.get(loop.index);
      return index !== undefined && this.#positions.isWithin(index, around, loop);
    });
    return within ? indexes : null;
  }

  /** Like `indexesOf`, for any statement after the loops: checks may show that the element has been written. */
  #lookedUp({ node, statement, known }: Reader): ReadonlyMap<Local, Expr> | null {
    const { loops, store } = this.#filled;
    const last = loops[0];
    const position = this.#uses.position(statement);
    if (position < this.#start || this.#uses.contains(last, position)) return null;
    const indexes = this.#positions.match(store.index, node.index);
    if (indexes === null) return null;
    const around = this.#uses.loops(statement);
    const within = loops.every((loop) => {
      const index = indexes.get(loop.index);
      return index !== undefined && this.#positions.isWithin(index, around, loop, (e) => this.#checkedRanges(e, known));
    });
    return within ? indexes : null;
  }

  /** Ranges that checks have established since the int was assigned. */
  #checkedRanges(e: Expr, known: Known | null): readonly CheckedRange[] {
    const since = this.#lastChange(e);
    const ranges: CheckedRange[] = [];
    for (let link = known; link !== null && this.#uses.position(link.check) > since; link = link.before) {
      const range = rangeIn(link.check.condition);
      if (range !== null && [range.from, range.last].every((bound) => this.#lastChange(bound) < 0)) ranges.push(range);
    }
    return ranges;
  }

  /** The position of the one statement that changes the expression; -1 if none does, infinite if several do. */
  #lastChange(e: Expr): number {
    let last = -1;
    someNode(e, (node) => {
      if (node.kind === 'target' || node.kind === 'load_adjoint') last = Number.POSITIVE_INFINITY;
      mentionsOfNode(node, (variable) => {
        const sites = this.#sitesOf(variable);
        const isChanged = sites.length > 1 || (variable.kind === 'ref' && sites.length > 0);
        last = Math.max(last, isChanged ? Number.POSITIVE_INFINITY : -1, ...sites);
      });
      return false;
    });
    return last;
  }

  /** The value as an expression in the loops' indexes and in what is computed outside the loops. */
  #definition(e: Expr): Expr | null {
    const done = new Map<Local, Expr | null>();
    const inline = (root: Expr): Expr | null => {
      let known = true;
      const value = mapExpression(root, (node) => {
        if (node.kind !== 'get' || !this.#uses.isWrittenIn(node.local, this.#filled.loops[0])) return node;
        if (this.#filled.loops.some(({ index }) => index === node.local)) return node;
        const inlined = definitionOf(node.local);
        if (inlined === null) known = false;
        return inlined ?? node;
      });
      return known ? value : null;
    };
    const definitionOf = (local: Local): Expr | null => {
      const known = done.get(local);
      if (known !== undefined) return known;
      done.set(local, null);
      const [site, ...others] = this.#uses.writes(local);
      const isOwn = this.#filled.loops.some(({ body }) => body.includes(site.statement));
      const definition =
        others.length === 0 && isOwn && site.statement.kind === 'assign' ? inline(site.statement.value) : null;
      done.set(local, definition);
      return definition;
    };
    return inline(e);
  }

  /** Whether nothing that the value reads changes after it has been computed. */
  #isFinal(value: Expr): boolean {
    return !someNode(value, (node) => {
      if (node.kind === 'target' || node.kind === 'load_adjoint') return true;
      let changes = false;
      mentionsOfNode(node, (variable) => {
        if (this.#filled.loops.some(({ index }) => index === variable)) return;
        const last = Math.max(-1, ...this.#sitesOf(variable));
        if (last > this.#start && !(node.kind === 'load' && this.#isOfOuterIteration(node))) changes = true;
      });
      return changes;
    });
  }

  #sitesOf(variable: Variable): readonly number[] {
    const sites = [
      ...this.#uses.writes(variable),
      ...(variable.kind === 'ref' ? this.#uses.definitions(variable) : []),
    ];
    return sites.map(({ position }) => position);
  }

  /** Whether each iteration of the outermost loop writes its own elements before it reads them. */
  #isOfOuterIteration({ ref, index }: Load): boolean {
    const [outer] = this.#filled.loops;
    if (ref.parent !== null || ref === this.#filled.ref) return false;
    const definitions = this.#uses.definitions(ref);
    if (definitions.length !== 1 || !this.#block.includes(definitions[0].statement)) return false;
    const computing = this.#uses.lastIn(outer.body, this.#uses.position(this.#filled.store));
    if (computing === null) return false;
    const end = this.#uses.position(computing);
    const stores = this.#uses.writes(ref).filter(({ statement }) => statement.kind !== 'allocate');
    const indexes: { readonly index: Expr; readonly loops: readonly LoopStatement[] }[] = [
      { index, loops: this.#filled.loops },
    ];
    for (const { statement, position, loops } of stores) {
      if (statement.kind !== 'store' || position >= end || !this.#uses.contains(outer, position)) return false;
      indexes.push({ index: statement.index, loops });
    }
    return this.#positions.areOfOneIteration(outer, indexes);
  }
}

/** The range that the condition `of >= from && of <= last` describes. */
function rangeIn(condition: Expr): CheckedRange | null {
  if (condition.kind !== 'apply' || condition.op !== 'and') return null;
  const [low, high] = condition.args;
  if (low.kind !== 'apply' || low.op !== 'ge_int' || high.kind !== 'apply' || high.op !== 'le_int') return null;
  const [of, from] = low.args;
  return sameExpression(of, high.args[0]) ? { of, from, last: high.args[1] } : null;
}

/** Whether the value is an element of another container or a local: reading it costs the same as reading a copy. */
function isSingleRead(value: Expr): boolean {
  return value.kind === 'get' || value.kind === 'const' || value.kind === 'load';
}

/** The containers that a value reads. */
function readsOf(value: Expr): readonly Ref[] {
  const refs = new Set<Ref>();
  someNode(value, (node) => {
    if (node.kind === 'load') refs.add(node.ref);
    return false;
  });
  return [...refs];
}

function withIndexes(value: Expr, indexes: ReadonlyMap<Local, Expr>): Expr {
  return mapExpression(value, (node) => {
    if (node.kind === 'apply' && node.op === 'add_int') return add(node.args[0], node.args[1]);
    return node.kind === 'get' ? (indexes.get(node.local) ?? node) : node;
  });
}

function replaceNodes(block: Block, values: ReadonlyMap<Expr, Expr>): Block {
  const done = new Map(values);
  const rewrite = (inner: Block): Block =>
    inner.map((statement) =>
      mapBlocks(
        mapExpressions(statement, (root) => mapExpression(root, (node) => node, done)),
        rewrite,
      ),
    );
  return rewrite(block);
}

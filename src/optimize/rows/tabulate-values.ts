import { movableOf, usesOf } from '../../dataflow/cached.js';
import { isLoop } from '../../dataflow/effects.js';
import type { Movable } from '../../dataflow/movable.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import { add, and, compare, get, int, iterationsOf, load, mul, select, sub, toReal } from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { OPS, type OpName } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import { termsOf } from '../../ir/sums.js';
import {
  blocksOf,
  countNodes,
  expressionsOf,
  mapBlocks,
  mapExpressions,
  operandsOf,
  someNode,
  visitOwnExpressions,
  visitStatements,
  withOperands,
} from '../../ir/walk.js';
import { applied, type Decide, UNNOTED } from '../decisions.js';
import { atIndex, expressionAt, isWrittenBy, ownVariables } from '../loops/iterations.js';
import { substituteVariables } from '../simplify/substitute.js';
import { distinctRows, listedRows } from './distinct-rows.js';
import { IterationValues, isCostly } from './iteration-values.js';
import { mapOuterLoops, type OuterLoop } from './outer-loops.js';

type ForLoop = StatementOf<'for'>;

/** Tables pay off if at most one in this number of rows has data that no previous row has. */
const ROWS_PER_ENTRY = 4;
/** Maximum number of data items that a value may read in an iteration. */
const MOST_KEYS = 2;
/**
 * Maximum number of nodes of a value. Values do not share what they compute from the same locals, so tables of longer values can require a
 * multiple of the loop's own code. One or two functions of data and parameters have 5 to 45 nodes.
 */
const MOST_NODES = 45;

/** Operations whose results usually differ if an operand differs. */
const AFFINE: ReadonlySet<OpName> = new Set(['add_int', 'sub_int', 'mul_int', 'to_real']);

/** A value that the iterations of a loop compute from their data. */
interface Tabulated {
  readonly value: Expr;
  readonly table: Ref;
}

/** What an expression reads from an iteration. */
interface Reads {
  /** The largest expressions of data, by their numbers. */
  readonly keys: ReadonlyMap<number, Expr>;
  /**
   * The name of the data that its costly operations read, directly or through other operations; null if it has no costly operation.
   */
  readonly costs: string | null;
  /**
   * Whether one of these operations is slow. If equal rows are already merged, an entry is read less often, so a fast operation costs no
   * more than a lookup.
   */
  readonly isLong: boolean;
}

/** The name of costly operations on different data. */
const MIXED = 'mixed';

function nameOf(keys: ReadonlyMap<number, Expr>): string {
  return [...keys.keys()].sort((one, other) => one - other).join();
}

/** Values that read the same data. */
interface Table {
  /** The data, as expressions of the loop's index. */
  readonly keys: readonly Expr[];
  /** The number of the entry that an iteration reads. */
  readonly groups: Ref;
  readonly values: Map<number, Tabulated>;
}

/** The entries of a table. */
interface Entries {
  readonly table: Table;
  /** For each entry, the first iteration that reads it. */
  readonly rows: Ref;
  readonly count: Expr;
}

/**
 * Tabulation: where iterations of a loop compute costly values that differ between iterations only by data with few distinct values, as
 * `a ^ count[n]` or `exp(-rate * time[n])`, each value is computed once per distinct datum, and iterations look it up. The adjoints of equal
 * values are therefore summed before they are multiplied by their derivatives. Which iterations have equal data is found when data are
 * bound; if too many are different, the original loop runs.
 *
 * Applies only to outermost loops with data bounds. A value is the largest expression whose costly operations all read the same data.
 * Values in inner loops are not tabulated. Requires a block without exits; must precede `hoistData`.
 */
export function tabulateValues(
  names: Names,
  block: Block,
  inputs: readonly Variable[],
  decide: Decide = UNNOTED,
): Block {
  if (!hasCostlyLoop(block)) return block;
  const uses = usesOf(block);
  const movable = movableOf(block, inputs);
  return mapOuterLoops(block, movable, (outer) => {
    if (!isCostlyRow(outer.loop.body)) return null;
    const tabulation = new Tabulation(new Builder(names), outer, uses, movable);
    const body = tabulation.body();
    if (tabulation.tables.length === 0) return null;
    decide(
      applied(
        'tabulateValues',
        outer.loop,
        tabulation.tables.flatMap(({ keys }) => keys),
      ),
    );
    return tabulation.replacement(body);
  });
}

function hasCostlyLoop(block: Block): boolean {
  return block.some((statement) => {
    if (statement.kind === 'if') return hasCostlyLoop(statement.then) || hasCostlyLoop(statement.otherwise);
    return statement.kind === 'for' && isCostlyRow(statement.body);
  });
}

/** Whether statements outside of loops contain costly operations. */
function isCostlyRow(block: Block): boolean {
  return block.some((statement) => {
    if (isLoop(statement)) return false;
    let isFound = false;
    visitOwnExpressions(statement, (node) => {
      if (isCostly(node)) isFound = true;
    });
    return isFound || blocksOf(statement).some(isCostlyRow);
  });
}

/** Rewrites one loop. */
class Tabulation {
  readonly #builder: Builder;
  readonly #outer: OuterLoop;
  readonly #loop: ForLoop;
  readonly #uses: Uses;
  readonly #movable: Movable;
  readonly #values: IterationValues;
  readonly #interner = new Interner();
  readonly #tables = new Map<string, Table>();
  readonly #reads = new Map<Expr, Reads | null>();
  /** The numbers of values that have tables. */
  readonly #tabulated = new Set<number>();
  /** Whether such a value is part of an expression. */
  readonly #holding = new Map<Expr, boolean>();
  readonly #first: Local;
  #knownRowData: ReadonlySet<number> | null = null;
  /** Whether the loop runs over the distinct rows of another loop. */
  #isMerged = false;

  constructor(builder: Builder, outer: OuterLoop, uses: Uses, movable: Movable) {
    this.#builder = builder;
    this.#outer = outer;
    this.#loop = outer.loop;
    this.#uses = uses;
    this.#movable = movable;
    this.#values = new IterationValues(outer.loop, uses, movable);
    this.#first = builder.newLocal('int', 'first');
  }

  /** The tables that `body` reads. Call it after `body`. */
  get tables(): readonly Table[] {
    return [...this.#tables.values()];
  }

  /** The iteration with lookups. */
  body(): Block {
    const done = new Map<Expr, Expr>();
    const rewrite = (e: Expr): Expr => {
      if (operandsOf(e).length === 0) return e;
      const known = done.get(e);
      if (known !== undefined) return known;
      const result = this.#lookup(e) ?? withOperands(e, operandsOf(e).map(rewrite));
      done.set(e, result);
      return result;
    };
    const rewritten = (statement: Statement): Statement =>
      isLoop(statement) ? statement : mapBlocks(mapExpressions(statement, rewrite), (inner) => inner.map(rewritten));
    return this.#loop.body.map(rewritten);
  }

  /** The data that an iteration reads, by their numbers, without those that only terms of data read. */
  #dataOfRow(): ReadonlySet<number> {
    const found = new Set<number>();
    const seen = new Set<Expr>();
    const visit = (e: Expr): void => {
      if (seen.has(e) || !this.#values.differs(e)) return;
      seen.add(e);
      if (!this.#movable.isDataExpr(e)) operandsOf(e).forEach(visit);
      else if (e.kind === 'load' && isWeight(e.ref, this.#uses)) this.#isMerged ||= areAllMerged(e.ref, this.#uses);
      else found.add(this.#interner.numberOf(this.#key(e)));
    };
    visitStatements(this.#loop.body, (statement) => {
      if (this.#movable.isData(statement)) return;
      for (const root of expressionsOf(statement)) {
        const parts = statement.kind === 'target' ? termsOf(root).map(({ value }) => value) : [root];
        for (const part of parts) if (!this.#movable.isDataExpr(part)) visit(this.#values.inline(part));
      }
    });
    return found;
  }

  /** The table element with the expression's value, or null if it has no table. */
  #lookup(e: Expr): Expr | null {
    if (e.type !== 'real' || this.#movable.isDataExpr(e) || !this.#values.differs(e)) return null;
    const value = this.#values.inline(e);
    const reads = this.#readsOf(value);
    if (reads === null || reads.costs === null || reads.costs !== nameOf(reads.keys)) return null;
    const { keys } = reads;
    this.#knownRowData ??= this.#dataOfRow();
    const rowData = this.#knownRowData;
    if (this.#isMerged && !reads.isLong) return null;
    // Rows that differ only by these data have been merged already.
    if (keys.size === rowData.size && [...keys.keys()].every((key) => rowData.has(key))) return null;
    for (const key of keys.values()) if (!this.#values.looksUp(key) || !this.#outer.isKnown(key)) return null;
    if (countNodes(value, MOST_NODES) > MOST_NODES) return null;
    const { groups, values } = this.#tableOf(keys);
    const number = this.#interner.numberOf(value);
    const known = values.get(number);
    // An expression of a tabulated value costs less than a second table.
    if (known === undefined && this.#holdsTabulated(value)) return null;
    const table = known?.table ?? this.#builder.newRef('real', 1, 'table');
    if (known === undefined) {
      values.set(number, { value, table });
      this.#tabulated.add(number);
      this.#holding.clear();
    }
    return load(table, load(groups, sub(get(this.#loop.index), get(this.#first))));
  }

  #holdsTabulated(e: Expr): boolean {
    const known = this.#holding.get(e);
    if (known !== undefined) return known;
    const holds =
      this.#tabulated.has(this.#interner.numberOf(e)) || operandsOf(e).some((operand) => this.#holdsTabulated(operand));
    this.#holding.set(e, holds);
    return holds;
  }

  /** What the expression reads from an iteration; null if it depends on the iteration in another way, or reads more data than a table may have. */
  #readsOf(e: Expr): Reads | null {
    const known = this.#reads.get(e);
    if (known !== undefined) return known;
    const reads = this.#read(e);
    this.#reads.set(e, reads);
    return reads;
  }

  #read(e: Expr): Reads | null {
    if (e.kind === 'target') return null;
    const isOfIteration = this.#values.differs(e);
    if (isOfIteration && this.#movable.isDataExpr(e)) {
      if (someNode(e, (node) => this.#values.readsWritten(node))) return null;
      const key = this.#key(e);
      return { keys: new Map([[this.#interner.numberOf(key), key]]), costs: null, isLong: false };
    }
    if (isOfIteration && (this.#values.readsWritten(e) || (e.kind !== 'apply' && e.kind !== 'load'))) return null;
    const keys = new Map<number, Expr>();
    const costs = new Set<string>();
    let isLong = false;
    for (const operand of operandsOf(e)) {
      const reads = this.#readsOf(operand);
      if (reads === null) return null;
      for (const [number, key] of reads.keys) keys.set(number, key);
      if (keys.size > MOST_KEYS) return null;
      if (reads.costs !== null) costs.add(reads.costs);
      isLong ||= reads.isLong;
    }
    const isCost = isCostly(e) && keys.size > 0;
    if (isCost && costs.size === 0) costs.add(nameOf(keys));
    const [name = null, ...others] = costs;
    return { keys, costs: others.length > 0 ? MIXED : name, isLong: isLong || (isCost && !isShort(e)) };
  }

  /** The data item that determines the key: keys `(g[n] - 1) * K + k` with different k share one list of groups. */
  #key(e: Expr): Expr {
    if (e.kind !== 'apply' || !AFFINE.has(e.op)) return e;
    const [operand, ...others] = e.args.filter((argument) => this.#values.differs(argument));
    return others.length > 0 ? e : this.#key(operand);
  }

  #tableOf(keys: ReadonlyMap<number, Expr>): Table {
    const name = nameOf(keys);
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const groups = this.#builder.newRef('int', 1, 'groups');
    const table: Table = { keys: [...keys.values()], groups, values: new Map() };
    this.#tables.set(name, table);
    return table;
  }

  /** The lists of entries, to run before the outermost statement around the loop, and what replaces the loop. */
  replacement(body: Block): { readonly before: Block; readonly statements: Block } {
    const builder = this.#builder;
    const entries: Entries[] = [];
    const { from, to } = this.#loop;
    const before = builder.capture(() => {
      builder.assign(this.#first, from);
      const extent = builder.bind(select(this.#outer.condition, iterationsOf(from, to), int(0)), 'extent');
      const { limit, listed } = listedRows(builder, extent, ROWS_PER_ENTRY);
      for (const table of this.tables) entries.push(this.#entriesOf(table, listed, limit));
    });
    const isUsed = entries.map(({ count }) => compare('gt', count, int(0))).reduce(and);
    const statements = builder.capture(() =>
      builder.if(
        isUsed,
        () => {
          for (const each of entries) this.#fill(each);
          const index = builder.newLocal('int', this.#loop.index.name);
          const copy = substituteVariables(body, ownVariables(builder, body, this.#loop, this.#uses));
          builder.emit({ kind: 'for', index, from, to, body: atIndex(copy, this.#loop.index, get(index)) });
        },
        () => builder.emit(this.#loop),
      ),
    );
    return { before, statements };
  }

  #entriesOf(table: Table, extent: Expr, limit: Expr): Entries {
    const builder = this.#builder;
    const rows = builder.allocate('int', [limit], 'rows');
    const counts = builder.allocate('real', [limit], 'counts');
    builder.allocateRef(table.groups, [extent]);
    const width = table.keys.length;
    const keys = builder.allocate('real', [mul(extent, int(width))], 'keys');
    const starts = builder.allocate('int', [add(extent, int(1))], 'starts');
    builder.each(extent, (i) => {
      const start = mul(i, int(width));
      builder.store(starts, i, start);
      for (const [k, key] of table.keys.entries())
        builder.store(keys, add(start, int(k)), toReal(this.#at(key, add(i, get(this.#first)))));
    });
    builder.store(starts, extent, mul(extent, int(width)));
    const found = distinctRows(builder, { first: rows, counts, groups: table.groups, keys, starts }, extent, limit);
    return { table, rows, count: builder.bind(found, 'count') };
  }

  #fill({ count, rows, table }: Entries): void {
    const builder = this.#builder;
    for (const each of table.values.values()) builder.allocateRef(each.table, [count]);
    builder.each(count, (k) => {
      const iteration = add(load(rows, k), get(this.#first));
      for (const each of table.values.values()) builder.store(each.table, k, this.#at(each.value, iteration));
    });
  }

  /** The expression of the loop's index in another iteration. */
  #at(e: Expr, iteration: Expr): Expr {
    return expressionAt(e, this.#loop.index, iteration);
  }
}

/** Whether the container has the numbers of equal rows. */
function isWeight(ref: Ref, uses: Uses): boolean {
  return ref.element === 'real' && isWrittenBy('group_rows', ref, uses);
}

/** Whether the container has no weights of rows that were not merged. */
function areAllMerged(weights: Ref, uses: Uses): boolean {
  return uses.writes(rootOf(weights)).every(({ statement }) => statement.kind !== 'store');
}

/** Whether the operation takes only a few nanoseconds, as operations that are evaluated two at a time do, except powers. */
function isShort(e: Expr): boolean {
  if (e.kind !== 'apply') return true;
  const { wasm } = OPS[e.op];
  return wasm.kind === 'kernel' && wasm.simd && e.op !== 'pow';
}

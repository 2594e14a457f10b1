import { movableOf, usesOf } from '../../dataflow/cached.js';
import { writesOf } from '../../dataflow/effects.js';
import type { Movable } from '../../dataflow/movable.js';
import { RowData } from '../../dataflow/row-data.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import { add, compare, get, int, iterationsOf, load, mul, real, select, toReal } from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { withBody, withTerms } from '../../ir/remake.js';
import { mapBlocks, visitStatements } from '../../ir/walk.js';
import { applied, type Decide, declined, UNNOTED } from '../decisions.js';
import { allocatesReals, atIndex, ownVariables } from '../loops/iterations.js';
import { substituteVariables } from '../simplify/substitute.js';
import { distinctRows, listedRows, upTo } from './distinct-rows.js';
import { keysIn, type NoKeys, type RowKeys, rowKeysOf, type SliceStatement } from './row-keys.js';
import { listedRowsOf, type ProductLoop, productLoopsOf, productOfListed } from './row-products.js';
import { type RowSpace, rowSpaceOf } from './row-space.js';

type ForLoop = StatementOf<'for'>;

/** Maximum number of values in a list, which then takes 128 MiB while rows are grouped. */
const MOST_KEYS = 2 ** 24;

/**
 * Deduplication of iterations: if the iterations of a loop differ only by the data that they read, those that read the same data run once,
 * and what they add to `target` is multiplied by their number. Equal iterations are found when data are bound; if too many are different,
 * the original loop runs, or the same loop over all of them if its iterations allocate containers.
 *
 * Nested loops over a rectangle are treated as one loop over all combinations of their indexes. Applies to loops outside other loops, with
 * data bounds, whose iterations share nothing but sums into `target`. Of equal iterations the first one runs, in loop order, so that the
 * same check fails first. Requires a block without exits; must precede `hoistData`.
 */
export function mergeRows(names: Names, block: Block, inputs: readonly Variable[], decide: Decide = UNNOTED): Block {
  if (!block.some((statement) => statement.kind === 'for')) return block;
  const given = movableOf(block, inputs);
  const products = productLoopsOf(names, block, given);
  const spaces = new Map<Statement, RowSpace>();
  const expanded = block.flatMap((statement): readonly Statement[] => {
    if (statement.kind !== 'for') return [statement];
    const product = products.get(statement);
    if (product !== undefined) return [product.expanded];
    const space = rowSpaceOf(names, statement, given);
    if (space === null) return [statement];
    spaces.set(statement, space);
    return [...space.sizes, space.loop];
  });
  const isChanged = products.size > 0 || spaces.size > 0;
  const uses = usesOf(isChanged ? expanded : block);
  const movable = isChanged ? movableOf(expanded, inputs) : given;
  const written = new Map<Statement, Block>();
  for (const statement of block) {
    if (statement.kind !== 'for') continue;
    const product = products.get(statement) ?? null;
    const inOrder = product === null ? [statement] : [product.allocation, product.kernel, statement];
    const merge = (loop: ForLoop, keys: RowKeys, around: Uses): Block =>
      new Merger(new Builder(names), loop, inOrder, product, keys, around).statements();

    const space = spaces.get(statement);
    const loop = product?.expanded ?? space?.loop ?? statement;
    const found = keysOf(loop, product, space?.indexes, uses, movable);
    const keys = 'reason' in found ? null : found;
    // Even if rows of the rectangle are cheap, iterations of the outer loop may be costly.
    const outer =
      keys === null && space !== undefined ? keysOf(statement, null, undefined, usesOf(block), given) : null;
    const keysOfOuter = outer === null || 'reason' in outer ? null : outer;
    const merged =
      keys !== null
        ? [...(space?.sizes ?? []), ...merge(loop, keys, uses)]
        : keysOfOuter && merge(statement, keysOfOuter, usesOf(block));
    if ('reason' in found && keysOfOuter === null) decide(declined('mergeRows', statement, found.reason));
    const chosen = keys ?? keysOfOuter;
    if (chosen !== null) decide(applied('mergeRows', statement, keysIn(chosen.slice)));
    if (merged === null) continue;
    for (const moved of inOrder) written.set(moved, []);
    written.set(statement, merged);
  }
  return written.size === 0 ? block : block.flatMap((statement) => written.get(statement) ?? [statement]);
}

function keysOf(
  loop: ForLoop,
  product: ProductLoop | null,
  indexes: ReadonlySet<Local> | undefined,
  uses: Uses,
  movable: Movable,
): RowKeys | NoKeys {
  if (!movable.isDataExpr(loop.from) || !movable.isDataExpr(loop.to)) {
    return { reason: 'the number of rows depends on parameters' };
  }
  if (movable.isData(loop)) return { reason: 'rows depend on data alone' };
  if (!hasOwnVariables(loop, uses)) return { reason: 'a row reads or prints what other rows have changed' };
  return rowKeysOf(loop, new RowData(loop, movable), uses, product?.computing, indexes);
}

function hasOwnVariables(loop: ForLoop, uses: Uses): boolean {
  let own = true;
  visitStatements(loop.body, (statement) => {
    for (const variable of writesOf(statement)) {
      const key = variable.kind === 'ref' ? rootOf(variable) : variable;
      if (!uses.isLocalToBody(key, loop)) own = false;
    }
  });
  return own;
}

/** Rewrites one loop. */
class Merger {
  readonly #builder: Builder;
  readonly #loop: ForLoop;
  /** The loop that runs if too many rows are different. */
  readonly #inOrder: Block;
  readonly #product: ProductLoop | null;
  readonly #keys: RowKeys;
  readonly #uses: Uses;

  constructor(builder: Builder, loop: ForLoop, inOrder: Block, product: ProductLoop | null, keys: RowKeys, uses: Uses) {
    this.#builder = builder;
    this.#loop = loop;
    this.#inOrder = inOrder;
    this.#product = product;
    this.#keys = keys;
    this.#uses = uses;
  }

  statements(): readonly Statement[] {
    const builder = this.#builder;
    return builder.capture(() => {
      const first = builder.bind(this.#loop.from, 'first');
      const extent = builder.bind(iterationsOf(first, this.#loop.to), 'extent');
      const { limit, listed } = listedRows(builder, extent);
      // Two copies of an iteration with containers would be long, while weights add little to its time.
      const hasOneLoop = this.#product === null && allocatesReals(this.#loop.body);
      const length = hasOneLoop ? extent : limit;
      const rows = builder.allocate('int', [length], 'rows');
      const weights = builder.allocate('real', [length], 'weights');
      const count = builder.bind(this.#group(first, listed, limit, rows, weights), 'count');
      if (hasOneLoop) {
        this.#merged(first, extent, this.#listedOrAll(count, extent, rows, weights), rows, weights, null);
        return;
      }
      const design = this.#product && listedRowsOf(builder, this.#product, rows, count, first);
      builder.if(
        compare('gt', count, int(0)),
        () => this.#merged(first, extent, count, rows, weights, design),
        () => {
          for (const statement of this.#inOrder) builder.emit(statement);
        },
      );
    });
  }

  /** The number of rows to run: `count`, or all `extent` of them, with weight 1, if none were merged. */
  #listedOrAll(count: Expr, extent: Expr, rows: Ref, weights: Ref): Expr {
    const builder = this.#builder;
    const isUnmerged = compare('eq', count, int(0));
    builder.if(isUnmerged, () =>
      builder.each(extent, (i) => {
        builder.store(rows, i, i);
        builder.store(weights, i, real(1));
      }),
    );
    return builder.bind(select(isUnmerged, extent, count), 'lines');
  }

  /** Lists the data that each of the first `listed` iterations reads. Returns the number of different lists, or 0 if it exceeds `limit`. */
  #group(first: Expr, listed: Expr, limit: Expr, rows: Ref, weights: Ref): Expr {
    const builder = this.#builder;
    const width = widthOf(this.#keys.slice);
    if (width !== null) {
      const extent = builder.bind(upTo(Math.floor(MOST_KEYS / width), listed, listed), 'kept');
      const keys = builder.allocate('real', [extent, int(width)], 'keys');
      this.#list(first, extent, keys, null);
      return distinctRows(
        builder,
        { first: rows, counts: weights, groups: null, keys, starts: int(width) },
        extent,
        limit,
      );
    }
    const total = builder.newLocal('int', 'total');
    builder.assign(total, int(0));
    this.#each(first, listed, () => builder.assign(total, add(get(total), int(1))));
    const keys = builder.allocate('real', [upTo(MOST_KEYS, get(total), get(total))], 'keys');
    const extent = builder.bind(upTo(MOST_KEYS, get(total), listed), 'kept');
    const starts = builder.allocate('int', [add(extent, int(1))], 'starts');
    this.#list(first, extent, keys, starts);
    return distinctRows(builder, { first: rows, counts: weights, groups: null, keys, starts }, extent, limit);
  }

  /** Writes the lists one after the other. */
  #list(first: Expr, extent: Expr, keys: Ref, starts: Ref | null): void {
    const builder = this.#builder;
    const position = builder.newLocal('int', 'position');
    builder.assign(position, int(0));
    this.#each(
      first,
      extent,
      (value) => {
        builder.store(keys, get(position), toReal(value));
        builder.assign(position, add(get(position), int(1)));
      },
      (i) => {
        if (starts !== null) builder.store(starts, i, get(position));
      },
    );
    if (starts !== null) builder.store(starts, extent, get(position));
  }

  /** Runs the slice of each iteration. */
  #each(first: Expr, extent: Expr, list: (key: Expr) => void, start: (i: Expr) => void = () => {}): void {
    const builder = this.#builder;
    builder.each(extent, (i) => {
      start(i);
      for (const statement of this.#copy(
        builder.capture(() => this.#slice(this.#keys.slice, list)),
        add(i, first),
      )) {
        builder.emit(statement);
      }
    });
  }

  #slice(slice: readonly SliceStatement[], list: (key: Expr) => void): void {
    const builder = this.#builder;
    for (const part of slice) {
      switch (part.kind) {
        case 'data':
          builder.emit(part.statement);
          break;
        case 'key':
          list(part.value);
          break;
        case 'for':
          builder.emit(
            withBody(
              part.loop,
              builder.capture(() => this.#slice(part.body, list)),
            ),
          );
          break;
        case 'if':
          builder.if(
            part.condition,
            () => this.#slice(part.then, list),
            () => this.#slice(part.otherwise, list),
          );
          break;
      }
    }
  }

  /** Copies the statements of an iteration, with new variables. */
  #copy(block: Block, iteration: Expr): Block {
    const own = ownVariables(this.#builder, block, this.#loop, this.#uses);
    return atIndex(substituteVariables(block, own), this.#loop.index, iteration);
  }

  #merged(first: Expr, extent: Expr, count: Expr, rows: Ref, weights: Ref, design: Ref | null): void {
    const builder = this.#builder;
    const { constants, body, slice } = this.#keys;
    if (constants.length > 0) {
      builder.each(extent, (i) => {
        const data = builder.capture(() => this.#slice(slice, () => {}));
        for (const statement of this.#copy([...data, ...constants], add(i, first))) builder.emit(statement);
      });
    }
    const product = this.#product && design && productOfListed(builder, this.#product, design, count);
    builder.each(count, (k) => {
      const iteration = add(load(rows, k), first);
      const weighted = weightedBy(this.#copy(this.#reading(body, product, k), iteration), load(weights, k));
      for (const statement of weighted) builder.emit(statement);
    });
  }

  /** The iteration with its element read from the product of the listed rows. */
  #reading(body: Block, product: Ref | null, k: Expr): Block {
    if (this.#product === null || product === null) return body;
    const { computing, element } = this.#product;
    const read: Statement = { kind: 'assign', local: element, value: load(product, k) };
    return [read, ...body.filter((statement) => !computing.has(statement))];
  }
}

/** The number of data that each iteration lists; null if it varies. */
function widthOf(slice: readonly SliceStatement[]): number | null {
  return slice.some(({ kind }) => kind === 'for' || kind === 'if') ? null : keysIn(slice).length;
}

function weightedBy(block: Block, weight: Expr): Block {
  return block.map((statement) =>
    statement.kind === 'target'
      ? withTerms(statement, mul(weight, statement.value))
      : mapBlocks(statement, (inner) => weightedBy(inner, weight)),
  );
}

import { usesOf } from '../../dataflow/cached.js';
import { writesOf } from '../../dataflow/effects.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import {
  add,
  apply,
  compare,
  get,
  int,
  isGetOf,
  iterationsOf,
  minInt,
  mul,
  real,
  select,
} from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref, Slicing, Statement, StatementOf } from '../../ir/nodes.js';
import { incrementsOf, sumOf, termsOf } from '../../ir/sums.js';
import { definedRefs, mapBlocks, someNode, visitOwnExpressions, visitStatements } from '../../ir/walk.js';
import { isMultiple, linearSumsOf } from './linear-sums.js';
import { type RowProduct, rowProductsOf, sliceProduct } from './slice-products.js';

type ForLoop = StatementOf<'for'>;

/** A log density that can be evaluated one slice at a time. */
export interface Sliced {
  readonly logDensity: Block;
  /** The loops and products of the given block that are divided among the slices. Every slice computes everything else. */
  readonly divided: ReadonlySet<Statement>;
}

/**
 * Divides the log density into slices whose sum it is: slice s of S runs a contiguous part of the iterations of each loop that shares
 * nothing but sums into `target`; all other terms belong to slice 0. Every slice computes the inputs of terms, such as transformed
 * parameters. With one slice, the block performs the same operations as before.
 *
 * If each iteration reads its own row of a product with a matrix of data, only the rows of the slice are computed. Requires a block without
 * exits; must follow all passes of the log density.
 */
export function sliceRows(names: Names, block: Block, input: Ref, slicing: Slicing): Sliced {
  const slicer = new Slicer(names, block, input, slicing);
  const logDensity = slicer.block(block);
  return { logDensity, divided: slicer.divided };
}

class Slicer {
  readonly divided = new Set<Statement>();
  readonly #builder: Builder;
  readonly #input: Ref;
  readonly #slicing: Slicing;
  readonly #uses: Uses;
  readonly #sums: ReadonlySet<Local>;

  constructor(names: Names, block: Block, input: Ref, slicing: Slicing) {
    this.#builder = new Builder(names);
    this.#input = input;
    this.#slicing = slicing;
    this.#uses = usesOf(block);
    this.#sums = linearSumsOf(block);
  }

  block(block: Block): Block {
    const products = rowProductsOf(block, this.#input, this.#uses).filter(({ loop }) => this.#isDivisible(loop));
    const moved = new Set<Statement>(products.flatMap(({ allocation, kernel }) => [allocation, kernel]));
    return block.flatMap((statement): readonly Statement[] => {
      if (moved.has(statement)) return [];
      if (statement.kind !== 'for') return this.#statement(statement);
      const own = products.filter(({ loop }) => loop === statement);
      return this.#isDivisible(statement) ? this.#divide(statement, own) : [this.#whole(statement)];
    });
  }

  #statement(statement: Statement): readonly Statement[] {
    switch (statement.kind) {
      case 'target':
        return this.#target(statement);
      case 'assign':
        return this.#sums.has(statement.local) ? this.#assignment(statement) : [statement];
      case 'while':
        return [this.#whole(statement)];
      default:
        return [mapBlocks(statement, (inner) => this.block(inner))];
    }
  }

  /** A loop that every slice runs completely, except for its terms. */
  #whole(statement: Statement): Statement {
    return mapBlocks(statement, (inner) =>
      inner.flatMap((each) => {
        const isLoop = each.kind === 'for' || each.kind === 'while';
        return isLoop || each.kind === 'if' || each.kind === 'labeled' || each.kind === 'arena'
          ? [this.#whole(each)]
          : this.#statement(each);
      }),
    );
  }

  #target(statement: StatementOf<'target'>): readonly Statement[] {
    const { partial, rest } = this.#parts(statement.value);
    const guarded = rest === null ? [] : [this.#once([{ ...statement, value: rest }])];
    return partial === null ? guarded : [{ ...statement, value: partial }, ...guarded];
  }

  #assignment(statement: StatementOf<'assign'>): readonly Statement[] {
    const { local } = statement;
    const { partial, rest } = this.#parts(statement.value);
    if (rest === null) return [statement];
    if (partial === null) return [this.#once([statement], [{ kind: 'assign', local, value: real(0) }])];
    return [
      { kind: 'assign', local, value: partial },
      this.#once([{ kind: 'assign', local, value: add(get(local), rest) }]),
    ];
  }

  /** The terms that are sums over the rows of the slice, and the others; null if there are no such terms. */
  #parts(value: Expr): { readonly partial: Expr | null; readonly rest: Expr | null } {
    const terms = termsOf(value);
    const isSum = (term: (typeof terms)[number]): boolean => isMultiple(term.value, this.#sums);
    const partial = terms.filter(isSum);
    if (partial.length === 0) return { partial: null, rest: value };
    const rest = terms.filter((term) => !isSum(term));
    return { partial: sumOf(partial), rest: rest.length === 0 ? null : sumOf(rest) };
  }

  /** Statements for slice 0, and statements for the other slices. */
  #once(then: Block, otherwise: Block = []): Statement {
    return { kind: 'if', condition: compare('eq', get(this.#slicing.slice), int(0)), then, otherwise };
  }

  #divide(loop: ForLoop, products: readonly RowProduct[]): Block {
    const { slice, slices } = this.#slicing;
    const builder = this.#builder;
    return builder.capture(() => {
      const from = builder.bind(loop.from, 'first');
      const total = builder.bind(iterationsOf(from, loop.to), 'extent');
      const each = builder.bind(apply('div_int', 'int', total, get(slices)), 'each');
      const spare = builder.bind(apply('rem_int', 'int', total, get(slices)), 'spare');
      const start = add(mul(each, get(slice)), minInt(get(slice), spare));
      const first = builder.bind(add(from, start), 'first');
      const count = builder.bind(add(each, select(compare('lt', get(slice), spare), int(1), int(0))), 'count');
      const body = products.reduce((rest, product) => sliceProduct(builder, product, rest, first, count), loop.body);
      for (const statement of [loop, ...products.map(({ kernel }) => kernel)]) this.divided.add(statement);
      builder.emit({ kind: 'for', index: loop.index, from: first, to: add(first, count), body });
    });
  }

  /** Whether iterations share nothing but sums into `target`. */
  #isDivisible(loop: ForLoop): boolean {
    let isDivisible = true;
    let adds = false;
    visitStatements(loop.body, (statement) => {
      if (statement.kind === 'print' || statement.kind === 'exit') isDivisible = false;
      if (statement.kind === 'target') adds = true;
      const isIncrement = this.#isIncrement(statement, loop);
      if (isIncrement) adds = true;
      for (const variable of [...writesOf(statement), ...definedRefs(statement)]) {
        if (!isIncrement && !this.#uses.isLocalToBody(variable, loop)) isDivisible = false;
      }
      if (!isIncrement) visitOwnExpressions(statement, (node) => (isDivisible &&= !this.#readsSum(node, loop)));
    });
    return isDivisible && adds;
  }

  /** Whether the statement of a loop adds something to a sum that becomes a term of `target`. */
  #isIncrement(statement: Statement, loop: ForLoop): boolean {
    if (statement.kind !== 'assign' || !this.#sums.has(statement.local)) return false;
    const terms = incrementsOf(statement.value, isGetOf(statement.local));
    return (
      terms !== null &&
      terms.length > 0 &&
      terms.every(({ value }) => !someNode(value, (node) => this.#readsSum(node, loop)))
    );
  }

  #readsSum(e: Expr, loop: ForLoop): boolean {
    return e.kind === 'get' && this.#sums.has(e.local) && !this.#uses.isLocalToBody(e.local, loop);
  }
}

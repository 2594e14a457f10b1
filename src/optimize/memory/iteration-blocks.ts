import type { Builder } from '../../ir/builder.js';
import { add, apply, compare, int, iterationsOf, maxInt, minInt, mul, select, sub } from '../../ir/expressions.js';
import type { Block, Expr, Local, StatementOf } from '../../ir/nodes.js';

/** Maximum number of values that are kept in a single block: a quarter of a MiB. */
const MOST_KEPT = 2 ** 15;
/** Number of values of a shorter block: two such blocks fit in the L1 cache. */
const BLOCK_VALUES = 2 ** 10;
/** Minimum number of iterations of a block, because starting a block has a cost. */
const LEAST_ITERATIONS = 64;

/** The iterations of a loop in blocks of the same length, except that the first may be shorter; in one block if they are few. */
export class IterationBlocks {
  /** Computes what the expressions read. */
  readonly before: Block;
  /** The number of blocks. */
  readonly count: Expr;
  /** The number of elements of a container for the values of two blocks, or of the only one. */
  readonly kept: Expr;
  readonly #builder: Builder;
  readonly #from: Expr;
  readonly #length: Expr;
  /** The number of iterations by which the first block is shorter than the others. */
  readonly #lack: Expr;

  private constructor(builder: Builder, from: Expr, to: Expr, most: number, least: number) {
    this.#builder = builder;
    const { block, result } = builder.captureResult(() => {
      const first = builder.bind(from, 'from');
      const total = builder.bind(iterationsOf(first, to), 'iterations');
      const isShort = compare('le', total, int(most));
      const length = builder.bind(select(isShort, maxInt(total, int(1)), int(least)), 'length');
      const rest = minInt(apply('rem_int', 'int', total, length), int(1));
      const count = builder.bind(add(apply('div_int', 'int', total, length), rest), 'blocks');
      return { first, length, count, lack: builder.bind(sub(mul(count, length), total), 'lack') };
    });
    this.before = block;
    this.count = result.count;
    this.kept = mul(minInt(result.count, int(2)), result.length);
    this.#from = result.first;
    this.#length = result.length;
    this.#lack = result.lack;
  }

  /** `values`: the number of values per iteration. Null if the iterations are known to fit in one block. */
  static of(builder: Builder, { from, to }: StatementOf<'for'>, values: number): IterationBlocks | null {
    const least = Math.max(LEAST_ITERATIONS, Math.floor(BLOCK_VALUES / values));
    const most = Math.max(least, Math.floor(MOST_KEPT / values));
    const total = iterationsOf(from, to);
    if (total.kind === 'const' && total.value <= most) return null;
    return new IterationBlocks(builder, from, to, most, least);
  }

  /**
   * The iterations of block k; none for k = -1. Emits statements that set `shift`: the index of an iteration less `shift` is that of its
   * elements.
   */
  at(k: Expr, shift: Local): { readonly from: Expr; readonly to: Expr } {
    const builder = this.#builder;
    const start = sub(mul(k, this.#length), this.#lack);
    const from = builder.bind(add(this.#from, maxInt(start, int(0))), 'first');
    const to = builder.bind(add(this.#from, add(start, this.#length)), 'end');
    const half = select(apply('rem_int', 'int', k, int(2)), this.#length, int(0));
    builder.assign(shift, sub(from, half));
    return { from, to };
  }
}

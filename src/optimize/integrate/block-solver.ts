import type { Builder } from '../../ir/builder.js';
import { add, apply, div, get, int, load, log, mul, sqrt, square, sub } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import type { BlockSums } from './block-sums.js';
import type { DenseSolver } from './dense-solver.js';
import { checkPivot } from './pivots.js';
import type { Steps } from './steps.js';
import type { Unit } from './units.js';

/** The factorization L D L' of each block of a parameter's precision, and the border of dense parameters. */
export class BlockSolver {
  readonly #builder: Builder;
  readonly #unit: Unit;
  readonly #sums: BlockSums;
  readonly #steps: Steps;
  readonly #dense: DenseSolver | null;
  readonly #lower: Ref;
  readonly #pivots: Ref;
  readonly #values: Ref;
  /** L⁻¹ times the border; null if the parameter does not depend on dense ones. */
  #border: Ref | null = null;

  constructor(builder: Builder, unit: Unit, sums: BlockSums, dense: DenseSolver | null, steps: Steps) {
    this.#builder = builder;
    this.#unit = unit;
    this.#sums = sums;
    this.#steps = steps;
    this.#dense = dense;
    const { width } = sums.sizes;
    this.#lower = builder.allocate('real', [mul(this.#size, width)], 'factor');
    this.#pivots = builder.allocate('real', [this.#size], 'pivots');
    this.#values = builder.allocate('real', [this.#size], 'values');
  }

  /** Factors all blocks and eliminates them from the dense parameters. */
  eliminate(): void {
    const builder = this.#builder;
    const { count, width } = this.#sums.sizes;
    const { border, linear, square: precision } = this.#sums.coefficients(builder);
    const [lower, pivots, values] = [this.#lower, this.#pivots, this.#values];
    builder.each(count, (j) =>
      builder.each(width, (c) => {
        const at = builder.bind(this.#at(c, j), 'at');
        const diagonal = builder.bind(load(precision, this.#pair(c, c, j)), 'diagonal');
        const known = builder.sum(c, (l) =>
          mul(square(load(lower, this.#pair(c, l, j))), load(pivots, this.#at(l, j))),
        );
        const pivot = builder.bind(sub(diagonal, known), 'pivot');
        checkPivot(builder, pivot, diagonal);
        builder.store(pivots, at, pivot);
        this.#steps.factored(log(pivot));
        builder.for(add(c, int(1)), width, (r) => {
          const rest = builder.sum(c, (l) =>
            mul(mul(load(lower, this.#pair(r, l, j)), load(lower, this.#pair(c, l, j))), load(pivots, this.#at(l, j))),
          );
          const value = div(sub(load(precision, this.#pair(r, c, j)), rest), pivot);
          builder.store(lower, this.#pair(r, c, j), value);
        });
        const solved = builder.sum(c, (l) =>
          detached(mul(load(lower, this.#pair(c, l, j)), load(values, this.#at(l, j)))),
        );
        builder.store(values, at, sub(detached(load(linear, at)), solved));
      }),
    );
    if (border !== null) this.#eliminateBorder(border);
  }

  /** Solves for the elements, after the dense ones have been solved for. */
  solve(): void {
    const builder = this.#builder;
    const { count, width } = this.#sums.sizes;
    const solution = builder.allocate('real', [this.#size], 'solution');
    builder.each(count, (j) =>
      builder.each(width, (t) => {
        const c = builder.bind(sub(sub(width, int(1)), t), 'c');
        const at = builder.bind(this.#at(c, j), 'at');
        const value = builder.bind(sub(load(this.#values, at), this.#knownAt(at)), 'value');
        const scaled = builder.bind(this.#steps.scaled(value, load(this.#pivots, at)), 'scaled');
        const known = builder.sum(t, (s) => {
          const r = add(add(c, int(1)), s);
          return mul(load(this.#lower, this.#pair(r, c, j)), load(solution, this.#at(r, j)));
        });
        const found = builder.bind(detached(sub(scaled, known)), 'solution');
        builder.store(solution, at, found);
        this.#steps.solved(this.#unit, at, found);
      }),
    );
  }

  #eliminateBorder(border: Ref): void {
    const builder = this.#builder;
    const dense = this.#dense;
    if (dense === null) throw new Error('integrate: a border belongs to dense parameters');
    const { count, width } = this.#sums.sizes;
    const columns = dense.size;
    const solved = builder.allocate('real', [mul(this.#size, columns)], 'border_solution');
    const weighted = builder.allocate('real', [mul(this.#size, columns)], 'border_factor');
    builder.each(columns, (k) => {
      const offset = builder.bind(mul(k, this.#size), 'offset');
      const change = builder.newLocal('real', 'change');
      builder.assign(change, int(0));
      builder.each(count, (j) =>
        builder.each(width, (c) => {
          const row = builder.bind(this.#at(c, j), 'row');
          const known = builder.sum(c, (l) =>
            mul(load(this.#lower, this.#pair(c, l, j)), load(solved, add(offset, this.#at(l, j)))),
          );
          const value = builder.bind(sub(load(border, add(offset, row)), known), 'border');
          const pivot = builder.bind(load(this.#pivots, row), 'pivot');
          builder.store(solved, add(offset, row), value);
          builder.store(weighted, add(offset, row), div(value, builder.bind(sqrt(pivot), 'root')));
          builder.assign(change, add(get(change), detached(div(mul(value, load(this.#values, row)), pivot))));
        }),
      );
      dense.reduceValue(k, get(change));
    });
    dense.reduce(weighted, this.#size);
    this.#border = solved;
  }

  /** What the dense parameters contribute to an element. */
  #knownAt(at: Expr): Expr {
    const [border, dense] = [this.#border, this.#dense];
    if (border === null || dense === null) return int(0);
    return this.#builder.sum(dense.size, (k) =>
      mul(load(border, add(at, mul(k, this.#size))), load(dense.solution, k)),
    );
  }

  get #size(): Expr {
    const { count, width } = this.#sums.sizes;
    return mul(count, width);
  }

  #at(c: Expr, block: Expr): Expr {
    return add(c, mul(this.#sums.sizes.width, block));
  }

  #pair(row: Expr, column: Expr, block: Expr): Expr {
    const { width } = this.#sums.sizes;
    return add(row, mul(width, add(column, mul(width, block))));
  }
}

function detached(e: Expr): Expr {
  return apply('detached', 'real', e);
}

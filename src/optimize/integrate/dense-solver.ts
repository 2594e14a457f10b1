import { type Builder, pointer } from '../../ir/builder.js';
import { add, apply, compare, div, int, load, mul, neg, sqrt, square, sub } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import type { DenseSums } from './dense-sums.js';
import { checkPivot, checkStatus, total } from './pivots.js';
import type { Factor, Steps } from './steps.js';
import type { Group, Unit } from './units.js';

/**
 * The border of dense parameters: eliminates long parameters from their precision (Schur complement), and solves for them by a dense Cholesky
 * factorization.
 */
export class DenseSolver {
  readonly #builder: Builder;
  readonly #dense: DenseSums;
  readonly #steps: Steps;
  readonly #complement: Ref;
  readonly #values: Ref;
  #solution: Ref | undefined;

  constructor(builder: Builder, dense: DenseSums, steps: Steps) {
    this.#builder = builder;
    this.#dense = dense;
    this.#steps = steps;
    const { size, linear, square } = dense;
    this.#complement = builder.allocate('real', [mul(size, size)], 'complement');
    this.#values = builder.allocate('real', [size], 'values');
    builder.each(mul(size, size), (k) => builder.store(this.#complement, k, load(square, k)));
    builder.each(size, (k) => builder.store(this.#values, k, detached(load(linear, k))));
  }

  /** Eliminates the parameters of a group, given the factors of their own blocks. */
  eliminate({ size, units }: Group, factorAt: (j: Expr) => Factor): void {
    const builder = this.#builder;
    const columns = this.#dense.size;
    const borders = units.map((unit) => this.#dense.borderOf(unit));
    const isBordered = borders.some((border) => border !== undefined);
    const rows = builder.bind(mul(int(units.length), size), 'rows');
    const weighted = isBordered ? builder.allocate('real', [mul(rows, columns)], 'border_factor') : null;
    builder.each(size, (j) => {
      const { pivots, rows: lower, values } = factorAt(j);
      for (const pivot of pivots) this.#steps.factored(apply('log', 'real', pivot));
      if (weighted === null) return;
      const roots = pivots.map((pivot) => builder.bind(sqrt(pivot), 'root'));
      builder.each(columns, (k) => {
        const found: Expr[] = [];
        for (const [u, border] of borders.entries()) {
          const known = total(found.map((w, t) => mul(mul(w, lower[u][t]), pivots[t])));
          const element = border === undefined ? neg(known) : sub(load(border, add(j, mul(k, size))), known);
          const w = builder.bind(div(element, pivots[u]), 'border');
          found.push(w);
          builder.store(weighted, add(add(j, mul(int(u), size)), mul(k, rows)), mul(w, roots[u]));
        }
        const change = total(found.map((w, u) => mul(w, values[u])));
        builder.store(this.#values, k, sub(load(this.#values, k), detached(change)));
      });
    });
    if (weighted !== null) this.reduce(weighted, rows);
  }

  get size(): Expr {
    return this.#dense.size;
  }

  /** The values of the dense parameters, after `solve`. */
  get solution(): Ref {
    if (this.#solution === undefined) throw new Error('integrate: dense parameters have no solution yet');
    return this.#solution;
  }

  /** Subtracts W'W from the precision, where W has `rows` rows. */
  reduce(weighted: Ref, rows: Expr): void {
    const builder = this.#builder;
    const columns = this.#dense.size;
    const product = builder.allocate('real', [mul(columns, columns)], 'product');
    builder.kernel('crossprod', [pointer(product), pointer(weighted), rows, columns]);
    builder.each(mul(columns, columns), (k) =>
      builder.store(this.#complement, k, sub(load(this.#complement, k), load(product, k))),
    );
  }

  /** Subtracts from a linear coefficient. */
  reduceValue(k: Expr, change: Expr): void {
    this.#builder.store(this.#values, k, sub(load(this.#values, k), change));
  }

  /** Solves for the dense parameters, after all groups have been eliminated. */
  solve(): void {
    const builder = this.#builder;
    const { size, square: diagonalOf, units } = this.#dense;
    const logarithm = builder.allocate('real', [int(1)], 'log_determinant');
    const factor = builder.allocate('real', [mul(size, size)], 'factor');
    const status = builder.kernelResult('int', 'log_determinant_spd', [
      pointer(logarithm),
      pointer(factor),
      pointer(this.#complement),
      size,
    ]);
    checkStatus(builder, compare('eq', status, int(0)));
    const held = builder.allocate('real', [mul(size, size)], 'held_factor');
    builder.each(mul(size, size), (k) => builder.store(held, k, detached(load(factor, k))));
    const diagonal = (k: Expr): Expr => mul(k, add(size, int(1)));
    builder.each(size, (k) => checkPivot(builder, square(load(held, diagonal(k))), load(diagonalOf, diagonal(k))));
    this.#steps.factored(load(logarithm, int(0)));
    const half = builder.allocate('real', [size], 'half_solution');
    builder.kernel('solve_lower', [pointer(half), pointer(held), pointer(this.#values), size, int(1)]);
    const scaled = builder.allocate('real', [size], 'scaled');
    builder.each(size, (k) => {
      const root = builder.bind(load(held, diagonal(k)), 'root');
      const value = this.#steps.scaled(mul(root, load(half, k)), square(root));
      builder.store(scaled, k, mul(root, value));
    });
    const solution = builder.allocate('real', [size], 'solution');
    builder.kernel('solve_lower_t', [pointer(solution), pointer(held), pointer(scaled), size, int(1)]);
    this.#solution = solution;
    for (const unit of units) {
      const offset = this.#dense.offsetOf(unit);
      const { element, parameter } = unit;
      if (element !== null) this.#steps.solved(unit, int(element), load(solution, offset));
      else builder.each(parameter.size, (k) => this.#steps.solved(unit, k, load(solution, add(offset, k))));
    }
  }

  /** What the dense parameters contribute to an element of a long one, after `solve`. */
  knownAt(unit: Unit, j: Expr): Expr {
    const border = this.#dense.borderOf(unit);
    if (border === undefined) return int(0);
    return this.#builder.sum(this.#dense.size, (k) =>
      mul(load(border, add(j, mul(k, unit.parameter.size))), load(this.solution, k)),
    );
  }
}

function detached(e: Expr): Expr {
  return apply('detached', 'real', e);
}

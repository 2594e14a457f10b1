import type { Builder } from '../../ir/builder.js';
import { div, get, int, log, mul, square, sub } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { Band } from './band.js';
import { BlockSolver } from './block-solver.js';
import { DenseSolver } from './dense-solver.js';
import type { DenseSums } from './dense-sums.js';
import { checkPivot, total } from './pivots.js';
import type { Precision } from './precision.js';
import type { Factor, Steps } from './steps.js';
import type { Group, Unit } from './units.js';

/** Solves A x = b by the factorization A = L D L': first long parameters, index by index, then the border. */
export class Solver {
  readonly #builder: Builder;
  readonly #precision: Precision;
  readonly #steps: Steps;

  constructor(builder: Builder, precision: Precision, steps: Steps) {
    this.#builder = builder;
    this.#precision = precision;
    this.#steps = steps;
  }

  solve(): void {
    const builder = this.#builder;
    const precision = this.#precision;
    const { border: short, dense, groups } = precision;
    if (dense !== null) {
      this.#solveWith(dense);
      return;
    }
    const blocks = this.#blockSolvers(null);
    for (const solver of blocks) solver.eliminate();
    for (const solver of blocks) solver.solve();
    const corner = short.map((some, k) =>
      short.slice(0, k + 1).map((other) => this.#variable(precision.square(some, other, int(0)))),
    );
    const right = short.map((each) => this.#variable(precision.linear(each, int(0))));
    const eliminate = (
      pivots: readonly Expr[],
      values: readonly Expr[],
      border: readonly (readonly Expr[])[],
    ): void => {
      for (const pivot of pivots) this.#steps.factored(log(pivot));
      for (const [s, some] of border.entries()) {
        for (const [t, other] of border.slice(0, s + 1).entries()) {
          const sum = corner[s][t];
          const change = total(some.map((w, k) => mul(mul(w, other[k]), pivots[k])));
          if (!isZero(change)) builder.assign(sum, sub(get(sum), change));
        }
        const change = total(some.map((w, k) => mul(w, values[k])));
        if (!isZero(change)) builder.assign(right[s], sub(get(right[s]), change));
      }
    };
    const bands = new Map(
      groups.filter(({ width }) => width > 0).map((group) => [group, new Band(builder, precision, group)]),
    );
    for (const group of groups) {
      const band = bands.get(group);
      if (band !== undefined) band.factor(eliminate);
      else {
        builder.each(group.size, (j) => {
          const { pivots, rows, values } = this.#factor(group, j);
          eliminate(
            pivots,
            values,
            short.map((_, k) => rows[group.units.length + k]),
          );
        });
      }
    }
    const last = this.#decompose(
      short.length,
      (s, t) => get(corner[s][t]),
      (s) => get(right[s]),
    );
    for (const pivot of last.pivots) this.#steps.factored(log(pivot));
    const solution = this.#solution(last, short.length, []);
    for (const [s, value] of solution.entries()) this.#steps.solved(short[s], int(short[s].element ?? 0), value);
    for (const group of groups) {
      const band = bands.get(group);
      if (band !== undefined) {
        band.solve(this.#steps, solution);
        continue;
      }
      builder.each(group.size, (j) => {
        const found = this.#solution(this.#factor(group, j), group.units.length, solution);
        for (const [k, value] of found.entries()) this.#steps.solved(group.units[k], j, value);
      });
    }
  }

  #solveWith(dense: DenseSums): void {
    const builder = this.#builder;
    const { groups } = this.#precision;
    const solver = new DenseSolver(builder, dense, this.#steps);
    const blocks = this.#blockSolvers(solver);
    for (const group of groups) solver.eliminate(group, (j) => this.#factor(group, j));
    for (const each of blocks) each.eliminate();
    solver.solve();
    for (const each of blocks) each.solve();
    for (const group of groups) {
      builder.each(group.size, (j) => {
        const known = new Map(group.units.map((unit) => [unit, builder.bind(solver.knownAt(unit, j), 'known')]));
        const found = this.#solution(this.#factor(group, j, known), group.units.length, []);
        for (const [k, value] of found.entries()) this.#steps.solved(group.units[k], j, value);
      });
    }
  }

  #blockSolvers(dense: DenseSolver | null): readonly BlockSolver[] {
    const { blocks } = this.#precision;
    return [...blocks].map(([unit, sums]) => new BlockSolver(this.#builder, unit, sums, dense, this.#steps));
  }

  #variable(value: Expr) {
    const local = this.#builder.newLocal('real', 'corner');
    this.#builder.assign(local, value);
    return local;
  }

  /** The factor of the elements with an index; the last rows are those of the border. `known` is subtracted from their linear coefficients. */
  #factor({ units }: Group, j: Expr, known: ReadonlyMap<Unit, Expr> = new Map()): Factor {
    const precision = this.#precision;
    const all = [...units, ...precision.border];
    return this.#decompose(
      units.length,
      (row, column) => precision.square(all[row], all[column], j),
      (row) => sub(precision.linear(units[row], j), known.get(units[row]) ?? int(0)),
      all.length,
    );
  }

  /** Decomposes the first `size` columns of a symmetric matrix with `rows` rows. */
  #decompose(
    size: number,
    element: (row: number, column: number) => Expr,
    value: (row: number) => Expr,
    rows = size,
  ): Factor {
    const builder = this.#builder;
    const lower: Expr[][] = [];
    const pivots: Expr[] = [];
    const values: Expr[] = [];
    for (let row = 0; row < rows; row++) {
      const own: Expr[] = [];
      lower.push(own);
      for (let column = 0; column < Math.min(row, size); column++) {
        const known = total(own.map((l, k) => mul(mul(l, lower[column][k]), pivots[k])));
        own.push(builder.bind(div(sub(element(row, column), known), pivots[column]), 'factor'));
      }
      if (row >= size) continue;
      const known = total(own.map((l, k) => mul(square(l), pivots[k])));
      const diagonal = element(row, row);
      const pivot = builder.bind(sub(diagonal, known), 'pivot');
      checkPivot(builder, pivot, diagonal);
      pivots.push(pivot);
      values.push(builder.bind(sub(value(row), total(own.map((l, k) => mul(l, values[k])))), 'value'));
    }
    return { rows: lower, pivots, values };
  }

  /** The first `size` elements of the solution; `later` are those of the rows after them. */
  #solution({ pivots, rows, values }: Factor, size: number, later: readonly Expr[]): readonly Expr[] {
    const builder = this.#builder;
    const found: Expr[] = [];
    for (let k = size - 1; k >= 0; k--) {
      const after = [...found, ...later];
      const known = total(after.map((x, i) => mul(rows[k + 1 + i][k], x)));
      found.unshift(builder.bind(sub(this.#steps.scaled(values[k], pivots[k]), known), 'solution'));
    }
    return found;
  }
}

function isZero(e: Expr): boolean {
  return e.kind === 'const' && e.value === 0;
}

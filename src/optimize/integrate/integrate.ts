import { Builder, type Names } from '../../ir/builder.js';
import { add, apply, compare, div, get, int, log, mul, real, sqrt, square, sub, ZERO } from '../../ir/expressions.js';
import type { Block, Expr, IntegratedParameter, Ref } from '../../ir/nodes.js';
import { type Group, Precision, type Unit } from './precision.js';
import { quadraticTerms } from './quadratic-terms.js';

/** Statements that compute the conditional distribution of parameters given the others. */
export interface Conditional {
  readonly statements: Block;
  readonly parameters: readonly IntegratedParameter[];
  readonly precision: Precision;
}

/**
 * The conditional distribution of parameters θ given the others, φ, if the log density is, as a function of θ, that of a normal distribution
 * whose precision matrix is block-diagonal with a border:
 *
 *     log p(θ, φ) = c(φ) + b(φ)'θ - θ'A(φ)θ / 2.
 *
 * Throws `NotQuadratic` otherwise.
 */
export function conditionalOf(
  names: Names,
  logDensity: Block,
  parameters: readonly IntegratedParameter[],
): Conditional {
  const roots = new Map(parameters.map(({ size, values }) => [values, size]));
  let precision = new Precision(names, parameters);
  const terms = quadraticTerms(names, logDensity, roots, () => {
    precision = new Precision(names, parameters);
    return precision.sink;
  });
  precision.check();
  return { statements: [...precision.start(), ...terms], parameters, precision };
}

/**
 * The marginal log density of the other parameters, up to a constant: the log density at the conditional mean, minus half the logarithm of
 * the determinant of the conditional precision. The derivative of the log density with respect to the mean is 0, so that the mean is detached.
 * Source: Lai, Domke & Sheldon, Hamiltonian Monte Carlo inference of marginalized linear mixed-effects models (2024).
 */
export function marginalDensity(names: Names, logDensity: Block, conditional: Conditional): Block {
  const builder = new Builder(names);
  const { parameters, precision, statements } = conditional;
  const means = builder.capture(() => {
    for (const { size, values } of parameters) builder.allocateRef(values, [size]);
    const solver = new Solver(builder, precision, {
      factored: (pivot) => builder.target(mul(real(-0.5), log(pivot))),
      scaled: div,
      solved: ({ parameter: { values } }, j, value) => builder.store(values, j, apply('detached', 'real', value)),
    });
    solver.solve();
  });
  return [...statements, ...means, ...logDensity];
}

/**
 * Draws of the parameters from their conditional distribution, before a block that reads them. The only element of `excess` becomes the
 * log density of the program at the draw minus the marginal log density.
 */
export function withDraws(names: Names, block: Block, conditional: Conditional, excess: Ref): Block {
  const builder = new Builder(names);
  const { parameters, precision, statements } = conditional;
  const draws = builder.capture(() => {
    const sum = builder.newLocal('real', 'excess');
    builder.assign(sum, ZERO);
    for (const { drawn, size } of parameters) builder.allocateRef(drawn, [size]);
    const solver = new Solver(builder, precision, {
      factored: (pivot) => builder.assign(sum, add(get(sum), mul(real(0.5), log(pivot)))),
      scaled: (value, pivot) => {
        const z = builder.bind(builder.kernelResult('real', 'rng_normal', [{ kind: 'random_state' }]), 'z');
        builder.assign(sum, sub(get(sum), mul(real(0.5), square(z))));
        return add(div(value, pivot), div(z, sqrt(pivot)));
      },
      solved: ({ parameter: { drawn } }, j, value) => builder.store(drawn, j, value),
    });
    solver.solve();
    builder.store(excess, int(0), get(sum));
  });
  return [...statements, ...draws, ...block];
}

/** What to do with a factorization A = L D L'. */
interface Steps {
  /** Receives each element of D. */
  readonly factored: (pivot: Expr) => void;
  /** An element of D⁻¹ y, or a normal variate with this mean and the variance D⁻¹. */
  readonly scaled: (value: Expr, pivot: Expr) => Expr;
  /** Receives each element of the solution x of L'x = D⁻¹ y, where L y = b. */
  readonly solved: (unit: Unit, index: Expr, value: Expr) => void;
}

/** Rows of L and elements of D and y. Columns of L belong to the rows before. */
interface Factor {
  readonly rows: readonly (readonly Expr[])[];
  readonly pivots: readonly Expr[];
  readonly values: readonly Expr[];
}

/** Solves A x = b by the factorization A = L D L': first long parameters, index by index, then the border. */
class Solver {
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
    const { border: short, groups } = precision;
    const corner = short.map((some, k) =>
      short.slice(0, k + 1).map((other) => this.#variable(precision.square(some, other, int(0)))),
    );
    const right = short.map((each) => this.#variable(precision.linear(each, int(0))));
    for (const group of groups) {
      builder.each(group.size, (j) => {
        const { pivots, rows, values } = this.#factor(group, j);
        for (const pivot of pivots) this.#steps.factored(pivot);
        const border = short.map((_, k) => rows[group.units.length + k]);
        for (const [s, some] of border.entries()) {
          for (const [t, other] of border.slice(0, s + 1).entries()) {
            const sum = corner[s][t];
            const change = total(some.map((w, k) => mul(mul(w, other[k]), pivots[k])));
            if (!isZero(change)) builder.assign(sum, sub(get(sum), change));
          }
          const change = total(some.map((w, k) => mul(w, values[k])));
          if (!isZero(change)) builder.assign(right[s], sub(get(right[s]), change));
        }
      });
    }
    const last = this.#decompose(
      short.length,
      (s, t) => get(corner[s][t]),
      (s) => get(right[s]),
    );
    for (const pivot of last.pivots) this.#steps.factored(pivot);
    const solution = this.#solution(last, short.length, []);
    for (const [s, value] of solution.entries()) this.#steps.solved(short[s], int(short[s].element ?? 0), value);
    for (const group of groups) {
      builder.each(group.size, (j) => {
        const found = this.#solution(this.#factor(group, j), group.units.length, solution);
        for (const [k, value] of found.entries()) this.#steps.solved(group.units[k], j, value);
      });
    }
  }

  #variable(value: Expr) {
    const local = this.#builder.newLocal('real', 'corner');
    this.#builder.assign(local, value);
    return local;
  }

  /** The factor of the elements with an index; the last rows are those of the border. */
  #factor({ units }: Group, j: Expr): Factor {
    const precision = this.#precision;
    const all = [...units, ...precision.border];
    return this.#decompose(
      units.length,
      (row, column) => precision.square(all[row], all[column], j),
      (row) => precision.linear(units[row], j),
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
      builder.check(compare('gt', pivot, mul(real(LEAST_SHARE), diagonal)), SINGULAR, [pivot]);
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

/** Pivots below this share of their diagonal element have lost too many digits. */
const LEAST_SHARE = 1e-11;
const SINGULAR =
  'The conditional precision of the parameters that are integrated out is not positive definite: up to rounding errors, a pivot is {0}.';

function isZero(e: Expr): boolean {
  return e.kind === 'const' && e.value === 0;
}

function total(terms: readonly Expr[]): Expr {
  return terms.reduce(add, ZERO);
}

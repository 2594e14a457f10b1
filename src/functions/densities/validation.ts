import type { Builder } from '../../ir/builder.js';
import { pointer } from '../../ir/builder.js';
import { abs, add, and, compare, int, real, sub, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue } from '../../ir/value.js';
import { MATRIX } from '../../language/types.js';
import type { Requirement } from '../checks.js';
import { finite, require } from '../checks.js';
import { checkSymmetric } from '../linear-algebra/checks.js';
import { checkMatch, checkSquare, fresh, type Stored } from '../shapes.js';

/** Checks of structured arguments, with Stan's messages and its tolerance of 1e-8. */
const TOLERANCE = real(1e-8);

/** Checks every element of a one-dimensional container. */
export function checkEach(
  builder: Builder,
  name: string,
  words: string,
  value: ContainerValue,
  requirement: Requirement,
  others: readonly Expr[] = [],
): void {
  builder.each(value.sizes[0], (i) =>
    require(builder, requirement, builder.bind(value.flat(i)), { function: name, argument: words, index: i }, others),
  );
}

/** Checks every element of a matrix. */
export function checkElements(
  builder: Builder,
  name: string,
  words: string,
  matrix: ContainerValue,
  requirement: Requirement,
): void {
  const [rows, columns] = matrix.sizes;
  builder.each(columns, (j) =>
    builder.each(rows, (i) => {
      const element = builder.bind(matrix.at(i, j));
      const message = `${name}: ${words}[{1}, {2}] is {0}, but must be ${requirement.must}`;
      builder.check(requirement.holds(element, []), message, [element, add(i, int(1)), add(j, int(1))]);
    }),
  );
}

export function checkNotEmpty(builder: Builder, name: string, words: string, size: Expr): void {
  builder.check(
    compare('gt', size, int(0)),
    `${name}: ${words} has size 0, but must have a non-zero size`,
    [],
    'error',
  );
}

export function checkSimplex(builder: Builder, name: string, words: string, size: Expr, at: (k: Expr) => Expr): void {
  checkNotEmpty(builder, name, words, size);
  const total = builder.sum(size, at);
  builder.check(
    compare('le', abs(sub(real(1), total)), TOLERANCE),
    `${name}: ${words} is not a valid simplex. sum(${words}) = {0:10}, but should be 1`,
    [total],
  );
  builder.each(size, (k) =>
    builder.check(
      compare('ge', at(k), ZERO),
      `${name}: ${words} is not a valid simplex. ${words}[{0}] = {1}, but should be greater than or equal to 0`,
      [add(k, int(1)), at(k)],
    ),
  );
}

function checkOrdered(builder: Builder, name: string, words: string, size: Expr, at: (k: Expr) => Expr): void {
  builder.for(int(1), size, (k) => {
    const [previous, value] = [at(sub(k, int(1))), at(k)];
    builder.check(
      compare('gt', value, previous),
      `${name}: ${words} is not a valid ordered vector. The element at {0} is {1}, but should be greater than the previous element, {2}`,
      [add(k, int(1)), value, previous],
    );
  });
}

/** Checks the cut points of ordered regressions: they must increase, and the first and the last must be finite. */
export function checkCutPoints(
  builder: Builder,
  name: string,
  words: readonly [ordered: string, last: string, first: string],
  size: Expr,
  at: (k: Expr) => Expr,
): void {
  const [ordered, last, first] = words;
  checkOrdered(builder, name, ordered, size, at);
  builder.if(compare('gt', size, int(1)), () =>
    require(builder, finite, at(sub(size, int(1))), { function: name, argument: last }),
  );
  builder.if(compare('gt', size, int(0)), () =>
    require(builder, finite, at(int(0)), { function: name, argument: first }),
  );
}

export function checkCholeskyFactor(builder: Builder, name: string, words: string, factor: ContainerValue): void {
  const [rows, columns] = factor.sizes;
  const size = 'Cholesky factor';
  builder.check(
    compare('le', columns, rows),
    `${name}: columns and rows of ${size} is {0}, but must be less than or equal to {1}`,
    [columns, rows],
  );
  builder.check(compare('gt', columns, int(0)), `${name}: columns of ${size} is {0}, but must be positive!`, [columns]);
  builder.for(int(1), columns, (j) =>
    builder.each(j, (i) =>
      builder.check(
        compare('eq', factor.at(i, j), ZERO),
        `${name}: ${words} is not lower triangular; ${words}[{0},{1}]={2}`,
        [add(i, int(1)), add(j, int(1)), factor.at(i, j)],
      ),
    ),
  );
  builder.each(columns, (i) =>
    builder.check(compare('gt', factor.at(i, i), ZERO), `${name}: ${words}[{0}] is {1}, but must be positive!`, [
      add(i, int(1)),
      factor.at(i, i),
    ]),
  );
}

/** The Cholesky factor of a symmetric matrix. Stops with an error if the matrix is not positive definite. */
export function factorOf(
  builder: Builder,
  name: string,
  matrix: Stored,
  words: { readonly symmetric: string; readonly factor: string },
): Stored {
  checkSquare(builder, name, words.symmetric, matrix);
  checkSymmetric(builder, name, words.symmetric, matrix);
  return factorOrLastVariance(builder, name, matrix, words.factor);
}

export function factorOrLastVariance(builder: Builder, name: string, matrix: Stored, words: string): Stored {
  const [n] = matrix.sizes;
  const factor = fresh(builder, MATRIX, [n, n], matrix, 'factor');
  const status = builder.kernelResult('int', 'cholesky', [pointer(factor.ref), pointer(matrix.ref), n]);
  builder.if(compare('ne', status, int(0)), () => {
    const work = builder.allocate('real', [n, n], 'work');
    const variance = builder.kernelResult('real', 'last_conditional_variance', [pointer(matrix.ref), pointer(work), n]);
    builder.check(int(0), `${name}: ${words} is not positive definite.  last conditional variance is {0}.`, [variance]);
  });
  return factor;
}

/** Checks a correlation matrix and returns its Cholesky factor. */
export function checkCorrelation(builder: Builder, name: string, words: string, matrix: Stored): Stored {
  const [n] = matrix.sizes;
  checkSquare(builder, name, words, matrix);
  builder.each(n, (k) =>
    builder.check(
      compare('le', abs(sub(matrix.at(k, k), real(1))), TOLERANCE),
      `${name}: ${words} is not a valid correlation matrix. ${words}({0},{0}) is {1}, but should be near 1.0`,
      [add(k, int(1)), matrix.at(k, k)],
    ),
  );
  checkSymmetric(builder, name, words, matrix);
  const factor = fresh(builder, MATRIX, [n, n], matrix, 'factor');
  const status = builder.kernelResult('int', 'cholesky', [pointer(factor.ref), pointer(matrix.ref), n]);
  builder.check(compare('eq', status, int(0)), `${name}: ${words} is not positive definite.`);
  return factor;
}

/**
 * Checks the sizes of random variable, location and matrix:
 * `Size of random variable (3) and size of location parameter (2) must match in size`.
 */
export function checkDimensions(
  builder: Builder,
  name: string,
  size: Expr,
  location: Expr,
  matrix: ContainerValue,
  parameter: string,
): void {
  const variable = 'Size of random variable';
  checkMatch(builder, name, variable, size, 'size of location parameter', location);
  checkMatch(builder, name, variable, size, `rows of ${parameter} parameter`, matrix.sizes[0]);
  checkMatch(builder, name, variable, size, `columns of ${parameter} parameter`, matrix.sizes[1]);
}

/** Requires an int in the closed interval from 1 to `high`. */
export function fromOneTo(high: Expr): Requirement {
  return {
    holds: (x) => and(compare('ge', x, int(1)), compare('le', x, high)),
    must: 'in the interval [1, {0}]',
    values: () => [high],
  };
}

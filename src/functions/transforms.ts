import type { Builder } from '../ir/builder.js';
import { compare, int } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { containerOf, scalarOf } from './broadcast.js';
import { CHOLESKY_FACTOR_CORR, CHOLESKY_FACTOR_COV, checkTall } from './constraints/cholesky-factors.js';
import type { StructuredConstraint } from './constraints/constraint.js';
import { type ArgumentValues, constrainElements, unconstrainElements } from './constraints/elements.js';
import { type ElementwiseConstraint, LOWER, LOWER_UPPER, OFFSET_MULTIPLIER, UPPER } from './constraints/elementwise.js';
import { CORR_MATRIX, COV_MATRIX } from './constraints/matrices.js';
import { ORDERED, POSITIVE_ORDERED } from './constraints/ordered.js';
import { COLUMN_STOCHASTIC_MATRIX, ROW_STOCHASTIC_MATRIX, SIMPLEX } from './constraints/simplex.js';
import { constrainStructures, innerSizes, unconstrainStructures } from './constraints/structures.js';
import { SUM_TO_ZERO_MATRIX, SUM_TO_ZERO_VECTOR } from './constraints/sum-to-zero.js';
import { next, pairs } from './constraints/triangle.js';
import { UNIT_VECTOR } from './constraints/unit-vector.js';
import type { FunctionEntry, JacobianSink } from './entry.js';
import { rowsOf } from './row.js';
import { checkMatch } from './shapes.js';
import type { Pattern } from './signatures.js';

const row = rowsOf('constraints');

/** The transform of a constraint and its inverse. */
interface Transform {
  readonly constrain: (builder: Builder, args: readonly Value[], jacobian: JacobianSink | null) => Value;
  readonly unconstrain: (builder: Builder, args: readonly Value[]) => Value;
}

/** The three functions of a constraint that transforms free values to `what`. */
function functionsOf(
  name: string,
  what: string,
  constrained: readonly Pattern[],
  free: readonly Pattern[],
  { constrain, unconstrain }: Transform,
): FunctionEntry[] {
  return [
    row(`${name}_constrain`, `Transforms free values to ${what}.`, constrained, (b, args) => constrain(b, args, null)),
    row(
      `${name}_jacobian`,
      `Transforms free values to ${what} and adds the log Jacobian to the log density.`,
      constrained,
      (b, args, { jacobian }) => constrain(b, args, jacobian),
    ),
    row(`${name}_unconstrain`, `The free values of ${what}: the inverse transform.`, free, unconstrain),
  ];
}

const ONE_BOUND: readonly Pattern[] = [
  '(real, real) => real',
  '(array[N] T, real | array[N] T) => array[N] T where T = matrices',
  '(array[N] real, real | array[N] real) => array[N] real where N = 1..8',
];

const TWO_BOUNDS: readonly Pattern[] = [
  '(real, real, real) => real',
  '(array[N] T, real | array[N] T, real | array[N] T) => array[N] T where T = matrices',
  '(array[N] real, real | array[N] real, real | array[N] real) => array[N] real where N = 1..8',
];

function elementwise(
  name: string,
  what: string,
  rule: ElementwiseConstraint,
  patterns: readonly Pattern[],
  argumentsOf: (args: readonly Value[]) => ArgumentValues,
): FunctionEntry[] {
  return functionsOf(name, what, patterns, patterns, {
    constrain: (b, [x, ...args], jacobian) => constrainElements(b, rule, x, argumentsOf(args), jacobian),
    unconstrain: (b, [y, ...args]) => unconstrainElements(b, rule, y, argumentsOf(args)),
  });
}

/** Computes the constrained sizes of a call from the free value and the sizes among the arguments. */
type SizesOf = (
  builder: Builder,
  free: ContainerValue,
  given: readonly Expr[],
  jacobian: JacobianSink | null,
) => readonly Expr[];

function structured(
  name: string,
  what: string,
  constrained: readonly Pattern[],
  free: readonly Pattern[],
  ruleOf: (value: ContainerValue) => StructuredConstraint,
  sizesOf: SizesOf,
): FunctionEntry[] {
  return functionsOf(name, what, constrained, free, {
    constrain: (b, [x, ...given], jacobian) => {
      const value = containerOf(x);
      const sizes = sizesOf(b, value, given.map(scalarOf), jacobian);
      return constrainStructures(b, ruleOf(value), value, sizes, jacobian);
    },
    unconstrain: (b, [y]) => unconstrainStructures(b, ruleOf(containerOf(y)), containerOf(y)),
  });
}

/** Functions of vectors whose sizes follow from those of the free values. */
function vectors(
  name: string,
  what: string,
  rule: StructuredConstraint,
  sizeOf: (free: Expr) => Expr,
): FunctionEntry[] {
  const patterns = ['(array[N] vector) => array[N] vector'];
  return structured(
    name,
    what,
    patterns,
    patterns,
    () => rule,
    (_, x) => innerSizes(x).map(sizeOf),
  );
}

function stochastic(by: 'column' | 'row', rule: StructuredConstraint): FunctionEntry[] {
  const patterns = ['(array[N] matrix) => array[N] matrix'];
  const what = `matrices whose ${by}s are simplexes`;
  return structured(
    `stochastic_${by}`,
    what,
    patterns,
    patterns,
    () => rule,
    (_, x) => {
      const [rows, columns] = innerSizes(x);
      return by === 'column' ? [next(rows), columns] : [rows, next(columns)];
    },
  );
}

/** Functions of square matrices whose size is an argument. `checkLength` compares the number of free elements with the size. */
function square(
  name: string,
  what: string,
  rule: StructuredConstraint,
  checkLength: (builder: Builder, length: Expr, size: Expr, jacobian: JacobianSink | null) => void,
): FunctionEntry[] {
  return structured(
    name,
    what,
    ['(array[N] vector, int) => array[N] matrix'],
    ['(array[N] matrix) => array[N] vector'],
    () => rule,
    (b, x, [given], jacobian) => {
      const size = b.bind(given, 'size');
      checkSize(b, name, 'K', size);
      checkLength(b, innerSizes(x)[0], size, jacobian);
      return [size, size];
    },
  );
}

function checkSize(builder: Builder, name: string, argument: string, size: Expr): void {
  const words = `${name}_constrain: ${argument} is {0}, but must be greater than or equal to 0`;
  builder.check(compare('ge', size, int(0)), words, [size], 'error');
}

function sizesOfFactor(
  builder: Builder,
  free: ContainerValue,
  [givenRows, givenColumns]: readonly Expr[],
  jacobian: JacobianSink | null,
): readonly Expr[] {
  const name = 'cholesky_factor_cov';
  const rows = builder.bind(givenRows, 'rows');
  const columns = builder.bind(givenColumns, 'columns');
  checkSize(builder, name, 'M', rows);
  checkSize(builder, name, 'N', columns);
  if (jacobian === null) checkTall(builder, 'cholesky_factor_constrain', rows, columns);
  const [needed] = CHOLESKY_FACTOR_COV.freeSizes([rows, columns]);
  const words = jacobian === null ? 'constrain size' : 'x.size()';
  const expected = '((N * (N + 1)) / 2 + (M - N) * N)';
  checkMatch(builder, 'cholesky_factor_constrain', words, innerSizes(free)[0], expected, needed);
  return [rows, columns];
}

/** `NAME_constrain`, `NAME_jacobian` and `NAME_unconstrain` of every constraint. */
export const TRANSFORMS: readonly FunctionEntry[] = [
  ...elementwise('lower_bound', 'numbers above a lower bound', LOWER, ONE_BOUND, ([first]) => ({
    first,
    second: null,
  })),
  ...elementwise('upper_bound', 'numbers below an upper bound', UPPER, ONE_BOUND, ([second]) => ({
    first: null,
    second,
  })),
  ...elementwise(
    'lower_upper_bound',
    'numbers between a lower and an upper bound',
    LOWER_UPPER,
    TWO_BOUNDS,
    ([first, second]) => ({ first, second }),
  ),
  ...elementwise(
    'offset_multiplier',
    'numbers shifted by an offset and scaled by a multiplier',
    OFFSET_MULTIPLIER,
    TWO_BOUNDS,
    ([first, second]) => ({ first, second }),
  ),
  ...vectors('ordered', 'vectors whose elements increase', ORDERED, (n) => n),
  ...vectors('positive_ordered', 'vectors of positive elements that increase', POSITIVE_ORDERED, (n) => n),
  ...vectors('simplex', 'simplexes', SIMPLEX, next),
  ...vectors('unit_vector', 'vectors of length 1', UNIT_VECTOR, (n) => n),
  ...structured(
    'sum_to_zero',
    'vectors whose elements sum to zero, or matrices whose rows and columns do',
    ['(array[N] T) => array[N] T where T = vector | matrix'],
    ['(array[N] T) => array[N] T where T = vector | matrix'],
    (value) => (innerSizes(value).length === 1 ? SUM_TO_ZERO_VECTOR : SUM_TO_ZERO_MATRIX),
    (_, x) => innerSizes(x).map(next),
  ),
  ...stochastic('column', COLUMN_STOCHASTIC_MATRIX),
  ...stochastic('row', ROW_STOCHASTIC_MATRIX),
  ...square(
    'cholesky_factor_corr',
    'Cholesky factors of correlation matrices',
    CHOLESKY_FACTOR_CORR,
    (b, length, size, jacobian) => {
      const words = jacobian === null ? 'constrain size' : 'y.size()';
      checkMatch(b, 'cholesky_corr_constrain', words, length, 'k_choose_2', pairs(size));
    },
  ),
  ...structured(
    'cholesky_factor_cov',
    'Cholesky factors of covariance matrices',
    ['(array[N] vector, int, int) => array[N] matrix'],
    ['(array[N] matrix) => array[N] vector'],
    () => CHOLESKY_FACTOR_COV,
    sizesOfFactor,
  ),
  ...square('corr_matrix', 'correlation matrices', CORR_MATRIX, (b, length, size) =>
    checkMatch(b, 'cov_matrix_constrain', 'x.size()', length, 'k_choose_2', pairs(size)),
  ),
  ...square('cov_matrix', 'covariance matrices', COV_MATRIX, (b, length, size) =>
    checkMatch(b, 'cov_matrix_constrain', 'x.size()', length, 'K + (K choose 2)', pairs(next(size))),
  ),
];

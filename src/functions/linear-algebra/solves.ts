import type { Builder } from '../../ir/builder.js';
import { levelOf, pointer, scalar } from '../../ir/builder.js';
import { add, compare, int, load, mul, real, select, square } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { MATRIX } from '../../language/types.js';
import { containerOf } from '../broadcast.js';
import type { FunctionEntry } from '../entry.js';
import { larger, smaller } from '../kernels.js';
import { rowsOf as family } from '../row.js';
import { checkSquare, fresh, matrixOf, type Stored, stored } from '../shapes.js';
import { checkDiagonal, checkMultiplicable, checkSymmetric, wordFor } from './checks.js';
import { crossprodOf, identityLike, transposeStored } from './products.js';

const row = family('linear algebra');
const zero = int(0);
const one = int(1);

/** The number of right-hand sides. A vector is one column, and a row vector one row. */
function sides(value: ContainerValue, across: 'columns' | 'rows'): Expr {
  if (value.type.kind !== 'matrix') return one;
  return across === 'columns' ? value.sizes[1] : value.sizes[0];
}

type Solve = 'solve_lower' | 'solve_lower_t' | 'solve_right_lower' | 'solve_right_lower_t';

/** Solves with a triangular factor. The kernels read only its lower triangle. */
export function solveTriangular(builder: Builder, kind: Solve, factor: Stored, right: Value): Stored {
  const b = stored(builder, right);
  const [n] = factor.sizes;
  const out = fresh(builder, b.type, b.sizes, { ...b, level: levelOf([factor, right]) }, 'solution');
  if (kind === 'solve_lower' || kind === 'solve_lower_t') {
    builder.kernel(kind, [pointer(out.ref), pointer(factor.ref), pointer(b.ref), n, sides(b, 'columns')]);
  } else {
    builder.kernel(kind, [pointer(out.ref), pointer(b.ref), pointer(factor.ref), sides(b, 'rows'), n]);
  }
  return out;
}

/** A⁻¹ B by LU decomposition with partial pivoting. */
function solveGeneral(builder: Builder, matrix: Stored, right: Stored): Stored {
  const [n] = matrix.sizes;
  const factors = fresh(builder, MATRIX, [n, n], matrix, 'lu');
  const pivots = builder.allocate('int', [n], 'pivots');
  builder.kernelResult('int', 'lu', [pointer(factors.ref), pointer(pivots), pointer(matrix.ref), n]);
  const out = fresh(builder, right.type, right.sizes, { ...right, level: levelOf([matrix, right]) }, 'solution');
  const address = [pointer(out.ref), pointer(factors.ref), pointer(pivots), pointer(right.ref)];
  builder.kernel('lu_solve', [...address, n, sides(right, 'columns')]);
  return out;
}

/** A⁻¹ B for a symmetric positive definite A. Stops with an error for any other matrix. `name` is the called function. */
function solveDefinite(builder: Builder, name: string, matrix: Stored, right: Stored): Stored {
  checkSquare(builder, name, 'A', matrix);
  checkSymmetric(builder, name, 'A', matrix);
  checkDiagonal(builder, name, 'A', matrix);
  const [n] = matrix.sizes;
  const factor = fresh(builder, MATRIX, [n, n], matrix, 'factor');
  const out = fresh(builder, right.type, right.sizes, { ...right, level: levelOf([matrix, right]) }, 'solution');
  const address = [pointer(out.ref), pointer(factor.ref), pointer(matrix.ref), pointer(right.ref)];
  const status = builder.kernelResult('int', 'spd_solve', [...address, n, sides(right, 'columns')]);
  builder.check(compare('eq', status, zero), 'mdivide_left_spd: Matrix A is not positive definite');
  return out;
}

/**
 * The Cholesky factor of a symmetric matrix. Reads only its lower triangle. Stops with `failure` if the matrix is not positive definite.
 */
function choleskyOf(builder: Builder, matrix: Value, failure: string): Stored {
  const a = stored(builder, matrix);
  const [n] = a.sizes;
  const factor = fresh(builder, MATRIX, [n, n], matrix, 'factor');
  const status = builder.kernelResult('int', 'cholesky', [pointer(factor.ref), pointer(a.ref), n]);
  builder.check(compare('eq', status, zero), failure);
  return factor;
}

function choleskyDecompose(builder: Builder, matrix: Value): Stored {
  const name = 'cholesky_decompose';
  const argument = wordFor(matrix, { data: 'm', parameters: 'A' });
  const a = stored(builder, matrix);
  checkSquare(builder, name, argument, a);
  checkSymmetric(builder, name, argument, a);
  if (matrix.level === 'data') checkDiagonal(builder, name, argument, a);
  return choleskyOf(builder, a, `${name}: Matrix m is not positive definite`);
}

function inverseOf(builder: Builder, value: Value): Stored {
  const matrix = stored(builder, value);
  checkSquare(builder, 'inverse', 'm', matrix);
  const [n] = matrix.sizes;
  const out = fresh(builder, MATRIX, [n, n], matrix, 'inverse');
  const work = builder.allocate('real', [n, add(n, one)], 'work');
  builder.kernel('inverse', [pointer(out.ref), pointer(matrix.ref), pointer(work), n]);
  return out;
}

function inverseSpd(builder: Builder, matrix: Value): Stored {
  const a = stored(builder, matrix);
  checkSquare(builder, 'inverse_spd', 'm', a);
  checkSymmetric(builder, 'inverse_spd', 'm', a);
  const [n] = a.sizes;
  const mean = stored(
    builder,
    matrixOf(n, n, a, (i, j) => mul(real(0.5), add(a.at(i, j), a.at(j, i)))),
  );
  const out = fresh(builder, MATRIX, [n, n], a, 'inverse');
  const work = builder.allocate('real', [n, n], 'work');
  const status = builder.kernelResult('int', 'inverse_spd', [pointer(out.ref), pointer(mean.ref), pointer(work), n]);
  builder.check(compare('eq', status, zero), 'invese_spd: matrix not positive definite ');
  return out;
}

function cholToInverse(builder: Builder, value: Value): Value {
  const factor = stored(builder, value);
  checkSquare(builder, 'chol2inv', 'L', factor);
  builder.for(one, factor.sizes[1], (j) =>
    builder.each(j, (i) =>
      builder.check(compare('eq', factor.at(i, j), real(0)), 'chol2inv: L is not lower triangular; L[{0},{1}]={2}', [
        add(i, one),
        add(j, one),
        factor.at(i, j),
      ]),
    ),
  );
  return crossprodOf(builder, solveTriangular(builder, 'solve_lower', factor, identityLike(factor)));
}

/** log |det A| or det A. */
function determinantOf(builder: Builder, matrix: Value, name: 'determinant' | 'log_determinant'): Value {
  const a = stored(builder, matrix);
  checkSquare(builder, name, 'm', a);
  const [n] = a.sizes;
  const out = builder.allocate('real', [one], 'determinant');
  const factors = builder.allocate('real', [n, n], 'lu');
  const pivots = builder.allocate('int', [n], 'pivots');
  builder.kernel(name === 'determinant' ? name : 'log_abs_determinant', [
    pointer(out),
    pointer(factors),
    pointer(pivots),
    pointer(a.ref),
    n,
  ]);
  return scalar(load(out, zero), matrix.level);
}

function logDeterminantSpd(builder: Builder, matrix: Value): Value {
  const a = stored(builder, matrix);
  const [name, argument] = wordFor<readonly [string, string]>(matrix, {
    data: ['log_determinant_spd', 'm'],
    parameters: ['log_determinant', 'M'],
  });
  checkSquare(builder, name, argument, a);
  checkSymmetric(builder, name, argument, a);
  const [n] = a.sizes;
  const out = builder.allocate('real', [one], 'determinant');
  const factor = builder.allocate('real', [n, n], 'factor');
  const status = builder.kernelResult('int', 'log_determinant_spd', [pointer(out), pointer(factor), pointer(a.ref), n]);
  const failed = compare('ne', status, zero);
  if (matrix.level === 'data') return scalar(select(failed, real(Number.NaN), load(out, zero)), 'data');
  const failure = 'log_determinant_spd: matrix argument matrix is negative definite0';
  builder.check(compare('eq', status, zero), failure);
  builder.each(n, (i) => {
    const pivot = load(factor, mul(i, add(n, one)));
    builder.check(compare('gt', square(pivot), real(1e-16)), failure);
  });
  return scalar(load(out, zero), matrix.level);
}

function generalizedInverse(builder: Builder, value: Value): Value {
  const a = stored(builder, value);
  const [rows, columns] = a.sizes;
  const out = fresh(builder, MATRIX, [columns, rows], a, 'inverse');
  const rank = smaller(rows, columns);
  const breadth = add(add(larger(rows, columns), add(rows, columns)), add(mul(int(2), rank), int(4)));
  const work = builder.allocate('real', [rank, breadth], 'work');
  builder.kernel('generalized_inverse', [pointer(out.ref), pointer(a.ref), pointer(work), rows, columns]);
  return out;
}

const LEFT = ['(matrix, matrix) => matrix', '(matrix, vector) => vector'];
const RIGHT = ['(matrix, matrix) => matrix', '(row_vector, matrix) => row_vector'];

export const SOLVES: readonly FunctionEntry[] = [
  row(
    'cholesky_decompose',
    { computes: 'The lower Cholesky factor.', domain: 'symmetric positive definite' },
    ['(matrix) => matrix'],
    (b, [x]) => choleskyDecompose(b, x),
  ),
  row('mdivide_left_tri_low', 'L⁻¹ B, with L the lower triangle of a matrix.', LEFT, (b, args) => {
    const [a, right] = args.map(containerOf);
    checkSquare(b, 'mdivide_left_tri_low', 'A', a);
    checkMultiplicable(b, 'mdivide_left_tri_low', ['A', a], ['b', right]);
    return solveTriangular(b, 'solve_lower', stored(b, a), right);
  }),
  row('mdivide_right_tri_low', 'B L⁻¹, with L the lower triangle of a matrix.', RIGHT, (b, args) => {
    const [left, a] = args.map(containerOf);
    checkSquare(b, 'mdivide_right_tri', 'A', a);
    checkMultiplicable(b, 'mdivide_right_tri', ['b', left], ['A', a]);
    return solveTriangular(b, 'solve_right_lower', stored(b, a), left);
  }),
  row('mdivide_left', 'A⁻¹ B.', LEFT, (b, args) => {
    const [a, right] = args.map((arg) => stored(b, arg));
    checkSquare(b, 'mdivide_left', 'A', a);
    const word = levelOf(args) === 'data' ? 'b' : 'B';
    checkMultiplicable(b, 'mdivide_left', ['A', a], [word, right]);
    return solveGeneral(b, a, right);
  }),
  row('mdivide_right', 'B A⁻¹.', RIGHT, (b, args) => {
    const [left, a] = args.map((arg) => stored(b, arg));
    checkSquare(b, 'mdivide_right', 'A', a);
    checkMultiplicable(b, 'mdivide_right', ['b', left], ['A', a]);
    return transposeStored(b, solveGeneral(b, transposeStored(b, a), transposeStored(b, left)));
  }),
  row('mdivide_left_spd', { computes: 'A⁻¹ B.', domain: 'A symmetric positive definite' }, LEFT, (b, args) => {
    const [a, right] = args.map((arg) => stored(b, arg));
    checkMultiplicable(b, 'mdivide_left_spd', ['A', a], ['b', right]);
    return solveDefinite(b, 'mdivide_left_spd', a, right);
  }),
  row('mdivide_right_spd', { computes: 'B A⁻¹.', domain: 'A symmetric positive definite' }, RIGHT, (b, args) => {
    const [left, a] = args.map((arg) => stored(b, arg));
    checkMultiplicable(b, 'mdivide_right_spd', ['b', left], ['A', a]);
    return transposeStored(b, solveDefinite(b, 'mdivide_right_spd', a, transposeStored(b, left)));
  }),
  row('inverse', 'The inverse.', ['(matrix) => matrix'], (b, [x]) => inverseOf(b, x)),
  row(
    'inverse_spd',
    { computes: 'The inverse.', domain: 'symmetric positive definite' },
    ['(matrix) => matrix'],
    (b, [x]) => inverseSpd(b, x),
  ),
  row('chol2inv', "The inverse of L L'.", ['(matrix) => matrix'], (b, [x]) => cholToInverse(b, x)),
  row('generalized_inverse', 'The Moore-Penrose inverse.', ['(matrix) => matrix'], (b, [x]) =>
    generalizedInverse(b, x),
  ),
  row('determinant', 'The determinant.', ['(matrix) => real'], (b, [x]) => determinantOf(b, x, 'determinant')),
  row('log_determinant', 'The logarithm of the absolute value of the determinant.', ['(matrix) => real'], (b, [x]) =>
    determinantOf(b, x, 'log_determinant'),
  ),
  row(
    'log_determinant_spd',
    { computes: 'The logarithm of the determinant.', domain: 'symmetric positive definite' },
    ['(matrix) => real'],
    (b, [x]) => logDeterminantSpd(b, x),
  ),
];

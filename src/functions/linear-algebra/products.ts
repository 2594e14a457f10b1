import type { Builder } from '../../ir/builder.js';
import { levelOf, pointer, scalar } from '../../ir/builder.js';
import { mul } from '../../ir/exact.js';
import { add, apply, compare, int, real, select } from '../../ir/expressions.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { MATRIX, ROW_VECTOR, VECTOR } from '../../language/types.js';
import { bindOnce, containerOf, elementwise, scalarOf } from '../broadcast.js';
import { finite } from '../checks.js';
import type { Call, FunctionEntry } from '../entry.js';
import { rowsOf as family } from '../row.js';
import {
  checkCount,
  checkMatch,
  checkSquare,
  fresh,
  length,
  matrixOf,
  reusable,
  type Stored,
  stored,
} from '../shapes.js';
import { checkFactors, checkMultiplicable, checkSymmetric } from './checks.js';

const row = family('linear algebra');
const zero = int(0);
const one = int(1);

/** The product of two matrices. `gemm_symmetric` also symmetrizes a result that is symmetric up to rounding errors. */
export function multiplyMatrices(
  builder: Builder,
  a: Value,
  b: Value,
  kernel: 'gemm' | 'gemm_symmetric' = 'gemm',
): Stored {
  const left = stored(builder, a);
  const right = stored(builder, b);
  const [m, k] = left.sizes;
  const n = right.sizes[1];
  const out = fresh(builder, MATRIX, [m, n], { ...left, level: levelOf([a, b]) }, 'product');
  builder.kernel(kernel, [pointer(out.ref), pointer(left.ref), pointer(right.ref), m, k, n]);
  return out;
}

export function matrixTimesVector(builder: Builder, a: Value, x: Value): Stored {
  const matrix = stored(builder, a);
  const vector = stored(builder, x);
  const [rows, columns] = matrix.sizes;
  const out = fresh(builder, VECTOR, [rows], { ...matrix, level: levelOf([a, x]) }, 'product');
  builder.kernel('gemv', [pointer(out.ref), pointer(matrix.ref), pointer(vector.ref), rows, columns]);
  return out;
}

/** A' x, as a vector or row vector. */
export function transposedTimesVector(builder: Builder, a: Value, x: Value, type: typeof VECTOR): Stored {
  const matrix = stored(builder, a);
  const vector = stored(builder, x);
  const [rows, columns] = matrix.sizes;
  const out = fresh(builder, type, [columns], { ...matrix, level: levelOf([a, x]) }, 'product');
  builder.kernel('gemv_t', [pointer(out.ref), pointer(matrix.ref), pointer(vector.ref), rows, columns]);
  return out;
}

/** A' B. */
function transposedTimesMatrix(
  builder: Builder,
  a: Stored,
  b: Stored,
  kernel: 'gemm' | 'gemm_symmetric' = 'gemm',
): Stored {
  return multiplyMatrices(builder, transposeStored(builder, a), b, kernel);
}

export function transposeStored(builder: Builder, value: Value): Stored {
  const m = reusable(builder, value);
  if (m.type.kind !== 'matrix') {
    return stored(builder, { ...m, type: m.type.kind === 'vector' ? ROW_VECTOR : VECTOR });
  }
  return stored(
    builder,
    matrixOf(m.sizes[1], m.sizes[0], value, (i, j) => m.at(j, i)),
  );
}

/** A' A. */
export function crossprodOf(builder: Builder, a: Stored): Stored {
  const [rows, columns] = a.sizes;
  const out = fresh(builder, MATRIX, [columns, columns], a, 'crossprod');
  builder.kernel('crossprod', [pointer(out.ref), pointer(a.ref), rows, columns]);
  return out;
}

/** A A'. */
function tcrossprodOf(builder: Builder, a: Stored): Stored {
  const [rows, columns] = a.sizes;
  const out = fresh(builder, MATRIX, [rows, rows], a, 'tcrossprod');
  builder.kernel('tcrossprod', [pointer(out.ref), pointer(a.ref), rows, columns]);
  return out;
}

/** The lower triangle of a matrix, with zeros above it. */
function lowerTriangle(builder: Builder, matrix: Value): Stored {
  const m = reusable(builder, matrix);
  return stored(
    builder,
    matrixOf(m.sizes[0], m.sizes[1], matrix, (i, j) => select(compare('ge', i, j), m.at(i, j), real(0))),
  );
}

export function identityLike(value: ContainerValue): ContainerValue {
  const [n] = value.sizes;
  return matrixOf(n, n, value, (i, j) => select(compare('eq', i, j), real(1), real(0)));
}

function multiply(builder: Builder, args: readonly Value[], call: Call): Value {
  const [a, b] = args;
  if (a.kind === 'scalar' || b.kind === 'scalar') return elementwise(builder, call.result, args, mul);
  const left = containerOf(a);
  const right = containerOf(b);
  if (levelOf(args) === 'data') checkFactors(builder, left, right);
  else checkMultiplicable(builder, 'multiply', ['A', left], ['B', right]);
  if (left.type.kind === 'row_vector' && right.type.kind === 'vector') return dotProduct(builder, left, right);
  if (left.type.kind === 'vector') {
    const column = reusable(builder, left);
    const line = reusable(builder, right);
    checkCount(builder, 'multiply', [column.sizes[0], line.sizes[0]]);
    return matrixOf(column.sizes[0], line.sizes[0], { ...left, level: levelOf(args) }, (i, j) =>
      mul(column.at(i), line.at(j)),
    );
  }
  if (right.type.kind === 'vector') return matrixTimesVector(builder, a, b);
  if (left.type.kind === 'row_vector') return transposedTimesVector(builder, b, a, ROW_VECTOR);
  return multiplyMatrices(builder, a, b);
}

/** The sum of the products of corresponding elements. */
function dotProduct(builder: Builder, x: ContainerValue, y: ContainerValue): Value {
  return scalar(
    builder.sum(length(x), (k) => mul(x.flat(k), y.flat(k))),
    levelOf([x, y]),
  );
}

/** B' A B. */
function quadForm(builder: Builder, [first, second]: readonly Value[], kernel: 'gemm' | 'gemm_symmetric'): Value {
  const a = stored(builder, first);
  const b = stored(builder, second);
  if (b.type.kind === 'vector') return dotProduct(builder, b, matrixTimesVector(builder, a, b));
  return transposedTimesMatrix(builder, b, multiplyMatrices(builder, a, b), kernel);
}

function diagonalTimes(builder: Builder, args: readonly Value[], side: 'pre' | 'post'): Value {
  const vector = reusable(builder, side === 'pre' ? args[0] : args[1]);
  const matrix = containerOf(side === 'pre' ? args[1] : args[0]);
  const name = `diag_${side}_multiply`;
  if (side === 'pre') checkMatch(builder, name, 'm1.size()', length(vector), 'm2.rows()', matrix.sizes[0]);
  else checkMatch(builder, name, 'm2.size()', length(vector), 'm1.cols()', matrix.sizes[1]);
  return matrixOf(
    matrix.sizes[0],
    matrix.sizes[1],
    { ...matrix, level: levelOf(args) },
    (i, j) => mul(vector.flat(side === 'pre' ? i : j), matrix.at(i, j)),
    matrix.costly,
  );
}

function matrixPower(builder: Builder, [x, power]: readonly Value[]): Value {
  const a = stored(builder, x);
  checkSquare(builder, 'matrix_power', 'M', a);
  const n = bindOnce(builder, scalarOf(power));
  builder.check(compare('ge', n, zero), 'matrix_power: n is {0}, but must be nonnegative!', [n]);
  const [size] = a.sizes;
  builder.each(length(a), (k) => {
    const element = builder.bind(a.flat(k));
    builder.check(finite.holds(element, []), 'matrix_power: M[{0}, {1}] is {2}, but must be finite!', [
      add(apply('rem_int', 'int', k, size), one),
      add(apply('div_int', 'int', k, size), one),
      element,
    ]);
  });
  const out = stored(builder, identityLike(a));
  builder.for(zero, n, () => builder.fill(out.ref, multiplyMatrices(builder, out, a)));
  return out;
}

export const MATRIX_PRODUCTS: readonly FunctionEntry[] = [
  row(
    'multiply',
    'The product of numbers, of a number and each element, or of matrices.',
    [
      '(int, int) => int',
      '(real, T) => T where T = real | matrices',
      '(vector, real) => vector',
      '(row_vector, real | matrix) => row_vector',
      '(row_vector, vector) => real',
      '(vector, row_vector) => matrix',
      '(matrix, vector) => vector',
      '(matrix, real | matrix) => matrix',
    ],
    multiply,
  ),
  row('crossprod', "A' A.", ['(matrix) => matrix'], (b, [x]) => crossprodOf(b, stored(b, x))),
  row('tcrossprod', "A A'.", ['(matrix) => matrix'], (b, [x]) => tcrossprodOf(b, stored(b, x))),
  row(
    'multiply_lower_tri_self_transpose',
    "L L', with L the lower triangle of a matrix.",
    ['(matrix) => matrix'],
    (b, [x]) => tcrossprodOf(b, lowerTriangle(b, x)),
  ),
  row('quad_form', "B' A B.", ['(matrix, matrix) => matrix', '(matrix, vector) => real'], (b, args) => {
    const [a, x] = args.map(containerOf);
    checkSquare(b, 'quad_form', 'A', a);
    checkMultiplicable(b, 'quad_form', ['A', a], ['B', x]);
    return quadForm(b, args, 'gemm');
  }),
  row(
    'quad_form_sym',
    { computes: "B' A B.", domain: 'A symmetric' },
    ['(matrix, matrix) => matrix', '(matrix, vector) => real'],
    (b, args) => {
      const a = stored(b, args[0]);
      checkMultiplicable(b, 'quad_form_sym', ['A', a], ['B', containerOf(args[1])]);
      checkSquare(b, 'quad_form_sym', 'A', a);
      checkSymmetric(b, 'quad_form_sym', 'A', a);
      return quadForm(b, [a, args[1]], 'gemm_symmetric');
    },
  ),
  row('quad_form_diag', 'diag(v) A diag(v).', ['(matrix, vector | row_vector) => matrix'], (b, args) => {
    const a = containerOf(args[0]);
    const v = reusable(b, args[1]);
    checkSquare(b, 'quad_form_diag', 'mat', a);
    checkMatch(b, 'quad_form_diag', 'rows of mat', a.sizes[0], 'size of vec', length(v));
    return matrixOf(
      a.sizes[0],
      a.sizes[1],
      { ...a, level: levelOf(args) },
      (i, j) => mul(mul(v.flat(i), v.flat(j)), a.at(i, j)),
      a.costly,
    );
  }),
  row(
    'trace_quad_form',
    "The trace of B' A B.",
    ['(matrix, matrix) => real', '(matrix, vector) => real'],
    (b, args) => {
      const a = stored(b, args[0]);
      const x = stored(b, args[1]);
      checkSquare(b, 'trace_quad_form', 'A', a);
      checkMultiplicable(b, 'trace_quad_form', ['A', a], ['B', x]);
      return dotProduct(b, x, x.type.kind === 'vector' ? matrixTimesVector(b, a, x) : multiplyMatrices(b, a, x));
    },
  ),
  row('trace_gen_quad_form', "The trace of D B' A B.", ['(matrix, matrix, matrix) => real'], (b, args) => {
    const [d, a, x] = args.map((arg) => stored(b, arg));
    checkSquare(b, 'trace_gen_quad_form', 'A', a);
    checkSquare(b, 'trace_gen_quad_form', 'D', d);
    checkMultiplicable(b, 'trace_gen_quad_form', ['A', a], ['B', x]);
    checkMultiplicable(b, 'trace_gen_quad_form', ['B', x], ['D', d]);
    const right = multiplyMatrices(b, x, transposeStored(b, d));
    return dotProduct(b, multiplyMatrices(b, a, x), right);
  }),
  row('trace_dot', 'The trace of the product of two matrices.', ['(matrix, matrix) => real'], (b, args) => {
    const [x, y] = args.map((arg) => reusable(b, arg));
    const [rows, columns] = x.sizes;
    checkMatch(b, 'trace_dot', 'A.cols()', columns, 'B.rows()', y.sizes[0]);
    checkMatch(b, 'trace_dot', 'A.rows()', rows, 'B.cols()', y.sizes[1]);
    return scalar(
      b.sum(columns, (j) => b.sum(rows, (i) => mul(x.at(i, j), y.at(j, i)))),
      levelOf(args),
    );
  }),
  row('diag_pre_multiply', 'diag(v) A.', ['(vector | row_vector, matrix) => matrix'], (b, args) =>
    diagonalTimes(b, args, 'pre'),
  ),
  row('diag_post_multiply', 'A diag(v).', ['(matrix, vector | row_vector) => matrix'], (b, args) =>
    diagonalTimes(b, args, 'post'),
  ),
  row('matrix_power', 'The product of n copies of a matrix.', ['(matrix, int) => matrix'], matrixPower),
];

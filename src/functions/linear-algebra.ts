import type { Builder } from '../ir/builder.js';
import { levelOf, pointer, scalar } from '../ir/builder.js';
import { abs, add, compare, div, get, int, load, log, mul, real, select, sub, toReal } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { MATRIX, ROW_VECTOR, VECTOR } from '../language/types.js';
import { bindOnce, containerOf, elementwise, scalarOf } from './broadcast.js';
import type { Call, FunctionEntry } from './entry.js';
import { rowsOf as family } from './row.js';
import {
  checkMatch,
  checkSquare,
  columnsOf,
  fresh,
  length,
  matrixOf,
  reusable,
  rowsOf,
  type Stored,
  stored,
} from './shapes.js';

const row = family('linear algebra');
const zero = int(0);
const one = int(1);

/** Symmetric up to 1e-8, as Stan demands. */
export function checkSymmetric(builder: Builder, name: string, argument: string, m: ContainerValue): void {
  const [n] = m.sizes;
  builder.for(zero, n, (i) =>
    builder.for(add(i, one), n, (j) => {
      const upper = builder.bind(m.at(i, j));
      const lower = builder.bind(m.at(j, i));
      builder.check(
        compare('le', abs(sub(upper, lower)), real(1e-8)),
        `${name}: ${argument} is not symmetric. ${argument}[{0},{1}] = {2}, but ${argument}[{1},{0}] = {3}`,
        [add(i, one), add(j, one), upper, lower],
      );
    }),
  );
}

export function multiplyMatrices(builder: Builder, a: Value, b: Value): Stored {
  const left = stored(builder, a);
  const right = stored(builder, b);
  const [m, k] = left.sizes;
  const n = right.sizes[1];
  const out = fresh(builder, MATRIX, [m, n], { ...left, level: levelOf([a, b]) }, 'product');
  builder.kernel('gemm', [pointer(out.ref), pointer(left.ref), pointer(right.ref), m, k, n]);
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

function multiply(builder: Builder, args: readonly Value[], call: Call): Value {
  const [a, b] = args;
  if (a.kind === 'scalar' || b.kind === 'scalar') return elementwise(builder, call.result, args, mul);
  const left = containerOf(a);
  const right = containerOf(b);
  checkMatch(builder, 'multiply', 'Columns of A', columnsOf(left), 'Rows of B', rowsOf(right));
  if (left.type.kind === 'row_vector' && right.type.kind === 'vector') {
    return scalar(
      builder.sum(length(left), (i) => mul(left.flat(i), right.flat(i))),
      levelOf(args),
    );
  }
  if (left.type.kind === 'vector') {
    const column = reusable(builder, left);
    const line = reusable(builder, right);
    return matrixOf(column.sizes[0], line.sizes[0], { ...left, level: levelOf(args) }, (i, j) =>
      mul(column.at(i), line.at(j)),
    );
  }
  if (right.type.kind === 'vector') return matrixTimesVector(builder, a, b);
  if (left.type.kind === 'row_vector') return transposedTimesVector(builder, b, a, ROW_VECTOR);
  return multiplyMatrices(builder, a, b);
}

/** Lower Cholesky factor; stops unless the matrix is symmetric and positive definite. */
export function choleskyOf(builder: Builder, matrix: Value, failure: string): Stored {
  const a = stored(builder, matrix);
  const [n] = a.sizes;
  const factor = fresh(builder, MATRIX, [n, n], matrix, 'factor');
  const status = builder.kernelResult('int', 'cholesky', [pointer(factor.ref), pointer(a.ref), n]);
  builder.check(compare('eq', status, zero), failure);
  return factor;
}

/** Right-hand sides as a matrix: a vector is one column, a row vector one row. */
function sides(value: ContainerValue, across: 'columns' | 'rows'): Expr {
  if (value.type.kind !== 'matrix') return one;
  return across === 'columns' ? value.sizes[1] : value.sizes[0];
}

type Solve = 'solve_lower' | 'solve_lower_t' | 'solve_right_lower' | 'solve_right_lower_t';

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

/** The lower triangle with zeros above it: triangular functions ignore the rest of their argument. */
function lowerTriangle(builder: Builder, matrix: Value): Stored {
  const m = reusable(builder, matrix);
  return stored(
    builder,
    matrixOf(m.sizes[0], m.sizes[1], matrix, (i, j) => select(compare('ge', i, j), m.at(i, j), real(0))),
  );
}

function checkLeft(
  builder: Builder,
  name: string,
  a: ContainerValue,
  b: ContainerValue,
  labels: readonly [string, string],
): void {
  checkSquare(builder, name, labels[0], a);
  checkMatch(builder, name, `Columns of ${labels[0]}`, a.sizes[1], `Rows of ${labels[1]}`, rowsOf(b));
}

function checkRight(
  builder: Builder,
  name: string,
  b: ContainerValue,
  a: ContainerValue,
  labels: readonly [string, string],
): void {
  checkSquare(builder, name, labels[1], a);
  checkMatch(builder, name, `Columns of ${labels[0]}`, columnsOf(b), `Rows of ${labels[1]}`, a.sizes[0]);
}

/** A⁻¹ B through LU with partial pivoting. */
function solveGeneral(builder: Builder, matrix: Stored, right: Stored): Stored {
  const [n] = matrix.sizes;
  const factors = fresh(builder, MATRIX, [n, n], matrix, 'lu');
  const pivots = builder.allocate('int', [n], 'pivots');
  builder.kernelResult('int', 'lu', [pointer(factors.ref), pointer(pivots), pointer(matrix.ref), n]);
  const out = fresh(builder, right.type, right.sizes, { ...right, level: levelOf([matrix, right]) }, 'solution');
  builder.kernel('lu_solve', [
    pointer(out.ref),
    pointer(factors.ref),
    pointer(pivots),
    pointer(right.ref),
    n,
    sides(right, 'columns'),
  ]);
  return out;
}

function transposeStored(builder: Builder, value: Value): Stored {
  const m = reusable(builder, value);
  if (m.type.kind !== 'matrix') {
    return stored(builder, { ...m, type: m.type.kind === 'vector' ? ROW_VECTOR : VECTOR });
  }
  return stored(
    builder,
    matrixOf(m.sizes[1], m.sizes[0], value, (i, j) => m.at(j, i)),
  );
}

/** A copy through which no derivative passes. */
function detached(builder: Builder, value: Stored): Stored {
  const out = fresh(builder, value.type, value.sizes, value, 'detached');
  builder.kernel('detach', [pointer(out.ref), pointer(value.ref), length(value)]);
  return out;
}

/**
 * `base` plus the sum of `partial(k) (x[k] - x0[k])`, where x0 is x without its derivative: the value is `base`, the
 * derivative by each element of x is `partial`.
 */
function linearised(builder: Builder, base: Expr, x: Stored, partial: (k: Expr) => Expr): Expr {
  const fixed = detached(builder, x);
  return add(
    base,
    builder.sum(length(x), (k) => mul(partial(k), sub(x.flat(k), fixed.flat(k)))),
  );
}

function inverseOf(builder: Builder, matrix: Stored): Stored {
  const [n] = matrix.sizes;
  const out = fresh(builder, MATRIX, [n, n], matrix, 'inverse');
  const work = builder.allocate('real', [add(mul(n, n), n)], 'work');
  builder.kernelResult('int', 'inverse', [pointer(out.ref), pointer(matrix.ref), pointer(work), n]);
  return out;
}

/** log |det A| or det A: its derivative is the transposed inverse (times the determinant). */
function determinantOf(builder: Builder, matrix: Value, kind: 'determinant' | 'log_abs_determinant'): Expr {
  const a = stored(builder, matrix);
  const [n] = a.sizes;
  const fixed = detached(builder, a);
  const work = builder.allocate('real', [add(mul(n, n), n)], 'work');
  const value = builder.kernelResult('real', kind, [pointer(fixed.ref), pointer(work), n]);
  if (matrix.level === 'data') return value;
  const inverse = inverseOf(builder, fixed);
  const factor = kind === 'determinant' ? value : real(1);
  return linearised(builder, value, a, (k) => {
    const i: Expr = { kind: 'apply', type: 'int', op: 'rem_int', args: [k, n] };
    const j: Expr = { kind: 'apply', type: 'int', op: 'div_int', args: [k, n] };
    return mul(factor, inverse.at(j, i));
  });
}

function inverseSpd(builder: Builder, matrix: Value): Value {
  const a = stored(builder, matrix);
  checkSquare(builder, 'inverse_spd', 'm', a);
  checkSymmetric(builder, 'inverse_spd', 'm', a);
  const factor = choleskyOf(builder, a, 'invese_spd: matrix not positive definite ');
  return inverseFromFactor(builder, factor);
}

function inverseFromFactor(builder: Builder, factor: Stored): Stored {
  const [n] = factor.sizes;
  const identity = matrixOf(n, n, factor, (i, j) => select(compare('eq', i, j), real(1), real(0)));
  const half = solveTriangular(builder, 'solve_lower', factor, identity);
  const out = fresh(builder, MATRIX, [n, n], factor, 'inverse');
  builder.kernel('crossprod', [pointer(out.ref), pointer(half.ref), n, n]);
  return out;
}

/** B' A B. */
function quadForm(builder: Builder, name: string, args: readonly Value[], symmetric: boolean): Value {
  const a = stored(builder, args[0]);
  const b = stored(builder, args[1]);
  checkSquare(builder, name, 'A', a);
  checkMatch(builder, name, 'Columns of A', a.sizes[1], 'Rows of B', rowsOf(b));
  if (symmetric) checkSymmetric(builder, name, 'A', a);
  if (b.type.kind === 'vector') {
    const product = matrixTimesVector(builder, a, b);
    return scalar(
      builder.sum(length(b), (i) => mul(b.flat(i), product.flat(i))),
      levelOf(args),
    );
  }
  const product = multiplyMatrices(builder, a, b);
  const out = transposedTimesMatrix(builder, b, product);
  if (!symmetric) return out;
  return matrixOf(out.sizes[0], out.sizes[1], out, (i, j) => mul(real(0.5), add(out.at(i, j), out.at(j, i))));
}

/** A' B. */
function transposedTimesMatrix(builder: Builder, a: Stored, b: Stored): Stored {
  return multiplyMatrices(builder, transposeStored(builder, a), b);
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

function square2(builder: Builder, name: string, value: Value, check = true): Stored {
  const m = stored(builder, value);
  if (check) checkSquare(builder, name, 'm', m);
  return m;
}

const LEFT = ['(matrix, matrix) => matrix', '(matrix, vector) => vector'];
const RIGHT = ['(matrix, matrix) => matrix', '(row_vector, matrix) => row_vector'];

export const LINEAR_ALGEBRA: readonly FunctionEntry[] = [
  row(
    'multiply',
    'The product: of numbers, of a number and each element, or the matrix product.',
    [
      '(int, int) => int',
      '(real, T) => T where T = real | vector | row_vector | matrix',
      '(vector, real) => vector',
      '(row_vector, real | matrix) => row_vector',
      '(row_vector, vector) => real',
      '(vector, row_vector) => matrix',
      '(matrix, vector) => vector',
      '(matrix, real | matrix) => matrix',
    ],
    multiply,
  ),
  row('crossprod', "A' A.", ['(matrix) => matrix'], (b, [x]) => {
    const a = stored(b, x);
    const [rows, columns] = a.sizes;
    const out = fresh(b, MATRIX, [columns, columns], x, 'crossprod');
    b.kernel('crossprod', [pointer(out.ref), pointer(a.ref), rows, columns]);
    return out;
  }),
  row('tcrossprod', "A A'.", ['(matrix) => matrix'], (b, [x]) => tcrossprodOf(b, stored(b, x))),
  row(
    'multiply_lower_tri_self_transpose',
    "L L' of the lower triangle L of a matrix.",
    ['(matrix) => matrix'],
    (b, [x]) => tcrossprodOf(b, lowerTriangle(b, x)),
  ),
  row(
    'cholesky_decompose',
    { computes: 'The lower Cholesky factor.', domain: 'symmetric positive definite' },
    ['(matrix) => matrix'],
    (b, [x]) => {
      const a = stored(b, x);
      checkSquare(b, 'cholesky_decompose', 'A', a);
      checkSymmetric(b, 'cholesky_decompose', 'A', a);
      return choleskyOf(b, a, 'cholesky_decompose: Matrix m is not positive definite');
    },
  ),
  row('mdivide_left_tri_low', 'L⁻¹ B of the lower triangle L.', LEFT, (b, args) => {
    checkLeft(b, 'mdivide_left_tri_low', containerOf(args[0]), containerOf(args[1]), ['A', 'b']);
    return solveTriangular(b, 'solve_lower', lowerTriangle(b, args[0]), args[1]);
  }),
  row('mdivide_right_tri_low', 'B L⁻¹ of the lower triangle L.', RIGHT, (b, args) => {
    checkRight(b, 'mdivide_right_tri_low', containerOf(args[0]), containerOf(args[1]), ['b', 'A']);
    return solveTriangular(b, 'solve_right_lower', lowerTriangle(b, args[1]), args[0]);
  }),
  row('mdivide_left', 'A⁻¹ B.', LEFT, (b, args) => {
    checkLeft(b, 'mdivide_left', containerOf(args[0]), containerOf(args[1]), ['A', 'B']);
    return solveGeneral(b, stored(b, args[0]), stored(b, args[1]));
  }),
  row('mdivide_right', 'B A⁻¹.', RIGHT, (b, args) => {
    checkRight(b, 'mdivide_right', containerOf(args[0]), containerOf(args[1]), ['b', 'A']);
    return transposeStored(b, solveGeneral(b, transposeStored(b, args[1]), transposeStored(b, args[0])));
  }),
  row('mdivide_left_spd', { computes: 'A⁻¹ B.', domain: 'A symmetric positive definite' }, LEFT, (b, args) => {
    const a = stored(b, args[0]);
    checkLeft(b, 'mdivide_left_spd', a, containerOf(args[1]), ['A', 'b']);
    checkSymmetric(b, 'mdivide_left_spd', 'A', a);
    const factor = choleskyOf(b, a, 'mdivide_left_spd: Matrix A is not positive definite');
    return solveTriangular(b, 'solve_lower_t', factor, solveTriangular(b, 'solve_lower', factor, args[1]));
  }),
  row('mdivide_right_spd', { computes: 'B A⁻¹.', domain: 'A symmetric positive definite' }, RIGHT, (b, args) => {
    const a = stored(b, args[1]);
    checkRight(b, 'mdivide_right_spd', containerOf(args[0]), a, ['b', 'A']);
    checkSymmetric(b, 'mdivide_right_spd', 'A', a);
    const factor = choleskyOf(b, a, 'mdivide_right_spd: Matrix A is not positive definite');
    return solveTriangular(b, 'solve_right_lower', factor, solveTriangular(b, 'solve_right_lower_t', factor, args[0]));
  }),
  row('inverse', 'The inverse.', ['(matrix) => matrix'], (b, [x]) => inverseOf(b, square2(b, 'inverse', x))),
  row(
    'inverse_spd',
    { computes: 'The inverse.', domain: 'symmetric positive definite' },
    ['(matrix) => matrix'],
    (b, [x]) => inverseSpd(b, x),
  ),
  row('chol2inv', "The inverse of L L'.", ['(matrix) => matrix'], (b, [x]) => {
    const factor = reusable(b, x);
    checkSquare(b, 'chol2inv', 'L', factor);
    b.for(one, factor.sizes[1], (j) =>
      b.each(j, (i) =>
        b.check(compare('eq', factor.at(i, j), real(0)), 'chol2inv: L is not lower triangular; L[{0},{1}]={2}', [
          add(i, one),
          add(j, one),
          factor.at(i, j),
        ]),
      ),
    );
    return inverseFromFactor(b, lowerTriangle(b, factor));
  }),
  row('log_determinant', 'The logarithm of the absolute determinant.', ['(matrix) => real'], (b, [x]) =>
    scalar(determinantOf(b, square2(b, 'log_determinant', x), 'log_abs_determinant'), x.level),
  ),
  row('determinant', 'The determinant.', ['(matrix) => real'], (b, [x]) =>
    scalar(determinantOf(b, square2(b, 'determinant', x), 'determinant'), x.level),
  ),
  row(
    'log_determinant_spd',
    { computes: 'The logarithm of the determinant.', domain: 'symmetric positive definite' },
    ['(matrix) => real'],
    (b, [x]) => {
      const a = square2(b, 'log_determinant_spd', x);
      checkSymmetric(b, 'log_determinant_spd', 'm', a);
      const factor = choleskyOf(b, a, 'log_determinant_spd: matrix argument matrix is negative definite0');
      return scalar(
        mul(
          real(2),
          b.sum(a.sizes[0], (i) => log(factor.at(i, i))),
        ),
        x.level,
      );
    },
  ),
  row('quad_form', "B' A B.", ['(matrix, matrix) => matrix', '(matrix, vector) => real'], (b, args) =>
    quadForm(b, 'quad_form', args, false),
  ),
  row(
    'quad_form_sym',
    { computes: "B' A B.", domain: 'A symmetric' },
    ['(matrix, matrix) => matrix', '(matrix, vector) => real'],
    (b, args) => quadForm(b, 'quad_form_sym', args, true),
  ),
  row('quad_form_diag', 'diag(v) A diag(v).', ['(matrix, vector | row_vector) => matrix'], (b, args) => {
    const a = containerOf(args[0]);
    const v = reusable(b, args[1]);
    checkSquare(b, 'quad_form_diag', 'm', a);
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
      checkMatch(b, 'trace_quad_form', 'Columns of A', a.sizes[1], 'Rows of B', rowsOf(x));
      const product = x.type.kind === 'vector' ? matrixTimesVector(b, a, x) : multiplyMatrices(b, a, x);
      return scalar(
        b.sum(length(x), (k) => mul(x.flat(k), product.flat(k))),
        levelOf(args),
      );
    },
  ),
  row('trace_gen_quad_form', "The trace of D B' A B.", ['(matrix, matrix, matrix) => real'], (b, args) => {
    const [d, a, x] = args.map((arg) => stored(b, arg));
    checkSquare(b, 'trace_gen_quad_form', 'A', a);
    checkSquare(b, 'trace_gen_quad_form', 'D', d);
    checkMatch(b, 'trace_gen_quad_form', 'Columns of A', a.sizes[1], 'Rows of B', x.sizes[0]);
    checkMatch(b, 'trace_gen_quad_form', 'Columns of B', x.sizes[1], 'Rows of D', d.sizes[0]);
    const right = multiplyMatrices(b, x, d);
    const left = multiplyMatrices(b, transposeStored(b, a), x);
    return scalar(
      b.sum(length(x), (k) => mul(left.flat(k), right.flat(k))),
      levelOf(args),
    );
  }),
  row('diag_pre_multiply', 'diag(v) A.', ['(vector | row_vector, matrix) => matrix'], (b, args) =>
    diagonalTimes(b, args, 'pre'),
  ),
  row('diag_post_multiply', 'A diag(v).', ['(matrix, vector | row_vector) => matrix'], (b, args) =>
    diagonalTimes(b, args, 'post'),
  ),
  row(
    'eigenvalues_sym',
    { computes: 'Eigenvalues in ascending order.', domain: 'symmetric' },
    ['(matrix) => vector'],
    (b, [x]) => {
      const a = square2(b, 'eigenvalues_sym', x);
      checkSymmetric(b, 'eigenvalues_sym', 'm', a);
      const [n] = a.sizes;
      const fixed = detached(b, a);
      const values = fresh(b, VECTOR, [n], x, 'eigenvalues');
      const vectors = fresh(b, MATRIX, [n, n], x, 'eigenvectors');
      const work = b.allocate('real', [add(mul(n, n), mul(int(3), n))], 'work');
      b.kernelResult('int', 'eigen_symmetric', [
        pointer(values.ref),
        pointer(vectors.ref),
        pointer(fixed.ref),
        pointer(work),
        n,
      ]);
      if (x.level === 'data') return values;
      const out = fresh(b, VECTOR, [n], x, 'eigenvalues');
      b.for(zero, n, (k) => {
        const change = b.sum(n, (i) =>
          mul(
            vectors.at(i, k),
            b.sum(n, (j) => mul(vectors.at(j, k), sub(a.at(i, j), fixed.at(i, j)))),
          ),
        );
        b.store(out.ref, k, add(values.at(k), change));
      });
      return out;
    },
  ),
  row(
    'qr_thin_Q',
    'Orthonormal columns Q of A = Q R, R with a positive diagonal.',
    ['(matrix) => matrix'],
    (b, [x]) => thinQr(b, x).q,
  ),
  row(
    'qr_thin_R',
    'Upper triangle R of A = Q R, with a positive diagonal.',
    ['(matrix) => matrix'],
    (b, [x]) => thinQr(b, x).r,
  ),
  row('matrix_power', 'The product of n copies of a matrix.', ['(matrix, int) => matrix'], (b, [x, power]) => {
    const a = square2(b, 'matrix_power', x);
    const n = bindOnce(b, scalarOf(power));
    b.check(compare('ge', n, zero), 'matrix_power: n is {0}, but must be nonnegative!', [n], 'error');
    const [size] = a.sizes;
    const out = stored(
      b,
      matrixOf(size, size, x, (i, j) => select(compare('eq', i, j), real(1), real(0))),
    );
    b.for(zero, n, () => b.fill(out.ref, multiplyMatrices(b, out, a)));
    return out;
  }),
  ...csr(),
];

/** Thin QR: data through Householder reflections; parameters through Gram-Schmidt, twice, whose steps are differentiable. */
function thinQr(builder: Builder, value: Value): { readonly q: Stored; readonly r: Stored } {
  const a = stored(builder, value);
  const [rows, columns] = a.sizes;
  const k = builder.bind(select(compare('lt', rows, columns), rows, columns), 'rank');
  const q = fresh(builder, MATRIX, [rows, k], value, 'q');
  if (value.level === 'data') {
    const r = fresh(builder, MATRIX, [k, columns], value, 'r');
    const work = builder.allocate('real', [add(mul(rows, columns), k)], 'work');
    builder.kernel('qr_thin', [pointer(q.ref), pointer(r.ref), pointer(a.ref), pointer(work), rows, columns]);
    return { q, r };
  }
  builder.for(zero, k, (j) => {
    const v = builder.allocate('real', [rows], 'v');
    builder.each(rows, (i) => builder.store(v, i, a.at(i, j)));
    for (let pass = 0; pass < 2; pass++) {
      builder.for(zero, j, (l) => {
        const along = builder.sum(rows, (i) => mul(q.at(i, l), load(v, i)));
        builder.each(rows, (i) => builder.store(v, i, sub(load(v, i), mul(along, q.at(i, l)))));
      });
    }
    const norm = builder.bind(
      { kind: 'apply', type: 'real', op: 'sqrt', args: [builder.sum(rows, (i) => mul(load(v, i), load(v, i)))] },
      'norm',
    );
    builder.each(rows, (i) => builder.store(q.ref, add(mul(j, rows), i), div(load(v, i), norm)));
  });
  const product = transposedTimesMatrix(builder, q, a);
  const r = stored(
    builder,
    matrixOf(k, columns, value, (i, j) => select(compare('le', i, j), product.at(i, j), real(0))),
  );
  return { q, r };
}

function tcrossprodOf(builder: Builder, a: Stored): Stored {
  const [rows, columns] = a.sizes;
  const out = fresh(builder, MATRIX, [rows, rows], a, 'tcrossprod');
  builder.kernel('tcrossprod', [pointer(out.ref), pointer(a.ref), rows, columns]);
  return out;
}

/** Compressed sparse rows: values w, columns v and row starts u, all one-based. */
function csr(): readonly FunctionEntry[] {
  return [
    row(
      'csr_matrix_times_vector',
      'A sparse matrix in compressed rows times a vector.',
      ['(int, int, vector, array[] int, array[] int, vector) => vector'],
      (b, args) => {
        const [m, n] = args.slice(0, 2).map((arg) => bindOnce(b, scalarOf(arg)));
        const [w, v, u, x] = args.slice(2).map((arg) => reusable(b, arg));
        const name = 'csr_matrix_times_vector';
        b.check(compare('gt', m, zero), `${name}: m is {0}, but must be positive!`, [m], 'error');
        b.check(compare('gt', n, zero), `${name}: n is {0}, but must be positive!`, [n], 'error');
        checkMatch(b, name, 'n', n, 'b', length(x));
        checkMatch(b, name, 'm', m, 'u', sub(length(u), one));
        checkMatch(b, name, 'w', length(w), 'v', length(v));
        checkMatch(b, name, 'u/z', sub(u.flat(m), one), 'v', length(v));
        b.each(length(v), (k) =>
          b.check(
            compare('le', sub(v.flat(k), one), sub(n, one)),
            `${name}: accessing element out of range. index {0} out of range; expecting index to be between 1 and {1}`,
            [v.flat(k), n],
            'error',
          ),
        );
        const out = fresh(b, VECTOR, [m], { ...w, level: levelOf(args) }, 'product');
        b.for(zero, m, (i) => {
          const total = b.newLocal('real', 'total');
          b.assign(total, real(0));
          b.for(sub(u.flat(i), one), sub(u.flat(add(i, one)), one), (k) =>
            b.assign(total, add(get(total), mul(w.flat(k), x.flat(sub(v.flat(k), one))))),
          );
          b.store(out.ref, i, get(total));
        });
        return out;
      },
    ),
    row('csr_extract_w', 'Non-zero values of a matrix by rows.', ['(matrix) => vector'], (b, [x]) => {
      const m = reusable(b, x);
      const total = countNonZero(b, m);
      const out = fresh(b, VECTOR, [total], x, 'values');
      eachNonZero(b, m, (k, i, j) => b.store(out.ref, k, m.at(i, j)));
      return out;
    }),
    row('csr_extract_v', 'One-based columns of the non-zero values.', ['(matrix) => array[] int'], (b, [x], call) => {
      const m = reusable(b, x);
      const out = b.allocate('int', [countNonZero(b, m)], 'columns');
      eachNonZero(b, m, (k, _, j) => b.store(out, k, add(j, one)));
      return {
        kind: 'container',
        type: call.result,
        level: 'data',
        sizes: [countOf(out)],
        flat: (i) => load(out, i),
        at: (i) => load(out, i),
        ref: out,
        nested: false,
        costly: false,
      };
    }),
    row(
      'csr_extract_u',
      'One-based starts of the rows among the non-zero values.',
      ['(matrix) => array[] int'],
      (b, [x], call) => {
        const m = reusable(b, x);
        const rows = m.sizes[0];
        const out = b.allocate('int', [add(rows, one)], 'starts');
        const total = b.newLocal('int', 'total');
        b.assign(total, one);
        b.store(out, zero, one);
        b.for(zero, rows, (i) => {
          b.for(zero, m.sizes[1], (j) => b.assign(total, add(get(total), compare('ne', m.at(i, j), real(0)))));
          b.store(out, add(i, one), get(total));
        });
        return {
          kind: 'container',
          type: call.result,
          level: 'data',
          sizes: [countOf(out)],
          flat: (i) => load(out, i),
          at: (i) => load(out, i),
          ref: out,
          nested: false,
          costly: false,
        };
      },
    ),
  ];
}

function countOf(ref: Stored['ref']): Expr {
  return { kind: 'size', type: 'int', ref, axis: 0 };
}

function countNonZero(builder: Builder, m: ContainerValue): Expr {
  const total = builder.newLocal('int', 'total');
  builder.assign(total, zero);
  builder.elements(m, (x) => builder.assign(total, add(get(total), compare('ne', toReal(x), real(0)))));
  return get(total);
}

function eachNonZero(builder: Builder, m: ContainerValue, visit: (k: Expr, i: Expr, j: Expr) => void): void {
  const next = builder.newLocal('int', 'next');
  builder.assign(next, zero);
  const at = get(next);
  builder.for(zero, m.sizes[0], (i) =>
    builder.for(zero, m.sizes[1], (j) =>
      builder.if(compare('ne', m.at(i, j), real(0)), () => {
        visit(at, i, j);
        builder.assign(next, add(at, one));
      }),
    ),
  );
}

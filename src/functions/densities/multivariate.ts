import type { Builder } from '../../ir/builder.js';
import { lazyAt, lazyFlat, levelOf } from '../../ir/builder.js';
import {
  add,
  compare,
  div,
  int,
  lgamma,
  log,
  log1p,
  mul,
  neg,
  real,
  square,
  sub,
  toReal,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { MATRIX, VECTOR } from '../../language/types.js';
import { bindOnce, scalarOf } from '../broadcast.js';
import { finite, notNan, positive, positiveFinite, require } from '../checks.js';
import { transposed } from '../containers/rearranged.js';
import type { FunctionEntry } from '../entry.js';
import { matrixTimesVector, multiplyMatrices } from '../linear-algebra/products.js';
import { solveTriangular } from '../linear-algebra/solves.js';
import { checkMatch, reusable, type Stored, stored } from '../shapes.js';
import { logDiagonal, sumOfSquares } from './factors.js';
import { half, LOG_PI, MINUS_HALF_LOG_TWO_PI } from './formulas.js';
import { type Emit, positionsOf, structured, type Vectors, vectorsOf } from './multivariate-row.js';
import { checkCholeskyFactor, checkDimensions, checkEach, factorOf } from './validation.js';

/** Densities of vectors. */
const FAMILY = 'multivariate distributions';

interface Located {
  readonly many: Expr;
  readonly size: Expr;
  readonly isSingle: boolean;
  /** y - mu: a vector, or a matrix with one column per position. */
  readonly difference: Stored;
}

function checkVectors(
  builder: Builder,
  name: string,
  words: string,
  list: Vectors,
  like: Value,
  requirement: typeof finite,
): void {
  const one = (n: Expr): void =>
    checkEach(
      builder,
      name,
      words,
      lazyFlat(VECTOR, like.level, [list.size], (k) => list.at(n, k)),
      requirement,
    );
  if (list.many === null) one(int(0));
  else builder.each(list.many, one);
}

/** Checks the random variable, the location and the sizes of the matrix, and computes the difference of the first two. */
function located(
  builder: Builder,
  name: string,
  [y, mu]: readonly Value[],
  matrix: ContainerValue,
  parameter: string,
): Located {
  const variables = vectorsOf(reusable(builder, y));
  const locations = vectorsOf(reusable(builder, mu));
  if (variables.many !== null && locations.many !== null) {
    builder.check(
      compare('eq', variables.many, locations.many),
      `${name}: y has size = {0}, but mu has size {1}; and they must be the same size.`,
      [variables.many, locations.many],
      'error',
    );
  }
  checkDimensions(builder, name, variables.size, locations.size, matrix, parameter);
  checkVectors(builder, name, 'Location parameter', locations, mu, finite);
  checkVectors(builder, name, 'Random variable', variables, y, notNan);
  const level = levelOf([y, mu]);
  const isSingle = variables.many === null && locations.many === null;
  const many = positionsOf(variables, locations);
  const size = variables.size;
  const difference = isSingle
    ? lazyFlat(VECTOR, level, [size], (k) => sub(variables.at(int(0), k), locations.at(int(0), k)))
    : lazyAt(MATRIX, level, [size, many], (k, n) => sub(variables.at(n, k), locations.at(n, k)));
  return { many, size, isSingle, difference: builder.materialize(difference) };
}

const timesReal = (a: Expr, b: Expr): Expr => mul(toReal(a), toReal(b));

function emitNormal(
  builder: Builder,
  { many, size, difference }: Located,
  factor: Stored,
  [y, mu, matrix]: readonly Value[],
  emit: Emit,
): void {
  emit(mul(MINUS_HALF_LOG_TWO_PI, timesReal(size, many)));
  emit(neg(mul(toReal(many), logDiagonal(builder, factor))), matrix);
  const scaled = solveTriangular(builder, 'solve_lower', factor, difference);
  emit(mul(real(-0.5), sumOfSquares(builder, scaled)), y, mu, matrix);
}

/** The terms of the multivariate Student's t density, by the scale matrix or, if `isFactor`, by its Cholesky factor. */
function student(
  builder: Builder,
  name: string,
  [y, nu, mu, matrix]: readonly Value[],
  emit: Emit,
  isFactor: boolean,
): void {
  const scale = stored(builder, matrix);
  const freedom = bindOnce(builder, scalarOf(nu));
  for (const each of [notNan, positive, finite]) {
    require(builder, each, freedom, { function: name, argument: 'Degrees of freedom parameter' });
  }
  if (isFactor) checkCholeskyFactor(builder, name, 'scale parameter', scale);
  const { many, size, isSingle, difference } = located(builder, name, [y, mu], scale, 'scale');
  const words = { symmetric: 'Scale parameter', factor: 'LDLT_Factor of scale parameter' };
  const factor = isFactor ? scale : factorOf(builder, name, scale, words);
  const dimensions = toReal(size);
  const times = toReal(many);
  const perVector = sub(
    sub(lgamma(half(add(freedom, dimensions))), lgamma(half(freedom))),
    mul(half(dimensions), log(freedom)),
  );
  emit(mul(times, perVector), nu);
  emit(neg(mul(mul(half(LOG_PI), dimensions), times)));
  emit(neg(mul(times, logDiagonal(builder, factor))), matrix);
  const scaled = solveTriangular(builder, 'solve_lower', factor, difference);
  const spread = (n: Expr): Expr =>
    log1p(
      div(
        builder.sum(size, (k) => square(isSingle ? scaled.at(k) : scaled.at(k, n))),
        freedom,
      ),
    );
  const total = isSingle ? spread(int(0)) : sumOf(builder, many, spread);
  emit(neg(mul(half(add(freedom, dimensions)), total)), y, nu, mu, matrix);
}

function checkProcesses(builder: Builder, name: string, [y, , w]: readonly Value[], kernel: ContainerValue): void {
  const values = reusable(builder, y);
  const scales = reusable(builder, w);
  const [rows, columns] = values.sizes;
  checkMatch(builder, name, 'Size of random variable (rows y)', rows, 'Size of kernel scales (w)', scales.sizes[0]);
  checkMatch(builder, name, 'Size of random variable', columns, 'rows of covariance parameter', kernel.sizes[0]);
  checkEach(builder, name, 'Kernel scales', scales, positiveFinite);
}

/** The terms of Gaussian processes: each row of y is a normal vector whose covariance is the kernel divided by the row's scale. */
function emitProcesses(builder: Builder, [y, kernel, w]: readonly Value[], factor: Stored, emit: Emit): void {
  const values = reusable(builder, y);
  const scales = reusable(builder, w);
  const [rows, columns] = values.sizes;
  emit(mul(MINUS_HALF_LOG_TWO_PI, timesReal(rows, columns)));
  emit(neg(mul(toReal(rows), logDiagonal(builder, factor))), kernel);
  emit(
    mul(
      half(toReal(columns)),
      builder.sum(rows, (i) => log(scales.flat(i))),
    ),
    w,
  );
  const solved = solveTriangular(builder, 'solve_lower', factor, transposed(values, MATRIX));
  const spread = sumOf(builder, rows, (n) =>
    mul(
      scales.flat(n),
      builder.sum(columns, (k) => square(solved.at(k, n))),
    ),
  );
  emit(mul(real(-0.5), spread), y, kernel, w);
}

function checkRows(builder: Builder, name: string, words: string, matrix: ContainerValue): void {
  const rows = matrix.sizes[0];
  builder.check(compare('gt', rows, int(0)), `${name}: ${words} is {0}, but must be positive!`, [rows]);
}

/** A sum over positions whose terms contain loops. */
function sumOf(builder: Builder, many: Expr, term: (n: Expr) => Expr): Expr {
  const total = builder.newLocal('real', 'total');
  builder.assign(total, real(0));
  const current: Expr = { kind: 'get', type: 'real', local: total };
  builder.each(many, (n) => builder.assign(total, add(current, term(n))));
  return current;
}

export const MULTIVARIATE: readonly FunctionEntry[] = [
  structured(
    FAMILY,
    'multi_normal_lpdf',
    { computes: 'Log of the multivariate normal density with a covariance matrix' },
    ['(vectors, vectors, matrix) => real'],
    (builder, args, emit) => {
      const name = 'multi_normal_lpdf';
      const covariance = stored(builder, args[2]);
      checkRows(builder, name, 'Covariance matrix rows', covariance);
      const position = located(builder, name, args, covariance, 'covariance');
      const factor = factorOf(builder, name, covariance, {
        symmetric: 'Covariance matrix',
        factor: 'LDLT_Factor of covariance parameter',
      });
      emitNormal(builder, position, factor, args, emit);
    },
  ),
  structured(
    FAMILY,
    'multi_normal_cholesky_lpdf',
    { computes: 'Log of the multivariate normal density with a Cholesky factor of the covariance matrix' },
    ['(vectors, vectors, matrix) => real'],
    (builder, args, emit) => {
      const name = 'multi_normal_cholesky_lpdf';
      const factor = stored(builder, args[2]);
      const position = located(builder, name, args, factor, 'covariance');
      // Stan does not check the factor for a single vector.
      if (!position.isSingle) {
        checkCholeskyFactor(builder, name, 'Cholesky decomposition of a variance matrix', factor);
      }
      emitNormal(builder, position, factor, args, emit);
    },
  ),
  structured(
    FAMILY,
    'multi_normal_prec_lpdf',
    { computes: 'Log of the multivariate normal density with a precision matrix' },
    ['(vectors, vectors, matrix) => real'],
    (builder, args, emit) => {
      const name = 'multi_normal_prec_lpdf';
      const precision = stored(builder, args[2]);
      checkRows(builder, name, 'Precision matrix rows', precision);
      const { many, size, isSingle, difference } = located(builder, name, args, precision, 'covariance');
      const factor = factorOf(builder, name, precision, {
        symmetric: 'Precision matrix',
        factor: 'LDLT_Factor of precision parameter',
      });
      const [y, mu, matrix] = args;
      emit(mul(toReal(many), logDiagonal(builder, factor)), matrix);
      emit(mul(MINUS_HALF_LOG_TWO_PI, timesReal(size, many)));
      const product = isSingle
        ? matrixTimesVector(builder, precision, difference)
        : multiplyMatrices(builder, precision, difference);
      const quadratic = builder.sum(mul(size, many), (i) => mul(product.flat(i), difference.flat(i)));
      emit(mul(real(-0.5), quadratic), y, mu, matrix);
    },
  ),
  structured(
    FAMILY,
    'multi_student_t_lpdf',
    { computes: "Log of the multivariate Student's t density with a scale matrix" },
    ['(vectors, real, vectors, matrix) => real'],
    (builder, args, emit) => student(builder, 'multi_student_t', args, emit, false),
  ),
  structured(
    FAMILY,
    'multi_student_t_cholesky_lpdf',
    { computes: "Log of the multivariate Student's t density with a Cholesky factor of the scale matrix" },
    ['(vectors, real, vectors, matrix) => real'],
    (builder, args, emit) => student(builder, 'multi_student_t_cholesky', args, emit, true),
  ),
  structured(
    FAMILY,
    'multi_gp_lpdf',
    { computes: 'Log density of independent Gaussian processes with one kernel and inverse scales w' },
    ['(matrix, matrix, vector) => real'],
    (builder, args, emit) => {
      const name = 'multi_gp_lpdf';
      const kernel = stored(builder, args[1]);
      checkProcesses(builder, name, args, kernel);
      checkRows(builder, name, 'Kernel rows', kernel);
      const factor = factorOf(builder, name, kernel, { symmetric: 'Kernel', factor: 'LDLT_Factor of Sigma' });
      emitProcesses(builder, args, factor, emit);
    },
  ),
  structured(
    FAMILY,
    'multi_gp_cholesky_lpdf',
    { computes: "Log density of independent Gaussian processes, from the kernel's Cholesky factor" },
    ['(matrix, matrix, vector) => real'],
    (builder, args, emit) => {
      const name = 'multi_gp_cholesky_lpdf';
      const factor = stored(builder, args[1]);
      checkProcesses(builder, name, args, factor);
      checkCholeskyFactor(builder, name, 'Cholesky decomposition of kernel matrix', factor);
      emitProcesses(builder, args, factor, emit);
    },
  ),
];

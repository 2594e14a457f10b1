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
import { finite, notNan, positive, require } from '../checks.js';
import type { FunctionEntry } from '../entry.js';
import { checkSymmetric, matrixTimesVector, multiplyMatrices, solveTriangular } from '../linear-algebra.js';
import { checkMatch, checkSquare, reusable, type Stored, stored } from '../shapes.js';
import { half, LOG_PI, LOG_TWO, MINUS_HALF_LOG_TWO_PI } from './formulas.js';
import { type Emit, positionsOf, structured, type Vectors, vectorsOf } from './multivariate-row.js';
import {
  checkCholeskyFactor,
  checkCorrelation,
  checkDimensions,
  checkEach,
  factorOf,
  factorOrLastVariance,
} from './validation.js';

/** Densities of vectors. */
const FAMILY = 'multivariate distributions';

interface Located {
  readonly many: Expr;
  readonly size: Expr;
  readonly isSingle: boolean;
  /** y - mu: a vector, or a matrix with one column for each position. */
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
  else builder.for(int(0), list.many, one);
}

/** Checks random variable, location and the matrix' sizes, and takes the difference of the first two. */
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

/** Σ of squares of all elements. */
function sumOfSquares(builder: Builder, value: ContainerValue): Expr {
  const total = value.sizes.reduce(mul);
  return builder.sum(total, (i) => square(value.flat(i)));
}

/** Σ log of the diagonal: half the log determinant of the matrix that was factored. */
function logDiagonal(builder: Builder, factor: ContainerValue): Expr {
  return builder.sum(factor.sizes[0], (i) => log(factor.at(i, i)));
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

/** log Γₖ(a) of the multivariate gamma function. */
function logMultivariateGamma(builder: Builder, k: Expr, a: Expr): Expr {
  const count = toReal(k);
  const constant = mul(real(Math.log(Math.PI) / 4), mul(count, sub(count, real(1))));
  return add(
    constant,
    builder.sum(k, (j) => lgamma(sub(a, half(toReal(j))))),
  );
}

/** Logarithm of the constant of the LKJ density of K × K correlation matrices. */
function lkjConstant(builder: Builder, eta: Expr, K: Expr): Expr {
  const last = sub(K, int(1));
  const sum = builder.sum(last, (j) => {
    const k = toReal(add(j, int(1)));
    return add(mul(half(LOG_PI), k), lgamma(add(eta, half(sub(toReal(last), k)))));
  });
  return sub(mul(toReal(last), lgamma(add(eta, half(toReal(last))))), sum);
}

function checkShape(builder: Builder, name: string, eta: Expr): void {
  require(builder, positive, eta, { function: name, argument: 'Shape parameter' });
}

/** Checks and factors that both Wishart densities need. */
function wishart(
  builder: Builder,
  name: string,
  args: readonly Value[],
): { k: Expr; nu: Expr; W: Stored; S: Stored; factorW: Stored; factorS: Stored } {
  const W = stored(builder, args[0]);
  const nu = bindOnce(builder, scalarOf(args[1]));
  const S = stored(builder, args[2]);
  const k = W.sizes[0];
  checkMatch(builder, name, 'Rows of random variable', k, 'columns of scale parameter', S.sizes[0]);
  const least = toReal(sub(k, int(1)));
  builder.check(
    compare('gt', nu, least),
    `${name}: Degrees of freedom parameter is {0}, but must be greater than {1:f}`,
    [nu, least],
  );
  checkSquare(builder, name, 'random variable', W);
  checkSquare(builder, name, 'scale parameter', S);
  checkSymmetric(builder, name, 'random variable', W);
  checkSymmetric(builder, name, 'scale parameter', S);
  const factorW = factorOrLastVariance(builder, name, W, 'LDLT_Factor of random variable');
  const factorS = factorOrLastVariance(builder, name, S, 'LDLT_Factor of scale parameter');
  return { k, nu, W, S, factorW, factorS };
}

/** trace(A⁻¹ B) for B = M M' and A = L L': the sum of squares of L⁻¹ M. */
function traceOfQuotient(builder: Builder, factorOfA: Stored, factorOfB: Stored): Expr {
  return sumOfSquares(builder, solveTriangular(builder, 'solve_lower', factorOfA, factorOfB));
}

/** The terms of Student's t: by the scale matrix, or by its Cholesky factor where `isFactor`. */
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

export const MULTIVARIATE: readonly FunctionEntry[] = [
  structured(
    FAMILY,
    'multi_normal_lpdf',
    { computes: 'Log of the multivariate normal density by covariance matrix' },
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
    { computes: "Log of the multivariate normal density by the covariance's Cholesky factor" },
    ['(vectors, vectors, matrix) => real'],
    (builder, args, emit) => {
      const name = 'multi_normal_cholesky_lpdf';
      const factor = stored(builder, args[2]);
      const position = located(builder, name, args, factor, 'covariance');
      // For one vector alone Stan takes the factor as it is.
      if (!position.isSingle) {
        checkCholeskyFactor(builder, name, 'Cholesky decomposition of a variance matrix', factor);
      }
      emitNormal(builder, position, factor, args, emit);
    },
  ),
  structured(
    FAMILY,
    'multi_normal_prec_lpdf',
    { computes: 'Log of the multivariate normal density by precision matrix' },
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
    { computes: "Log of the multivariate Student's t density by scale matrix" },
    ['(vectors, real, vectors, matrix) => real'],
    (builder, args, emit) => student(builder, 'multi_student_t', args, emit, false),
  ),
  structured(
    FAMILY,
    'multi_student_t_cholesky_lpdf',
    { computes: "Log of the multivariate Student's t density by the scale matrix' Cholesky factor" },
    ['(vectors, real, vectors, matrix) => real'],
    (builder, args, emit) => student(builder, 'multi_student_t_cholesky', args, emit, true),
  ),
  structured(
    FAMILY,
    'lkj_corr_lpdf',
    { computes: 'Log of the LKJ density of a correlation matrix with shape eta' },
    ['(matrix, real) => real'],
    (builder, [y, eta], emit) => {
      const name = 'lkj_corr_lpdf';
      const shape = bindOnce(builder, scalarOf(eta));
      const matrix = stored(builder, y);
      checkShape(builder, name, shape);
      const factor = checkCorrelation(builder, name, 'Correlation matrix', matrix);
      emit(lkjConstant(builder, shape, matrix.sizes[0]), eta);
      emit(mul(mul(real(2), sub(shape, real(1))), logDiagonal(builder, factor)), y, eta);
    },
  ),
  structured(
    FAMILY,
    'lkj_corr_cholesky_lpdf',
    { computes: "Log of the LKJ density by the correlation matrix' Cholesky factor" },
    ['(matrix, real) => real'],
    (builder, [y, eta], emit) => {
      const name = 'lkj_corr_cholesky_lpdf';
      const shape = bindOnce(builder, scalarOf(eta));
      const factor = reusable(builder, y);
      checkShape(builder, name, shape);
      checkCholeskyFactor(builder, name, 'Random variable', factor);
      const K = factor.sizes[0];
      emit(lkjConstant(builder, shape, K), eta);
      const excess = mul(real(2), sub(shape, real(1)));
      emit(
        builder.sum(sub(K, int(1)), (k) => {
          const weight = toReal(sub(sub(K, int(2)), k));
          const diagonal = add(k, int(1));
          return mul(add(weight, excess), log(factor.at(diagonal, diagonal)));
        }),
        y,
        eta,
      );
    },
  ),
  structured(
    FAMILY,
    'wishart_lpdf',
    { computes: 'Log of the Wishart density of W with nu degrees of freedom and scale matrix S' },
    ['(matrix, real, matrix) => real'],
    (builder, args, emit) => {
      const { k, nu, factorW, factorS } = wishart(builder, 'wishart_lpdf', args);
      const [w, freedom, s] = args;
      const count = toReal(k);
      emit(neg(mul(mul(nu, count), half(LOG_TWO))), freedom);
      emit(neg(logMultivariateGamma(builder, k, half(nu))), freedom);
      emit(neg(mul(nu, logDiagonal(builder, factorS))), freedom, s);
      emit(mul(real(-0.5), traceOfQuotient(builder, factorS, factorW)), w, s);
      emit(mul(sub(sub(nu, count), real(1)), logDiagonal(builder, factorW)), w, freedom);
    },
  ),
  structured(
    FAMILY,
    'inv_wishart_lpdf',
    { computes: 'Log of the inverse Wishart density of W with nu degrees of freedom and scale matrix S' },
    ['(matrix, real, matrix) => real'],
    (builder, args, emit) => {
      const { k, nu, factorW, factorS } = wishart(builder, 'inv_wishart_lpdf', args);
      const [w, freedom, s] = args;
      const count = toReal(k);
      emit(neg(logMultivariateGamma(builder, k, half(nu))), freedom);
      emit(mul(nu, logDiagonal(builder, factorS)), freedom, s);
      emit(neg(mul(add(add(nu, count), real(1)), logDiagonal(builder, factorW))), w, freedom, s);
      emit(mul(real(-0.5), traceOfQuotient(builder, factorW, factorS)), w, s);
      emit(neg(mul(mul(nu, count), half(LOG_TWO))), freedom, s);
    },
  ),
];

function checkRows(builder: Builder, name: string, words: string, matrix: ContainerValue): void {
  const rows = matrix.sizes[0];
  builder.check(compare('gt', rows, int(0)), `${name}: ${words} is {0}, but must be positive!`, [rows]);
}

/** Sum over positions whose term is itself a loop. */
function sumOf(builder: Builder, many: Expr, term: (n: Expr) => Expr): Expr {
  const total = builder.newLocal('real', 'total');
  builder.assign(total, real(0));
  const current: Expr = { kind: 'get', type: 'real', local: total };
  builder.for(int(0), many, (n) => builder.assign(total, add(current, term(n))));
  return current;
}

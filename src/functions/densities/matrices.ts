import type { Builder } from '../../ir/builder.js';
import { scalar } from '../../ir/builder.js';
import { add, compare, div, int, lgamma, log, mul, neg, real, sqrt, sub, toReal } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { bindOnce, scalarOf } from '../broadcast.js';
import { finite, positive, require } from '../checks.js';
import type { FunctionEntry } from '../entry.js';
import { checkSymmetric } from '../linear-algebra/checks.js';
import { solveTriangular } from '../linear-algebra/solves.js';
import { checkMatch, checkSquare, matrixOf, reusable, type Stored, stored, vectorOf } from '../shapes.js';
import { logDiagonal, sumOfSquares } from './factors.js';
import { half, LOG_PI, LOG_TWO } from './formulas.js';
import { type Emit, structured } from './multivariate-row.js';
import { LOGNORMAL } from './positive.js';
import { checkCholeskyFactor, checkCorrelation, checkEach, checkElements, factorOrLastVariance } from './validation.js';

/** Densities of correlation and covariance matrices. */
const FAMILY = 'covariance matrix distributions';

/** log Γₖ(a) of the multivariate gamma function. */
function logMultivariateGamma(builder: Builder, k: Expr, a: Expr): Expr {
  const count = toReal(k);
  const constant = mul(real(Math.log(Math.PI) / 4), mul(count, sub(count, real(1))));
  return add(
    constant,
    builder.sum(k, (j) => lgamma(sub(a, half(toReal(j))))),
  );
}

/** The logarithm of the normalizing constant of the LKJ density of K × K correlation matrices. */
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

/** The checks and Cholesky factors that both Wishart densities need. */
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
  checkFreedom(builder, name, nu, k);
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

/** Both Wishart densities of Cholesky factors; `sign` is 1 for the inverse Wishart density. */
function wishartCholesky(builder: Builder, name: string, args: readonly Value[], emit: Emit, sign: 1 | -1): void {
  const [y, freedom, s] = args;
  const factorY = stored(builder, y);
  const factorS = stored(builder, s);
  const nu = bindOnce(builder, scalarOf(freedom));
  const k = factorY.sizes[0];
  const scale = sign === 1 ? 'Scale' : 'scale';
  checkFreedom(builder, name, nu, k);
  checkSquare(builder, name, 'Cholesky random variable', factorY);
  checkSquare(builder, name, `Cholesky ${scale} parameter`, factorS);
  const side = 'side length of';
  checkMatch(builder, name, `${side} random variable`, k, `${side} scale parameter`, factorS.sizes[0]);
  checkCholeskyFactor(builder, name, 'Cholesky random variable', factorY);
  checkCholeskyFactor(builder, name, `Cholesky ${scale} matrix`, factorS);
  const dimensions = toReal(k);
  emit(mul(mul(dimensions, LOG_TWO), sub(real(1), half(nu))), freedom);
  emit(neg(logMultivariateGamma(builder, k, half(nu))), freedom);
  const quotient = sign === 1 ? traceOfQuotient(builder, factorY, factorS) : traceOfQuotient(builder, factorS, factorY);
  emit(mul(real(-0.5), quotient), ...args);
  const weight = (i: Expr): Expr => add(nu, mul(real(sign), add(toReal(i), real(1))));
  const weighted = builder.sum(k, (i) => mul(weight(i), log(factorY.at(i, i))));
  const scaled = mul(nu, logDiagonal(builder, factorS));
  emit(sign === 1 ? sub(scaled, weighted) : sub(weighted, scaled), ...args);
}

function checkFreedom(builder: Builder, name: string, nu: Expr, k: Expr): void {
  const least = toReal(sub(k, int(1)));
  builder.check(
    compare('gt', nu, least),
    `${name}: Degrees of freedom parameter is {0}, but must be greater than {1:f}`,
    [nu, least],
  );
}

const LKJ_CORR = structured(
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
);

const LKJ_COV = structured(
  FAMILY,
  'lkj_cov_lpdf',
  {
    computes: 'Log density of a covariance matrix with lognormal (mu, sigma) scales and LKJ correlations of shape eta',
  },
  ['(matrix, vector, vector, real) => real'],
  (builder, [y, mu, sigma, eta], _, include) => {
    const name = 'lkj_cov_lpdf';
    const matrix = stored(builder, y);
    const locations = reusable(builder, mu);
    const scales = reusable(builder, sigma);
    const shape = bindOnce(builder, scalarOf(eta));
    const words = 'Rows of location parameter';
    checkMatch(builder, name, words, locations.sizes[0], 'columns of scale parameter', scales.sizes[0]);
    checkSquare(builder, name, 'random variable', matrix);
    const [K] = matrix.sizes;
    checkMatch(builder, name, 'Rows of random variable', K, 'rows of location parameter', locations.sizes[0]);
    checkShape(builder, name, shape);
    checkEach(builder, name, 'Location parameter', locations, finite);
    checkEach(builder, name, 'Scale parameter', scales, finite);
    checkElements(builder, name, 'Covariance matrix', matrix, finite);
    const spreads = stored(
      builder,
      vectorOf(K, y, (i) => sqrt(matrix.at(i, i)), true),
    );
    builder.each(K, (k) =>
      include(
        LOGNORMAL,
        scalar(spreads.at(k), y.level),
        scalar(locations.at(k), mu.level),
        scalar(scales.at(k), sigma.level),
      ),
    );
    const scaled = (i: Expr, j: Expr): Expr => div(matrix.at(i, j), mul(spreads.at(i), spreads.at(j)));
    const correlation = matrixOf(K, K, y, scaled);
    include(LKJ_CORR, correlation, scalar(shape, eta.level));
  },
);

export const MATRICES: readonly FunctionEntry[] = [
  LKJ_CORR,
  LKJ_COV,
  structured(
    FAMILY,
    'lkj_corr_cholesky_lpdf',
    { computes: 'Log of the LKJ density of a correlation matrix with the given Cholesky factor' },
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
  structured(
    FAMILY,
    'wishart_cholesky_lpdf',
    { computes: 'Log of the Wishart density in terms of Cholesky factors' },
    ['(matrix, real, matrix) => real'],
    (builder, args, emit) => wishartCholesky(builder, 'wishart_cholesky_lpdf', args, emit, -1),
  ),
  structured(
    FAMILY,
    'inv_wishart_cholesky_lpdf',
    { computes: 'Log of the inverse Wishart density in terms of Cholesky factors' },
    ['(matrix, real, matrix) => real'],
    (builder, args, emit) => wishartCholesky(builder, 'inv_wishart_cholesky_lpdf', args, emit, 1),
  ),
];

import type { Builder } from '../../ir/builder.js';
import { container, levelOf, pointer } from '../../ir/builder.js';
import { add, compare, int, load, mul, neg, select, sub, toReal, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { MATRIX, VECTOR } from '../../language/types.js';
import { containerOf } from '../broadcast.js';
import { finite, nonnegative, notNan } from '../checks.js';
import { transposed } from '../containers/rearranged.js';
import type { FunctionEntry } from '../entry.js';
import { checkSymmetric } from '../linear-algebra/checks.js';
import { matrixTimesVector, multiplyMatrices, transposedTimesVector } from '../linear-algebra/products.js';
import { solveTriangular } from '../linear-algebra/solves.js';
import { checkMatch, checkSquare, fresh, matrixOf, type Stored, stored, vectorOf } from '../shapes.js';
import { logDiagonal, sumOfSquares } from './factors.js';
import { half, MINUS_HALF_LOG_TWO_PI } from './formulas.js';
import { structured } from './multivariate-row.js';
import { checkEach, checkElements } from './validation.js';

/** Densities of time series with a hidden state. */
const FAMILY = 'state-space models';
const NAME = 'gaussian_dlm_obs_lpdf';

function checkSemidefinite(builder: Builder, words: string, matrix: Stored): void {
  const [n] = matrix.sizes;
  checkSquare(builder, NAME, words, matrix);
  checkSymmetric(builder, NAME, words, matrix);
  builder.check(compare('gt', n, int(0)), `${NAME}: ${words} rows is {0}, but must be positive!`, [n]);
  checkElements(builder, NAME, words, matrix, notNan);
  const work = builder.allocate('real', [n, n], 'work');
  const least = builder.kernelResult('real', 'least_conditional_variance', [pointer(matrix.ref), pointer(work), n]);
  builder.check(compare('ge', least, ZERO), `${NAME}: ${words} is not positive semi-definite.`);
}

/** The Cholesky factor of the variance of a forecast. Stops with Stan's message if it does not exist. */
function factorOfVariance(builder: Builder, variance: Stored, isMatrix: boolean): Stored {
  const [r] = variance.sizes;
  const factor = fresh(builder, MATRIX, [r, r], variance, 'factor');
  const status = builder.kernelResult('int', 'cholesky', [pointer(factor.ref), pointer(variance.ref), r]);
  builder.if(compare('ne', status, int(0)), () => {
    const work = builder.allocate('real', [r, r], 'work');
    const least = builder.kernelResult('real', 'least_conditional_variance', [pointer(variance.ref), pointer(work), r]);
    if (isMatrix) {
      builder.check(compare('ge', least, ZERO), 'invese_spd: matrix not positive definite ');
      builder.each(r, (k) => {
        const part = builder.bind(load(work, mul(k, add(r, int(1)))));
        const message = 'inverse_spd: matrix not positive definite[{1}] is {0}, but must be positive!';
        builder.check(compare('gt', part, ZERO), message, [part, add(k, int(1))]);
      });
    }
    builder.check(int(0), `${NAME}: Q0 is {0}, but must be positive!`, [least]);
  });
  return factor;
}

/** The covariance matrix of the observation noise. A vector is its diagonal. */
function noiseOf(builder: Builder, value: Value): Stored {
  const noise = containerOf(value);
  if (noise.type.kind === 'matrix') return stored(builder, noise);
  const [r] = noise.sizes;
  return stored(
    builder,
    matrixOf(r, r, noise, (i, j) => select(compare('eq', i, j), noise.at(i), ZERO)),
  );
}

function checkModel(builder: Builder, args: readonly Stored[], noise: ContainerValue): void {
  const [y, F, G, V, W, m0, C0] = args;
  const isMatrix = noise.type.kind === 'matrix';
  const match = (words: string, a: Expr, other: string, b: Expr): void => checkMatch(builder, NAME, words, a, other, b);
  const states = G.sizes[0];
  match('columns of F', F.sizes[1], 'rows of y', y.sizes[0]);
  match('rows of F', F.sizes[0], 'rows of G', states);
  if (!isMatrix) match('rows of G', states, 'columns of G', G.sizes[1]);
  match(isMatrix ? 'rows of V' : 'size of V', V.sizes[0], 'rows of y', y.sizes[0]);
  match('rows of W', W.sizes[0], 'rows of G', states);
  match('size of m0', m0.sizes[0], 'rows of G', states);
  match('rows of C0', C0.sizes[0], 'rows of G', states);
  if (isMatrix) checkSquare(builder, NAME, 'G', G);
  for (const [words, matrix] of [['y', y] as const, ['F', F] as const, ['G', G] as const]) {
    checkElements(builder, NAME, words, matrix, finite);
  }
  if (isMatrix) {
    checkElements(builder, NAME, 'V', V, finite);
    checkSemidefinite(builder, 'V', V);
    checkElements(builder, NAME, 'W', W, finite);
    checkSemidefinite(builder, 'W', W);
  } else {
    checkEach(builder, NAME, 'V', noise, nonnegative);
    checkEach(builder, NAME, 'V', noise, finite);
    checkSemidefinite(builder, 'W', W);
    checkElements(builder, NAME, 'W', W, finite);
  }
  checkEach(builder, NAME, 'm0', m0, finite);
  checkSemidefinite(builder, 'C0', C0);
  checkElements(builder, NAME, 'C0', C0, finite);
}

export const STATE_SPACE: readonly FunctionEntry[] = [
  structured(
    FAMILY,
    NAME,
    {
      computes:
        "Log density of the columns of y in a Gaussian dynamic linear model: observations F' θ with noise V, a state θ that evolves by G with noise W, and a normal (m0, C0) initial state",
      source: 'West and Harrison, Bayesian Forecasting and Dynamic Models, 1997: the Kalman filter',
    },
    ['(matrix, matrix, matrix, matrix | vector, matrix, vector, matrix) => real'],
    (builder, args, emit) => {
      const noise = containerOf(args[3]);
      const V = noiseOf(builder, noise);
      const [y, F, G, , W, m0, C0] = args.map((arg, k) => (k === 3 ? V : stored(builder, arg)));
      checkModel(builder, [y, F, G, V, W, m0, C0], noise);
      const [r, steps] = y.sizes;
      const n = G.sizes[0];
      const level = levelOf(args);
      const like = { ...m0, level };
      const later = add(steps, int(1));
      const means = fresh(builder, MATRIX, [n, later], like, 'means');
      const spreads = fresh(builder, MATRIX, [mul(n, n), later], like, 'covariances');
      builder.each(n, (i) => builder.store(means.ref, i, m0.flat(i)));
      builder.each(mul(n, n), (i) => builder.store(spreads.ref, i, C0.flat(i)));
      emit(mul(MINUS_HALF_LOG_TWO_PI, toReal(mul(r, steps))));
      const backward = transposed(G, MATRIX);
      const observed = transposed(F, MATRIX);
      builder.each(steps, (t) => {
        const mean = container(VECTOR, level, builder.view(means.ref, mul(t, n), [n]));
        const spread = container(MATRIX, level, builder.view(spreads.ref, mul(t, mul(n, n)), [n, n]));
        const ahead = matrixTimesVector(builder, G, mean);
        const moved = multiplyMatrices(builder, multiplyMatrices(builder, G, spread), backward);
        const prior = stored(
          builder,
          matrixOf(n, n, like, (i, j) => add(half(add(moved.at(i, j), moved.at(j, i))), W.at(i, j))),
        );
        const cross = multiplyMatrices(builder, prior, F);
        const explained = multiplyMatrices(builder, observed, cross);
        const variance = matrixOf(r, r, like, (i, j) => add(explained.at(i, j), V.at(i, j)));
        const factor = factorOfVariance(builder, stored(builder, variance), noise.type.kind === 'matrix');
        const forecast = transposedTimesVector(builder, F, ahead, VECTOR);
        const error = vectorOf(r, like, (i) => sub(y.at(i, t), forecast.at(i)));
        const score = solveTriangular(builder, 'solve_lower', factor, error);
        const gain = solveTriangular(builder, 'solve_lower', factor, transposed(cross, MATRIX));
        const shift = transposedTimesVector(builder, gain, score, VECTOR);
        const known = fresh(builder, MATRIX, [n, n], like, 'known');
        builder.kernel('crossprod', [pointer(known.ref), pointer(gain.ref), r, n]);
        const next = add(t, int(1));
        builder.each(n, (i) => builder.store(means.ref, add(mul(next, n), i), add(ahead.flat(i), shift.flat(i))));
        builder.each(mul(n, n), (i) =>
          builder.store(spreads.ref, add(mul(next, mul(n, n)), i), sub(prior.flat(i), known.flat(i))),
        );
        emit(neg(add(logDiagonal(builder, factor), half(sumOfSquares(builder, score)))), ...args);
      });
    },
  ),
];

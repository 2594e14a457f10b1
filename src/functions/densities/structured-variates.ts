/** Draws of vectors and matrices, and the checks of their arguments. */

import type { Builder } from '../../ir/builder.js';
import { container, pointer, scalar } from '../../ir/builder.js';
import {
  add,
  call1,
  compare,
  div,
  exp,
  get,
  int,
  mul,
  ONE,
  real,
  select,
  sqrt,
  square,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { arrayOf, INT, MATRIX, VECTOR } from '../../language/types.js';
import { bindOnce, containerOf, scalarOf } from '../broadcast.js';
import { finite, nonnegative, notNan, positive, require } from '../checks.js';
import { transposed } from '../containers/rearranged.js';
import type { Call } from '../entry.js';
import { smaller } from '../kernels.js';
import { checkSymmetric } from '../linear-algebra/checks.js';
import { multiplyMatrices } from '../linear-algebra/products.js';
import { solveTriangular } from '../linear-algebra/solves.js';
import { logGamma, logitBeta } from '../random.js';
import { variate } from '../random-row.js';
import { checkSquare, fresh, type Stored, stored } from '../shapes.js';
import { softmaxOf } from '../softmax.js';
import { half } from './formulas.js';
import type { Vectors } from './multivariate-row.js';
import { checkCholeskyFactor, checkCutPoints, checkEach } from './validation.js';

const zero = int(0);
const one = int(1);
const normal = (b: Builder): Expr => variate(b, 'rng_normal');

/** Draws a one-based category with the given probabilities. */
export function category(builder: Builder, theta: Stored): Value {
  const draw = builder.kernelResult('int', 'rng_categorical', [
    { kind: 'random_state' },
    pointer(theta.ref),
    theta.sizes[0],
  ]);
  return scalar(draw, 'data');
}

/** Draws a category: the first whose cumulative probability exceeds a uniform variate. */
export function byCumulative(builder: Builder, cuts: Expr, cumulative: (k: Expr) => Expr): Value {
  const u = variate(builder, 'rng_uniform');
  const chosen = builder.newLocal('int', 'category');
  builder.assign(chosen, one);
  builder.for(zero, cuts, (k) => {
    const above = compare('ge', u, cumulative(k));
    builder.assign(chosen, add(get(chosen), select(above, one, zero)));
  });
  return scalar(get(chosen), 'data');
}

export function checkOrderedCuts(
  builder: Builder,
  name: string,
  eta: Expr,
  cuts: ContainerValue,
  words: readonly [string, string, string],
): void {
  require(builder, finite, eta, { function: name, argument: 'Location parameter' });
  const size = cuts.sizes[0];
  builder.check(compare('gt', size, zero), `${name}: Size of cut points parameter is {0}, but must be greater than 0`, [
    size,
  ]);
  checkCutPoints(builder, name, words, size, cuts.flat);
}

/** Draws the counts of categories among `trials` by successive binomial variates. */
export function multinomial(builder: Builder, theta: ContainerValue, trials: Expr): Value {
  const size = theta.sizes[0];
  const counts = builder.allocate('int', [size], 'counts');
  const left = builder.newLocal('int', 'left');
  const mass = builder.newLocal('real', 'mass');
  builder.assign(left, trials);
  builder.assign(mass, ONE);
  builder.for(zero, size, (k) => {
    const share = div(theta.flat(k), get(mass));
    const probability = select(compare('lt', share, ONE), share, ONE);
    const count = variate(builder, 'rng_binomial', get(left), probability);
    builder.store(counts, k, count);
    builder.assign(left, sub(get(left), count));
    builder.assign(mass, sub(get(mass), theta.flat(k)));
  });
  return container(arrayOf(INT), 'data', counts);
}

export function checkTrials(builder: Builder, name: string, trials: Expr): void {
  require(builder, nonnegative, trials, { function: name, argument: 'number of trials variables' });
}

/** Draws gamma variates and scales them to sum to 1, on the logarithmic scale so that small shapes do not underflow. */
export function dirichlet(builder: Builder, alpha: ContainerValue): ContainerValue {
  const size = alpha.sizes[0];
  const logs = fresh(builder, VECTOR, [size], alpha, 'logs');
  builder.for(zero, size, (k) => {
    builder.store(logs.ref, k, logGamma(builder, toReal(alpha.flat(k))));
  });
  return builder.materialize(softmaxOf(builder, logs));
}

/** The Cholesky factor of a covariance matrix argument. */
export function covarianceFactor(builder: Builder, name: string, matrix: Stored, words: string): Stored {
  const [n] = matrix.sizes;
  const factor = fresh(builder, MATRIX, [n, n], matrix, 'factor');
  const status = builder.kernelResult('int', 'cholesky', [pointer(factor.ref), pointer(matrix.ref), n]);
  builder.check(compare('eq', status, zero), `${name}: Matrix ${words} is not positive definite`);
  return factor;
}

/** Draws location + spread · factor · z for each location, with standard normal z. */
export function normalVectors(
  builder: Builder,
  locations: Vectors,
  factor: ContainerValue,
  call: Call,
  spread: () => Expr,
): Value {
  const size = locations.size;
  const many = locations.many;
  // A factor may have fewer columns than rows; Stan's check allows it.
  const columns = factor.sizes[1];
  const z = builder.allocate('real', [columns], 'z');
  const out: Ref = builder.allocate('real', many === null ? [size] : [many, size], 'draws');
  const read = (i: Expr): Expr => ({ kind: 'load', type: 'real', ref: z, index: i });
  const draw = (n: Expr): void => {
    builder.for(zero, columns, (i) => builder.store(z, i, normal(builder)));
    builder.for(zero, size, (i) => {
      const product = builder.sum(smaller(add(i, one), columns), (j) => mul(factor.at(i, j), read(j)));
      builder.store(out, add(mul(n, size), i), add(locations.at(n, i), mul(spread(), product)));
    });
  };
  if (many === null) draw(zero);
  else builder.for(zero, many, draw);
  return container(call.result, 'data', out);
}

export function checkLocations(builder: Builder, name: string, locations: Vectors, like: Value): void {
  const one = (n: Expr): void => {
    const vector: ContainerValue = {
      ...containerOf(like),
      type: VECTOR,
      sizes: [locations.size],
      flat: (k) => locations.at(n, k),
    };
    checkEach(builder, name, 'Location parameter', vector, finite);
  };
  if (locations.many === null) one(zero);
  else builder.for(zero, locations.many, one);
}

export function checkedCovariance(builder: Builder, name: string, value: Value): Stored {
  const matrix = stored(builder, value);
  const rows = matrix.sizes[0];
  builder.check(compare('gt', rows, zero), `${name}: Covariance matrix rows is {0}, but must be positive!`, [rows]);
  checkSquare(builder, name, 'Covariance matrix', matrix);
  checkSymmetric(builder, name, 'Covariance matrix', matrix);
  return covarianceFactor(builder, name, matrix, 'covariance matrix argument');
}

/**
 * Draws the Cholesky factor of a Wishart matrix by Bartlett's decomposition: the factor for the identity scale matrix, times the factor of
 * the scale matrix.
 */
export function wishartFactor(builder: Builder, nu: Expr, factor: Stored): Stored {
  const [k] = factor.sizes;
  const triangle = fresh(builder, MATRIX, [k, k], factor, 'triangle');
  builder.for(zero, k, (j) =>
    builder.for(zero, k, (i) => {
      const at = add(mul(j, k), i);
      builder.if(
        compare('gt', i, j),
        () => builder.store(triangle.ref, at, normal(builder)),
        () =>
          builder.if(
            compare('eq', i, j),
            () => {
              const freedom = half(sub(nu, toReal(j)));
              const logSquare = add(real(Math.LN2), logGamma(builder, freedom));
              builder.store(triangle.ref, at, exp(half(logSquare)));
            },
            () => builder.store(triangle.ref, at, ZERO),
          ),
      );
    }),
  );
  return multiplyMatrices(builder, factor, triangle);
}

export function timesTranspose(builder: Builder, factor: Stored): Stored {
  return multiplyMatrices(builder, factor, transposed(factor, MATRIX));
}

export function checkFreedom(builder: Builder, name: string, nu: Expr, k: Expr): void {
  const least = toReal(sub(k, one));
  builder.check(
    compare('gt', nu, least),
    `${name}: degrees of freedom > dims - 1 is {0}, but must be greater than {1:f}`,
    [nu, least],
  );
}

/** Draws the Cholesky factor of an LKJ correlation matrix from beta distributed canonical partial correlations. */
export function lkjFactor(builder: Builder, name: string, [sizeArgument, etaArgument]: readonly Value[]): Stored {
  const eta = bindOnce(builder, scalarOf(etaArgument));
  require(builder, positive, eta, { function: name, argument: 'Shape parameter' });
  const size = bindOnce(builder, scalarOf(sizeArgument));
  const factor = builder.allocate('real', [size, size], 'factor', 'zero');
  const left = builder.allocate('real', [size], 'left');
  const leftOf = (i: Expr): Expr => ({ kind: 'load', type: 'real', ref: left, index: i });
  builder.for(zero, size, (i) => builder.store(left, i, ONE));
  builder.for(zero, size, (j) => {
    const alpha = bindOnce(builder, add(eta, half(toReal(sub(sub(size, int(2)), j)))));
    builder.store(factor, add(mul(j, size), j), sqrt(leftOf(j)));
    builder.for(add(j, one), size, (i) => {
      // (1 + partial) / 2 is beta distributed. Computed in this way, 1 - partial² keeps its digits if partial is nearly ±1.
      const z = bindOnce(builder, half(logitBeta(builder, alpha, alpha)));
      builder.store(factor, add(mul(j, size), i), mul(call1('tanh', z), sqrt(leftOf(i))));
      builder.store(left, i, div(leftOf(i), square(call1('cosh', z))));
    });
  });
  return container(MATRIX, 'data', factor);
}

export function checkedFreedom(builder: Builder, call: Call, nu: Value): Expr {
  const freedom = bindOnce(builder, scalarOf(nu));
  for (const each of [notNan, positive]) {
    require(builder, each, freedom, { function: call.name, argument: 'Degrees of freedom parameter' });
  }
  return freedom;
}

/** Draws an inverse Wishart matrix: L (T T')⁻¹ L' for the scale matrix L L' and a Wishart matrix T T' with identity scale. */
export function inverseWishart(b: Builder, freedom: Expr, factor: Stored): Stored {
  const [k] = factor.sizes;
  const identity = fresh(b, MATRIX, [k, k], factor, 'identity');
  b.for(zero, k, (j) =>
    b.for(zero, k, (i) => b.store(identity.ref, add(mul(j, k), i), select(compare('eq', i, j), ONE, ZERO))),
  );
  return timesTranspose(b, solveTransposed(b, wishartFactor(b, freedom, identity), factor));
}

export function checkedFactor(b: Builder, name: string, freedom: Expr, value: Value): Stored {
  const factor = stored(b, value);
  checkFreedom(b, name, freedom, factor.sizes[0]);
  checkSquare(b, name, 'Cholesky Scale matrix', factor);
  checkCholeskyFactor(b, name, 'Cholesky Scale matrix', factor);
  return factor;
}

/** L T⁻ᵀ: the transpose of T⁻¹ L'. */
function solveTransposed(builder: Builder, triangle: Stored, factor: Stored): Stored {
  return stored(
    builder,
    transposed(solveTriangular(builder, 'solve_lower', triangle, transposed(factor, MATRIX)), MATRIX),
  );
}

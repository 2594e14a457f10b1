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
import { finite, nonnegative, notNan, positive, positiveFinite, require } from '../checks.js';
import { transposed } from '../containers/rearranged.js';
import type { Call, FunctionEntry } from '../entry.js';
import { smaller } from '../kernels.js';
import { checkSymmetric } from '../linear-algebra/checks.js';
import { multiplyMatrices } from '../linear-algebra/products.js';
import { solveTriangular } from '../linear-algebra/solves.js';
import { bernoulli, logGamma, logitBeta, studentSpread } from '../random.js';
import { variate } from '../random-row.js';
import { rowsOf as family } from '../row.js';
import { checkMatch, checkSquare, columnsOf, entry, fresh, reusable, rowsOf, type Stored, stored } from '../shapes.js';
import { softmaxOf } from '../softmax.js';
import { half } from './formulas.js';
import { checkSize } from './glm.js';
import { type Vectors, vectorsOf } from './multivariate-row.js';
import { checkProbabilities } from './poisson-binomial.js';
import { checkCholeskyFactor, checkCutPoints, checkEach, checkElements, checkSimplex } from './validation.js';

/** Random number functions whose arguments or results are vectors or matrices. */
const row = family('random number functions');

const zero = int(0);
const one = int(1);
const normal = (b: Builder): Expr => variate(b, 'rng_normal');

/** Draws a one-based category with the given probabilities. */
function category(builder: Builder, theta: Stored): Value {
  const draw = builder.kernelResult('int', 'rng_categorical', [
    { kind: 'random_state' },
    pointer(theta.ref),
    theta.sizes[0],
  ]);
  return scalar(draw, 'data');
}

/** Draws a category: the first whose cumulative probability exceeds a uniform variate. */
function byCumulative(builder: Builder, cuts: Expr, cumulative: (k: Expr) => Expr): Value {
  const u = variate(builder, 'rng_uniform');
  const chosen = builder.newLocal('int', 'category');
  builder.assign(chosen, one);
  builder.for(zero, cuts, (k) => {
    const above = compare('ge', u, cumulative(k));
    builder.assign(chosen, add(get(chosen), select(above, one, zero)));
  });
  return scalar(get(chosen), 'data');
}

function checkOrderedCuts(
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
function multinomial(builder: Builder, theta: ContainerValue, trials: Expr): Value {
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

function checkTrials(builder: Builder, name: string, trials: Expr): void {
  require(builder, nonnegative, trials, { function: name, argument: 'number of trials variables' });
}

/** Draws gamma variates and scales them to sum to 1, on the logarithmic scale so that small shapes do not underflow. */
function dirichlet(builder: Builder, alpha: ContainerValue): ContainerValue {
  const size = alpha.sizes[0];
  const logs = fresh(builder, VECTOR, [size], alpha, 'logs');
  builder.for(zero, size, (k) => {
    builder.store(logs.ref, k, logGamma(builder, toReal(alpha.flat(k))));
  });
  return builder.materialize(softmaxOf(builder, logs));
}

/** The Cholesky factor of a covariance matrix argument. */
function covarianceFactor(builder: Builder, name: string, matrix: Stored, words: string): Stored {
  const [n] = matrix.sizes;
  const factor = fresh(builder, MATRIX, [n, n], matrix, 'factor');
  const status = builder.kernelResult('int', 'cholesky', [pointer(factor.ref), pointer(matrix.ref), n]);
  builder.check(compare('eq', status, zero), `${name}: Matrix ${words} is not positive definite`);
  return factor;
}

/** Draws location + spread · factor · z for each location, with standard normal z. */
function normalVectors(
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

function checkLocations(builder: Builder, name: string, locations: Vectors, like: Value): void {
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

function checkedCovariance(builder: Builder, name: string, value: Value): Stored {
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
function wishartFactor(builder: Builder, nu: Expr, factor: Stored): Stored {
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

function timesTranspose(builder: Builder, factor: Stored): Stored {
  return multiplyMatrices(builder, factor, transposed(factor, MATRIX));
}

function checkFreedom(builder: Builder, name: string, nu: Expr, k: Expr): void {
  const least = toReal(sub(k, one));
  builder.check(
    compare('gt', nu, least),
    `${name}: degrees of freedom > dims - 1 is {0}, but must be greater than {1:f}`,
    [nu, least],
  );
}

/** Draws the Cholesky factor of an LKJ correlation matrix from beta distributed canonical partial correlations. */
function lkjFactor(builder: Builder, name: string, [sizeArgument, etaArgument]: readonly Value[]): Stored {
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

const LOCATIONS = 'vector | row_vector, matrix) => vector';
const MANY_LOCATIONS = 'array[] vector | array[] row_vector, matrix) => array[] vector';

function checkedFreedom(builder: Builder, call: Call, nu: Value): Expr {
  const freedom = bindOnce(builder, scalarOf(nu));
  for (const each of [notNan, positive]) {
    require(builder, each, freedom, { function: call.name, argument: 'Degrees of freedom parameter' });
  }
  return freedom;
}

/** Draws normal vectors. `factorOf` checks the last argument and returns the Cholesky factor of the covariance matrix. */
function multiNormal(
  name: string,
  computes: string,
  factorOf: (builder: Builder, name: string, argument: ContainerValue) => ContainerValue,
): FunctionEntry {
  return row(name, computes, [`(${LOCATIONS}`, `(${MANY_LOCATIONS}`], (b, [mu, shape], call) => {
    const locations = vectorsOf(reusable(b, mu));
    const argument = reusable(b, shape);
    checkLocations(b, name, locations, mu);
    const factor = factorOf(b, name, argument);
    const [rows] = factor.sizes;
    checkMatch(b, name, 'Size of location parameter', locations.size, 'rows of covariance parameter', rows);
    return normalVectors(b, locations, factor, call, () => ONE);
  });
}

export const STRUCTURED_RANDOM: readonly FunctionEntry[] = [
  row('categorical_rng', 'A category with the probabilities theta', ['(vector) => int'], (b, [theta]) => {
    const probabilities = stored(b, theta);
    checkSimplex(b, 'categorical_rng', 'Probabilities parameter', probabilities.sizes[0], probabilities.flat);
    return category(b, probabilities);
  }),
  row(
    'poisson_binomial_rng',
    'The number of successes in trials with the probabilities theta',
    ['(vector | row_vector | array[] real) => int'],
    (b, [theta]) => {
      const probabilities = reusable(b, theta);
      checkProbabilities(b, 'poisson_binomial_rng', probabilities);
      const successes = b.newLocal('int', 'successes');
      b.assign(successes, zero);
      b.each(probabilities.sizes[0], (i) =>
        b.assign(successes, add(get(successes), bernoulli(b, probabilities.flat(i)))),
      );
      return scalar(get(successes), 'data');
    },
  ),
  row('categorical_logit_rng', 'A category with the log odds beta', ['(vector) => int'], (b, [beta]) => {
    const odds = reusable(b, beta);
    checkEach(b, 'categorical_logit_rng', 'Log odds parameter', odds, finite);
    return category(b, stored(b, softmaxOf(b, odds)));
  }),
  row('ordered_logistic_rng', 'An ordered outcome by cut points', ['(real, vector) => int'], (b, [eta, c]) => {
    const location = bindOnce(b, scalarOf(eta));
    const cuts = reusable(b, c);
    const words = ['Cut points parameter', 'Cut points parameter', 'Cut points parameter'] as const;
    checkOrderedCuts(b, 'ordered_logistic_rng', location, cuts, words);
    return byCumulative(b, cuts.sizes[0], (k) => call1('inv_logit', sub(cuts.flat(k), location)));
  }),
  row('ordered_probit_rng', 'An ordered outcome by cut points', ['(real, vector) => int'], (b, [eta, c]) => {
    const location = bindOnce(b, scalarOf(eta));
    const cuts = reusable(b, c);
    checkOrderedCuts(b, 'ordered_probit_rng', location, cuts, ['Cut points vector', 'Cut-points', 'Cut-points']);
    return byCumulative(b, cuts.sizes[0], (k) => call1('Phi', sub(cuts.flat(k), location)));
  }),
  row(
    'bernoulli_logit_glm_rng',
    'Outcomes, 1 with log odds alpha + x beta',
    ['(matrix | row_vector, vector, vector) => array[] int'],
    (b, [x, alpha, beta], call) => {
      const name = 'bernoulli_logit_glm_rng';
      const design = reusable(b, x);
      const intercepts = reusable(b, alpha);
      const weights = reusable(b, beta);
      const rows = rowsOf(design);
      checkSize(b, name, 'Weight vector', weights, columnsOf(design));
      checkSize(b, name, 'Vector of intercepts', intercepts, rows);
      const words = 'Matrix of independent variables';
      if (design.type.kind === 'matrix') checkElements(b, name, words, design, finite);
      else checkEach(b, name, words, design, finite);
      checkEach(b, name, 'Weight vector', weights, finite);
      checkEach(b, name, 'Intercept', intercepts, finite);
      const outcomes = b.allocate('int', [rows], 'outcomes');
      b.for(zero, rows, (m) => {
        const slope = b.sum(columnsOf(design), (n) => mul(entry(design, m, n), weights.at(n)));
        const odds = add(intercepts.at(m), slope);
        b.store(outcomes, m, compare('lt', variate(b, 'rng_uniform'), call1('inv_logit', odds)));
      });
      return container(call.result, 'data', outcomes);
    },
  ),
  row('multinomial_rng', 'Counts with the probabilities theta', ['(vector, int) => array[] int'], (b, [theta, n]) => {
    const name = 'multinomial_rng';
    const probabilities = reusable(b, theta);
    checkSimplex(b, name, 'Probabilities parameter', probabilities.sizes[0], probabilities.flat);
    const trials = bindOnce(b, scalarOf(n));
    checkTrials(b, name, trials);
    return multinomial(b, probabilities, trials);
  }),
  row('multinomial_logit_rng', 'Counts with the log odds gamma', ['(vector, int) => array[] int'], (b, [gamma, n]) => {
    const name = 'multinomial_logit_rng';
    const odds = reusable(b, gamma);
    checkEach(b, name, 'Log-probabilities parameter', odds, finite);
    const trials = bindOnce(b, scalarOf(n));
    checkTrials(b, name, trials);
    return multinomial(b, stored(b, softmaxOf(b, odds)), trials);
  }),
  row('dirichlet_rng', 'A simplex with prior sample sizes alpha', ['(vector) => vector'], (b, [alpha]) => {
    const sizes = reusable(b, alpha);
    checkEach(b, 'dirichlet_rng', 'prior sample sizes', sizes, positiveFinite);
    return dirichlet(b, sizes);
  }),
  row(
    'dirichlet_multinomial_rng',
    'Counts whose probabilities are Dirichlet distributed',
    ['(vector, int) => array[] int'],
    (b, [alpha, n]) => {
      const name = 'dirichlet_multinomial_rng';
      const sizes = reusable(b, alpha);
      checkEach(b, name, 'prior size variable', sizes, positiveFinite);
      const trials = bindOnce(b, scalarOf(n));
      checkTrials(b, name, trials);
      return multinomial(b, dirichlet(b, sizes), trials);
    },
  ),
  multiNormal('multi_normal_rng', 'Normal vectors by covariance', checkedCovariance),
  multiNormal(
    'multi_normal_cholesky_rng',
    'Normal vectors by the Cholesky factor of the covariance matrix',
    (b, name, L) => {
      checkCholeskyFactor(b, name, 'Cholesky decomposition of a variance matrix', L);
      return L;
    },
  ),
  row(
    'multi_student_t_rng',
    "Vectors of Student's t distribution by scale matrix",
    [`(real, ${LOCATIONS}`, `(real, ${MANY_LOCATIONS}`],
    (b, [nu, mu, S], call) => {
      const freedom = checkedFreedom(b, call, nu);
      const locations = vectorsOf(reusable(b, mu));
      checkLocations(b, call.name, locations, mu);
      const factor = checkedCovariance(b, call.name, S);
      checkMatch(b, call.name, 'Size of random variable', locations.size, 'rows of scale parameter', factor.sizes[0]);
      const spread = studentSpread(b, freedom);
      return normalVectors(b, locations, factor, call, () => spread);
    },
  ),
  row(
    'multi_student_t_cholesky_rng',
    "Vectors of Student's t distribution by the Cholesky factor of the scale matrix",
    [`(real, ${LOCATIONS}`, `(real, ${MANY_LOCATIONS}`],
    (b, [nu, mu, L], call) => {
      const freedom = checkedFreedom(b, call, nu);
      const locations = vectorsOf(reusable(b, mu));
      const factor = reusable(b, L);
      checkLocations(b, call.name, locations, mu);
      checkCholeskyFactor(b, call.name, 'scale parameter', factor);
      checkMatch(b, call.name, 'Size of random variable', locations.size, 'rows of scale parameter', factor.sizes[0]);
      const spread = studentSpread(b, freedom);
      return normalVectors(b, locations, factor, call, () => spread);
    },
  ),
  row('wishart_rng', 'A Wishart matrix', ['(real, matrix) => matrix'], (b, [nu, S], call) => {
    const freedom = bindOnce(b, scalarOf(nu));
    const scale = stored(b, S);
    checkSquare(b, call.name, 'scale parameter', scale);
    checkSymmetric(b, call.name, 'scale parameter', scale);
    checkFreedom(b, call.name, freedom, scale.sizes[0]);
    const factor = covarianceFactor(b, call.name, scale, 'scale parameter');
    return timesTranspose(b, wishartFactor(b, freedom, factor));
  }),
  row(
    'wishart_cholesky_rng',
    'The Cholesky factor of a Wishart matrix',
    ['(real, matrix) => matrix'],
    (b, [nu, L], call) => {
      const freedom = bindOnce(b, scalarOf(nu));
      const factor = checkedFactor(b, call.name, freedom, L);
      return wishartFactor(b, freedom, factor);
    },
  ),
  row(
    'inv_wishart_cholesky_rng',
    'The Cholesky factor of an inverse Wishart matrix',
    ['(real, matrix) => matrix'],
    (b, [nu, L], call) => {
      const freedom = bindOnce(b, scalarOf(nu));
      const factor = checkedFactor(b, call.name, freedom, L);
      const matrix = inverseWishart(b, freedom, factor);
      return covarianceFactor(b, call.name, matrix, 'scale parameter');
    },
  ),
  row('inv_wishart_rng', 'An inverse Wishart matrix', ['(real, matrix) => matrix'], (b, [nu, S], call) => {
    const freedom = bindOnce(b, scalarOf(nu));
    const scale = stored(b, S);
    checkFreedom(b, call.name, freedom, scale.sizes[0]);
    checkSquare(b, call.name, 'scale parameter', scale);
    checkSymmetric(b, call.name, 'scale parameter', scale);
    const factor = covarianceFactor(b, call.name, scale, 'scale parameter');
    return inverseWishart(b, freedom, factor);
  }),
  row(
    'lkj_corr_cholesky_rng',
    'The Cholesky factor of an LKJ correlation matrix',
    ['(int, real) => matrix'],
    (b, args, call) => lkjFactor(b, call.name, args),
  ),
  row('lkj_corr_rng', 'An LKJ correlation matrix', ['(int, real) => matrix'], (b, args, call) =>
    timesTranspose(b, lkjFactor(b, call.name, args)),
  ),
];

/** Draws an inverse Wishart matrix: L (T T')⁻¹ L' for the scale matrix L L' and a Wishart matrix T T' with identity scale. */
function inverseWishart(b: Builder, freedom: Expr, factor: Stored): Stored {
  const [k] = factor.sizes;
  const identity = fresh(b, MATRIX, [k, k], factor, 'identity');
  b.for(zero, k, (j) =>
    b.for(zero, k, (i) => b.store(identity.ref, add(mul(j, k), i), select(compare('eq', i, j), ONE, ZERO))),
  );
  return timesTranspose(b, solveTransposed(b, wishartFactor(b, freedom, identity), factor));
}

function checkedFactor(b: Builder, name: string, freedom: Expr, value: Value): Stored {
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

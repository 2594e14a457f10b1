import type { Builder } from '../../ir/builder.js';
import { container, scalar } from '../../ir/builder.js';
import { add, call1, compare, get, int, mul, ONE, sub } from '../../ir/expressions.js';
import type { ContainerValue } from '../../ir/value.js';
import { bindOnce, scalarOf } from '../broadcast.js';
import { finite, positiveFinite } from '../checks.js';
import type { FunctionEntry } from '../entry.js';
import { checkSymmetric } from '../linear-algebra/checks.js';
import { bernoulli, studentSpread } from '../random.js';
import { variate } from '../random-row.js';
import { rowsOf as family } from '../row.js';
import { checkMatch, checkSquare, columnsOf, entry, reusable, rowsOf, stored } from '../shapes.js';
import { softmaxOf } from '../softmax.js';
import { checkSize } from './glm.js';
import { vectorsOf } from './multivariate-row.js';
import { checkProbabilities } from './poisson-binomial.js';
import {
  byCumulative,
  category,
  checkedCovariance,
  checkedFactor,
  checkedFreedom,
  checkFreedom,
  checkLocations,
  checkOrderedCuts,
  checkTrials,
  covarianceFactor,
  dirichlet,
  inverseWishart,
  lkjFactor,
  multinomial,
  normalVectors,
  timesTranspose,
  wishartFactor,
} from './structured-variates.js';
import { checkCholeskyFactor, checkEach, checkElements, checkSimplex } from './validation.js';

/** Random number functions whose arguments or results are vectors or matrices. */
const row = family('random number functions');

const zero = int(0);

const LOCATIONS = 'vector | row_vector, matrix) => vector';
const MANY_LOCATIONS = 'array[] vector | array[] row_vector, matrix) => array[] vector';

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

import type { Builder } from '../ir/builder.js';
import {
  add,
  and,
  call1,
  call2,
  compare,
  div,
  exp,
  int,
  log,
  mul,
  neg,
  ONE,
  real,
  select,
  sqrt,
  sub,
  toReal,
} from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import { bindOnce } from './broadcast.js';
import type { Requirement } from './checks.js';
import {
  atLeast,
  below,
  between,
  finite,
  greaterThan,
  nonnegative,
  positive,
  positiveFinite,
  require,
} from './checks.js';
import { type Argument, ints, numbers, reals } from './density-row.js';
import type { FunctionEntry } from './entry.js';
import { random, variate } from './random-row.js';

const TURN = real(2 * Math.PI);
const MAX_POISSON_RATE = 2 ** 30;

const named = (argument: Argument, sizeWords: string): Argument => ({ ...argument, sizeWords });
const location = numbers('Location parameter', finite);
const scale = named(numbers('Scale parameter', positiveFinite), 'Scale Parameter');
const shape = named(numbers('Shape parameter', positiveFinite), 'Shape Parameter');
const firstShape = numbers('Shape parameter', positiveFinite);
const degreesOfFreedom = numbers('Degrees of freedom parameter', positiveFinite);
const probability = named(numbers('Probability parameter', between(0, 1)), 'Probability Parameter');
const population = ints('Population size parameter', nonnegative);

const uniform = (b: Builder): Expr => variate(b, 'rng_uniform');
const normal = (b: Builder): Expr => variate(b, 'rng_normal');
const exponential = (b: Builder): Expr => variate(b, 'rng_exponential');
/** The logarithm of a gamma variate. The variate itself underflows for small shapes, even if results computed from it do not. */
export const logGamma = (b: Builder, alpha: Expr): Expr => variate(b, 'rng_log_gamma', alpha);
const logChiSquare = (b: Builder, nu: Expr): Expr => add(real(Math.LN2), logGamma(b, mul(real(0.5), nu)));
/** The log odds of a beta variate. */
export const logitBeta = (b: Builder, alpha: Expr, beta: Expr): Expr => sub(logGamma(b, alpha), logGamma(b, beta));
const beta = (b: Builder, first: Expr, second: Expr): Expr => call1('inv_logit', logitBeta(b, first, second));
/** √(ν / X) for a chi-square variate X: a normal variate times this is a Student's t variate. */
export const studentSpread = (b: Builder, nu: Expr): Expr =>
  bindOnce(b, exp(mul(real(0.5), sub(log(nu), logChiSquare(b, nu)))));
/** sigma · xᵖ for positive sigma and x, even if xᵖ overflows or underflows. */
const scaledPower = (sigma: Expr, x: Expr, p: Expr): Expr => exp(add(log(sigma), mul(p, log(x))));
const poisson = (b: Builder, rate: Expr): Expr => toInt(variate(b, 'rng_poisson', rate));
/** Draws 1 with probability p, else 0. */
export const bernoulli = (b: Builder, p: Expr): Expr => compare('lt', uniform(b), p);

function toInt(x: Expr): Expr {
  return { kind: 'apply', type: 'int', op: 'to_int', args: [x] };
}

/** Draws from a negative binomial distribution: a Poisson variate with a gamma distributed rate. */
function gammaPoisson(b: Builder, name: string, alpha: Expr, rateScale: Expr): Expr {
  const rate = bindOnce(b, mul(exp(logGamma(b, alpha)), rateScale));
  require(b, below(MAX_POISSON_RATE), rate, {
    function: name,
    argument: 'Random number that came from gamma distribution',
  });
  return poisson(b, rate);
}

/** N ≤ a + b, without computing the sum, which may exceed the greatest int. */
const atMostBoth: Requirement = {
  holds: (n, [, a, b]) => and(compare('ge', n, int(0)), compare('le', sub(n, a), b)),
  must: 'in the interval [0, {0}]',
  values: ([, a, b]) => [add(a, b)],
  reads: [1, 2],
};

const belowMaximum: Requirement = below(MAX_POISSON_RATE);

export const RANDOM: readonly FunctionEntry[] = [
  random('std_normal_rng', { computes: 'A standard normal variate', result: 'real', arguments: [], draw: normal }),
  random('normal_rng', {
    computes: 'A normal variate',
    source: 'Marsaglia and Tsang, J. Stat. Software 5, 2000: the ziggurat',
    result: 'real',
    arguments: [location, scale],
    draw: (b, mu, sigma) => add(mu, mul(sigma, normal(b))),
  }),
  random('exp_mod_normal_rng', {
    computes: 'A normal variate plus an exponential one',
    result: 'real',
    arguments: [location, scale, named(numbers('Inv_scale parameter', positiveFinite), 'Inv_scale Parameter')],
    draw: (b, mu, sigma, lambda) => add(add(mu, mul(sigma, normal(b))), div(exponential(b), lambda)),
  }),
  random('skew_normal_rng', {
    computes: 'A skew normal variate',
    result: 'real',
    arguments: [location, scale, named(numbers('Shape parameter', finite), 'Shape Parameter')],
    draw: (b, mu, sigma, alpha) => {
      const first = normal(b);
      const flip = compare('gt', normal(b), mul(alpha, first));
      return add(mu, mul(sigma, select(flip, neg(first), first)));
    },
  }),
  random('student_t_rng', {
    computes: "A variate of Student's t distribution",
    result: 'real',
    arguments: [degreesOfFreedom, location, scale],
    draw: (b, nu, mu, sigma) => add(mu, mul(sigma, mul(normal(b), studentSpread(b, nu)))),
  }),
  random('cauchy_rng', {
    computes: 'A Cauchy variate',
    result: 'real',
    arguments: [location, scale],
    draw: (b, mu, sigma) => {
      const angle = mul(real(Math.PI), sub(uniform(b), real(0.5)));
      return add(mu, mul(sigma, { kind: 'apply', type: 'real', op: 'tan', args: [angle] }));
    },
  }),
  random('double_exponential_rng', {
    computes: 'A double exponential variate',
    result: 'real',
    arguments: [location, scale],
    draw: (b, mu, sigma) => {
      const sign = select(compare('lt', uniform(b), real(0.5)), real(-1), ONE);
      return add(mu, mul(mul(sigma, sign), exponential(b)));
    },
  }),
  random('skew_double_exponential_rng', {
    computes: 'A skew double exponential variate',
    result: 'real',
    arguments: [location, scale, named(numbers('Skewness parameter', between(0, 1)), 'Skewness Parameter')],
    draw: (b, mu, sigma, tau) => {
      const z = uniform(b);
      const below = div(mul(log(div(z, tau)), sigma), mul(real(2), sub(ONE, tau)));
      const above = neg(div(mul(log(div(sub(ONE, z), sub(ONE, tau))), sigma), mul(real(2), tau)));
      return add(mu, select(compare('lt', z, tau), below, above));
    },
  }),
  random('logistic_rng', {
    computes: 'A logistic variate',
    result: 'real',
    arguments: [location, scale],
    draw: (b, mu, sigma) => {
      const u = uniform(b);
      return add(mu, mul(sigma, log(div(u, sub(ONE, u)))));
    },
  }),
  random('gumbel_rng', {
    computes: 'A Gumbel variate',
    result: 'real',
    arguments: [location, scale],
    draw: (b, mu, beta) => sub(mu, mul(beta, log(exponential(b)))),
  }),
  random('lognormal_rng', {
    computes: 'A lognormal variate',
    result: 'real',
    arguments: [location, scale],
    draw: (b, mu, sigma) => exp(add(mu, mul(sigma, normal(b)))),
  }),
  random('chi_square_rng', {
    computes: 'A chi-square variate',
    source: 'Marsaglia and Tsang, ACM TOMS 26, 2000',
    result: 'real',
    arguments: [degreesOfFreedom],
    draw: (b, nu) => exp(logChiSquare(b, nu)),
  }),
  random('inv_chi_square_rng', {
    computes: 'An inverse chi-square variate',
    result: 'real',
    arguments: [degreesOfFreedom],
    draw: (b, nu) => exp(neg(logChiSquare(b, nu))),
  }),
  random('scaled_inv_chi_square_rng', {
    computes: 'A scaled inverse chi-square variate',
    result: 'real',
    arguments: [named(degreesOfFreedom, 'Location parameter'), scale],
    draw: (b, nu, s) => exp(sub(add(log(nu), mul(real(2), log(s))), logChiSquare(b, nu))),
  }),
  random('exponential_rng', {
    computes: 'An exponential variate',
    source: 'Marsaglia and Tsang, J. Stat. Software 5, 2000: the ziggurat',
    result: 'real',
    arguments: [numbers('Inverse scale parameter', positiveFinite)],
    draw: (b, beta) => div(exponential(b), beta),
  }),
  random('gamma_rng', {
    computes: 'A gamma variate',
    source: 'Marsaglia and Tsang, ACM TOMS 26, 2000',
    result: 'real',
    arguments: [firstShape, named(numbers('Inverse scale parameter', positiveFinite), 'Inverse scale Parameter')],
    draw: (b, alpha, rate) => exp(sub(logGamma(b, alpha), log(rate))),
  }),
  random('inv_gamma_rng', {
    computes: 'An inverse gamma variate',
    result: 'real',
    arguments: [firstShape, scale],
    draw: (b, alpha, sigma) => exp(sub(log(sigma), logGamma(b, alpha))),
  }),
  random('weibull_rng', {
    computes: 'A Weibull variate',
    result: 'real',
    arguments: [firstShape, scale],
    draw: (b, alpha, sigma) => scaledPower(sigma, exponential(b), div(ONE, alpha)),
  }),
  random('frechet_rng', {
    computes: 'A Fréchet variate',
    result: 'real',
    arguments: [firstShape, scale],
    draw: (b, alpha, sigma) => scaledPower(sigma, exponential(b), div(real(-1), alpha)),
  }),
  random('rayleigh_rng', {
    computes: 'A Rayleigh variate',
    result: 'real',
    arguments: [numbers('Scale parameter', positiveFinite)],
    draw: (b, sigma) => mul(sigma, sqrt(mul(real(2), exponential(b)))),
  }),
  random('loglogistic_rng', {
    computes: 'A log-logistic variate',
    result: 'real',
    arguments: [numbers('Scale parameter', positiveFinite), shape],
    draw: (b, sigma, alpha) => {
      const u = uniform(b);
      return scaledPower(sigma, div(u, sub(ONE, u)), div(ONE, alpha));
    },
  }),
  random('pareto_rng', {
    computes: 'A Pareto variate',
    result: 'real',
    arguments: [scale, firstShape],
    draw: (b, least, alpha) => exp(add(log(least), div(exponential(b), alpha))),
  }),
  random('pareto_type_2_rng', {
    computes: 'A Pareto type 2 variate',
    result: 'real',
    arguments: [location, scale, shape],
    draw: (b, mu, lambda, alpha) =>
      add(mu, mul(lambda, { kind: 'apply', type: 'real', op: 'expm1', args: [div(exponential(b), alpha)] })),
  }),
  random('beta_rng', {
    computes: 'A beta variate',
    source: 'Marsaglia and Tsang, ACM TOMS 26, 2000',
    result: 'real',
    arguments: [
      numbers('First shape parameter', positiveFinite),
      named(numbers('Second shape parameter', positiveFinite), 'Second shape Parameter'),
    ],
    draw: beta,
  }),
  random('beta_proportion_rng', {
    computes: 'A beta variate by mean and precision',
    result: 'real',
    arguments: [reals('Location parameter', positive, below(1)), numbers('Precision parameter', positiveFinite)],
    draw: (b, mu, kappa) => beta(b, mul(mu, kappa), mul(sub(ONE, mu), kappa)),
  }),
  random('von_mises_rng', {
    computes: 'A von Mises variate, within half a turn of the location taken into [0, 2π)',
    source: 'Best and Fisher, Applied Statistics 28, 1979',
    result: 'real',
    arguments: [location, numbers('Scale parameter', nonnegative, finite)],
    draw: (b, mu, kappa) => {
      const turned = call2('fmod', add(call2('fmod', mu, TURN), TURN), TURN);
      return variate(b, 'rng_von_mises', turned, kappa);
    },
  }),
  random('uniform_rng', {
    computes: 'A uniform variate',
    result: 'real',
    arguments: [numbers('Lower bound parameter', finite), numbers('Upper bound parameter', finite, greaterThan(0))],
    draw: (b, alpha, beta) => add(alpha, mul(sub(beta, alpha), uniform(b))),
  }),
  random('bernoulli_rng', {
    computes: 'An outcome, 1 with probability theta',
    result: 'int',
    arguments: [probability],
    draw: bernoulli,
  }),
  random('bernoulli_logit_rng', {
    computes: 'An outcome, 1 with log odds alpha',
    result: 'int',
    arguments: [numbers('Logit transformed probability parameter', finite)],
    draw: (b, alpha) => bernoulli(b, { kind: 'apply', type: 'real', op: 'inv_logit', args: [alpha] }),
  }),
  random('binomial_rng', {
    computes: 'A number of successes',
    source: 'Hörmann, J. Statist. Comput. Simul. 46, 1993: BTRS',
    result: 'int',
    arguments: [population, probability],
    draw: (b, n, theta) => variate(b, 'rng_binomial', n, theta),
  }),
  random('beta_binomial_rng', {
    computes: 'A number of successes with beta distributed probability',
    result: 'int',
    arguments: [
      population,
      numbers('First prior sample size parameter', positiveFinite),
      numbers('Second prior sample size parameter', positiveFinite),
    ],
    draw: (b, n, first, second) => variate(b, 'rng_binomial', n, beta(b, first, second)),
  }),
  random('discrete_range_rng', {
    computes: 'An integer between two bounds',
    result: 'int',
    arguments: [ints('Lower bound parameter'), ints('Upper bound parameter', atLeast(0))],
    draw: (b, lower, upper) => {
      const values = add(toReal(sub(upper, lower)), ONE);
      return add(lower, toInt(mul(values, uniform(b))));
    },
  }),
  random('hypergeometric_rng', {
    computes: 'The number of successes among N drawn without replacement from a successes and b failures',
    result: 'int',
    arguments: [
      { kind: 'int', words: 'Draws parameter', requirements: [atMostBoth, positive] },
      { kind: 'int', words: 'Successes in population parameter', requirements: [positive] },
      { kind: 'int', words: 'Failures in population parameter', requirements: [positive] },
    ],
    draw: (b, n, successes, failures) => variate(b, 'rng_hypergeometric', n, successes, failures),
  }),
  random('poisson_rng', {
    computes: 'A Poisson count',
    source: 'Hörmann, Insurance: Mathematics and Economics 12, 1993: PTRS',
    result: 'int',
    arguments: [numbers('Rate parameter', positive, belowMaximum)],
    draw: poisson,
  }),
  random('poisson_log_rng', {
    computes: 'A Poisson count by its log rate',
    result: 'int',
    arguments: [numbers('Log rate parameter', finite, below(30 * Math.LN2))],
    draw: (b, alpha) => poisson(b, exp(alpha)),
  }),
  random('neg_binomial_rng', {
    computes: 'A negative binomial count by shape and inverse scale',
    result: 'int',
    arguments: [firstShape, named(numbers('Inverse scale parameter', positiveFinite), 'Inverse scale Parameter')],
    draw: (b, alpha, beta) => gammaPoisson(b, 'neg_binomial_rng', alpha, div(ONE, beta)),
  }),
  random('neg_binomial_2_rng', {
    computes: 'A negative binomial count by mean and precision',
    result: 'int',
    arguments: [numbers('Location parameter', positiveFinite), numbers('Precision parameter', positiveFinite)],
    draw: (b, mu, phi) => gammaPoisson(b, 'neg_binomial_2_rng', phi, div(mu, phi)),
  }),
  random('neg_binomial_2_log_rng', {
    computes: 'A negative binomial count by log mean and precision',
    result: 'int',
    arguments: [numbers('Log-location parameter', finite), numbers('Inverse dispersion parameter', positiveFinite)],
    draw: (b, eta, phi) => {
      const rateScale = bindOnce(b, div(exp(eta), phi));
      const argument = 'Exponential of the log-location parameter divided by the precision parameter';
      require(b, positiveFinite, rateScale, { function: 'neg_binomial_2_log_rng', argument });
      return gammaPoisson(b, 'neg_binomial_2_log_rng', phi, rateScale);
    },
  }),
  random('beta_neg_binomial_rng', {
    computes: 'A negative binomial count whose probability is beta distributed',
    result: 'int',
    arguments: [
      numbers('Number of successes parameter', positiveFinite),
      numbers('Prior success parameter', positiveFinite),
      numbers('Prior failure parameter', positiveFinite),
    ],
    draw: (b, r, alpha, beta) => gammaPoisson(b, 'neg_binomial_rng', r, exp(logitBeta(b, beta, alpha))),
  }),
  random('yule_simon_rng', {
    computes: 'A Yule-Simon count: geometric with an exponential log probability',
    result: 'int',
    arguments: [numbers('Shape parameter', positiveFinite)],
    draw: (b, alpha) => {
      const wait = div(exponential(b), alpha);
      return add(gammaPoisson(b, 'neg_binomial_rng', ONE, call1('expm1', wait)), int(1));
    },
  }),
];

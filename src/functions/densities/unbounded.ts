import {
  abs,
  add,
  call1,
  call2,
  compare,
  exp,
  log,
  mul,
  neg,
  ONE,
  real,
  select,
  sqrt,
  square,
  sub,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { between, finite, notNan, positive, positiveFinite } from '../checks.js';
import { density } from '../density.js';
import { reals, type Term } from '../density-row.js';
import type { FunctionEntry } from '../entry.js';
import {
  HALF,
  half,
  inverse,
  LOG_PI,
  LOG_TWO,
  log1m,
  MINUS_HALF_LOG_TWO_PI,
  standardized,
  standardScore,
  TWO,
} from './formulas.js';

/** Continuous densities on the real line. */
const FAMILY = 'unbounded continuous distributions';

const location = reals('Location parameter', finite);

/**
 * log(exp(v²/2 - v z) Phi(z - v)), where v z is lambda times the distance. For z < v it is log(exp(-z²/2) normal_tail(z - v)), which avoids
 * the difference of two large squares.
 */
function logTilted(z: Expr, v: Expr, distance: Expr, lambda: Expr): Expr {
  const x = sub(v, z);
  const isBelow = compare('gt', x, ZERO);
  const limited = select(compare('lt', x, real(-40)), real(-40), select(compare('gt', x, real(1e100)), real(1e100), x));
  const tail = call1('normal_tail', limited);
  const share = select(isBelow, tail, sub(ONE, mul(exp(mul(real(-0.5), square(limited))), tail)));
  const exponent = select(isBelow, mul(real(-0.5), square(z)), sub(half(square(v)), mul(lambda, distance)));
  return add(exponent, log(share));
}

const log1pSquare = (x: Expr): Expr => call1('log1p_square', x);

function studentTerms(nu: Expr, sigma: Expr, spread: Expr): readonly Term[] {
  return [
    mul(real(-0.5), LOG_PI),
    sub(call2('lgamma_rise', half(nu), HALF), half(log(nu))),
    neg(log(sigma)),
    neg(mul(add(half(nu), HALF), spread)),
  ];
}

export const UNBOUNDED: readonly FunctionEntry[] = [
  density(FAMILY, 'normal_lpdf', {
    computes: 'Log of the normal density of y with location mu and scale sigma',
    arguments: [reals('Random variable', notNan), location, reals('Scale parameter', positive)],
    terms: (y, mu, sigma) => [
      MINUS_HALF_LOG_TWO_PI,
      neg(log(sigma)),
      mul(real(-0.5), square(standardized(y, mu, sigma))),
    ],
  }),
  density(FAMILY, 'std_normal_lpdf', {
    computes: 'Log of the standard normal density of y',
    arguments: [reals('Random variable', notNan)],
    terms: (y) => [MINUS_HALF_LOG_TWO_PI, mul(real(-0.5), square(y))],
  }),
  density(FAMILY, 'exp_mod_normal_lpdf', {
    computes: 'Log density of the sum of a normal variate and an exponential variate with rate lambda',
    arguments: [
      reals('Random variable', notNan),
      location,
      reals('Scale parameter', positiveFinite),
      reals('Inv_scale parameter', positiveFinite),
    ],
    terms: (y, mu, sigma, lambda) => [
      neg(LOG_TWO),
      log(lambda),
      add(LOG_TWO, logTilted(standardized(y, mu, sigma), mul(lambda, sigma), sub(y, mu), lambda)),
    ],
  }),
  density(FAMILY, 'skew_normal_lpdf', {
    computes: 'Log of the skew normal density of y with location xi, scale omega and shape alpha',
    arguments: [
      reals('Random variable', notNan),
      location,
      reals('Scale parameter', positive),
      reals('Shape parameter', finite),
    ],
    terms: (y, xi, omega, alpha) => {
      const z = standardized(y, xi, omega);
      return [
        MINUS_HALF_LOG_TWO_PI,
        neg(log(omega)),
        mul(real(-0.5), square(z)),
        add(LOG_TWO, call1('log_Phi', mul(alpha, z))),
      ];
    },
  }),
  density(FAMILY, 'student_t_lpdf', {
    computes: "Log of Student's t density of y with nu degrees of freedom, location mu and scale sigma",
    arguments: [
      reals('Random variable', notNan),
      reals('Degrees of freedom parameter', positiveFinite),
      location,
      reals('Scale parameter', positiveFinite),
    ],
    terms: (y, nu, mu, sigma) =>
      studentTerms(nu, sigma, log1pSquare(mul(standardized(y, mu, sigma), inverse(sqrt(nu))))),
  }),
  density(FAMILY, 'cauchy_lpdf', {
    computes: 'Log of the Cauchy density of y with location mu and scale sigma',
    arguments: [reals('Random variable', notNan), location, reals('Scale parameter', positiveFinite)],
    terms: (y, mu, sigma) => [neg(LOG_PI), neg(log(sigma)), neg(log1pSquare(standardized(y, mu, sigma)))],
  }),
  density(FAMILY, 'double_exponential_lpdf', {
    computes: 'Log of the double exponential (Laplace) density of y with location mu and scale sigma',
    arguments: [reals('Random variable', finite), location, reals('Scale parameter', positiveFinite)],
    terms: (y, mu, sigma) => [neg(LOG_TWO), neg(log(sigma)), neg(mul(abs(sub(y, mu)), inverse(sigma)))],
  }),
  density(FAMILY, 'logistic_lpdf', {
    computes: 'Log of the logistic density of y with location mu and scale sigma',
    arguments: [reals('Random variable', finite), location, reals('Scale parameter', positiveFinite)],
    terms: (y, mu, sigma) => {
      const z = standardized(y, mu, sigma);
      return [neg(log(sigma)), neg(add(z, mul(TWO, call1('log1p_exp', neg(z)))))];
    },
  }),
  density(FAMILY, 'gumbel_lpdf', {
    computes: 'Log of the Gumbel density of y with location mu and scale beta',
    arguments: [reals('Random variable', notNan), location, reals('Scale parameter', positive)],
    terms: (y, mu, beta) => {
      const z = standardScore(y, mu, beta);
      return [neg(log(beta)), neg(add(z, exp(neg(z))))];
    },
  }),
  density(FAMILY, 'skew_double_exponential_lpdf', {
    computes: 'Log of the skew double exponential density of y with location mu, scale sigma and skewness tau',
    arguments: [
      reals('Random variable', notNan),
      location,
      reals('Scale parameter', positiveFinite),
      reals('Skewness parameter', between(0, 1)),
    ],
    terms: (y, mu, sigma, tau) => {
      const weight = select(compare('lt', y, mu), sub(ONE, tau), tau);
      return [
        LOG_TWO,
        neg(log(sigma)),
        add(log(tau), log1m(tau)),
        mul(real(-2), mul(weight, mul(abs(sub(y, mu)), inverse(sigma)))),
      ];
    },
  }),
];

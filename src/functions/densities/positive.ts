import {
  add,
  call1,
  compare,
  exp,
  lgamma,
  log,
  log1p,
  mul,
  neg,
  ONE,
  real,
  square,
  sub,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { atLeast, finite, nonnegative, notNan, positive, positiveFinite } from '../checks.js';
import { density } from '../density.js';
import { keptFor, linear, reals } from '../density-row.js';
import type { FunctionEntry } from '../entry.js';
import { half, inverse, LOG_TWO, MINUS_HALF_LOG_TWO_PI, minusOne, plusOne, TWO } from './formulas.js';

/** Continuous densities on the positive half line. */
const FAMILY = 'positive continuous distributions';

const shape = reals('Shape parameter', positiveFinite);
const scale = reals('Scale parameter', positiveFinite);
const inverseScale = reals('Inverse scale parameter', positiveFinite);
const degreesOfFreedom = reals('Degrees of freedom parameter', positiveFinite);
const anyNumber = reals('Random variable', notNan);

/** (y / scale)^power, computed from logarithms, so that the logarithm of data is computed once. */
const powerOfQuotient = (y: Expr, scaleOf: Expr, power: Expr): Expr => exp(mul(power, sub(log(y), log(scaleOf))));

const positiveSupport = { of: 0, inside: (y: Expr) => compare('gt', y, ZERO), replacement: () => ONE };

export const LOGNORMAL = density(FAMILY, 'lognormal_lpdf', {
  computes: 'Log of the lognormal density of y, whose logarithm has location mu and scale sigma',
  arguments: [reals('Random variable', nonnegative), reals('Location parameter', finite), scale],
  support: positiveSupport,
  terms: (y, mu, sigma) => [
    keptFor(MINUS_HALF_LOG_TWO_PI, y, mu, sigma),
    neg(log(sigma)),
    neg(log(y)),
    mul(real(-0.5), square(mul(sub(log(y), mu), inverse(sigma)))),
  ],
});

export const POSITIVE: readonly FunctionEntry[] = [
  LOGNORMAL,
  density(FAMILY, 'chi_square_lpdf', {
    computes: 'Log of the chi-square density of y with nu degrees of freedom',
    arguments: [reals('Random variable', nonnegative), degreesOfFreedom],
    terms: (y, nu) => [
      neg(add(mul(nu, half(LOG_TWO)), lgamma(half(nu)))),
      linear(log(y), (sum) => mul(minusOne(half(nu)), sum)),
      mul(real(-0.5), y),
    ],
  }),
  density(FAMILY, 'inv_chi_square_lpdf', {
    computes: 'Log of the inverse chi-square density of y with nu degrees of freedom',
    arguments: [anyNumber, degreesOfFreedom],
    support: positiveSupport,
    terms: (y, nu) => [
      neg(add(mul(nu, half(LOG_TWO)), lgamma(half(nu)))),
      linear(log(y), (sum) => neg(mul(plusOne(half(nu)), sum))),
      mul(real(-0.5), inverse(y)),
    ],
  }),
  density(FAMILY, 'scaled_inv_chi_square_lpdf', {
    computes: 'Log of the scaled inverse chi-square density of y with nu degrees of freedom and scale s',
    arguments: [anyNumber, degreesOfFreedom, scale],
    support: positiveSupport,
    terms: (y, nu, s) => [
      sub(mul(half(nu), log(half(nu))), lgamma(half(nu))),
      mul(nu, log(s)),
      linear(log(y), (sum) => neg(mul(plusOne(half(nu)), sum))),
      linear(inverse(y), (sum) => neg(mul(mul(half(nu), s), mul(s, sum)))),
    ],
  }),
  density(FAMILY, 'exponential_lpdf', {
    computes: 'Log of the exponential density of y with rate beta',
    arguments: [reals('Random variable', nonnegative), inverseScale],
    terms: (y, beta) => [log(beta), linear(y, (sum) => neg(mul(beta, sum)))],
  }),
  density(FAMILY, 'gamma_lpdf', {
    computes: 'Log of the gamma density of y with shape alpha and rate beta',
    arguments: [reals('Random variable', positiveFinite), shape, inverseScale],
    terms: (y, alpha, beta) => [
      neg(lgamma(alpha)),
      mul(alpha, log(beta)),
      linear(log(y), (sum) => mul(minusOne(alpha), sum)),
      linear(y, (sum) => neg(mul(beta, sum))),
    ],
  }),
  density(FAMILY, 'inv_gamma_lpdf', {
    computes: 'Log of the inverse gamma density of y with shape alpha and scale beta',
    arguments: [anyNumber, shape, scale],
    support: positiveSupport,
    terms: (y, alpha, beta) => [
      neg(lgamma(alpha)),
      mul(alpha, log(beta)),
      linear(log(y), (sum) => neg(mul(plusOne(alpha), sum))),
      linear(inverse(y), (sum) => neg(mul(beta, sum))),
    ],
  }),
  density(FAMILY, 'weibull_lpdf', {
    computes: 'Log of the Weibull density of y with shape alpha and scale sigma',
    arguments: [reals('Random variable', finite), shape, scale],
    support: { of: 0, inside: (y) => compare('ge', y, ZERO), replacement: () => ONE },
    terms: (y, alpha, sigma) => [
      log(alpha),
      linear(log(y), (sum) => mul(minusOne(alpha), sum)),
      neg(mul(alpha, log(sigma))),
      neg(powerOfQuotient(y, sigma, alpha)),
    ],
  }),
  density(FAMILY, 'frechet_lpdf', {
    computes: 'Log of the Fréchet density of y with shape alpha and scale sigma',
    arguments: [reals('Random variable', positive), shape, scale],
    terms: (y, alpha, sigma) => [
      log(alpha),
      linear(log(y), (sum) => neg(mul(plusOne(alpha), sum))),
      mul(alpha, log(sigma)),
      neg(powerOfQuotient(y, sigma, neg(alpha))),
    ],
  }),
  density(FAMILY, 'rayleigh_lpdf', {
    computes: 'Log of the Rayleigh density of y with scale sigma',
    arguments: [reals('Random variable'), reals('Scale parameter')],
    checks: [
      [1, positive],
      [0, positive],
    ],
    terms: (y, sigma) => [mul(real(-2), log(sigma)), log(y), mul(real(-0.5), square(mul(y, inverse(sigma))))],
  }),
  density(FAMILY, 'loglogistic_lpdf', {
    computes: 'Log of the log-logistic density of y with scale alpha and shape beta',
    arguments: [reals('Random variable', positiveFinite), scale, shape],
    terms: (y, alpha, beta) => [
      sub(log(beta), mul(beta, log(alpha))),
      keptFor(
        sub(mul(minusOne(beta), log(y)), mul(TWO, call1('log1p_exp', mul(beta, sub(log(y), log(alpha)))))),
        y,
        alpha,
        beta,
      ),
    ],
  }),
  density(FAMILY, 'pareto_lpdf', {
    computes: 'Log of the Pareto density of y with minimum y_min and shape alpha',
    arguments: [anyNumber, scale, shape],
    support: { of: 0, inside: (y, least) => compare('ge', y, least), replacement: (_, least) => least },
    terms: (y, least, alpha) => [
      log(alpha),
      mul(alpha, log(least)),
      linear(log(y), (sum) => neg(mul(plusOne(alpha), sum))),
    ],
  }),
  density(FAMILY, 'pareto_type_2_lpdf', {
    computes: 'Log of the Pareto type 2 (Lomax) density of y with location mu, scale lambda and shape alpha',
    arguments: [reals('Random variable', atLeast(1)), reals('Location parameter'), scale, shape],
    terms: (y, mu, lambda, alpha) => [
      log(alpha),
      neg(log(lambda)),
      neg(mul(plusOne(alpha), log1p(mul(sub(y, mu), inverse(lambda))))),
    ],
  }),
];

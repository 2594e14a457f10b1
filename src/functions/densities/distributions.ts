import {
  add,
  call1,
  call2,
  compare,
  div,
  exp,
  int,
  log,
  log1p,
  maxInt,
  mul,
  neg,
  ONE,
  or,
  pow,
  real,
  select,
  square,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { applyOp } from '../../ir/ops.js';
import {
  atLeast,
  between,
  finite,
  greaterThan,
  nonnegative,
  notNan,
  positive,
  positiveFinite,
  type Requirement,
} from '../checks.js';
import { type DistributionRow, distribution } from '../density.js';
import { type Argument, ints, reals } from '../density-row.js';
import type { FunctionEntry } from '../entry.js';

import {
  HALF,
  half,
  LOG_TWO,
  log1m,
  log1mExpOfExp,
  logOfQuotient,
  logOfShare,
  numbersBetween,
  plusOne,
  standardScore,
} from './formulas.js';

/** Cumulative distribution functions, their logarithms, and the logarithms of their complements. */
const FAMILY = 'cumulative distributions';

const INFINITE = Number.POSITIVE_INFINITY;
const anyNumber = reals('Random variable', notNan);
const nonnegativeNumber = reals('Random variable', nonnegative);
const location = reals('Location parameter', finite);
/** The support starts at the location, which may be negative. The message is Stan's. */
const nonnegativeOrAboveLocation: Requirement = {
  holds: (y, [, mu]) => or(compare('ge', y, ZERO), compare('ge', y, mu)),
  must: nonnegative.must,
  reads: [1],
};
const scale = reals('Scale parameter', positiveFinite);
const shape = reals('Shape parameter', positiveFinite);
const inverseScale = reals('Inverse scale parameter', positiveFinite);

const phi = (z: Expr): Expr => call1('Phi', z);
const logPhi = (z: Expr): Expr => call1('log_Phi', z);
const log1mExp = (x: Expr): Expr => call1('log1m_exp', x);
const minusExpm1 = (x: Expr): Expr => neg(call1('expm1', x));
const atInfinity: DistributionRow['edges'] = [
  { when: (y) => compare('eq', y, real(-INFINITE)), values: [0, -INFINITE, 0] },
  { when: (y) => compare('eq', y, real(INFINITE)), values: [1, 0, -INFINITE] },
];
const isZero = (y: Expr): Expr => compare('eq', y, ZERO);
/** log(part / whole), where part + rest = whole. */
function logOfPart(part: Expr, rest: Expr, whole: Expr): Expr {
  const isSmaller = compare('lt', part, rest);
  const near = log1m(div(select(isSmaller, ZERO, rest), whole));
  return select(isSmaller, sub(log(select(isSmaller, part, ONE)), log(whole)), near);
}
/** exp(-|z|), with its right derivative at 0. */
const tail = (z: Expr): Expr => exp(select(compare('lt', z, ZERO), z, neg(z)));

type Arguments = readonly Argument[];
type Formula = (...args: Expr[]) => Expr;

/** The forms of a distribution with P(Y > y) = exp(-u). With log u, they are also accurate if u underflows. */
function survival(
  name: string,
  computes: string,
  args: Arguments,
  { u, logU }: { readonly u: Formula; readonly logU?: Formula },
  edges: DistributionRow['edges'] = [{ when: isZero, values: [null, -INFINITE, null] }],
): readonly FunctionEntry[] {
  return distribution(FAMILY, name, {
    computes,
    arguments: args,
    edges,
    replacement: () => ONE,
    cdf: (...x) => minusExpm1(neg(u(...x))),
    lcdf: (...x) => (logU === undefined ? log1mExp(neg(u(...x))) : log1mExpOfExp(logU(...x))),
    lccdf: (...x) => neg(u(...x)),
  });
}

/** min(w, 700). exp(-exp(w)) is 0 far below 700, but from 710 exp(w) overflows and has no derivative. */
const atMost700 = (w: Expr): Expr => select(compare('gt', w, real(700)), real(700), w);

/** The forms of a distribution with P(Y < y) = exp(-exp(w)). */
function decay(
  name: string,
  computes: string,
  args: Arguments,
  w: Formula,
  limits: Pick<DistributionRow, 'edges' | 'replacement'> = {},
): readonly FunctionEntry[] {
  return distribution(FAMILY, name, {
    computes,
    arguments: args,
    ...limits,
    cdf: (...x) => exp(neg(exp(atMost700(w(...x))))),
    lcdf: (...x) => neg(exp(w(...x))),
    lccdf: (...x) => log1mExpOfExp(w(...x)),
  });
}

/** Probabilities below and above y, neither of them computed as 1 minus the other. */
const cauchy = (y: Expr, mu: Expr, sigma: Expr): { below: Expr; above: Expr } => {
  const share = (distance: Expr): Expr => mul(real(1 / Math.PI), call2('atan2', sigma, distance));
  return { below: share(sub(mu, y)), above: share(sub(y, mu)) };
};

const expModNormal =
  (op: 'log_exp_mod_normal' | 'log_exp_mod_normal_upper'): Formula =>
  (y, mu, sigma, lambda) =>
    applyOp(op, int(0), standardScore(y, mu, sigma), mul(lambda, sigma));

/** Probabilities below and above y, neither of them computed as 1 minus the other, and their logarithms. */
function skewDoubleExponential(y: Expr, mu: Expr, sigma: Expr, tau: Expr): Record<'cdf' | 'lcdf' | 'lccdf', Expr> {
  const isBelow = compare('lt', y, mu);
  const scaled = div(mul(real(-2), select(isBelow, sub(mu, y), sub(y, mu))), sigma);
  const other = sub(ONE, tau);
  const side = select(isBelow, tau, other);
  const exponent = mul(select(isBelow, other, tau), scaled);
  const outer = mul(side, exp(exponent));
  const near = sub(select(isBelow, other, tau), mul(side, call1('expm1', exponent)));
  const inner = select(compare('lt', outer, HALF), sub(ONE, outer), near);
  const logSide = select(isBelow, log(select(isBelow, tau, ONE)), log1m(select(isBelow, ZERO, tau)));
  const logOuter = add(logSide, exponent);
  const logInner = logOfShare(inner, outer);
  return {
    cdf: select(isBelow, outer, inner),
    lcdf: select(isBelow, logOuter, logInner),
    lccdf: select(isBelow, logInner, logOuter),
  };
}

const successes = (n: Expr): Expr => compare('lt', n, int(0));

/** A non-negative number, with 0 replaced by 1e-300, so that its logarithm has a derivative. */
const apart = (x: Expr): Expr => add(x, select(isZero(x), real(1e-300), ZERO));
/** The logarithm of a value that is 0 if `x` is 0. */
const vanishing = (x: Expr, logarithm: Expr): Expr => add(logarithm, select(isZero(x), real(-INFINITE), ZERO));

/** log P(at most n successes), and log P(more than n successes). */
const atMost = (n: Expr, N: Expr, theta: Expr): Expr => {
  const failure = sub(ONE, theta);
  const failures = toReal(maxInt(sub(N, n), int(1)));
  return applyOp('log_inc_beta', int(0), failures, plusOne(toReal(n)), apart(failure), theta);
};
const moreThan = (n: Expr, N: Expr, theta: Expr): Expr => {
  const failures = toReal(maxInt(sub(N, n), int(1)));
  return applyOp('log_inc_beta', int(0), plusOne(toReal(n)), failures, apart(theta), sub(ONE, theta));
};

/** log P(at most n) or log P(more than n) of a Poisson count. */
const poissonTail = (op: 'log_gamma_p' | 'log_gamma_q', n: Expr, rate: Expr): Expr =>
  applyOp(op, int(0), plusOne(toReal(n)), log(rate), rate);

/** log(part / (part + rest)), accurate if the quotient is near 1. */
const logShare = (part: Expr, rest: Expr): Expr => {
  const all = add(part, rest);
  return select(compare('gt', part, rest), log1m(div(rest, all)), log(div(part, all)));
};

export const DISTRIBUTIONS: readonly FunctionEntry[] = [
  ...distribution(FAMILY, 'normal', {
    computes: 'Normal distribution function at y',
    arguments: [anyNumber, location, reals('Scale parameter', positive)],
    cdf: (y, mu, sigma) => phi(standardScore(y, mu, sigma)),
    lcdf: (y, mu, sigma) => logPhi(standardScore(y, mu, sigma)),
    lccdf: (y, mu, sigma) => logPhi(neg(standardScore(y, mu, sigma))),
  }),
  ...distribution(FAMILY, 'std_normal', {
    computes: 'Standard normal distribution function at y',
    arguments: [anyNumber],
    cdf: phi,
    lcdf: logPhi,
    lccdf: (y) => logPhi(neg(y)),
  }),
  ...distribution(FAMILY, 'exp_mod_normal', {
    computes: 'Distribution function of a normal variate plus an exponential one',
    source: 'Mills ratios, DLMF 7.18',
    arguments: [anyNumber, location, scale, reals('Inv_scale parameter', positiveFinite)],
    edges: atInfinity,
    replacement: (_, mu) => mu,
    cdf: (...x) => exp(expModNormal('log_exp_mod_normal')(...x)),
    lcdf: expModNormal('log_exp_mod_normal'),
    lccdf: expModNormal('log_exp_mod_normal_upper'),
  }),
  ...distribution(FAMILY, 'cauchy', {
    computes: 'Cauchy distribution function at y',
    arguments: [anyNumber, location, { ...scale, sizeWords: 'Scale Parameter' }],
    edges: atInfinity,
    replacement: (_, mu) => mu,
    cdf: (...x) => cauchy(x[0], x[1], x[2]).below,
    lcdf: (y, mu, sigma) => {
      const { below, above } = cauchy(y, mu, sigma);
      return logOfShare(below, above);
    },
    lccdf: (y, mu, sigma) => {
      const { below, above } = cauchy(y, mu, sigma);
      return logOfShare(above, below);
    },
  }),
  ...distribution(FAMILY, 'double_exponential', {
    computes: 'Double exponential distribution function at y',
    arguments: [anyNumber, location, scale],
    cdf: (y, mu, sigma) => {
      const z = standardScore(y, mu, sigma);
      const outer = half(tail(z));
      return select(compare('lt', z, ZERO), outer, sub(ONE, outer));
    },
    lcdf: (y, mu, sigma) => {
      const z = standardScore(y, mu, sigma);
      return select(compare('lt', z, ZERO), sub(z, LOG_TWO), log1m(half(tail(z))));
    },
    lccdf: (y, mu, sigma) => {
      const z = standardScore(y, mu, sigma);
      return select(compare('lt', z, ZERO), log1m(half(tail(z))), neg(add(LOG_TWO, z)));
    },
  }),
  ...distribution(FAMILY, 'skew_double_exponential', {
    computes: 'Skew double exponential distribution function at y',
    arguments: [anyNumber, location, scale, reals('Skewness parameter', between(0, 1))],
    cdf: (y, mu, sigma, tau) => skewDoubleExponential(y, mu, sigma, tau).cdf,
    lcdf: (y, mu, sigma, tau) => skewDoubleExponential(y, mu, sigma, tau).lcdf,
    lccdf: (y, mu, sigma, tau) => skewDoubleExponential(y, mu, sigma, tau).lccdf,
  }),
  ...distribution(FAMILY, 'logistic', {
    computes: 'Logistic distribution function at y',
    arguments: [anyNumber, location, scale],
    edges: [
      { when: (y) => compare('eq', y, real(-INFINITE)), values: [0, -INFINITE, 0] },
      { when: (y) => compare('eq', y, real(INFINITE)), values: [1, 0, -INFINITE] },
    ],
    replacement: (_, mu) => mu,
    cdf: (y, mu, sigma) => exp(call1('log_inv_logit', standardScore(y, mu, sigma))),
    lcdf: (y, mu, sigma) => call1('log_inv_logit', standardScore(y, mu, sigma)),
    lccdf: (y, mu, sigma) => call1('log_inv_logit', neg(standardScore(y, mu, sigma))),
  }),
  ...decay(
    'gumbel',
    'Gumbel distribution function at y',
    [anyNumber, location, reals('Scale parameter', positive)],
    (y, mu, beta) => neg(standardScore(y, mu, beta)),
  ),
  ...distribution(FAMILY, 'lognormal', {
    computes: 'Lognormal distribution function at y',
    arguments: [nonnegativeNumber, location, scale],
    edges: [{ when: isZero, values: [0, -INFINITE, 0] }],
    replacement: () => ONE,
    cdf: (y, mu, sigma) => phi(standardScore(log(y), mu, sigma)),
    lcdf: (y, mu, sigma) => logPhi(standardScore(log(y), mu, sigma)),
    lccdf: (y, mu, sigma) => logPhi(neg(standardScore(log(y), mu, sigma))),
  }),
  ...survival(
    'exponential',
    'Exponential distribution function at y',
    [nonnegativeNumber, inverseScale],
    { u: (y, beta) => mul(beta, y), logU: (y, beta) => add(log(beta), log(y)) },
    [],
  ),
  ...distribution(FAMILY, 'weibull', {
    computes: 'Weibull distribution function at y',
    arguments: [nonnegativeNumber, shape, scale],
    edges: [{ when: isZero, values: [null, -INFINITE, 0] }],
    replacement: () => ONE,
    cdf: (y, alpha, sigma) => minusExpm1(neg(pow(div(y, sigma), alpha))),
    lcdf: (y, alpha, sigma) => log1mExpOfExp(mul(alpha, logOfQuotient(y, sigma))),
    // The logarithm of the quotient, because the derivative of a difference of logarithms with respect to alpha would lose digits if y and
    // sigma are close.
    lccdf: (y, alpha, sigma) => neg(exp(mul(alpha, log(div(y, sigma))))),
  }),
  ...survival(
    'rayleigh',
    'Rayleigh distribution function at y',
    [nonnegativeNumber, reals('Scale parameter', positive)],
    {
      u: (y, sigma) => half(square(div(y, sigma))),
      logU: (y, sigma) => sub(mul(real(2), logOfQuotient(y, sigma)), LOG_TWO),
    },
  ),
  ...decay(
    'frechet',
    'Fréchet distribution function at y',
    [reals('Random variable', positive), shape, scale],
    (y, alpha, sigma) => mul(alpha, logOfQuotient(sigma, y)),
    { edges: [{ when: (y) => compare('eq', y, real(INFINITE)), values: [1, 0, -INFINITE] }], replacement: () => ONE },
  ),
  ...distribution(FAMILY, 'loglogistic', {
    computes: 'Log-logistic distribution function at y',
    arguments: [nonnegativeNumber, scale, shape],
    edges: [{ when: isZero, values: [0, -INFINITE, 0] }],
    replacement: () => ONE,
    cdf: (y, alpha, beta) => exp(call1('log_inv_logit', mul(beta, logOfQuotient(y, alpha)))),
  }),
  ...distribution(FAMILY, 'pareto', {
    computes: 'Pareto distribution function at y',
    arguments: [nonnegativeNumber, scale, shape],
    edges: [
      { when: (y, least) => compare('lt', y, least), values: [0, -INFINITE, 0] },
      { when: (y) => compare('eq', y, real(INFINITE)), values: [1, 0, -INFINITE] },
    ],
    replacement: (_, least) => mul(real(2), least),
    cdf: (y, least, alpha) => minusExpm1(mul(alpha, logOfQuotient(least, y))),
    lcdf: (y, least, alpha) => log1mExp(mul(alpha, logOfQuotient(least, y))),
    lccdf: (y, least, alpha) => mul(alpha, logOfQuotient(least, y)),
  }),
  ...distribution(FAMILY, 'pareto_type_2', {
    computes: 'Pareto type 2 distribution function at y',
    arguments: [reals('Random variable'), reals('Location parameter'), scale, shape],
    checks: [
      [0, nonnegativeOrAboveLocation],
      [2, positiveFinite],
      [3, positiveFinite],
      [0, atLeast(1)],
    ],
    cdf: (y, mu, lambda, alpha) => minusExpm1(neg(mul(alpha, log1p(standardScore(y, mu, lambda))))),
    lcdf: (y, mu, lambda, alpha) => log1mExp(neg(mul(alpha, log1p(standardScore(y, mu, lambda))))),
    lccdf: (y, mu, lambda, alpha) => neg(mul(alpha, log1p(standardScore(y, mu, lambda)))),
  }),
  ...distribution(FAMILY, 'uniform', {
    computes: 'Uniform distribution function at y',
    arguments: [
      anyNumber,
      reals('Lower bound parameter', finite),
      reals('Upper bound parameter', finite, greaterThan(1)),
    ],
    edges: [
      { when: (y, alpha) => compare('lt', y, alpha), values: [0, -INFINITE, 0] },
      { when: (y, _, beta) => compare('gt', y, beta), values: [1, 0, -INFINITE] },
    ],
    replacement: (_, alpha, beta) => half(add(alpha, beta)),
    cdf: (y, alpha, beta) => div(sub(y, alpha), sub(beta, alpha)),
    lcdf: (y, alpha, beta) => logOfPart(sub(y, alpha), sub(beta, y), sub(beta, alpha)),
    lccdf: (y, alpha, beta) => logOfPart(sub(beta, y), sub(y, alpha), sub(beta, alpha)),
  }),

  ...distribution(FAMILY, 'bernoulli', {
    computes: 'Distribution function of an outcome with probability theta',
    arguments: [ints('Random variable'), reals('Probability parameter', between(0, 1))],
    edges: [
      { when: successes, values: [0, -INFINITE, 0] },
      { when: (n) => compare('ge', n, int(1)), values: [1, 0, -INFINITE] },
    ],
    cdf: (_, theta) => sub(ONE, theta),
    lcdf: (_, theta) => log1m(theta),
    lccdf: (_, theta) => log(theta),
  }),
  ...distribution(FAMILY, 'binomial', {
    computes: 'Distribution function of the number of successes',
    arguments: [
      ints('Successes variable'),
      ints('Population size parameter', nonnegative),
      reals('Probability parameter', between(0, 1)),
    ],
    edges: [
      { when: successes, values: [0, -INFINITE, 0] },
      { when: (n, N) => compare('ge', n, N), values: [1, 0, -INFINITE] },
    ],
    replacement: () => int(0),
    cdf: (n, N, theta) => exp(atMost(n, N, theta)),
    lcdf: (n, N, theta) => vanishing(sub(ONE, theta), atMost(n, N, theta)),
    lccdf: (n, N, theta) => vanishing(theta, moreThan(n, N, theta)),
  }),
  ...distribution(FAMILY, 'poisson', {
    computes: 'Distribution function of a count with rate lambda',
    arguments: [ints('Random variable'), reals('Rate parameter', nonnegative)],
    edges: [{ when: successes, values: [0, -INFINITE, 0] }],
    replacement: () => int(0),
    cdf: (n, lambda) => exp(poissonTail('log_gamma_q', n, apart(lambda))),
    lcdf: (n, lambda) => poissonTail('log_gamma_q', n, apart(lambda)),
    lccdf: (n, lambda) => poissonTail('log_gamma_p', n, lambda),
  }),
  ...distribution(FAMILY, 'discrete_range', {
    computes: 'Distribution function of an integer between two bounds',
    arguments: [ints('Random variable'), ints('Lower bound parameter'), ints('Upper bound parameter', atLeast(1))],
    edges: [
      { when: (y, lower) => compare('lt', y, lower), values: [0, -INFINITE, 0] },
      { when: (y, _, upper) => compare('ge', y, upper), values: [1, 0, -INFINITE] },
    ],
    cdf: (y, lower, upper) => div(numbersBetween(lower, y), numbersBetween(lower, upper)),
    lcdf: (y, lower, upper) => logShare(numbersBetween(lower, y), numbersBetween(plusOne(toReal(y)), upper)),
    lccdf: (y, lower, upper) => logShare(numbersBetween(plusOne(toReal(y)), upper), numbersBetween(lower, y)),
  }),
];

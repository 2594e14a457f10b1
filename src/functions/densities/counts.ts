import {
  add,
  and,
  call1,
  call2,
  compare,
  div,
  exp,
  int,
  lgamma,
  log,
  log1p,
  minInt,
  mul,
  neg,
  ONE,
  or,
  real,
  select,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { atLeast, between, betweenAnd, finite, nonnegative, notNan, positiveFinite } from '../checks.js';
import { density, either } from '../density.js';
import { type Argument, type DensityRow, ints, keptFor, linear, reals, type Term } from '../density-row.js';
import type { DensityEntry, FunctionEntry } from '../entry.js';
import {
  logChooseShare,
  logFactorialShare,
  numbersBetween,
  plusOne,
  riseShare,
  timesLog,
  timesLog1m,
} from './formulas.js';

/** Probability mass functions of binary outcomes and of counts. */
const BINARY = 'binary distributions';
const BOUNDED = 'bounded discrete distributions';
const UNBOUNDED = 'unbounded discrete distributions';

const failures = ints('Failures variable', nonnegative);
const count = ints('Random variable', nonnegative);
const outcome: Argument = { ...ints('n', between(0, 1)), sizeWords: 'Random variable' };
const precision = reals('Precision parameter', positiveFinite);
const successes = ints('Successes variable', betweenAnd(0, 1));
const population = ints('Population size parameter', nonnegative);
const single = (words: string): Argument => ({ kind: 'int', words, requirements: [] });

const lchoose = (n: Expr, k: Expr): Expr => call2('lchoose', n, k);
const minusLogFactorial = (n: Expr): Expr => neg(lgamma(plusOne(toReal(n))));
const INFINITE = real(Number.POSITIVE_INFINITY);
/** Log rates below this represent a rate of 0. */
const LEAST = real(-1e300);
/** Replaces an infinite rate in products that must not be NaN. */
const LARGEST = real(1e300);

/** A distribution of outcomes 0 and 1. Outcomes that share a parameter are counted. */
function outcomes(name: string, row: DensityRow, counted: DensityRow['terms']): FunctionEntry {
  return either(
    density(BINARY, name, row),
    density(BINARY, name, { ...row, terms: counted }),
    ([y, parameter]) => y.kind === 'container' && parameter.kind === 'scalar',
  );
}

function binomialLogit(terms: (...args: Expr[]) => readonly Term[]): DensityEntry {
  return density(BOUNDED, 'binomial_logit_lpmf', {
    computes: 'Log probability of n successes among N trials with log odds alpha',
    arguments: [successes, population, reals('Probability parameter', finite)],
    terms: (n, N, alpha) => [lchoose(N, n), ...terms(n, N, alpha)],
  });
}

/** A gamma mixture of Poisson distributions: the terms of `row` and the binomial coefficient of n + shape - 1 and n. */
function gammaPoisson(name: string, shapeAt: number, row: DensityRow): FunctionEntry {
  return density(UNBOUNDED, name, {
    ...row,
    terms: (...args) => [
      keptFor(neg(logFactorialShare(args[0])), args[shapeAt]),
      riseShare(args[shapeAt], args[0]),
      ...row.terms(...args),
    ],
  });
}

export const COUNTS: readonly FunctionEntry[] = [
  outcomes(
    'bernoulli_lpmf',
    {
      computes: 'Log probability of the binary outcome y with probability theta of 1',
      arguments: [outcome, reals('Probability parameter', between(0, 1))],
      terms: (y, theta) => [log(select(compare('eq', y, int(1)), theta, sub(ONE, theta)))],
    },
    (y, theta) => [linear(y, (sum) => timesLog(sum, theta)), linear(sub(int(1), y), (sum) => timesLog1m(sum, theta))],
  ),
  outcomes(
    'bernoulli_logit_lpmf',
    {
      computes: 'Log probability of the binary outcome y with log odds alpha',
      arguments: [
        outcome,
        {
          kind: 'reals',
          words: 'Logit transformed probability parameter',
          sizeWords: 'Probability parameter',
          requirements: [notNan],
        },
      ],
      terms: (y, alpha) => [neg(call1('log1p_exp', mul(sub(ONE, mul(real(2), toReal(y))), alpha)))],
    },
    (y, alpha) => [
      linear(y, (sum) => neg(mul(sum, call1('log1p_exp', neg(alpha))))),
      linear(sub(int(1), y), (sum) => neg(mul(sum, call1('log1p_exp', alpha)))),
    ],
  ),
  density(BOUNDED, 'binomial_lpmf', {
    computes: 'Log probability of n successes among N trials with probability theta',
    arguments: [successes, population, reals('Probability parameter', between(0, 1))],
    terms: (n, N, theta) => [
      lchoose(N, n),
      linear(toReal(n), (sum) => timesLog(sum, theta)),
      linear(toReal(sub(N, n)), (sum) => timesLog1m(sum, theta)),
    ],
  }),
  either(
    // Uses both the probability and its complement, neither of which loses digits.
    binomialLogit((n, N, alpha) => [
      linear(toReal(n), (sum) => neg(mul(sum, call1('log1p_exp', neg(alpha))))),
      linear(toReal(sub(N, n)), (sum) => neg(mul(sum, call1('log1p_exp', alpha)))),
    ]),
    binomialLogit((n, N, alpha) => [
      linear(toReal(n), (sum) => mul(sum, alpha)),
      linear(toReal(N), (sum) => neg(mul(sum, call1('log1p_exp', alpha)))),
    ]),
    ([, , alpha]) => alpha.kind === 'container',
  ),
  density(BOUNDED, 'beta_binomial_lpmf', {
    computes: 'Log probability of n successes among N trials whose probability is beta distributed',
    arguments: [
      ints('Successes variable'),
      population,
      reals('First prior sample size parameter', positiveFinite),
      reals('Second prior sample size parameter', positiveFinite),
    ],
    support: {
      of: 0,
      inside: (n, N) => and(compare('ge', n, int(0)), compare('le', n, N)),
      replacement: () => int(0),
    },
    terms: (n, N, alpha, beta) => [
      logChooseShare(N, n),
      add(sub(riseShare(alpha, n), riseShare(add(alpha, beta), N)), riseShare(beta, sub(N, n))),
    ],
  }),
  density(BOUNDED, 'discrete_range_lpmf', {
    computes: 'Log probability of y, uniformly distributed over the integers from lower to upper bound',
    arguments: [ints('Random variable'), ints('Lower bound parameter'), ints('Upper bound parameter', atLeast(1))],
    support: {
      of: 0,
      inside: (y, lower, upper) => and(compare('ge', y, lower), compare('le', y, upper)),
      replacement: (_, lower) => lower,
    },
    terms: (_, lower, upper) => [neg(log(numbersBetween(lower, upper)))],
  }),
  density(BOUNDED, 'hypergeometric_lpmf', {
    computes: 'Log probability of n marked items among N drawn from a marked and b unmarked ones',
    arguments: [single('Successes variable'), single('Draws parameter'), single('a'), single('b')],
    checks: [
      [0, betweenAnd(0, 2)],
      [
        1,
        {
          holds: (N, [n]) => compare('ge', N, n),
          must: 'greater than {0}',
          values: ([n]) => [n],
          reads: [0],
        },
      ],
    ],
    terms: (n, N, a, b) => {
      // Swaps drawn and marked items, so that the coefficients are smaller.
      const [drawn, marked, unmarked] = [toReal(N), toReal(a), toReal(b)];
      const total = add(marked, unmarked);
      const rest = sub(total, drawn);
      const byDraws = sub(add(lchoose(marked, n), lchoose(unmarked, sub(N, n))), lchoose(total, drawn));
      const byMarks = sub(add(lchoose(drawn, n), lchoose(rest, sub(a, n))), lchoose(total, marked));
      return [select(compare('le', minInt(drawn, rest), minInt(marked, unmarked)), byDraws, byMarks)];
    },
  }),
  density(UNBOUNDED, 'poisson_lpmf', {
    computes: 'Log probability of the count n with rate lambda',
    arguments: [count, reals('Rate parameter', nonnegative)],
    support: {
      of: 1,
      inside: (n, lambda) =>
        and(compare('lt', lambda, INFINITE), or(compare('gt', lambda, ZERO), compare('eq', n, int(0)))),
      replacement: () => ONE,
      isInTerms: true,
    },
    terms: (n, lambda) => {
      const rate = select(compare('lt', lambda, LARGEST), lambda, LARGEST);
      return [minusLogFactorial(n), linear(toReal(n), (sum) => timesLog(sum, rate)), neg(lambda)];
    },
  }),
  density(UNBOUNDED, 'poisson_log_lpmf', {
    computes: 'Log probability of the count n with log rate alpha',
    arguments: [count, reals('Log rate parameter', notNan)],
    support: {
      of: 1,
      inside: (n, alpha) =>
        and(compare('lt', alpha, INFINITE), or(compare('gt', alpha, LEAST), compare('eq', n, int(0)))),
      replacement: () => ZERO,
      isInTerms: true,
    },
    terms: (n, alpha) => {
      const above = select(compare('gt', alpha, LEAST), alpha, LEAST);
      const within = select(compare('lt', above, LARGEST), above, LARGEST);
      return [minusLogFactorial(n), linear(toReal(n), (sum) => mul(sum, within)), neg(exp(alpha))];
    },
  }),
  gammaPoisson('neg_binomial_lpmf', 1, {
    computes: 'Log probability of the count n with shape alpha and inverse scale beta',
    arguments: [failures, reals('Shape parameter', positiveFinite), reals('Inverse scale parameter', positiveFinite)],
    terms: (n, alpha, beta) => [
      neg(mul(alpha, log1p(div(ONE, beta)))),
      linear(toReal(n), (sum) => neg(mul(sum, log1p(beta))), alpha, beta),
    ],
  }),
  gammaPoisson('neg_binomial_2_lpmf', 2, {
    computes: 'Log probability of the count n with mean mu and precision phi',
    arguments: [failures, reals('Location parameter', positiveFinite), precision],
    terms: (n, mu, phi) => [
      linear(toReal(n), (sum) => mul(sum, log(mu))),
      neg(mul(phi, log1p(div(mu, phi)))),
      linear(toReal(n), (sum) => neg(mul(sum, log(add(mu, phi))))),
    ],
  }),
  gammaPoisson('neg_binomial_2_log_lpmf', 2, {
    computes: 'Log probability of the count n with log mean eta and precision phi',
    arguments: [failures, reals('Log location parameter', finite), precision],
    terms: (n, eta, phi) => {
      const logPhi = log(phi);
      return [
        linear(toReal(n), (sum) => mul(sum, eta)),
        linear(toReal(n), (sum) => neg(mul(sum, logPhi)), eta, phi),
        keptFor(neg(mul(add(phi, n), call1('log1p_exp', sub(eta, logPhi)))), eta, phi),
      ];
    },
  }),
];

import { add, compare, div, exp, int, log, mul, neg, ONE, real, sub, toReal, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { applyOp } from '../../ir/ops.js';
import { below, between, finite, nonnegative, notNan, positive, positiveFinite } from '../checks.js';
import { type DistributionRow, distribution } from '../density.js';
import { type Argument, ints, numbers, reals } from '../density-row.js';
import type { FunctionEntry } from '../entry.js';
import { HALF, half, inverse, LOG_TWO, plusOne, standardScore, TWO } from './formulas.js';

/** Distribution functions in terms of the incomplete gamma and beta functions and Owen's T function. */
const FAMILY = 'cumulative distributions';

const INFINITE = Number.POSITIVE_INFINITY;
const variable = reals('Random variable');
const shape = reals('Shape parameter');
const freedom = reals('Degrees of freedom parameter');

const nothing: NonNullable<DistributionRow['edges']>[number]['values'] = [0, -INFINITE, 0];
const everything: NonNullable<DistributionRow['edges']>[number]['values'] = [1, 0, -INFINITE];
const oneMinus = (y: Expr): Expr => sub(ONE, y);
const isZero = (y: Expr): Expr => compare('eq', y, ZERO);
const isInfinite = (y: Expr): Expr => compare('eq', y, real(INFINITE));

const INCOMPLETE_GAMMA = 'DiDonato and Morris, ACM TOMS 12, 1986, on the log scale';
const INCOMPLETE_BETA = 'DiDonato and Morris, ACM TOMS 18, 1992, on the log scale';

type Formula = (...args: Expr[]) => Expr;

/** A distribution on the positive numbers whose tails are regularized incomplete gamma functions. */
function gammaTails(
  name: string,
  computes: string,
  row: Pick<DistributionRow, 'arguments' | 'checks'>,
  tails: {
    readonly below: 'log_gamma_p' | 'log_gamma_q';
    readonly shape: Formula;
    readonly at: Formula;
    /** The logarithm of `at`. `at` itself may overflow or underflow. */
    readonly logAt: Formula;
  },
): readonly FunctionEntry[] {
  const tail =
    (op: 'log_gamma_p' | 'log_gamma_q'): Formula =>
    (...args) =>
      applyOp(op, int(0), tails.shape(...args), tails.logAt(...args), tails.at(...args));
  const lower = tail(tails.below);
  return distribution(FAMILY, name, {
    ...row,
    computes,
    source: INCOMPLETE_GAMMA,
    edges: [
      { when: isZero, values: nothing },
      { when: isInfinite, values: everything },
    ],
    replacement: () => ONE,
    cdf: (...args) => exp(lower(...args)),
    lcdf: lower,
    lccdf: tail(tails.below === 'log_gamma_p' ? 'log_gamma_q' : 'log_gamma_p'),
  });
}

interface BetaTails {
  readonly a: Formula;
  readonly b: Formula;
  /** The argument x at which the distribution function is I_x(a, b). */
  readonly x: Formula;
  /** 1 - x */
  readonly y: Formula;
}

function betaForms({ a, b, x, y }: BetaTails): Required<Pick<DistributionRow, 'cdf' | 'lcdf' | 'lccdf' | 'source'>> {
  const lower: Formula = (...args) => applyOp('log_inc_beta', int(0), a(...args), b(...args), x(...args), y(...args));
  const upper: Formula = (...args) => applyOp('log_inc_beta', int(0), b(...args), a(...args), y(...args), x(...args));
  return { source: INCOMPLETE_BETA, cdf: (...args) => exp(lower(...args)), lcdf: lower, lccdf: upper };
}

const unitEdges: DistributionRow['edges'] = [
  { when: isZero, values: nothing },
  { when: (y) => compare('eq', y, ONE), values: everything },
];
const negativeCount: DistributionRow['edges'] = [{ when: (n) => compare('lt', n, int(0)), values: nothing }];

/** The forms of a distribution, given the kernel for the log probability below a standardized value. */
function standardForms(
  op: 'student_t_below' | 'skew_normal_below',
  place: Formula,
  shape: Formula,
  mirrored: (shape: Expr) => Expr,
): Required<Pick<DistributionRow, 'cdf' | 'lcdf' | 'lccdf'>> {
  const below: Formula = (...args) => applyOp(op, int(0), place(...args), shape(...args));
  const above: Formula = (...args) => applyOp(op, int(0), neg(place(...args)), mirrored(shape(...args)));
  return { cdf: (...args) => exp(below(...args)), lcdf: below, lccdf: above };
}

const kappa: Argument = numbers('Precision parameter');

const negBinomial2 =
  (op: 'neg_binomial_2_below' | 'neg_binomial_2_above'): Formula =>
  (n, mu, phi) =>
    applyOp(op, int(0), toReal(n), mu, phi);

export const INCOMPLETE: readonly FunctionEntry[] = [
  ...distribution(FAMILY, 'student_t', {
    computes: "Distribution function of Student's t at y",
    arguments: [
      reals('Random variable', notNan),
      reals('Degrees of freedom parameter', positiveFinite),
      reals('Location parameter', finite),
      reals('Scale parameter', positiveFinite),
    ],
    edges: [
      { when: (y) => compare('eq', y, real(-INFINITE)), values: nothing },
      { when: isInfinite, values: everything },
    ],
    replacement: (_, __, mu) => mu,
    ...standardForms(
      'student_t_below',
      (y, _, mu, sigma) => standardScore(y, mu, sigma),
      (_, nu) => nu,
      (nu) => nu,
    ),
  }),
  ...distribution(FAMILY, 'skew_normal', {
    computes: 'Skew normal distribution function at y',
    arguments: [
      reals('Random variable', notNan),
      reals('Location parameter', finite),
      reals('Scale parameter', positive),
      reals('Shape parameter', finite),
    ],
    edges: [
      { when: (y) => compare('eq', y, real(-INFINITE)), values: nothing },
      { when: isInfinite, values: everything },
    ],
    replacement: (_, xi) => xi,
    ...standardForms(
      'skew_normal_below',
      (y, xi, omega) => standardScore(y, xi, omega),
      (_, __, ___, alpha) => alpha,
      neg,
    ),
  }),
  ...gammaTails(
    'gamma',
    'Gamma distribution function at y',
    {
      arguments: [variable, shape, reals('Inverse scale parameter')],
      checks: [
        [1, positiveFinite],
        [2, positiveFinite],
        [0, nonnegative],
      ],
    },
    {
      below: 'log_gamma_p',
      shape: (_, alpha) => alpha,
      at: (y, _, beta) => mul(beta, y),
      logAt: (y, _, beta) => add(log(beta), log(y)),
    },
  ),
  ...gammaTails(
    'inv_gamma',
    'Inverse gamma distribution function at y',
    {
      arguments: [variable, shape, reals('Scale parameter')],
      checks: [
        [1, positiveFinite],
        [2, positiveFinite],
        [0, nonnegative],
      ],
    },
    {
      below: 'log_gamma_q',
      shape: (_, alpha) => alpha,
      at: (y, _, beta) => div(beta, y),
      logAt: (y, _, beta) => sub(log(beta), log(y)),
    },
  ),
  ...gammaTails(
    'chi_square',
    'Chi-square distribution function at y',
    {
      arguments: [variable, freedom],
      checks: [
        [0, notNan],
        [0, nonnegative],
        [1, positiveFinite],
      ],
    },
    { below: 'log_gamma_p', shape: (_, nu) => half(nu), at: half, logAt: (y) => sub(log(y), LOG_TWO) },
  ),
  ...gammaTails(
    'inv_chi_square',
    'Inverse chi-square distribution function at y',
    {
      arguments: [variable, freedom],
      checks: [
        [1, positiveFinite],
        [0, nonnegative],
      ],
    },
    {
      below: 'log_gamma_q',
      shape: (_, nu) => half(nu),
      at: (y) => div(HALF, y),
      logAt: (y) => neg(add(LOG_TWO, log(y))),
    },
  ),
  ...gammaTails(
    'scaled_inv_chi_square',
    'Scaled inverse chi-square distribution function at y',
    {
      arguments: [variable, freedom, reals('Scale parameter')],
      checks: [
        [0, nonnegative],
        [1, positiveFinite],
        [2, positiveFinite],
      ],
    },
    {
      below: 'log_gamma_q',
      shape: (_, nu) => half(nu),
      at: (y, nu, s) => mul(mul(half(nu), s), div(s, y)),
      logAt: (y, nu, s) => sub(add(log(half(nu)), mul(TWO, log(s))), log(y)),
    },
  ),
  ...distribution(FAMILY, 'beta', {
    computes: 'Beta distribution function at y',
    arguments: [variable, reals('First shape parameter'), reals('Second shape parameter')],
    checks: [
      [1, positiveFinite],
      [2, positiveFinite],
      [0, between(0, 1)],
    ],
    edges: unitEdges,
    replacement: () => HALF,
    ...betaForms({ a: (_, alpha) => alpha, b: (_, __, beta) => beta, x: (y) => y, y: oneMinus }),
  }),
  ...distribution(FAMILY, 'beta_proportion', {
    computes: 'Distribution function at y of the beta distribution by mean and precision',
    arguments: [variable, reals('Location parameter'), kappa],
    checks: [
      [1, positive],
      [1, below(1)],
      [2, positiveFinite],
      [0, between(0, 1)],
    ],
    edges: [
      { when: isZero, values: [0, null, 0] },
      { when: (y) => compare('eq', y, ONE), values: everything },
    ],
    replacement: () => HALF,
    ...betaForms({
      a: (_, mu, precision) => mul(mu, precision),
      b: (_, mu, precision) => mul(sub(ONE, mu), precision),
      x: (y) => y,
      y: oneMinus,
    }),
    cdf: undefined,
  }),
  ...distribution(FAMILY, 'neg_binomial', {
    computes: 'Negative binomial distribution function by shape and inverse scale',
    arguments: [
      ints('Random variable'),
      reals('Shape parameter', positiveFinite),
      reals('Inverse scale parameter', positiveFinite),
    ],
    edges: negativeCount,
    replacement: () => int(0),
    ...betaForms({
      a: (_, alpha) => alpha,
      b: (n) => plusOne(toReal(n)),
      x: (_, __, beta) => inverse(plusOne(inverse(beta))),
      y: (_, __, beta) => inverse(plusOne(beta)),
    }),
  }),
  ...distribution(FAMILY, 'neg_binomial_2', {
    computes: 'Negative binomial distribution function by mean and precision',
    arguments: [
      ints('Random variable'),
      reals('Location parameter', positiveFinite),
      reals('Precision parameter', positiveFinite),
    ],
    edges: negativeCount,
    replacement: () => int(0),
    cdf: (...args) => exp(negBinomial2('neg_binomial_2_below')(...args)),
    lcdf: negBinomial2('neg_binomial_2_below'),
    lccdf: negBinomial2('neg_binomial_2_above'),
  }),
];

import {
  add,
  call1,
  call2,
  compare,
  div,
  int,
  log,
  mul,
  neg,
  ONE,
  real,
  select,
  square,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { applyOp } from '../../ir/ops.js';
import { below, between, finite, nonnegative, notNan, positive, positiveFinite } from '../checks.js';
import { type DistributionRow, distribution } from '../density.js';
import { type Argument, ints, numbers, reals } from '../density-row.js';
import type { FunctionEntry } from '../entry.js';
import { HALF, half, plusOne, standardized } from './formulas.js';

/** Distribution functions through the incomplete gamma and beta functions and Owen's T. */
const FAMILY = 'cumulative distributions';

const INFINITE = Number.POSITIVE_INFINITY;
const variable = reals('Random variable');
const shape = reals('Shape parameter');
const freedom = reals('Degrees of freedom parameter');

const nothing: NonNullable<DistributionRow['edges']>[number]['values'] = [0, -INFINITE, 0];
const everything: NonNullable<DistributionRow['edges']>[number]['values'] = [1, 0, -INFINITE];
const isZero = (y: Expr): Expr => compare('eq', y, ZERO);
const isInfinite = (y: Expr): Expr => compare('eq', y, real(INFINITE));

type Formula = (...args: Expr[]) => Expr;

/** A distribution on the positive numbers by the two tails of an incomplete gamma function. */
function gammaTails(
  name: string,
  computes: string,
  row: Pick<DistributionRow, 'arguments' | 'checks'>,
  tails: { readonly below: 'gamma_p' | 'gamma_q'; readonly shape: Formula; readonly at: Formula },
): readonly FunctionEntry[] {
  const above = tails.below === 'gamma_p' ? 'gamma_q' : 'gamma_p';
  const lower: Formula = (...args) => call2(tails.below, tails.shape(...args), tails.at(...args));
  const upper: Formula = (...args) => call2(above, tails.shape(...args), tails.at(...args));
  return distribution(FAMILY, name, {
    ...row,
    computes,
    edges: [
      { when: isZero, values: nothing },
      { when: isInfinite, values: everything },
    ],
    replacement: () => ONE,
    cdf: lower,
    lcdf: (...args) => log(lower(...args)),
    lccdf: (...args) => log(upper(...args)),
  });
}

interface BetaTails {
  readonly a: Formula;
  readonly b: Formula;
  /** Where the distribution function is I_x(a, b). */
  readonly x: Formula;
  /** 1 - x, where that has a formula without a rounded difference. */
  readonly y?: Formula;
}

function betaForms({ a, b, x, y }: BetaTails): Required<Pick<DistributionRow, 'cdf' | 'lcdf' | 'lccdf'>> {
  const lower: Formula = (...args) => applyOp('inc_beta', a(...args), b(...args), x(...args));
  const upper: Formula = (...args) =>
    y === undefined
      ? applyOp('inc_beta_upper', a(...args), b(...args), x(...args))
      : applyOp('inc_beta', b(...args), a(...args), y(...args));
  return { cdf: lower, lcdf: (...args) => log(lower(...args)), lccdf: (...args) => log(upper(...args)) };
}

const unitEdges: DistributionRow['edges'] = [
  { when: isZero, values: nothing },
  { when: (y) => compare('eq', y, ONE), values: everything },
];
const negativeCount: DistributionRow['edges'] = [{ when: (n) => compare('lt', n, int(0)), values: nothing }];

/** Probability beyond |t| on one side, from whichever tail of the incomplete beta function keeps its digits. */
function studentTail(t: Expr, nu: Expr): Expr {
  const z = square(select(compare('eq', t, ZERO), real(1e-150), t));
  const isFar = compare('gt', z, nu);
  const total = add(nu, z);
  const halfNu = half(nu);
  const value = applyOp(
    'inc_beta',
    select(isFar, halfNu, HALF),
    select(isFar, HALF, halfNu),
    div(select(isFar, nu, z), total),
  );
  return select(isFar, half(value), sub(HALF, half(value)));
}

/** `student_t`'s distribution function, or with `upper` its complement. */
function student(upper: boolean): Formula {
  return (y, nu, mu, sigma) => {
    const t = add(standardized(y, mu, sigma), ZERO);
    const shifted = add(t, select(compare('eq', t, ZERO), real(1e-150), ZERO));
    const tail = studentTail(shifted, nu);
    const isTail = compare(upper ? 'ge' : 'lt', t, ZERO);
    return select(isTail, tail, sub(ONE, tail));
  };
}

const skewNormal: Formula = (y, xi, omega, alpha) => {
  const z = standardized(y, xi, omega);
  return sub(call1('Phi', z), mul(real(2), call2('owens_t', z, alpha)));
};

const kappa: Argument = numbers('Precision parameter');

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
    cdf: student(false),
    lcdf: (...args) => log(student(false)(...args)),
    lccdf: (...args) => log(student(true)(...args)),
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
    cdf: skewNormal,
    lcdf: (...args) => log(skewNormal(...args)),
    lccdf: (...args) => call1('log1p', neg(skewNormal(...args))),
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
    { below: 'gamma_p', shape: (_, alpha) => alpha, at: (y, _, beta) => mul(beta, y) },
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
    { below: 'gamma_q', shape: (_, alpha) => alpha, at: (y, _, beta) => div(beta, y) },
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
    { below: 'gamma_p', shape: (_, nu) => half(nu), at: (y) => half(y) },
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
    { below: 'gamma_q', shape: (_, nu) => half(nu), at: (y) => div(HALF, y) },
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
    { below: 'gamma_q', shape: (_, nu) => half(nu), at: (y, nu, s) => div(mul(half(nu), square(s)), y) },
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
    ...betaForms({ a: (_, alpha) => alpha, b: (_, __, beta) => beta, x: (y) => y }),
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
      x: (_, __, beta) => div(beta, plusOne(beta)),
      y: (_, __, beta) => div(ONE, plusOne(beta)),
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
    ...betaForms({
      a: (_, __, phi) => phi,
      b: (n) => plusOne(toReal(n)),
      x: (_, mu, phi) => div(phi, add(mu, phi)),
      y: (_, mu, phi) => div(mu, add(mu, phi)),
    }),
  }),
];

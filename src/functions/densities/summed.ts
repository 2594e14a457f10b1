import { add, call1, call2, compare, exp, int, log, neg, ONE, sub, toReal } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { applyOp } from '../../ir/ops.js';
import { atLeastConstant, nonnegative, positiveFinite } from '../checks.js';
import { type DistributionRow, density, distribution, either } from '../density.js';
import { type Argument, ints, reals } from '../density-row.js';
import type { DensityEntry, FunctionEntry } from '../entry.js';
import { logFactorialShare, plusOne, riseShare } from './formulas.js';

/** Distributions of counts whose distribution functions are sums of probability masses. */
const FAMILY = 'compound count distributions';

type Formula = (...args: Expr[]) => Expr;

const edges: NonNullable<DistributionRow['edges']> = [
  { when: (n) => compare('lt', n, int(0)), values: [0, Number.NEGATIVE_INFINITY, 0] },
];

const logRise = (x: Expr, distance: Expr): Expr => call2('lgamma_rise', x, distance);
const cross = (x: Expr, d: Expr, n: Expr): Expr => applyOp('lgamma_cross', x, d, toReal(n));

const betaNegativeBinomial: readonly Argument[] = [
  reals('Number of successes parameter', positiveFinite),
  reals('Prior success parameter', positiveFinite),
  reals('Prior failure parameter', positiveFinite),
];

/**
 * `quotient` computes log(Γ(alpha + r) Γ(alpha + beta) / (Γ(alpha) Γ(alpha + beta + r))). For elements of containers, it is a difference of
 * rises by r or by beta, which is faster.
 */
function betaNegativeBinomialMass(quotient: Formula): DensityEntry {
  return density(FAMILY, 'beta_neg_binomial_lpmf', {
    computes: 'Log probability of n failures before r successes whose probability is beta distributed',
    arguments: [ints('Failures variable', nonnegative), ...betaNegativeBinomial],
    terms: (n, r, alpha, beta) => {
      const rises = add(riseShare(r, n), riseShare(beta, n));
      const total = add(add(alpha, beta), r);
      return [neg(logFactorialShare(n)), add(sub(rises, riseShare(total, n)), quotient(r, alpha, beta))];
    },
  });
}

const simonShape = reals('Shape parameter', positiveFinite);
/** log P(more than n) of the Yule-Simon distribution, with P(more than n) = Γ(n + 1) Γ(alpha + 1) / Γ(n + alpha + 1). */
const simonTail: Formula = (n, alpha) => neg(cross(ONE, alpha, n));
const belowOne = (n: Expr): Expr => compare('lt', n, int(1));

const betaNegativeBinomialTail = (op: 'beta_neg_binomial_below' | 'beta_neg_binomial_above'): Formula => {
  return (n, r, alpha, beta) => applyOp(op, int(0), toReal(n), r, alpha, beta);
};
const betaNegativeBinomialBelow = betaNegativeBinomialTail('beta_neg_binomial_below');

const betaBinomialBelow: Formula = (n, N, alpha, beta) =>
  applyOp('beta_binomial_below', int(0), toReal(n), toReal(N), alpha, beta);
/** P(more than n successes) is P(at most N - n - 1 failures). */
const betaBinomialAbove: Formula = (n, N, alpha, beta) => betaBinomialBelow(sub(sub(N, n), int(1)), N, beta, alpha);

export const SUMMED: readonly FunctionEntry[] = [
  either(
    either(
      betaNegativeBinomialMass((r, alpha, beta) => neg(applyOp('lgamma_cross', alpha, r, beta))),
      betaNegativeBinomialMass((r, alpha, beta) => sub(logRise(alpha, r), logRise(add(alpha, beta), r))),
      (args) => args.some(({ kind }, k) => k > 0 && kind === 'container'),
    ),
    betaNegativeBinomialMass((r, alpha, beta) => sub(logRise(alpha, beta), logRise(add(alpha, r), beta))),
    ([, r]) => r.kind === 'container',
  ),
  ...distribution(FAMILY, 'beta_neg_binomial', {
    computes: 'Distribution function of failures before r successes whose probability is beta distributed',
    arguments: [ints('Failures variable'), ...betaNegativeBinomial],
    edges,
    replacement: () => int(0),
    cdf: (...args) => exp(betaNegativeBinomialBelow(...args)),
    lcdf: betaNegativeBinomialBelow,
    lccdf: betaNegativeBinomialTail('beta_neg_binomial_above'),
  }),
  ...distribution(FAMILY, 'beta_binomial', {
    computes: 'Distribution function of successes whose probability is beta distributed',
    arguments: [
      ints('Successes variable'),
      ints('Population size parameter', nonnegative),
      reals('First prior sample size parameter', positiveFinite),
      reals('Second prior sample size parameter', positiveFinite),
    ],
    edges: [...edges, { when: (n, N) => compare('ge', n, N), values: [1, 0, Number.NEGATIVE_INFINITY] }],
    replacement: () => int(0),
    cdf: (...args) => exp(betaBinomialBelow(...args)),
    lcdf: betaBinomialBelow,
    lccdf: betaBinomialAbove,
  }),
  density(FAMILY, 'yule_simon_lpmf', {
    computes: 'Log probability of the count n with shape alpha',
    arguments: [ints('Outcome variable', atLeastConstant(1)), simonShape],
    terms: (n, alpha) => [sub(logFactorialShare(n), log(toReal(n))), log(alpha), neg(riseShare(plusOne(alpha), n))],
  }),
  ...distribution(FAMILY, 'yule_simon', {
    computes: 'Distribution function of the count n with shape alpha',
    arguments: [ints('Outcome variable'), simonShape],
    edges: [{ when: belowOne, values: [0, Number.NEGATIVE_INFINITY, 0] }],
    replacement: () => int(1),
    cdf: (n, alpha) => exp(call1('log1m_exp', simonTail(n, alpha))),
    lcdf: (n, alpha) => call1('log1m_exp', simonTail(n, alpha)),
    lccdf: simonTail,
  }),
];

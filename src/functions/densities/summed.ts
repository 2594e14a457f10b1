import type { Builder } from '../../ir/builder.js';
import { levelOf, scalar } from '../../ir/builder.js';
import {
  add,
  call2,
  compare,
  exp,
  get,
  int,
  lgamma,
  log,
  log1p,
  maxInt,
  minInt,
  mul,
  neg,
  ONE,
  real,
  select,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { atLeastConstant, nonnegative, positiveFinite } from '../checks.js';
import { density, distribution, either } from '../density.js';
import { Plan } from '../density-plan.js';
import { type Argument, type DensityRow, ints, reals } from '../density-row.js';
import type { DensityEntry, FunctionEntry } from '../entry.js';
import { signaturesOf } from '../signatures.js';
import { plusOne } from './formulas.js';

/** Distributions of counts whose distribution function is a sum of the masses. */
const FAMILY = 'compound count distributions';

type Formula = (...args: Expr[]) => Expr;

interface SummedRow {
  readonly computes: string;
  readonly arguments: readonly Argument[];
  /** Log mass at a count that stands for the first argument. */
  readonly mass: Formula;
  /** Largest possible count; null if there is none. */
  readonly largest: Formula | null;
}

/** The entries `NAME_cdf`, `NAME_lcdf` and `NAME_lccdf`. */
function summed(name: string, row: SummedRow): readonly FunctionEntry[] {
  return (['cdf', 'lcdf', 'lccdf'] as const).map((form): FunctionEntry => {
    const full = `${name}_${form}`;
    const symbols: DensityRow = { ...row, terms: (...args) => args };
    return {
      name: full,
      family: FAMILY,
      documentation: { computes: row.computes },
      signatures: signaturesOf(full, [`(${row.arguments.map(({ kind }) => kind).join(', ')}) => real`]),
      build: (builder, args) => {
        const plan = new Plan(builder, full, symbols, args);
        const valueAt = (values: readonly Expr[]): Expr => tailOf(builder, row, form, values);
        if (plan.count === null) {
          plan.checkScalars();
          return scalar(valueAt(plan.terms.map(({ value }) => value)), levelOf(args));
        }
        const total = builder.newLocal('real', 'total');
        const join = form === 'cdf' ? mul : add;
        builder.assign(total, form === 'cdf' ? ONE : ZERO);
        plan.loop((element) => {
          const value = valueAt(plan.terms.map((term) => element(term.value)));
          builder.assign(total, join(get(total), value));
        }, true);
        return scalar(get(total), levelOf(args));
      },
    };
  });
}

/** One element's value: the masses up to n, or of all above n where they are finitely many, or what is left of 1. */
function tailOf(
  builder: Builder,
  row: SummedRow,
  form: 'cdf' | 'lcdf' | 'lccdf',
  [n, ...others]: readonly Expr[],
): Expr {
  const largest = row.largest?.(n, ...others) ?? null;
  const sumFrom = (from: Expr, to: Expr): Expr => {
    const total = builder.newLocal('real', 'mass');
    builder.assign(total, ZERO);
    builder.for(from, to, (k) => builder.assign(total, add(get(total), exp(row.mass(k, ...others)))));
    return get(total);
  };
  const next = add(n, int(1));
  const isBelow = compare('lt', n, int(0));
  const isAbove = largest === null ? int(0) : compare('ge', n, largest);
  if (form === 'lccdf' && largest !== null) {
    const upper = log(sumFrom(maxInt(next, int(0)), add(largest, int(1))));
    return select(isAbove, real(Number.NEGATIVE_INFINITY), select(isBelow, ZERO, upper));
  }
  const sum = sumFrom(int(0), largest === null ? next : minInt(next, add(largest, int(1))));
  const inside = { cdf: sum, lcdf: log(sum), lccdf: log1p(neg(sum)) }[form];
  const [below, above] = { cdf: [0, 1], lcdf: [Number.NEGATIVE_INFINITY, 0], lccdf: [0, Number.NEGATIVE_INFINITY] }[
    form
  ];
  return select(isBelow, real(below), select(isAbove, real(above), inside));
}

const logRise = (x: Expr, distance: Expr): Expr => call2('lgamma_rise', x, distance);
const lbeta = (a: Expr, b: Expr): Expr => call2('lbeta', a, b);

const betaNegativeBinomial: readonly Argument[] = [
  reals('Number of successes parameter', positiveFinite),
  reals('Prior success parameter', positiveFinite),
  reals('Prior failure parameter', positiveFinite),
];

/** `quotient`: log of Γ(alpha + r) Γ(alpha + beta) / Γ(alpha) / Γ(alpha + beta + r), a difference of rises by r or by beta. */
function betaNegativeBinomialMass(quotient: Formula): DensityEntry {
  return density(FAMILY, 'beta_neg_binomial_lpmf', {
    computes: 'Log probability of n failures before r successes whose probability is beta distributed',
    arguments: [ints('Failures variable', nonnegative), ...betaNegativeBinomial],
    terms: (n, r, alpha, beta) => {
      const rises = add(logRise(r, toReal(n)), logRise(beta, toReal(n)));
      const total = add(add(alpha, beta), r);
      return [neg(lgamma(plusOne(toReal(n)))), add(rises, sub(quotient(r, alpha, beta), logRise(total, toReal(n))))];
    },
  });
}

const simonShape = reals('Shape parameter', positiveFinite);
/** log P(more than n) of Yule and Simon. */
const simonTail: Formula = (n, alpha) =>
  add(lgamma(plusOne(alpha)), sub(lgamma(plusOne(toReal(n))), lgamma(add(plusOne(alpha), n))));
const belowOne = (n: Expr): Expr => compare('lt', n, int(1));

export const SUMMED: readonly FunctionEntry[] = [
  either(
    betaNegativeBinomialMass((r, alpha, beta) => sub(logRise(alpha, r), logRise(add(alpha, beta), r))),
    betaNegativeBinomialMass((r, alpha, beta) => sub(logRise(alpha, beta), logRise(add(alpha, r), beta))),
    ([, r]) => r.kind === 'container',
  ),
  ...summed('beta_neg_binomial', {
    computes: 'Distribution function of failures before r successes whose probability is beta distributed',
    arguments: [ints('Failures variable'), ...betaNegativeBinomial],
    mass: (k, r, alpha, beta) =>
      add(
        sub(lbeta(add(k, r), add(alpha, beta)), lbeta(r, alpha)),
        sub(sub(lgamma(add(k, beta)), lgamma(beta)), lgamma(plusOne(toReal(k)))),
      ),
    largest: null,
  }),
  ...summed('beta_binomial', {
    computes: 'Distribution function of successes whose probability is beta distributed',
    arguments: [
      ints('Successes variable'),
      ints('Population size parameter', nonnegative),
      reals('First prior sample size parameter', positiveFinite),
      reals('Second prior sample size parameter', positiveFinite),
    ],
    mass: (k, N, alpha, beta) =>
      add(call2('lchoose', N, k), sub(lbeta(add(k, alpha), add(sub(N, k), beta)), lbeta(alpha, beta))),
    largest: (_, N) => N,
  }),
  density(FAMILY, 'yule_simon_lpmf', {
    computes: 'Log probability of the count n with shape alpha',
    arguments: [ints('Outcome variable', atLeastConstant(1)), simonShape],
    terms: (n, alpha) => [lgamma(toReal(n)), log(alpha), neg(logRise(plusOne(alpha), toReal(n)))],
  }),
  ...distribution(FAMILY, 'yule_simon', {
    computes: 'Distribution function of the count n with shape alpha',
    arguments: [ints('Outcome variable'), simonShape],
    edges: [{ when: belowOne, values: [0, Number.NEGATIVE_INFINITY, 0] }],
    replacement: () => int(1),
    cdf: (n, alpha) => sub(ONE, exp(simonTail(n, alpha))),
    lcdf: (n, alpha) => ({ kind: 'apply', type: 'real', op: 'log1m_exp', args: [simonTail(n, alpha)] }),
    lccdf: simonTail,
  }),
];

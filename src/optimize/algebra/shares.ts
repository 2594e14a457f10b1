import { boundedExp, GREATEST_EXPONENT, log1mExpOfExp, logInvLogitDiff } from '../../functions/densities/formulas.js';
import { call1, call2, compare, exp, isValue, neg, real, select, sub } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Expr } from '../../ir/nodes.js';
import type { OpName } from '../../ir/ops.js';

/** Functions with values in [0, 1] whose logarithm can be computed from the argument. */
export type ShareName = 'logistic' | 'normal' | 'cloglog' | 'gumbel' | 'exponential' | 'complement';

interface Share {
  /** log f(u), accurate where f(u) itself would be rounded to 0 or 1. */
  readonly log: (u: Expr) => Expr;
  /** log(f(u) - f(v)) */
  readonly logDifference: (u: Expr, v: Expr) => Expr;
  /** The share and the argument that give 1 - f(u). */
  readonly complement: readonly [share: ShareName, argument: (u: Expr) => Expr];
  /** The arguments at which f is 0 and 1. */
  readonly ends: readonly [zero: number, one: number];
  /**
   * log f(u) with a derivative that is finite even if the value is not selected: `taken` returns the argument if the value is selected, and
   * another number otherwise. Omitted if all derivatives are finite.
   */
  readonly chosenLog?: (u: Expr, taken: (u: Expr, otherwise: Expr) => Expr) => Expr;
  /** Whether f is in [0, 1] for all arguments except NaN. */
  readonly isBounded: boolean;
}

const same = (u: Expr): Expr => u;
const INFINITE = Number.POSITIVE_INFINITY;

/**
 * log f and log(1 - f) as functions of the argument. The table contains each function and its complement, so log(1 - f) is the `log` of the
 * complement.
 */
export const SHARES: Readonly<Record<ShareName, Share>> = {
  /** 1 / (1 + exp(-u)) */
  logistic: {
    log: (u) => call1('log_inv_logit', u),
    logDifference: logInvLogitDiff,
    complement: ['logistic', neg],
    ends: [-INFINITE, INFINITE],
    isBounded: true,
  },
  /** Phi(u) */
  normal: {
    log: (u) => call1('log_Phi', u),
    logDifference: (u, v) => call2('log_Phi_between', v, u),
    complement: ['normal', neg],
    ends: [-INFINITE, INFINITE],
    isBounded: true,
  },
  /** 1 - exp(-exp(u)) */
  cloglog: {
    log: log1mExpOfExp,
    logDifference: (u, v) => call2('log_diff_exp', neg(exp(v)), neg(exp(u))),
    complement: ['gumbel', same],
    ends: [-INFINITE, INFINITE],
    isBounded: true,
  },
  /** exp(-exp(u)) */
  gumbel: {
    log: (u) => neg(exp(u)),
    logDifference: (u, v) => call2('log_diff_exp', neg(exp(u)), neg(exp(v))),
    complement: ['cloglog', same],
    ends: [INFINITE, -INFINITE],
    chosenLog: (u) => select(compare('gt', u, GREATEST_EXPONENT), real(-INFINITE), neg(boundedExp(u))),
    isBounded: true,
  },
  /** exp(u) */
  exponential: {
    log: same,
    logDifference: (u, v) => call2('log_diff_exp', u, v),
    complement: ['complement', same],
    ends: [-INFINITE, 0],
    isBounded: false,
  },
  /** 1 - exp(u) */
  complement: {
    log: (u) => call1('log1m_exp', u),
    logDifference: (u, v) => call2('log_diff_exp', v, u),
    complement: ['exponential', same],
    ends: [0, -INFINITE],
    chosenLog: (u, taken) => call1('log1m_exp', taken(u, real(-1))),
    isBounded: false,
  },
};

/** The form of an expression: a share of `of`, or the logarithm of one. */
export interface Form {
  readonly share: ShareName;
  readonly isLog: boolean;
  readonly of: Expr;
}

function share(name: ShareName, of: Expr): Form {
  return { share: name, isLog: false, of };
}

function logOf(form: Form | null): Form | null {
  return form === null || form.isLog ? null : { ...form, isLog: true };
}

function expOf(form: Form | null): Form | null {
  return form?.isLog === true ? { ...form, isLog: false } : null;
}

export function complementOf(form: Form | null): Form | null {
  if (form === null || form.isLog) return null;
  const [name, argument] = SHARES[form.share].complement;
  return share(name, argument(form.of));
}

/** Returns the form of an operand. */
type Forms = (e: Expr) => Form | null;

type Recognizer = (args: readonly Expr[], formOf: Forms) => Form | null;

const exponentialOf = (x: Expr, formOf: Forms): Form => expOf(formOf(x)) ?? share('exponential', x);

/** log(1 - exp(x)) */
const log1mExp = (x: Expr, formOf: Forms): Form | null => logOf(complementOf(exponentialOf(x, formOf)));

/** The form of an operation, from the forms of its operands. Operations that are not listed have no form. */
export const RECOGNIZERS: Readonly<Partial<Record<OpName, Recognizer>>> = {
  inv_logit: ([u]) => share('logistic', u),
  Phi: ([u]) => share('normal', u),
  exp: ([x], formOf) => exponentialOf(x, formOf),
  log_inv_logit: ([u]) => logOf(share('logistic', u)),
  log_Phi: ([u]) => logOf(share('normal', u)),
  log: ([p], formOf) => logOf(formOf(p)),
  log1p: ([x], formOf) => (isDifference(x) ? logOf(complementOf(formOf(neg(x)))) : null),
  log1m_exp: ([x], formOf) => log1mExp(x, formOf),
  log_diff_exp: ([first, x], formOf) => (isValue(first, 0) ? log1mExp(x, formOf) : null),
  sub: ([first, p], formOf) => (isValue(first, 1) ? complementOf(formOf(p)) : null),
  /** 1 - (1 - exp(x)), in the form in which it is built. */
  add: ([first, x], formOf) =>
    isValue(first, 1) && x.kind === 'apply' && x.op === 'expm1' ? exponentialOf(x.args[0], formOf) : null,
  neg: ([x], formOf) => {
    if (x.kind !== 'apply') return null;
    const [u] = x.args;
    if (x.op === 'exp') return logOf(share('gumbel', unclamped(u)));
    if (x.op === 'log1p_exp') return logOf(share('logistic', neg(u)));
    return x.op === 'expm1' ? complementOf(exponentialOf(u, formOf)) : null;
  },
  div: ([first, sum]) => {
    if (!isValue(first, 1) || sum.kind !== 'apply' || sum.op !== 'add' || !isValue(sum.args[0], 1)) return null;
    const [, e] = sum.args;
    return e.kind === 'apply' && e.op === 'exp' ? share('logistic', neg(e.args[0])) : null;
  },
};

/** Whether the expression is -p, p - 1 or exp(x) - 1, the forms that may be a share minus 1. */
export function isDifference(x: Expr): boolean {
  if (x.kind !== 'apply') return false;
  return x.op === 'neg' || x.op === 'expm1' || (x.op === 'sub' && isValue(x.args[1], 1));
}

/** The argument of `inv_cloglog` without the bound that keeps its exponential finite. */
function unclamped(u: Expr): Expr {
  if (u.kind !== 'apply' || u.op !== 'select') return u;
  const [condition, bound, x] = u.args;
  const isClamp =
    condition.kind === 'apply' &&
    condition.op === 'gt' &&
    sameExpression(condition.args[0], x) &&
    sameExpression(condition.args[1], bound);
  return isClamp && isValue(bound, 700) ? x : u;
}

/** log(p / q) of two shares: the argument itself if they are p and 1 - p of the logistic function. */
export function logOfRatio(p: Form, q: Form): Expr {
  const rest = complementOf(p);
  if (p.share === 'logistic' && rest?.share === q.share && sameExpression(rest.of, q.of)) return p.of;
  return sub(SHARES[p.share].log(p.of), SHARES[q.share].log(q.of));
}

/** The argument at which a share is 0 or 1; its logarithm is then -infinity or 0. */
export function endOf({ share: name, isLog }: Pick<Form, 'share' | 'isLog'>, value: number): number | null {
  const [zero, one] = SHARES[name].ends;
  if (Number.isNaN(value)) return value;
  if (value === (isLog ? -INFINITE : 0)) return zero;
  return value === (isLog ? 0 : 1) ? one : null;
}

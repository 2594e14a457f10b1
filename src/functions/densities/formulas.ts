import {
  add,
  call1,
  call2,
  compare,
  div,
  exp,
  lgamma,
  log,
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

/** Formulas shared by densities. */
export const LOG_TWO = real(Math.LN2);
export const LOG_PI = real(Math.log(Math.PI));
export const HALF = real(0.5);
export const TWO = real(2);
export const MINUS_HALF_LOG_TWO_PI = real(-0.5 * Math.log(2 * Math.PI));

export const half = (x: Expr): Expr => mul(HALF, x);
export const inverse = (x: Expr): Expr => div(ONE, x);
export const minusOne = (x: Expr): Expr => sub(x, ONE);
export const plusOne = (x: Expr): Expr => add(x, ONE);
export const log1m = (x: Expr): Expr => call1('log1p', neg(x));

/** (y - location) / scale, as a product with the reciprocal of the scale, which can be computed once. */
export function standardized(y: Expr, location: Expr, scale: Expr): Expr {
  return mul(sub(y, location), inverse(scale));
}

/** (y - location) / scale as a quotient, whose derivatives neither overflow nor underflow if both numbers are near 1e±300. */
export function standardScore(y: Expr, location: Expr, scale: Expr): Expr {
  return div(sub(y, location), scale);
}

const FAR = 2 ** 500;
const SHIFT = 2 ** 512;

/** log(x / y) for positive x and y, even if the quotient overflows or underflows. No digits are lost if x and y are close. */
export function logOfQuotient(x: Expr, y: Expr): Expr {
  const [[a, shiftOfX], [b, shiftOfY]] = [x, y].map((e) => {
    const isLarge = compare('gt', e, real(FAR));
    const isSmall = compare('lt', e, real(1 / FAR));
    const factor = select(isLarge, real(1 / SHIFT), select(isSmall, real(SHIFT), ONE));
    return [mul(e, factor), select(isLarge, ONE, select(isSmall, real(-1), ZERO))];
  });
  return add(log(div(a, b)), mul(real(512 * Math.LN2), sub(shiftOfX, shiftOfY)));
}

/** x log y; 0 with finite derivatives if x is 0. */
export function timesLog(x: Expr, y: Expr): Expr {
  return mul(x, log(select(compare('eq', toReal(x), ZERO), ONE, y)));
}

/** log p, given q = 1 - p, computed from the smaller of the two. */
export function logOfShare(p: Expr, q: Expr): Expr {
  const isSmaller = compare('lt', p, q);
  return select(isSmaller, log(select(isSmaller, p, ONE)), log1m(select(isSmaller, ZERO, q)));
}

/** log(eˣ - eʸ) */
export function logDiffExp(x: Expr, y: Expr): Expr {
  const [upper, lower] = [x, y].map((e) => (e.kind === 'apply' && e.op === 'log_Phi' ? e.args[0] : null));
  return upper === null || lower === null ? call2('log_diff_exp', x, y) : call2('log_Phi_between', lower, upper);
}

/** log(inv_logit(x) - inv_logit(y)) */
export function logInvLogitDiff(x: Expr, y: Expr): Expr {
  return add(sub(call1('log_inv_logit', x), call1('log1p_exp', y)), call1('log1m_exp', sub(y, x)));
}

/** Bounds of exponents whose exponentials and reciprocals are neither 0 nor infinite. */
const LEAST_EXPONENT = real(-700);
export const GREATEST_EXPONENT = real(709.7);

/** eʷ, with w clamped to these bounds. */
export function boundedExp(w: Expr): Expr {
  const below = select(compare('gt', w, GREATEST_EXPONENT), GREATEST_EXPONENT, w);
  return exp(select(compare('lt', w, LEAST_EXPONENT), LEAST_EXPONENT, below));
}

/** log(1 - exp(-eʷ)); w if eʷ underflows, and 0 if eʷ overflows. */
export function log1mExpOfExp(w: Expr): Expr {
  return select(compare('lt', w, real(-40)), w, call1('log1m_exp', neg(boundedExp(w))));
}

/** x log(1 - y); 0 with finite derivatives if x is 0. */
export function timesLog1m(x: Expr, y: Expr): Expr {
  return mul(x, log1m(select(compare('eq', toReal(x), ZERO), ZERO, y)));
}

/** log I₀(x), the normalizing term of the von Mises density. */
export function logBesselI0(x: Expr): Expr {
  return call2('log_modified_bessel_first_kind', ZERO, x);
}

/**
 * Whether a count is so large that subtracting the logarithm of its factorial from a rise would lose digits. `rise_share` then includes it.
 */
const isMany = (n: Expr): Expr => compare('ge', toReal(n), real(100_000));

/** log(x (x + 1) … (x + n - 1)), minus log n! if n is large. Subtract `logFactorialShare` for a log coefficient that keeps its digits. */
export function riseShare(x: Expr, n: Expr): Expr {
  return call2('rise_share', x, toReal(n));
}

/** log n!; 0 for large n. */
export function logFactorialShare(n: Expr): Expr {
  return select(isMany(n), ZERO, lgamma(plusOne(toReal(n))));
}

/** log (n - 1)!, minus log n! if n is large. */
export function logGammaShare(n: Expr): Expr {
  return select(isMany(n), neg(log(toReal(n))), lgamma(toReal(n)));
}

/** log(N choose n), minus log N! if N is large, plus log n! and log (N - n)! if those are large. */
export function logChooseShare(N: Expr, n: Expr): Expr {
  const shares = add(logFactorialShare(n), logFactorialShare(sub(N, n)));
  return select(isMany(N), neg(shares), call2('lchoose', N, n));
}

/** The number of ints from `first` to `last`, as a real. */
export function numbersBetween(first: Expr, last: Expr): Expr {
  return plusOne(sub(toReal(last), toReal(first)));
}

// The logistic family: inverse logit, its logarithms, and logarithms of sums and differences of exponentials.
// Formulas keep full relative accuracy in both tails (Maechler 2012, "Accurately computing log(1 - exp(-|a|))").
import {
  exp,
  exp_v,
  expCommon,
  expEverywhere,
  expm1,
  expm1Reduced,
  isExpCommon,
  LN2,
  remainder,
  shiftedQuotient,
} from './exponential';
import { allWithin, larger, magnitude, negative, over, plus, powerOfShifted, splat, whereLess } from './lanes';
import { log, log1p, log1p_v, log1pUnit, logOfSum } from './logarithm';

/** e^-|x| for every x. */
@inline
function expOfMinusMagnitude<T>(x: T): T {
  const a = negative<T>(magnitude<T>(x));
  if (isExpCommon<T>(a)) return expCommon<T>(a);
  if (isVector<T>()) return exp_v(a);
  return expEverywhere(a, 0.0);
}

@inline
function inverseLogit<T>(x: T): T {
  const e = expOfMinusMagnitude<T>(x);
  const one = splat<T>(1.0);
  return over<T>(whereLess<T>(x, splat<T>(0.0), e, one), plus<T>(one, e));
}

/** 1/(1 + e^-x). */
export function inv_logit(x: f64): f64 {
  return inverseLogit<f64>(x);
}

export function inv_logit_v(x: v128): v128 {
  return inverseLogit<v128>(x);
}

@inline
function softplus<T>(x: T): T {
  return plus<T>(larger<T>(x, splat<T>(0.0)), log1pUnit<T>(expOfMinusMagnitude<T>(x)));
}

/** log(1 + e^x). */
export function log1p_exp(x: f64): f64 {
  return softplus<f64>(x);
}

export function log1p_exp_v(x: v128): v128 {
  return softplus<v128>(x);
}

/** log(1/(1 + e^-x)). */
export function log_inv_logit(x: f64): f64 {
  return -log1p_exp(-x);
}

export function log_inv_logit_v(x: v128): v128 {
  return f64x2.neg(log1p_exp_v(f64x2.neg(x)));
}

/** log(1 - 1/(1 + e^-x)) = log(1/(1 + e^x)). */
export function log1m_inv_logit(x: f64): f64 {
  return -log1p_exp(x);
}

/** log(1 - e^x); -inf at 0, NaN above. */
export function log1m_exp(x: f64): f64 {
  if (x > -LN2) return x > 0.0 ? NaN : log(-expm1(x));
  return log1p(-exp(x));
}

function log1mExpLanesRare(x: v128): v128 {
  const a = log1m_exp(f64x2.extract_lane(x, 0));
  const b = log1m_exp(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

/**
 * One logarithm for both ranges, of 1 - e^x = u + c: u = -expm1(x) and c = 0 above -ln 2; below, u is 1 - e^x rounded and c
 * is the rounding error.
 */
export function log1m_exp_v(x: v128): v128 {
  if (!allWithin<v128>(x, -700.0, -1e-300)) return log1mExpLanesRare(x);
  const one = f64x2.splat(1.0);
  const zero = f64x2.splat(0.0);
  const shifted = shiftedQuotient<v128>(x);
  const fraction = expm1Reduced<v128>(remainder<v128>(x, shifted));
  const scale = powerOfShifted<v128>(shifted);
  const e = f64x2.mul(scale, f64x2.add(one, fraction));
  const near = f64x2.sub(f64x2.sub(one, scale), f64x2.mul(scale, fraction));
  const far = f64x2.sub(one, e);
  const lost = f64x2.sub(f64x2.sub(one, far), e);
  const limit = f64x2.splat(-LN2);
  return logOfSum<v128>(whereLess<v128>(x, limit, far, near), whereLess<v128>(x, limit, lost, zero));
}

const LEAST_ODDS: f64 = 1e-300;
const MOST_ODDS: f64 = 1e300;

/** log(1 - e^x), given odds = 1/(e^-x - 1): log(1 - e^x) = -log(1 + odds). Falls back to `log1m_exp` for extreme odds. */
export function log1m_exp_of_odds(x: f64, odds: f64): f64 {
  if (allWithin<f64>(odds, LEAST_ODDS, MOST_ODDS)) return -log1p(odds);
  return log1m_exp(x);
}

export function log1m_exp_of_odds_v(x: v128, odds: v128): v128 {
  if (allWithin<v128>(odds, LEAST_ODDS, MOST_ODDS)) return f64x2.neg(log1p_v(odds));
  return log1mExpLanesRare(x);
}

/** log(e^x - e^y), x ≥ y; -inf where x = y, NaN where x < y. */
export function log_diff_exp(x: f64, y: f64): f64 {
  if (x <= y) return x < Infinity && x == y ? -Infinity : NaN;
  return x + log1m_exp(y - x);
}

/** log(e^x + e^y). */
export function log_sum_exp(x: f64, y: f64): f64 {
  if (x == y && abs<f64>(x) == Infinity) return x;
  return larger<f64>(x, y) + log1pUnit<f64>(exp(-abs<f64>(x - y)));
}

/** Lanes in which both arguments are the same infinity are handled separately: their difference is NaN. */
export function log_sum_exp_v(x: v128, y: v128): v128 {
  const distance = f64x2.neg(f64x2.abs(f64x2.sub(x, y)));
  const d = v128.bitselect(f64x2.splat(0.0), distance, f64x2.eq(x, y));
  return f64x2.add(larger<v128>(x, y), log1pUnit<v128>(expOfMinusMagnitude<v128>(d)));
}

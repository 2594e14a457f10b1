import {
  add,
  call1,
  compare,
  div,
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

/** Small formulas that densities share. */
export const LOG_TWO = real(Math.LN2);
export const LOG_PI = real(Math.log(Math.PI));
export const HALF = real(0.5);
export const TWO = real(2);
export const NEGATIVE_INFINITY = real(Number.NEGATIVE_INFINITY);
export const MINUS_HALF_LOG_TWO_PI = real(-0.5 * Math.log(2 * Math.PI));

export const half = (x: Expr): Expr => mul(HALF, x);
export const inverse = (x: Expr): Expr => div(ONE, x);
export const minusOne = (x: Expr): Expr => sub(x, ONE);
export const plusOne = (x: Expr): Expr => add(x, ONE);
export const log1m = (x: Expr): Expr => call1('log1p', neg(x));

/** (y - location) / scale, with the reciprocal of the scale apart so that it can be computed once. */
export function standardized(y: Expr, location: Expr, scale: Expr): Expr {
  return mul(sub(y, location), inverse(scale));
}

/** x log y, 0 where x is 0 whatever y is, with finite derivatives there. */
export function timesLog(x: Expr, y: Expr): Expr {
  return mul(x, log(select(compare('eq', toReal(x), ZERO), ONE, y)));
}

/** log erfc(x), accurate where erfc underflows. */
export function logErfc(x: Expr): Expr {
  return add(LOG_TWO, call1('log_Phi', mul(real(-Math.SQRT2), x)));
}

const SERIES_END = 20;
const SERIES_TERMS = 50;
const ASYMPTOTIC_TERMS = 28;

/**
 * log I₀(x) for x ≥ 0: below 20 the power series in x²/4, whose terms are all positive, above it Hankel's expansion.
 * Abramowitz and Stegun 9.6.12, 9.7.1.
 */
export function logBesselI0(x: Expr): Expr {
  const isSmall = compare('lt', x, real(SERIES_END));
  const small = select(isSmall, x, ONE);
  const quarter = mul(real(0.25), square(small));
  let series: Expr = ONE;
  for (let k = SERIES_TERMS; k > 0; k--) series = add(ONE, mul(mul(real(1 / k ** 2), quarter), series));
  const large = select(isSmall, real(SERIES_END), x);
  const eighth = inverse(mul(real(8), large));
  let expansion: Expr = ONE;
  for (let k = ASYMPTOTIC_TERMS; k > 0; k--) {
    expansion = add(ONE, mul(mul(real((2 * k - 1) ** 2 / k), eighth), expansion));
  }
  const asymptotic = add(sub(large, half(log(mul(real(2 * Math.PI), large)))), log(expansion));
  return select(isSmall, log(series), asymptotic);
}

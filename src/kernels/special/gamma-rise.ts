// Quotients of gamma functions without the cancellation of two large logarithms. For a few steps, Γ(x + d)/Γ(x) is the
// product x (x + 1) … (x + d - 1). Otherwise both ends are computed by Stirling's series, whose small terms are subtracted as divided
// differences; if x is below 6.5, both are first moved up by 7.
import {
  DIGAMMA_0,
  DIGAMMA_1,
  DIGAMMA_2,
  DIGAMMA_3,
  DIGAMMA_4,
  DIGAMMA_5,
  DIGAMMA_6,
  DIGAMMA_7,
  digamma,
  lgamma,
  lgamma1p,
  lgamma_v,
  STIRLING_0,
  STIRLING_1,
  STIRLING_2,
  STIRLING_3,
  STIRLING_4,
  STIRLING_5,
  STIRLING_6,
  stirlingDifference,
} from './gamma';
import {
  allAtLeast,
  allWithin,
  larger,
  magnitude,
  minus,
  multiplyAdd,
  nearestInteger,
  over,
  plus,
  smaller,
  splat,
  times,
  whereLess,
} from '../elementary/lanes';
import { log, log1p, log1p_v, logCommon } from '../elementary/logarithm';

/** Maximum number of steps that are multiplied out; a product of that many factors of at most 10^12 does not overflow. */
const STEPS: f64 = 24.0;
const LEAST_FACTOR: f64 = 1e-12;
const MOST_FACTOR: f64 = 1e12;
const SPLIT: f64 = 6.5;
const SHIFT: i32 = 7;
/** Limits within which all numbers in the general form are normal. */
const LEAST: f64 = 1e-30;
const MOST_DISTANCE: f64 = 1e30;
const MOST: f64 = 1e150;
const HALF_LOG_TWO_PI: f64 = 0.9189385332046728;

/** d if it is a small integer and x is moderate, so that the steps are multiplied out; else 0. */
@inline
function stepsOf<T>(x: T, d: T): T {
  const zero = splat<T>(0.0);
  const whole = whereLess<T>(zero, magnitude<T>(minus<T>(d, nearestInteger<T>(d))), zero, d);
  const few = whereLess<T>(splat<T>(STEPS), whole, zero, whole);
  const below = whereLess<T>(splat<T>(MOST_FACTOR), x, zero, few);
  return whereLess<T>(x, splat<T>(LEAST_FACTOR), zero, below);
}

@inline
function mostOf<T>(steps: T): i32 {
  if (isVector<T>()) return <i32>max<f64>(f64x2.extract_lane(steps, 0), f64x2.extract_lane(steps, 1));
  return <i32>steps;
}

/** log of x (x + 1) … (x + d - 1), as two independent products. */
@inline
function logOfSteps<T>(x: T, d: T): T {
  const one = splat<T>(1.0);
  const two = splat<T>(2.0);
  const most = mostOf<T>(d);
  let factor = x;
  let left = d;
  let even = one;
  let odd = one;
  for (let i = 0; i < most; i += 2) {
    even = times<T>(even, whereLess<T>(splat<T>(0.5), left, factor, one));
    odd = times<T>(odd, whereLess<T>(one, left, plus<T>(factor, one), one));
    factor = plus<T>(factor, two);
    left = minus<T>(left, two);
  }
  return logCommon<T>(times<T>(even, odd));
}

/** 1/x + 1/(x + 1) + … + 1/(x + d - 1), two terms as one fraction. */
@inline
function sumOfReciprocals<T>(x: T, d: T): T {
  const zero = splat<T>(0.0);
  const one = splat<T>(1.0);
  const two = splat<T>(2.0);
  const most = mostOf<T>(d);
  let first = x;
  let left = d;
  let sum = zero;
  for (let i = 0; i < most; i += 2) {
    const second = plus<T>(first, one);
    const top = whereLess<T>(one, left, plus<T>(first, second), whereLess<T>(splat<T>(0.5), left, one, zero));
    const bottom = times<T>(first, whereLess<T>(one, left, second, one));
    sum = plus<T>(sum, over<T>(top, bottom));
    first = plus<T>(first, two);
    left = minus<T>(left, two);
  }
  return sum;
}

@inline
function logOnePlus<T>(x: T): T {
  if (isVector<T>()) return log1p_v(x);
  return log1p(x);
}

/** The divided difference of z S(z²) between z = u and z = v, S the polynomial of Stirling's series. */
@inline
function stirlingSlope<T>(u: T, v: T): T {
  const y = times<T>(u, u);
  const z = times<T>(v, v);
  let value = splat<T>(STIRLING_6);
  let slope = value;
  value = multiplyAdd<T>(value, z, splat<T>(STIRLING_5));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(STIRLING_4));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(STIRLING_3));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(STIRLING_2));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(STIRLING_1));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(STIRLING_0));
  return multiplyAdd<T>(times<T>(u, plus<T>(u, v)), slope, value);
}

/** The divided difference of z U(z) between z = u² and z = v², U the polynomial of the series of ψ. */
@inline
function digammaSlope<T>(u: T, v: T): T {
  const y = times<T>(u, u);
  const z = times<T>(v, v);
  let value = splat<T>(DIGAMMA_7);
  let slope = value;
  value = multiplyAdd<T>(value, z, splat<T>(DIGAMMA_6));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(DIGAMMA_5));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(DIGAMMA_4));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(DIGAMMA_3));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(DIGAMMA_2));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(DIGAMMA_1));
  slope = multiplyAdd<T>(slope, y, value);
  value = multiplyAdd<T>(value, z, splat<T>(DIGAMMA_0));
  return multiplyAdd<T>(y, slope, value);
}

/** log(Γ(x + d)/Γ(x)) in the moderate range. */
@inline
function logRise<T>(x: T, d: T): T {
  const zero = splat<T>(0.0);
  const one = splat<T>(1.0);
  const split = splat<T>(SPLIT);
  let from = x;
  let moved = zero;
  if (!allAtLeast<T>(x, SPLIT)) {
    from = whereLess<T>(x, split, plus<T>(x, splat<T>(<f64>SHIFT)), x);
    for (let i = 0; i < SHIFT; i++) {
      const ratio = whereLess<T>(x, split, over<T>(d, plus<T>(x, splat<T>(<f64>i))), zero);
      moved = multiplyAdd<T>(ratio, plus<T>(one, moved), moved);
    }
    moved = logOnePlus<T>(moved);
  }
  const to = plus<T>(from, d);
  const u = over<T>(one, from);
  const v = over<T>(one, to);
  const tail = times<T>(times<T>(times<T>(d, u), v), stirlingSlope<T>(u, v));
  const ratio = times<T>(minus<T>(from, splat<T>(0.5)), logOnePlus<T>(over<T>(d, from)));
  return minus<T>(minus<T>(multiplyAdd<T>(d, minus<T>(logCommon<T>(to), one), ratio), tail), moved);
}

/** ψ(x + d) - ψ(x) in the moderate range. */
@inline
function slopeOfRise<T>(x: T, d: T): T {
  const zero = splat<T>(0.0);
  const one = splat<T>(1.0);
  const split = splat<T>(SPLIT);
  let from = x;
  let moved = zero;
  if (!allAtLeast<T>(x, SPLIT)) {
    from = whereLess<T>(x, split, plus<T>(x, splat<T>(<f64>SHIFT)), x);
    for (let i = 0; i < SHIFT; i++) {
      const a = plus<T>(x, splat<T>(<f64>i));
      moved = plus<T>(moved, over<T>(over<T>(d, a), plus<T>(a, d)));
    }
    moved = whereLess<T>(x, split, moved, zero);
  }
  const u = over<T>(one, from);
  const v = over<T>(one, plus<T>(from, d));
  const step = times<T>(times<T>(d, u), v);
  const tail = times<T>(step, multiplyAdd<T>(plus<T>(u, v), digammaSlope<T>(u, v), splat<T>(0.5)));
  return plus<T>(plus<T>(logOnePlus<T>(over<T>(d, from)), tail), moved);
}

@inline
function areModerate<T>(x: T, d: T): bool {
  return allWithin<T>(x, LEAST, MOST) && allWithin<T>(d, 0.0, MOST_DISTANCE);
}

function logRiseRare(x: f64, d: f64): f64 {
  if (d < 0.0 && x + d > 0.0) return -lgamma_rise(x + d, -d);
  if (d >= 0.0 && x > 0.0 && x < LEAST) {
    const ratio = d / x;
    return lgamma_rise(1.0, d) - (ratio < Infinity ? log1p(ratio) : log(d) - log(x));
  }
  if (d >= 0.0 && x > MOST_DISTANCE && x + d < Infinity) return x * log1p(d / x) + d * (log(x + d) - 1.0);
  return lgamma(x + d) - lgamma(x);
}

/** log |Γ(x + d)/Γ(x)|, for positive x and x + d without cancellation. */
export function lgamma_rise(x: f64, d: f64): f64 {
  if (!areModerate<f64>(x, d)) return logRiseRare(x, d);
  const steps = stepsOf<f64>(x, d);
  return steps > 0.0 ? logOfSteps<f64>(x, steps) : logRise<f64>(x, d);
}

export function lgamma_rise_v(x: v128, d: v128): v128 {
  if (!areModerate<v128>(x, d)) {
    const a = lgamma_rise(f64x2.extract_lane(x, 0), f64x2.extract_lane(d, 0));
    const b = lgamma_rise(f64x2.extract_lane(x, 1), f64x2.extract_lane(d, 1));
    return f64x2.replace_lane(f64x2.splat(a), 1, b);
  }
  const steps = stepsOf<v128>(x, d);
  if (i64x2.all_true(f64x2.eq(steps, d))) return logOfSteps<v128>(x, steps);
  const zero = f64x2.splat(0.0);
  const general = logRise<v128>(x, d);
  if (!v128.any_true(f64x2.gt(steps, zero))) return general;
  return whereLess<v128>(zero, steps, logOfSteps<v128>(x, steps), general);
}

function slopeOfRiseRare(x: f64, d: f64): f64 {
  if (d < 0.0 && x + d > 0.0) return -digamma_rise(x + d, -d);
  if (d >= 0.0 && x > 0.0 && x < LEAST) return digamma_rise(1.0, d) + d / x / (x + d);
  if (d >= 0.0 && x > MOST_DISTANCE && x < Infinity) return log1p(d / x);
  return digamma(x + d) - digamma(x);
}

/** ψ(x + d) - ψ(x), without cancellation for positive x and x + d. */
export function digamma_rise(x: f64, d: f64): f64 {
  if (!areModerate<f64>(x, d)) return slopeOfRiseRare(x, d);
  const steps = stepsOf<f64>(x, d);
  return steps > 0.0 ? sumOfReciprocals<f64>(x, steps) : slopeOfRise<f64>(x, d);
}

export function digamma_rise_v(x: v128, d: v128): v128 {
  if (!areModerate<v128>(x, d)) {
    const a = digamma_rise(f64x2.extract_lane(x, 0), f64x2.extract_lane(d, 0));
    const b = digamma_rise(f64x2.extract_lane(x, 1), f64x2.extract_lane(d, 1));
    return f64x2.replace_lane(f64x2.splat(a), 1, b);
  }
  const steps = stepsOf<v128>(x, d);
  if (i64x2.all_true(f64x2.eq(steps, d))) return sumOfReciprocals<v128>(x, steps);
  const zero = f64x2.splat(0.0);
  const general = slopeOfRise<v128>(x, d);
  if (!v128.any_true(f64x2.gt(steps, zero))) return general;
  return whereLess<v128>(zero, steps, sumOfReciprocals<v128>(x, steps), general);
}

/** Returns `logOfSteps`, and stores `sumOfReciprocals` at `derivative`. */
@inline
function stepsWithReciprocals(x: v128, d: v128, derivative: usize): v128 {
  const zero = f64x2.splat(0.0);
  const half = f64x2.splat(0.5);
  const one = f64x2.splat(1.0);
  const two = f64x2.splat(2.0);
  const most = mostOf<v128>(d);
  let first = x;
  let left = d;
  let even = one;
  let odd = one;
  let sum = zero;
  for (let i = 0; i < most; i += 2) {
    const second = f64x2.add(first, one);
    const isFirst = f64x2.lt(half, left);
    const isSecond = f64x2.lt(one, left);
    const factor = v128.bitselect(second, one, isSecond);
    even = f64x2.mul(even, v128.bitselect(first, one, isFirst));
    odd = f64x2.mul(odd, factor);
    const top = v128.bitselect(f64x2.add(first, second), v128.and(one, isFirst), isSecond);
    sum = f64x2.add(sum, f64x2.div(top, f64x2.mul(first, factor)));
    first = f64x2.add(first, two);
    left = f64x2.sub(left, two);
  }
  v128.store(derivative, sum);
  return logCommon<v128>(f64x2.mul(even, odd));
}

/** Returns `logRise`, and stores `slopeOfRise` at `derivative`. */
@inline
function riseWithSlope(x: v128, d: v128, derivative: usize): v128 {
  const zero = f64x2.splat(0.0);
  const one = f64x2.splat(1.0);
  let from = x;
  let moved = zero;
  let movedSlope = zero;
  if (!allAtLeast<v128>(x, SPLIT)) {
    const isBelow = f64x2.lt(x, f64x2.splat(SPLIT));
    from = v128.bitselect(f64x2.add(x, f64x2.splat(<f64>SHIFT)), x, isBelow);
    for (let i = 0; i < SHIFT; i++) {
      const a = f64x2.add(x, f64x2.splat(<f64>i));
      const quotient = f64x2.div(d, a);
      moved = multiplyAdd<v128>(v128.and(quotient, isBelow), f64x2.add(one, moved), moved);
      movedSlope = f64x2.add(movedSlope, f64x2.div(quotient, f64x2.add(a, d)));
    }
    moved = log1p_v(moved);
    movedSlope = v128.and(movedSlope, isBelow);
  }
  const to = f64x2.add(from, d);
  const u = f64x2.div(one, from);
  const v = f64x2.div(one, to);
  const step = f64x2.mul(f64x2.mul(d, u), v);
  const logarithm = log1p_v(f64x2.div(d, from));
  const slopeTail = f64x2.mul(step, multiplyAdd<v128>(f64x2.add(u, v), digammaSlope<v128>(u, v), f64x2.splat(0.5)));
  v128.store(derivative, f64x2.add(f64x2.add(logarithm, slopeTail), movedSlope));
  const tail = f64x2.mul(step, stirlingSlope<v128>(u, v));
  const ratio = f64x2.mul(f64x2.sub(from, f64x2.splat(0.5)), logarithm);
  const large = multiplyAdd<v128>(d, f64x2.sub(logCommon<v128>(to), one), ratio);
  return f64x2.sub(f64x2.sub(large, tail), moved);
}

/** Returns the result of `lgamma_rise_v`, and stores that of `digamma_rise_v` at `derivative`. */
export function lgamma_digamma_rise_v(x: v128, d: v128, derivative: usize): v128 {
  if (areModerate<v128>(x, d)) {
    const steps = stepsOf<v128>(x, d);
    if (i64x2.all_true(f64x2.eq(steps, d))) return stepsWithReciprocals(x, steps, derivative);
    if (!v128.any_true(f64x2.gt(steps, f64x2.splat(0.0)))) return riseWithSlope(x, d, derivative);
  }
  v128.store(derivative, digamma_rise_v(x, d));
  return lgamma_rise_v(x, d);
}

/** Returns the result of `rise_share_v`, and stores that of `digamma_rise_v` at `derivative`. */
export function rise_share_digamma_v(x: v128, n: v128, derivative: usize): v128 {
  if (i64x2.all_true(f64x2.lt(n, f64x2.splat(MANY)))) return lgamma_digamma_rise_v(x, n, derivative);
  v128.store(derivative, digamma_rise_v(x, n));
  return rise_share_v(x, n);
}

/** From this on, the logarithms of factorials and rises are so large that subtracting them loses digits. */
const MANY: f64 = 100000.0;

/** log of x (x + 1) … (x + n - 1); from n = 100,000 on, where this is large, log of its ratio to n!. */
export function rise_share(x: f64, n: f64): f64 {
  return n < MANY ? lgamma_rise(x, n) : -lbeta(x, n + 1.0) - log(x + n);
}

export function rise_share_v(x: v128, n: v128): v128 {
  if (i64x2.all_true(f64x2.lt(n, f64x2.splat(MANY)))) return lgamma_rise_v(x, n);
  const first = rise_share(f64x2.extract_lane(x, 0), f64x2.extract_lane(n, 0));
  const second = rise_share(f64x2.extract_lane(x, 1), f64x2.extract_lane(n, 1));
  return f64x2.replace_lane(f64x2.splat(first), 1, second);
}

/** log B(a, b) for a, b ≥ 0 without the cancellation of three large log gammas. */
export function lbeta(a: f64, b: f64): f64 {
  if (isNaN<f64>(a) || isNaN<f64>(b)) return NaN;
  const x = smaller<f64>(a, b);
  const y = larger<f64>(a, b);
  if (x == 0.0) return Infinity;
  if (x <= MOST_DISTANCE && y <= MOST) return lgamma(x) - lgamma_rise(y, x);
  if (y == Infinity) return -Infinity;
  const sum = x + y;
  const ratio = log1p(-x / sum);
  const difference = stirlingDifference(y) - stirlingDifference(sum);
  if (x < SPLIT) return lgamma(x) + (y - 0.5) * ratio + x * (1.0 - log(sum)) + difference;
  return (x - 0.5) * log(x / sum) + y * ratio + HALF_LOG_TWO_PI - 0.5 * log(y) + (stirlingDifference(x) + difference);
}

export function lbeta_v(a: v128, b: v128): v128 {
  const x = smaller<v128>(a, b);
  const y = larger<v128>(a, b);
  if (areModerate<v128>(y, x)) return f64x2.sub(lgamma_v(x), lgamma_rise_v(y, x));
  const first = lbeta(f64x2.extract_lane(a, 0), f64x2.extract_lane(b, 0));
  const second = lbeta(f64x2.extract_lane(a, 1), f64x2.extract_lane(b, 1));
  return f64x2.replace_lane(f64x2.splat(first), 1, second);
}

/** The smaller of k and n - k. */
@inline
function chosen<T>(n: T, k: T): T {
  return whereLess<T>(multiplyAdd<T>(splat<T>(0.5), n, splat<T>(0.5)), k, minus<T>(n, k), k);
}

/** log of the binomial coefficient (n choose k) for real n > -1, -1 < k < n + 1. */
export function lchoose(n: f64, k: f64): f64 {
  const j = chosen<f64>(n, k);
  return lgamma_rise(n - j + 1.0, j) - (abs<f64>(j) >= 0.5 ? lgamma(j + 1.0) : j == 0.0 ? 0.0 : lgamma1p(j));
}

export function lchoose_v(n: v128, k: v128): v128 {
  const one = f64x2.splat(1.0);
  const j = chosen<v128>(n, k);
  // 0 passes the check: log(0!) = 0 is exact, unlike that of small fractions.
  const isNone = f64x2.eq(j, f64x2.splat(0.0));
  if (!allAtLeast<v128>(v128.bitselect(one, j, isNone), 0.5)) {
    const a = lchoose(f64x2.extract_lane(n, 0), f64x2.extract_lane(k, 0));
    const b = lchoose(f64x2.extract_lane(n, 1), f64x2.extract_lane(k, 1));
    return f64x2.replace_lane(f64x2.splat(a), 1, b);
  }
  return f64x2.sub(lgamma_rise_v(f64x2.add(f64x2.sub(n, j), one), j), lgamma_v(f64x2.add(j, one)));
}

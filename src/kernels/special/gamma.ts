// Gamma function family. Below 6.5, the argument is moved to a unit interval: around 2 for log Γ, which includes its
// positive zeros, and around the zero of ψ. Above, Stirling's series is used. Polynomials are our own minimax fits
// (Remez, 60 digits); the split resembles that of Cody and Hillstrom (Math. Comp. 21, 1967).
import { exp } from '../elementary/exponential';
import {
  allAtLeast,
  allBelow,
  allWithin,
  cubic,
  horner,
  linear,
  minus,
  multiplyAdd,
  nearestInteger,
  over,
  plus,
  splat,
  times,
  whereLess,
  wholePart,
} from '../elementary/lanes';
import { log, log1p, logCommon } from '../elementary/logarithm';
import { pow } from '../elementary/power';
import { cos, sin } from '../elementary/trigonometric';

const SPLIT: f64 = 6.5;
const HALF_LOG_TWO_PI: f64 = 0.9189385332046728;
const LOG_PI: f64 = 1.1447298858494002;
const PI: f64 = 3.141592653589793;
const COMMON_LOW: f64 = 1e-300;
const COMMON_HIGH: f64 = 1e300;

/** log Γ(2 + y) for |y| ≤ ½, relative error below 2^-62. */
@inline
function logGammaAboutTwo<T>(y: T): T {
  const y2 = times<T>(y, y);
  const y4 = times<T>(y2, y2);
  const p0 = cubic<T>(y, y2, 0.42278433509846713, 0.3224670334241132, -0.06735230105319814, 0.020580808427784925);
  const p1 = cubic<T>(y, y2, -0.007385551028668398, 0.00289051033071368, -0.001192753911990993, 0.0005096695256873162);
  const p2 = cubic<T>(y, y2, -0.0002231547509514221, 9.945749519467919e-5, -4.49263487219006e-5, 2.0507409010595312e-5);
  const p3 = cubic<T>(y, y2, -9.43847487890317e-6, 4.373503434526723e-6, -2.0448562232840095e-6, 9.610538963407313e-7);
  const p4 = cubic<T>(
    y,
    y2,
    -4.304922203026433e-7,
    1.9667217290410004e-7,
    -1.3400701800595269e-7,
    6.916023681283724e-8,
  );
  const upper = multiplyAdd<T>(multiplyAdd<T>(p4, y4, p3), y4, p2);
  const sum = multiplyAdd<T>(multiplyAdd<T>(upper, y4, p1), y4, p0);
  return times<T>(y, sum);
}

/** The factors between x and 2 + y, |y| ≤ ½, 10^-300 ≤ x ≤ 6.5; `n`: the integer nearest to x. */
@inline
function gammaFactors<T>(x: T, n: T): T {
  const one = splat<T>(1.0);
  const down = times<T>(
    times<T>(
      whereLess<T>(splat<T>(2.5), n, minus<T>(x, one), one),
      whereLess<T>(splat<T>(3.5), n, minus<T>(x, splat<T>(2.0)), one),
    ),
    times<T>(
      whereLess<T>(splat<T>(4.5), n, minus<T>(x, splat<T>(3.0)), one),
      whereLess<T>(splat<T>(5.5), n, minus<T>(x, splat<T>(4.0)), one),
    ),
  );
  const up = times<T>(x, whereLess<T>(n, splat<T>(0.5), plus<T>(x, one), one));
  return whereLess<T>(n, splat<T>(1.5), up, down);
}

/** log Γ(x), 10^-300 ≤ x ≤ 6.5: log Γ(2 + y) plus or minus the logarithm of the factors between x and 2 + y. */
@inline
function logGammaSmall<T>(x: T, n: T, logFactors: T): T {
  const isBelow = splat<T>(1.5);
  const value = logGammaAboutTwo<T>(minus<T>(x, n));
  return whereLess<T>(n, isBelow, minus<T>(value, logFactors), plus<T>(value, logFactors));
}

/** Coefficients of x (log Γ(x) - (x - ½) log x + x - ½ log 2π) as a polynomial in 1/x², x ≥ 6.5. */
export const STIRLING_0: f64 = 0.08333333333333302;
export const STIRLING_1: f64 = -0.002777777777488071;
export const STIRLING_2: f64 = 0.0007936506959896052;
export const STIRLING_3: f64 = -0.0005952220101195742;
export const STIRLING_4: f64 = 0.0008402966209925034;
export const STIRLING_5: f64 = -0.001842914867212489;
export const STIRLING_6: f64 = 0.004300653241492493;

@inline
function stirlingTail<T>(z: T): T {
  const z2 = times<T>(z, z);
  const low = cubic<T>(z, z2, STIRLING_0, STIRLING_1, STIRLING_2, STIRLING_3);
  const high = horner<T>(linear<T>(z, STIRLING_5, STIRLING_6), z, STIRLING_4);
  return multiplyAdd<T>(times<T>(z2, z2), high, low);
}

/** log Γ(x), x ≥ 6.5, given 1/x and log x. */
@inline
function logGammaLarge<T>(x: T, reciprocal: T, logX: T): T {
  const tail = times<T>(reciprocal, stirlingTail<T>(times<T>(reciprocal, reciprocal)));
  return multiplyAdd<T>(
    minus<T>(x, splat<T>(0.5)),
    minus<T>(logX, splat<T>(1.0)),
    plus<T>(splat<T>(HALF_LOG_TWO_PI - 0.5), tail),
  );
}

/** sin(πx) for any x, exact argument reduction. */
function sinPi(x: f64): f64 {
  const r = x - 2.0 * nearest<f64>(0.5 * x);
  const a = abs<f64>(r);
  const value = a < 0.25 ? sin(PI * a) : a < 0.75 ? cos(PI * (a - 0.5)) : sin(PI * (1.0 - a));
  return r < 0.0 ? -value : value;
}

function logGammaRare(x: f64): f64 {
  if (isNaN<f64>(x)) return x;
  if (abs<f64>(x) == Infinity) return Infinity;
  if (x > 1.0) return x * (log(x) - 1.0);
  if (x == 0.0) return Infinity;
  if (abs<f64>(x) < 1e-300) return -log(abs<f64>(x));
  if (x == floor<f64>(x)) return Infinity;
  if (x > -0.5) return lgamma1p(x) - log(-x);
  const size = -x;
  return LOG_PI - log(abs<f64>(sinPi(x)) * size) - lgamma(size);
}

/** log |Γ(x)|; +inf at 0 and the negative integers. */
export function lgamma(x: f64): f64 {
  if (!allWithin<f64>(x, COMMON_LOW, COMMON_HIGH)) return logGammaRare(x);
  if (x >= SPLIT) return logGammaLarge<f64>(x, 1.0 / x, logCommon<f64>(x));
  const n = nearest<f64>(x);
  return logGammaSmall<f64>(x, n, logCommon<f64>(gammaFactors<f64>(x, n)));
}

function logGammaLanesRare(x: v128): v128 {
  const a = lgamma(f64x2.extract_lane(x, 0));
  const b = lgamma(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

export function lgamma_v(x: v128): v128 {
  if (!allWithin<v128>(x, COMMON_LOW, COMMON_HIGH)) return logGammaLanesRare(x);
  const reciprocal = f64x2.div(f64x2.splat(1.0), x);
  if (allAtLeast<v128>(x, SPLIT)) return logGammaLarge<v128>(x, reciprocal, logCommon<v128>(x));
  const n = f64x2.nearest(x);
  const factors = gammaFactors<v128>(x, n);
  if (allBelow<v128>(x, SPLIT)) return logGammaSmall<v128>(x, n, logCommon<v128>(factors));
  const split = f64x2.splat(SPLIT);
  const logarithm = logCommon<v128>(whereLess<v128>(x, split, factors, x));
  const small = logGammaSmall<v128>(x, n, logarithm);
  return whereLess<v128>(x, split, small, logGammaLarge<v128>(x, reciprocal, logarithm));
}

const ROOT_HIGH: f64 = 1.4616321449683622;
const ROOT_LOW: f64 = 9.549995429965697e-17;

/** ψ(x)/(x - root) for y = x - 1.7, |y| ≤ ½. */
@inline
function digammaOverRoot<T>(y: T): T {
  const y2 = times<T>(y, y);
  const y4 = times<T>(y2, y2);
  const p0 = cubic<T>(y, y2, 0.8748993225022484, -0.34260698585977845, 0.1701674238024474, -0.09190454544370817);
  const p1 = cubic<T>(y, y2, 0.051583312701889546, -0.02953466111564276, 0.01709776250607031, -0.009960996992984061);
  const p2 = cubic<T>(
    y,
    y2,
    0.005825012376009916,
    -0.0034140703825246642,
    0.0020037676012518617,
    -0.0011770910256659946,
  );
  const p3 = cubic<T>(
    y,
    y2,
    0.0006918102691828045,
    -0.0004063003980204064,
    0.00023887221412197018,
    -0.00014268183845979394,
  );
  const p4 = cubic<T>(
    y,
    y2,
    8.407596650678086e-5,
    -4.2467925732741716e-5,
    2.4684791535346524e-5,
    -2.693549488435289e-5,
  );
  const p5 = splat<T>(1.6080004162079913e-5);
  const top = multiplyAdd<T>(multiplyAdd<T>(p5, y4, p4), y4, p3);
  return multiplyAdd<T>(multiplyAdd<T>(multiplyAdd<T>(top, y4, p2), y4, p1), y4, p0);
}

/** ψ(x), 10^-300 ≤ x < 6.5: from [1.2, 2.2) by ψ(x + 1) = ψ(x) + 1/x, the reciprocals summed as one fraction. */
@inline
function digammaSmall<T>(x: T): T {
  const one = splat<T>(1.0);
  const zero = splat<T>(0.0);
  const steps = minus<T>(wholePart<T>(minus<T>(x, splat<T>(0.2))), one);
  let top = zero;
  let bottom = one;
  for (let i = 1; i <= 5; i++) {
    const limit = splat<T>(<f64>i - 0.5);
    const factor = minus<T>(x, splat<T>(<f64>i));
    top = whereLess<T>(limit, steps, multiplyAdd<T>(top, factor, bottom), top);
    bottom = whereLess<T>(limit, steps, times<T>(bottom, factor), bottom);
  }
  const next = plus<T>(x, one);
  const up = splat<T>(-0.5);
  const twice = splat<T>(-1.5);
  top = whereLess<T>(steps, up, whereLess<T>(steps, twice, minus<T>(minus<T>(zero, x), next), splat<T>(-1.0)), top);
  bottom = whereLess<T>(steps, up, whereLess<T>(steps, twice, times<T>(x, next), x), bottom);
  const base = minus<T>(x, steps);
  const fromRoot = minus<T>(minus<T>(base, splat<T>(ROOT_HIGH)), splat<T>(ROOT_LOW));
  return multiplyAdd<T>(fromRoot, digammaOverRoot<T>(minus<T>(base, splat<T>(1.7))), over<T>(top, bottom));
}

/** Coefficients of x² (log x - 1/2x - ψ(x)) as a polynomial in 1/x², x ≥ 6.5: the asymptotic series refitted. */
export const DIGAMMA_0: f64 = 0.08333333333333318;
export const DIGAMMA_1: f64 = -0.008333333333140002;
export const DIGAMMA_2: f64 = 0.003968253881726888;
export const DIGAMMA_3: f64 = -0.0041666475255068055;
export const DIGAMMA_4: f64 = 0.0075733691213383;
export const DIGAMMA_5: f64 = -0.02091500874194128;
export const DIGAMMA_6: f64 = 0.07535618506969946;
export const DIGAMMA_7: f64 = -0.23350666586537303;

/** ψ(x), x ≥ 6.5, given 1/x and log x. */
@inline
function digammaLarge<T>(reciprocal: T, logX: T): T {
  const z = times<T>(reciprocal, reciprocal);
  const z2 = times<T>(z, z);
  const low = cubic<T>(z, z2, DIGAMMA_0, DIGAMMA_1, DIGAMMA_2, DIGAMMA_3);
  const high = cubic<T>(z, z2, DIGAMMA_4, DIGAMMA_5, DIGAMMA_6, DIGAMMA_7);
  const tail = multiplyAdd<T>(times<T>(z2, z2), high, low);
  return minus<T>(logX, multiplyAdd<T>(z, tail, times<T>(splat<T>(0.5), reciprocal)));
}

function digammaRare(x: f64): f64 {
  if (isNaN<f64>(x)) return x;
  if (x > 1.0) return log(x);
  if (x == -Infinity) return NaN;
  if (x == 0.0) return copysign<f64>(Infinity, -x);
  if (abs<f64>(x) < 1e-300) return -1.0 / x;
  if (x == floor<f64>(x)) return NaN;
  const r = x - nearest<f64>(x);
  return digamma(1.0 - x) - (PI * sinPi(r + 0.5)) / sinPi(r);
}

/** ψ(x) = d/dx log Γ(x); NaN at the negative integers. */
export function digamma(x: f64): f64 {
  if (!allWithin<f64>(x, COMMON_LOW, COMMON_HIGH)) return digammaRare(x);
  return x < SPLIT ? digammaSmall<f64>(x) : digammaLarge<f64>(1.0 / x, logCommon<f64>(x));
}

function digammaLanesRare(x: v128): v128 {
  const a = digamma(f64x2.extract_lane(x, 0));
  const b = digamma(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

export function digamma_v(x: v128): v128 {
  if (!allWithin<v128>(x, COMMON_LOW, COMMON_HIGH)) return digammaLanesRare(x);
  if (allBelow<v128>(x, SPLIT)) return digammaSmall<v128>(x);
  const large = digammaLarge<v128>(f64x2.div(f64x2.splat(1.0), x), logCommon<v128>(x));
  if (allAtLeast<v128>(x, SPLIT)) return large;
  return whereLess<v128>(x, f64x2.splat(SPLIT), digammaSmall<v128>(x), large);
}

/** Returns log |Γ(x)|, and stores ψ(x) at `derivative`. The bits equal those of `lgamma_v` and `digamma_v`. */
export function lgamma_digamma_v(x: v128, derivative: usize): v128 {
  if (!allWithin<v128>(x, COMMON_LOW, COMMON_HIGH)) {
    v128.store(derivative, digammaLanesRare(x));
    return logGammaLanesRare(x);
  }
  if (allBelow<v128>(x, SPLIT)) {
    v128.store(derivative, digammaSmall<v128>(x));
    const n = f64x2.nearest(x);
    return logGammaSmall<v128>(x, n, logCommon<v128>(gammaFactors<v128>(x, n)));
  }
  const reciprocal = f64x2.div(f64x2.splat(1.0), x);
  if (allAtLeast<v128>(x, SPLIT)) {
    const logX = logCommon<v128>(x);
    v128.store(derivative, digammaLarge<v128>(reciprocal, logX));
    return logGammaLarge<v128>(x, reciprocal, logX);
  }
  const split = f64x2.splat(SPLIT);
  const n = f64x2.nearest(x);
  // One lane takes the logarithm of x, the other that of the factors.
  const logarithm = logCommon<v128>(whereLess<v128>(x, split, gammaFactors<v128>(x, n), x));
  v128.store(derivative, whereLess<v128>(x, split, digammaSmall<v128>(x), digammaLarge<v128>(reciprocal, logarithm)));
  const small = logGammaSmall<v128>(x, n, logarithm);
  return whereLess<v128>(x, split, small, logGammaLarge<v128>(x, reciprocal, logarithm));
}

/** ψ'(x): recurrence up to 12, then the asymptotic series in Bernoulli numbers; reflection below 0. +inf at the poles. */
export function trigamma(x: f64): f64 {
  if (isNaN<f64>(x)) return x;
  if (x <= 0.0) {
    if (x == floor<f64>(x)) return Infinity;
    const s = sinPi(x);
    return (PI / s) * (PI / s) - trigamma(1.0 - x);
  }
  let sum: f64 = 0.0;
  while (x < 12.0) {
    sum += 1.0 / (x * x);
    x += 1.0;
  }
  const z = 1.0 / (x * x);
  let tail: f64 = 1.1666666666666667;
  tail = -0.2531135531135531 + z * tail;
  tail = 0.07575757575757576 + z * tail;
  tail = -0.03333333333333333 + z * tail;
  tail = 0.023809523809523808 + z * tail;
  tail = -0.03333333333333333 + z * tail;
  tail = 0.16666666666666666 + z * tail;
  return sum + (1.0 / x + 0.5 * z + (z * tail) / x);
}

/** ψ''(x), the derivative of trigamma: recurrence up to 12, asymptotic series, reflection. -inf at 0, NaN at the other poles, where the one-sided limits differ. */
export function tetragamma(x: f64): f64 {
  if (isNaN<f64>(x)) return x;
  if (x <= 0.0) {
    if (x == floor<f64>(x)) return x == 0.0 ? -Infinity : NaN;
    const s = sinPi(x);
    const ratio = PI / s;
    return tetragamma(1.0 - x) - 2.0 * ratio * ratio * ratio * sinPi(x + 0.5);
  }
  let sum: f64 = 0.0;
  while (x < 14.0) {
    sum += 1.0 / (x * x * x);
    x += 1.0;
  }
  const z = 1.0 / (x * x);
  let tail: f64 = 17.5;
  tail = -3.2904761904761903 + z * tail;
  tail = 0.8333333333333334 + z * tail;
  tail = -0.3 + z * tail;
  tail = 0.16666666666666666 + z * tail;
  tail = -0.16666666666666666 + z * tail;
  tail = 0.5 + z * tail;
  return -(2.0 * sum + z + z / x + z * z * tail);
}

/** Γ(x) for x ≥ 0.5. */
function gammaPositive(x: f64): f64 {
  if (x > 171.7) return Infinity;
  if (x < 24.0) {
    // rounding to even would map 0.5 to 0
    const n = max<f64>(nearest<f64>(x), 1.0);
    const y = x - n;
    let value = exp(logGammaAboutTwo<f64>(y));
    if (n < 2.0) return value / x;
    for (let i: f64 = 2.0; i < n; i += 1.0) value *= y + i;
    return value;
  }
  const reciprocal = 1.0 / x;
  const tail = reciprocal * stirlingTail<f64>(reciprocal * reciprocal);
  const half = pow(x, 0.5 * (x - 0.5));
  return half * exp(-x) * half * 2.5066282746310002 * exp(tail);
}

/** Γ(x); exact at small positive integers; NaN at the negative integers. */
export function tgamma(x: f64): f64 {
  if (!(x < 0.5)) return x < Infinity ? gammaPositive(x) : x;
  if (x == 0.0) return copysign<f64>(Infinity, x);
  if (x == floor<f64>(x)) return NaN;
  if (x > -0.5) return gammaPositive(1.0 + x) / x;
  return -PI / (sinPi(x) * x * tgamma(-x));
}

/** log Γ(1 + x), |x| ≤ ½, with full relative accuracy near 0. */
export function lgamma1p(x: f64): f64 {
  return logGammaAboutTwo<f64>(x) - log1p(x);
}

/** ψ(x) - log x for x ≥ 20 by the asymptotic series. */
export function digammaTail(x: f64): f64 {
  const z = 1.0 / (x * x);
  return -0.5 / x - z * (0.08333333333333333 - z * (1.0 / 120.0 - z * (1.0 / 252.0 - z / 240.0)));
}

/** log Γ(x) minus Stirling's formula, x ≥ 6.5. */
export function stirlingDifference(x: f64): f64 {
  const reciprocal = 1.0 / x;
  return reciprocal * stirlingTail<f64>(reciprocal * reciprocal);
}

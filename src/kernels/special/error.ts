// Error function family, by one kernel: e^(u²) erfc(u) for u ≥ 0 as a polynomial in (u - 3)/(u + 3) over 1 + 2u (the
// form of Shepherd and Laframboise, Math. Comp. 36, 1981; coefficients are our own Remez fit).
import { exp, expEverywhere, expOfSum } from '../elementary/exponential';
import {
  allAtMost,
  allWithin,
  cubic,
  linear,
  magnitude,
  minus,
  multiplyAdd,
  negative,
  over,
  plus,
  smaller,
  splat,
  times,
  upperPart,
  whereLess,
  withSignOf,
} from '../elementary/lanes';
import { log, log1p, logCommon, logOfSum } from '../elementary/logarithm';
import { inv_logit } from '../elementary/logistic';

const SQRT_HALF: f64 = 0.7071067811865476;
const COMMON_LIMIT: f64 = 26.5;

/** e^(u²) erfc(u), u ≥ 0. */
@inline
export function scaledErfc<T>(u: T): T {
  const a = plus<T>(u, splat<T>(3.0));
  const b = linear<T>(u, 1.0, 2.0);
  const inverse = over<T>(splat<T>(1.0), times<T>(a, b));
  const t = times<T>(times<T>(minus<T>(u, splat<T>(3.0)), b), inverse);
  const t2 = times<T>(t, t);
  const t4 = times<T>(t2, t2);
  const p0 = cubic<T>(t, t2, 1.2530080582697296, -0.1356211061245812, -0.04756229435344871, 0.12964515870276253);
  const p1 = cubic<T>(t, t2, -0.11927366341541075, 0.06830802734392548, -0.023770514916693665, 0.0025293918167405157);
  const p2 = cubic<T>(
    t,
    t2,
    0.001888690340188155,
    -0.000779832276841376,
    -0.00010515969112701665,
    0.00012509937253728484,
  );
  const p3 = cubic<T>(t, t2, 4.949090354875909e-6, -2.010062293766582e-5, -7.305676428274124e-7, 3.472512490380365e-6);
  const p4 = cubic<T>(
    t,
    t2,
    3.553361676972689e-7,
    -6.167628024616659e-7,
    -1.4002032599020306e-7,
    1.0195195974612871e-7,
  );
  const p5 = cubic<T>(t, t2, 4.075387991896036e-8, -1.3360102192374139e-8, -8.096705831141972e-9, 9.94605248297876e-10);
  const p6 = splat<T>(8.18790787940129e-10);
  const t8 = times<T>(t4, t4);
  const top = multiplyAdd<T>(p6, t8, multiplyAdd<T>(p5, t4, p4));
  const upper = multiplyAdd<T>(top, t8, multiplyAdd<T>(p3, t4, p2));
  const sum = multiplyAdd<T>(upper, t8, multiplyAdd<T>(p1, t4, p0));
  return times<T>(sum, times<T>(a, inverse));
}

/** The rounding error of x·x = square, times -1. */
@inline
function squareExcess<T>(x: T, square: T): T {
  const high = upperPart<T>(x);
  const low = minus<T>(x, high);
  return minus<T>(minus<T>(square, times<T>(high, high)), times<T>(low, plus<T>(x, high)));
}

/** e^(-x²) for |x| ≤ 26.5. */
@inline
function gaussian<T>(x: T): T {
  const square = times<T>(x, x);
  return expOfSum<T>(negative<T>(square), squareExcess<T>(x, square));
}

/** erf x for |x| ≤ 1. */
@inline
function erfSmall<T>(x: T): T {
  const z = times<T>(x, x);
  const z2 = times<T>(z, z);
  const z4 = times<T>(z2, z2);
  const p0 = cubic<T>(z, z2, 1.1283791670955126, -0.3761263890318352, 0.11283791670944185, -0.026866170643111496);
  const p1 = cubic<T>(
    z,
    z2,
    0.005223977606118922,
    -0.0008548325929336301,
    0.00012055293577455848,
    -1.4924712310187371e-5,
  );
  const p2 = cubic<T>(
    z,
    z2,
    1.644713164143383e-6,
    -1.6206314084709713e-7,
    1.3710981039398077e-8,
    -7.779468526812056e-10,
  );
  return times<T>(x, multiplyAdd<T>(multiplyAdd<T>(p2, z4, p1), z4, p0));
}

/** erfc x for |x| ≤ 26.5. */
@inline
function erfcCommon<T>(x: T): T {
  const a = magnitude<T>(x);
  const tail = times<T>(gaussian<T>(a), scaledErfc<T>(a));
  return whereLess<T>(x, splat<T>(0.0), minus<T>(splat<T>(2.0), tail), tail);
}

@inline
function erfAll<T>(x: T): T {
  const one = splat<T>(1.0);
  const a = smaller<T>(magnitude<T>(x), splat<T>(7.0));
  const far = minus<T>(one, times<T>(gaussian<T>(a), scaledErfc<T>(a)));
  return withSignOf<T>(whereLess<T>(one, a, far, magnitude<T>(erfSmall<T>(a))), x);
}

/** Error function. */
export function erf(x: f64): f64 {
  if (abs<f64>(x) <= 1.0) return erfSmall<f64>(x);
  return isNaN<f64>(x) ? x : erfAll<f64>(x);
}

export function erf_v(x: v128): v128 {
  if (allAtMost<v128>(f64x2.abs(x), 1.0)) return erfSmall<v128>(x);
  return v128.bitselect(erfAll<v128>(x), x, f64x2.eq(x, x));
}

function erfcRare(x: f64): f64 {
  if (isNaN<f64>(x)) return x;
  if (x < 0.0) return 2.0;
  if (x > 28.0) return 0.0;
  const square = x * x;
  return expEverywhere(-square, squareExcess<f64>(x, square)) * scaledErfc<f64>(x);
}

/** 1 - erf x, relative accuracy in the upper tail. */
export function erfc(x: f64): f64 {
  if (allAtMost<f64>(abs<f64>(x), COMMON_LIMIT)) return erfcCommon<f64>(x);
  return erfcRare(x);
}

function erfcLanesRare(x: v128): v128 {
  const a = erfc(f64x2.extract_lane(x, 0));
  const b = erfc(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

export function erfc_v(x: v128): v128 {
  if (allAtMost<v128>(f64x2.abs(x), COMMON_LIMIT)) return erfcCommon<v128>(x);
  return erfcLanesRare(x);
}

/** e^(-x²/2) e^(x²/2) Φ(-|x|), |x| clamped to 37.5; below -37.5, Stan's Phi is 0. */
@inline
function normalTail<T>(a: T): T {
  const square = times<T>(a, a);
  const half = splat<T>(0.5);
  const density = expOfSum<T>(times<T>(splat<T>(-0.5), square), times<T>(half, squareExcess<T>(a, square)));
  return times<T>(density, times<T>(half, scaledErfc<T>(times<T>(a, splat<T>(SQRT_HALF)))));
}

@inline
function normalDistribution<T>(x: T): T {
  const a = smaller<T>(magnitude<T>(x), splat<T>(37.5));
  const tail = normalTail<T>(a);
  const lower = whereLess<T>(x, splat<T>(-37.5), splat<T>(0.0), tail);
  return whereLess<T>(splat<T>(0.0), x, minus<T>(splat<T>(1.0), tail), lower);
}

/** Standard normal distribution function; 0 below -37.5, as in Stan. */
export function Phi(x: f64): f64 {
  return isNaN<f64>(x) ? x : normalDistribution<f64>(x);
}

export function Phi_v(x: v128): v128 {
  return v128.bitselect(normalDistribution<v128>(x), x, f64x2.eq(x, x));
}

/** log Φ(x), x ≤ 0: the logarithm of e^(x²/2) Φ(x), minus x²/2. */
@inline
function lowerLogDistribution<T>(x: T): T {
  const scaled = times<T>(splat<T>(0.5), scaledErfc<T>(times<T>(x, splat<T>(-SQRT_HALF))));
  return minus<T>(logCommon<T>(scaled), times<T>(splat<T>(0.5), times<T>(x, x)));
}

/**
 * log Φ(x), x ≤ 37.5, with one logarithm for both signs: above 0, of 1 - q = u + c, where q = Φ(-x) and c is the rounding error; below 0,
 * of e^(x²/2) Φ(x).
 */
@inline
function logDistribution<T>(x: T): T {
  const zero = splat<T>(0.0);
  const one = splat<T>(1.0);
  const half = splat<T>(0.5);
  const a = magnitude<T>(x);
  const near = smaller<T>(a, splat<T>(37.5));
  const square = times<T>(near, near);
  const density = expOfSum<T>(times<T>(splat<T>(-0.5), square), times<T>(half, squareExcess<T>(near, square)));
  const scaled = times<T>(half, scaledErfc<T>(times<T>(a, splat<T>(SQRT_HALF))));
  const q = times<T>(density, scaled);
  const u = minus<T>(one, q);
  const lost = minus<T>(minus<T>(one, u), q);
  const value = logOfSum<T>(whereLess<T>(x, zero, scaled, u), whereLess<T>(x, zero, zero, lost));
  return minus<T>(value, whereLess<T>(x, zero, times<T>(half, times<T>(x, x)), zero));
}

/** log Φ(x), whole range: Stan's std_normal_lcdf. */
export function log_Phi(x: f64): f64 {
  if (x < 0.0) return x == -Infinity ? x : lowerLogDistribution<f64>(x);
  if (x <= 37.5) return logDistribution<f64>(x);
  return isNaN<f64>(x) ? x : 0.0;
}

export function log_Phi_v(x: v128): v128 {
  if (allWithin<v128>(x, -1e150, 0.0)) return lowerLogDistribution<v128>(x);
  if (allWithin<v128>(x, -1e150, 37.5)) return logDistribution<v128>(x);
  const a = log_Phi(f64x2.extract_lane(x, 0));
  const b = log_Phi(f64x2.extract_lane(x, 1));
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

/** log(Φ(b) - Φ(a)), a ≤ b, by the formulas of `ir/normal-interval.ts`. */
export function log_Phi_between(a: f64, b: f64): f64 {
  if (isNaN<f64>(a) || isNaN<f64>(b)) return NaN;
  const lower = max<f64>(min<f64>(a, 1e150), -1e150);
  const upper = max<f64>(min<f64>(b, 1e150), -1e150);
  const outer = lower > 0.0 ? -upper : lower;
  const inner = lower > 0.0 ? -lower : upper;
  if (inner <= 0.0) {
    const part = scaledTail<f64>(inner) - exp(0.5 * ((inner - outer) * (inner + outer))) * scaledTail<f64>(outer);
    return log(part) - 0.5 * inner * inner;
  }
  return log1p(
    -(exp(-0.5 * outer * outer) * scaledTail<f64>(outer) + exp(-0.5 * inner * inner) * scaledTail<f64>(inner)),
  );
}

/** e^(x²/2) Φ(-|x|), |x| ≤ 1e150; NaN beyond. */
@inline
function scaledTail<T>(x: T): T {
  return times<T>(splat<T>(0.5), scaledErfc<T>(times<T>(magnitude<T>(x), splat<T>(SQRT_HALF))));
}

export function normal_tail(x: f64): f64 {
  return scaledTail<f64>(x);
}

export function normal_tail_v(x: v128): v128 {
  return scaledTail<v128>(x);
}

/** Logistic approximation of Φ: inv_logit(0.07056 x³ + 1.5976 x) (Bowling et al. 2009). */
export function Phi_approx(x: f64): f64 {
  return inv_logit((0.07056 * x * x + 1.5976) * x);
}

/** Φ⁻¹(p) on [0, 1]: Wichura's algorithm AS 241 (Applied Statistics 37, 1988), 16 digits. NaN outside. */
export function inv_Phi(p: f64): f64 {
  if (!(p >= 0.0 && p <= 1.0)) return NaN;
  const q = p - 0.5;
  if (abs<f64>(q) <= 0.425) {
    const r = 0.180625 - q * q;
    const top =
      ((((((2509.0809287301226727 * r + 33430.575583588128105) * r + 67265.770927008700853) * r +
        45921.953931549871457) *
        r +
        13731.693765509461125) *
        r +
        1971.5909503065514427) *
        r +
        133.14166789178437745) *
        r +
      3.387132872796366608;
    const bottom =
      ((((((5226.495278852854561 * r + 28729.085735721942674) * r + 39307.89580009271061) * r + 21213.794301586595867) *
        r +
        5394.1960214247511077) *
        r +
        687.1870074920579083) *
        r +
        42.313330701600911252) *
        r +
      1.0;
    return (q * top) / bottom;
  }
  const tail = q < 0.0 ? p : 1.0 - p;
  if (tail == 0.0) return copysign<f64>(Infinity, q);
  let r = sqrt<f64>(-log(tail));
  let value: f64;
  if (r <= 5.0) {
    r -= 1.6;
    const top =
      ((((((7.7454501427834140764e-4 * r + 0.0227238449892691845833) * r + 0.24178072517745061177) * r +
        1.27045825245236838258) *
        r +
        3.64784832476320460504) *
        r +
        5.7694972214606914055) *
        r +
        4.6303378461565452959) *
        r +
      1.42343711074968357734;
    const bottom =
      ((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r + 0.0151986665636164571966) * r +
        0.14810397642748007459) *
        r +
        0.68976733498510000455) *
        r +
        1.6763848301838038494) *
        r +
        2.05319162663775882187) *
        r +
      1.0;
    value = top / bottom;
  } else {
    r -= 5.0;
    const top =
      ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 0.0012426609473880784386) * r +
        0.026532189526576123093) *
        r +
        0.29656057182850489123) *
        r +
        1.7848265399172913358) *
        r +
        5.4637849111641143699) *
        r +
      6.6579046435011037772;
    const bottom =
      ((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r +
        7.868691311456132591e-4) *
        r +
        0.0148753612908506148525) *
        r +
        0.13692988092273580531) *
        r +
        0.59983220655588793769) *
        r +
      1.0;
    value = top / bottom;
  }
  return q < 0.0 ? -value : value;
}

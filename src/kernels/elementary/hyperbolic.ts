// Hyperbolic functions and their inverses, all by expm1 and log1p to avoid cancellation at 0.
import { exp, expm1, expm1Common, LN2 } from './exponential';
import { magnitude, negative, over, plus, smaller, splat, times, withSignOf } from './lanes';
import { log, log1p } from './logarithm';

/** tanh |x| = -t/(t + 2), t = e^(-2|x|) - 1. */
@inline
function tanhAll<T>(x: T): T {
  const a = smaller<T>(magnitude<T>(x), splat<T>(30.0));
  const t = expm1Common<T>(times<T>(splat<T>(-2.0), a));
  return withSignOf<T>(over<T>(negative<T>(t), plus<T>(t, splat<T>(2.0))), x);
}

export function tanh(x: f64): f64 {
  return isNaN<f64>(x) ? x : tanhAll<f64>(x);
}

export function tanh_v(x: v128): v128 {
  return v128.bitselect(tanhAll<v128>(x), x, f64x2.eq(x, x));
}

export function sinh(x: f64): f64 {
  const a = abs<f64>(x);
  if (!(a < 709.0)) {
    const half = exp(0.5 * a);
    return copysign<f64>(0.5 * half * half, x);
  }
  const t = expm1(a);
  return copysign<f64>(0.5 * (t + t / (t + 1.0)), x);
}

export function cosh(x: f64): f64 {
  const a = abs<f64>(x);
  if (!(a < 709.0)) {
    const half = exp(0.5 * a);
    return 0.5 * half * half;
  }
  if (a < 0.3) {
    const t = expm1(a);
    return 1.0 + (t * t) / (2.0 * (1.0 + t));
  }
  const e = exp(a);
  return 0.5 * e + 0.5 / e;
}

export function asinh(x: f64): f64 {
  const a = abs<f64>(x);
  if (!(a < 1e8)) return copysign<f64>(log(a) + LN2, x);
  return copysign<f64>(log1p(a + (a * a) / (1.0 + sqrt<f64>(a * a + 1.0))), x);
}

/** Inverse hyperbolic cosine; NaN below 1. */
export function acosh(x: f64): f64 {
  if (!(x < 1e8)) return log(x) + LN2;
  if (x < 1.0) return NaN;
  const t = x - 1.0;
  return log1p(t + sqrt<f64>(t * (t + 2.0)));
}

/** Inverse hyperbolic tangent; NaN outside [-1, 1]. */
export function atanh(x: f64): f64 {
  const a = abs<f64>(x);
  return copysign<f64>(0.5 * log1p((2.0 * a) / (1.0 - a)), x);
}

/** √(x² + y²) without overflow; infinite if either is. */
export function hypot(x: f64, y: f64): f64 {
  const a = abs<f64>(x);
  const b = abs<f64>(y);
  if (a == Infinity || b == Infinity) return Infinity;
  const large = max<f64>(a, b);
  const small = min<f64>(a, b);
  if (large == 0.0) return 0.0;
  if (large < 1e150 && small > 1e-150) return sqrt<f64>(large * large + small * small);
  const ratio = small / large;
  return large * sqrt<f64>(1.0 + ratio * ratio);
}

/** Remainder of x/y with the sign of x. */
export function fmod(x: f64, y: f64): f64 {
  return NativeMath.mod(x, y);
}

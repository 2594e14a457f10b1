// Owen's T function by Gauss-Legendre quadrature of its positive integrand, so that tails keep their relative accuracy.
import { Phi } from './error';
import { exp } from '../elementary/exponential';
import { node, POINTS, weight } from './legendre';

const TWO_PI: f64 = 6.283185307179586;
/** ∫ exp(-h²(1 + x²)/2)/(1 + x²) over [from, to] without the factor exp(-h²/2). */
function panel(h: f64, from: f64, to: f64): f64 {
  const center = 0.5 * (from + to);
  const half = 0.5 * (to - from);
  const rate = -0.5 * h * h;
  let sum: f64 = 0.0;
  for (let i = 0; i < POINTS; i++) {
    const a = center - half * node(i);
    const b = center + half * node(i);
    const a2 = a * a;
    const b2 = b * b;
    sum += weight(i) * (exp(rate * a2) / (1.0 + a2) + exp(rate * b2) / (1.0 + b2));
  }
  return half * sum;
}

/** T(h, a) for h ≥ 0, 0 ≤ a ≤ 1. */
function within(h: f64, a: f64): f64 {
  const end = h * a > 9.0 ? 9.0 / h : a;
  let sum: f64 = 0.0;
  const panels: i32 = h * end > 3.0 ? 3 : 1;
  const width = end / <f64>panels;
  for (let i = 0; i < panels; i++) sum += panel(h, width * <f64>i, width * <f64>(i + 1));
  return (exp(-0.5 * h * h) * sum) / TWO_PI;
}

/** T(h, a) = 1/(2π) ∫₀^a exp(-h²(1 + x²)/2)/(1 + x²) dx. */
export function owens_t(h: f64, a: f64): f64 {
  if (isNaN<f64>(h) || isNaN<f64>(a)) return NaN;
  const x = abs<f64>(h);
  const y = abs<f64>(a);
  let value: f64;
  if (y <= 1.0) value = within(x, y);
  else {
    const p = Phi(-x);
    const q = Phi(-x * y);
    value = 0.5 * (p + q) - p * q - (y < Infinity ? within(x * y, 1.0 / y) : 0.0);
  }
  return a < 0.0 ? -value : value;
}

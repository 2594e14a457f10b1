// Mixed second differences of log Γ and ψ without cancellation. The argument is moved up by recurrences whose terms have the
// same sign, until Stirling's series is accurate; its terms are differenced in closed form (with p = x, q = x + d + n of the sum σ and
// the product P, r = x + d, s = x + n of the same sum and the product Q = P + d n, power sums are polynomials in σ, 1/P, 1/Q).
import { digamma_rise, lgamma_rise } from './gamma-rise';
import { log, log1p } from '../elementary/logarithm';

/** Above this argument, the first terms of Stirling's series suffice. */
const FAR: f64 = 400.0;

/** If x is at most this multiple of the larger distance, two rises by the smaller one can be subtracted without cancellation. */
const RATIO: f64 = 64.0;

/** log of x (x + d + n) / ((x + d) (x + n)) */
function logOfQuotient(x: f64, d: f64, n: f64): f64 {
  const share = (d / (x + d)) * (n / (x + n));
  return share < 0.5 ? log1p(-share) : log((x / (x + d)) * ((x + d + n) / (x + n)));
}

/** log Γ(x + d + n) Γ(x) / (Γ(x + d) Γ(x + n)), x > 0, d, n ≥ 0; else NaN. */
export function lgamma_cross(x: f64, d: f64, n: f64): f64 {
  const near = min<f64>(d, n);
  const far = max<f64>(d, n);
  if (!(x > 0.0 && near >= 0.0)) return NaN;
  if (near == 0.0) return 0.0;
  if (far * RATIO >= x) return lgamma_rise(x + far, near) - lgamma_rise(x, near);
  let moved: f64 = 0.0;
  while (x < FAR) {
    const share = (d / x) * (n / (x + d + n));
    moved += share * (1.0 + moved);
    x += 1.0;
  }
  const sum = 2.0 * x + d + n;
  const u = 1.0 / x / (x + d + n);
  const v = 1.0 / (x + d) / (x + n);
  const scale = d * u * (n * v) * sum;
  const cubes = sum * u * sum * u + sum * u * sum * v + sum * v * sum * v - 3.0 * (u + v);
  const main = (x + d + n - 0.5) * logOfQuotient(x, d, n) + n * log1p(d / x) + d * log1p(n / x);
  return log1p(moved) + main + scale * (1.0 / 12.0 - cubes / 360.0);
}

/** ψ(x + d + n) + ψ(x) - ψ(x + d) - ψ(x + n), x > 0, d, n ≥ 0: the derivative of `lgamma_cross` with respect to x. */
export function digamma_cross(x: f64, d: f64, n: f64): f64 {
  const near = min<f64>(d, n);
  const far = max<f64>(d, n);
  if (!(x > 0.0 && near >= 0.0)) return NaN;
  if (near == 0.0) return 0.0;
  if (far * RATIO >= x) return digamma_rise(x + far, near) - digamma_rise(x, near);
  let moved: f64 = 0.0;
  while (x < FAR) {
    const total = x + d + n;
    moved -= (d / x / (x + d)) * (n / (x + n)) * ((x + total) / total);
    x += 1.0;
  }
  const sum = 2.0 * x + d + n;
  const u = 1.0 / x / (x + d + n);
  const v = 1.0 / (x + d) / (x + n);
  const both = u + v;
  const scale = d * u * (n * v);
  const first = sum * sum * both - 2.0;
  const squares = sum * u * sum * u + sum * v * sum * v;
  const second = sum * sum * both * squares - 4.0 * (squares + sum * u * sum * v) + 2.0 * both;
  return moved + logOfQuotient(x, d, n) - scale * (0.5 * sum + first / 12.0 - second / 120.0);
}

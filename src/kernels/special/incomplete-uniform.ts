// The incomplete gamma functions of a large shape near its mean by Temme's uniform asymptotic expansion (DLMF 8.12.3, 8.12.4, 8.12.7
// to 8.12.11; Temme, SIAM J. Math. Anal. 10, 1979; DiDonato and Morris, ACM TOMS 12, 1986), where series and fractions require √a terms.
// With η²/2 = λ - 1 - log λ, λ = x/a, where η has the sign of λ - 1,
//   Q(a, x) = erfc(η √(a/2))/2 + R,   P(a, x) = erfc(-η √(a/2))/2 - R,   R = e^(-aη²/2)/√(2πa) · Σ c_k(η) a^-k.
import { normal_tail } from './error';
import { exp } from '../elementary/exponential';
import { stirlingDifference } from './gamma';
import { logMinus, TWO_PI } from './incomplete-common';
import { log, log1p } from '../elementary/logarithm';

/** Above this shape, three functions c_k give full accuracy. */
export const UNIFORM: f64 = 10000.0;
/** Distance from the mean, relative to it, up to which the Taylor series of the c_k are used. */
const NEAR: f64 = 0.25;

// Taylor coefficients of c_k in η, exact rationals rounded once: c_0 = 1/(λ - 1) - 1/η, and c_k = c_{k-1}'/η + γ_k/(λ - 1) with the
// number γ_k that removes the pole (DLMF 8.12.9 to 8.12.11).
const FIRST_COUNT: i32 = 14;
const FIRST: usize = memory.data<f64>([
  -0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073, 0.0003527336860670194,
  -0.0001787551440329218, 3.919263178522438e-5, -2.185448510679992e-6, -1.85406221071516e-6, 8.296711340953087e-7,
  -1.7665952736826078e-7, 6.707853543401498e-9, 1.0261809784240309e-8, -4.382036018453353e-9,
]);
const SECOND_COUNT: i32 = 11;
const SECOND: usize = memory.data<f64>([
  -0.001851851851851852, -0.003472222222222222, 0.0026455026455026454, -0.0009902263374485596, 0.00020576131687242798,
  -4.018775720164609e-7, -1.8098550334489977e-5, 7.64916091608111e-6, -1.6120900894563446e-6, 4.647127802807434e-9,
  1.378633446915721e-7,
]);
const THIRD_COUNT: i32 = 7;
const THIRD: usize = memory.data<f64>([
  0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049, 2.0093878600823047e-6, -0.0001073665322636516,
  5.2923448829120125e-5, -1.2760635188618728e-5,
]);

/** The polynomial with these coefficients, the constant first. */
function polynomial(coefficients: usize, count: i32, x: f64): f64 {
  let value: f64 = 0.0;
  for (let k = count - 1; k >= 0; k--) value = value * x + load<f64>(coefficients + ((<usize>k) << 3));
  return value;
}

/** The derivative of `polynomial` with respect to x. */
function polynomialSlope(coefficients: usize, count: i32, x: f64): f64 {
  let value: f64 = 0.0;
  for (let k = count - 1; k > 0; k--) value = value * x + <f64>k * load<f64>(coefficients + ((<usize>k) << 3));
  return value;
}

/** Whether `uniformTail` is accurate. */
export function isUniform(a: f64, x: f64): bool {
  return a >= UNIFORM && abs<f64>(x - a) <= NEAR * a;
}

/**
 * √(2πa) e^(aη²/2) ∂Q(a, x)/∂a, near 1: the common factor of erfc and R is taken out before they are differentiated, to avoid
 * cancellation. At fixed x, ∂(aη²/2)/∂a = -log λ and ∂η/∂a = -(λ - 1)/(aη).
 */
function shapeSlope(a: f64, t: f64, eta: f64, c0: f64, c1: f64, c2: f64): f64 {
  const ratio = eta == 0.0 ? 1.0 : t / eta;
  const sum = c0 + (c1 + c2 / a) / a;
  const byEta = polynomialSlope(FIRST, FIRST_COUNT, eta) + polynomialSlope(SECOND, SECOND_COUNT, eta) / a;
  const byOrder = 0.5 * sum + ratio * byEta + (c1 + (2.0 * c2) / a) / a;
  return ratio - 0.5 * eta + sum * log1p(t) - byOrder / a;
}

/** log P(a, x) for x ≤ a, log Q(a, x) for x > a; requires `isUniform`. Parts 1 and 2 are its derivatives with respect to a and log x. */
export function uniformTail(part: i32, a: f64, x: f64): f64 {
  const t = (x - a) / a;
  const half = -logMinus(x / a, t);
  const eta = copysign<f64>(sqrt<f64>(2.0 * half), t);
  const side: f64 = x > a ? 1.0 : -1.0;
  const c0 = polynomial(FIRST, FIRST_COUNT, eta);
  const c1 = polynomial(SECOND, SECOND_COUNT, eta);
  const c2 = polynomial(THIRD, THIRD_COUNT, eta);
  const root = sqrt<f64>(TWO_PI) * sqrt<f64>(a);
  // the tail is e^(-aη²/2) times this
  const scaled = normal_tail(eta * sqrt<f64>(a)) + (side * (c0 + (c1 + c2 / a) / a)) / root;
  if (part == 0) return log(scaled) - a * half;
  if (part == 1) return (side * shapeSlope(a, t, eta, c0, c1, c2)) / root / scaled;
  return ((-side * a) / root) * (exp(-stirlingDifference(a)) / scaled);
}

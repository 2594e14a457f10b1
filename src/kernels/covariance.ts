// Covariance matrices of Gaussian processes over points of any dimension, stored one point after the other.
import { exp } from './exponential';

function squaredDistance(x: usize, y: usize, dim: i32): f64 {
  let sum: f64 = 0.0;
  for (let d = 0; d < dim; d++) {
    const difference = load<f64>(x) - load<f64>(y);
    sum += difference * difference;
    x += 8;
    y += 8;
  }
  return sum;
}

/** out[i, j] = α² exp(-|x_i - x_j|²/(2 ℓ²)), n × n, for n points of dimension dim. */
export function gp_exp_quad_cov(out: usize, x: usize, n: i32, dim: i32, alpha: f64, lengthScale: f64): void {
  const variance = alpha * alpha;
  const factor = -0.5 / (lengthScale * lengthScale);
  const point: usize = dim << 3;
  for (let j = 0; j < n; j++) {
    store<f64>(out + ((j * n + j) << 3), variance);
    for (let i = j + 1; i < n; i++) {
      const distance = squaredDistance(x + i * point, x + j * point, dim);
      const value = variance * exp(factor * distance);
      store<f64>(out + ((j * n + i) << 3), value);
      store<f64>(out + ((i * n + j) << 3), value);
    }
  }
}

/**
 * Adjoint of gp_exp_quad_cov: parameterAdj[0] += ∂/∂α, parameterAdj[1] += ∂/∂ℓ, xAdj (n × dim, or 0) += ∂/∂x; out is the
 * matrix, outAdj its adjoint.
 */
export function gp_exp_quad_cov_adjoint(
  parameterAdj: usize,
  xAdj: usize,
  out: usize,
  outAdj: usize,
  x: usize,
  n: i32,
  dim: i32,
  alpha: f64,
  lengthScale: f64,
): void {
  const inverseSquare = 1.0 / (lengthScale * lengthScale);
  const point: usize = dim << 3;
  let total: f64 = 0.0;
  let spread: f64 = 0.0;
  for (let j = 0; j < n; j++) {
    const diagonal = (j * n + j) << 3;
    total += load<f64>(outAdj + diagonal) * load<f64>(out + diagonal);
    for (let i = j + 1; i < n; i++) {
      const lower = (j * n + i) << 3;
      const upper = (i * n + j) << 3;
      const weight = (load<f64>(outAdj + lower) + load<f64>(outAdj + upper)) * load<f64>(out + lower);
      total += weight;
      const p = x + i * point;
      const q = x + j * point;
      spread += weight * squaredDistance(p, q, dim);
      if (xAdj) {
        for (let d = 0; d < dim; d++) {
          const offset = d << 3;
          const pull = weight * inverseSquare * (load<f64>(p + offset) - load<f64>(q + offset));
          const pAdj = xAdj + i * point + offset;
          const qAdj = xAdj + j * point + offset;
          store<f64>(pAdj, load<f64>(pAdj) - pull);
          store<f64>(qAdj, load<f64>(qAdj) + pull);
        }
      }
    }
  }
  store<f64>(parameterAdj, load<f64>(parameterAdj) + (2.0 * total) / alpha);
  store<f64>(parameterAdj, load<f64>(parameterAdj, 8) + (spread * inverseSquare) / lengthScale, 8);
}

// Solves, inverse and determinant of symmetric positive definite matrices from their Cholesky factor.
import { cholesky } from './cholesky';
import { log } from '../elementary/logarithm';
import { mirrorLower } from './products';
import { backwardSubstitute, forwardSubstitute, solve_lower, solve_lower_t } from './triangular';
import { axpy, clearVector } from './vectors';

/** X = (L L')⁻¹ B; L n × n, B and X n × m. X may be B. */
export function factor_solve(x: usize, l: usize, b: usize, n: i32, m: i32): void {
  solve_lower(x, l, b, n, m);
  solve_lower_t(x, l, x, n, m);
}

/** Solves A X = B; keeps the factor of A for the reverse mode. Returns 0, or the 1-based index of the pivot that is not positive. */
export function spd_solve(x: usize, factor: usize, a: usize, b: usize, n: i32, m: i32): i32 {
  const failed = cholesky(factor, a, n);
  if (!failed) factor_solve(x, factor, b, n, m);
  return failed;
}

const PANEL: i32 = 64;

/** out = (L L')⁻¹, exactly symmetric: its lower triangle, panel by panel, requires only the lower right part of L. */
export function factor_inverse(out: usize, l: usize, n: i32): void {
  const column: usize = n << 3;
  clearVector(out, n * n);
  for (let j = 0; j < n; j++) store<f64>(out + j * (column + 8), 1.0);
  for (let j = 0; j < n; j += PANEL) {
    const corner = j * (column + 8);
    const size = min<i32>(PANEL, n - j);
    forwardSubstitute(l + corner, column, out + corner, 8, column, n - j, size);
    backwardSubstitute(l + corner, column, out + corner, 8, column, n - j, size);
  }
  mirrorLower(out, n);
}

/** out = A⁻¹, exactly symmetric; factor: n² numbers. Returns the same as `spd_solve`. */
export function inverse_spd(out: usize, a: usize, factor: usize, n: i32): i32 {
  const failed = cholesky(factor, a, n);
  if (!failed) factor_inverse(out, factor, n);
  return failed;
}

/** out[0] = log det A; keeps the factor of A for the reverse mode. Returns the same as `spd_solve`. */
export function log_determinant_spd(out: usize, factor: usize, a: usize, n: i32): i32 {
  const failed = cholesky(factor, a, n);
  if (failed) return failed;
  let sum: f64 = 0.0;
  for (let j = 0; j < n; j++) sum += log(load<f64>(factor + ((j * (n + 1)) << 3)));
  store<f64>(out, 2.0 * sum);
  return 0;
}

/** Aadj += weight A⁻¹. work: n² numbers. */
export function log_determinant_spd_adjoint(aAdj: usize, factor: usize, weight: f64, work: usize, n: i32): void {
  factor_inverse(work, factor, n);
  axpy(aAdj, weight, work, n * n);
}

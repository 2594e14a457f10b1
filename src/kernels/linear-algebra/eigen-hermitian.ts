// Eigenvalues and eigenvectors of a Hermitian matrix: a reduction to tridiagonal form, which is real, then as for symmetric matrices.
import { at, imaginaryPart, join, plus, realPart, scaled, sizeOf } from './complex';
import { iterate, sortPairs } from './eigen';
import { reduceToHessenberg } from './schur';
import { clearVector } from './vectors';

/**
 * Eigenvalues (ascending, imaginary parts zero) and eigenvectors of the Hermitian A. work: 5 n² + 3 n numbers. Returns 0, or 1 if
 * the iteration did not converge.
 */
export function eigen_hermitian(
  valuesRe: usize,
  valuesIm: usize,
  vectorsRe: usize,
  vectorsIm: usize,
  aRe: usize,
  aIm: usize,
  work: usize,
  n: i32,
): i32 {
  if (n == 0) return 0;
  const column: usize = n << 3;
  const t = work;
  const q = t + 2 * n * column;
  const turns = q + 2 * n * column;
  const subdiagonal = turns + n * column;
  join(t, aRe, aIm, n * n);
  let scale = 0.0;
  for (let i = 0; i < n * n; i++) scale = max<f64>(scale, sizeOf(v128.load(t + (i << 4))));
  if (scale == 0.0) scale = 1.0;
  for (let i = 0; i < n * n; i++) v128.store(t + (i << 4), scaled(1.0 / scale, v128.load(t + (i << 4))));
  reduceToHessenberg(t, q, subdiagonal, n);
  for (let i = 0; i < n; i++) {
    store<f64>(valuesRe + (i << 3), realPart(v128.load(at(t, n, i, i))));
    if (i < n - 1) store<f64>(subdiagonal + (i << 3), realPart(v128.load(at(t, n, i + 1, i))));
  }
  clearVector(turns, n * n);
  for (let i = 0; i < n; i++) store<f64>(turns + i * (column + 8), 1.0);
  const converged = iterate(valuesRe, subdiagonal, turns, column, n);
  sortPairs(valuesRe, turns, column, n);
  for (let i = 0; i < n; i++) store<f64>(valuesRe + (i << 3), load<f64>(valuesRe + (i << 3)) * scale);
  clearVector(valuesIm, n);
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < n; i++) {
      let sum = f64x2.splat(0.0);
      for (let k = 0; k < n; k++) {
        sum = plus(sum, scaled(load<f64>(turns + j * column + (k << 3)), v128.load(at(q, n, i, k))));
      }
      store<f64>(vectorsRe + j * column + (i << 3), realPart(sum));
      store<f64>(vectorsIm + j * column + (i << 3), imaginaryPart(sum));
    }
  }
  return converged ? 0 : 1;
}

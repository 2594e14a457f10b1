// Reverse mode of the eigen and Schur decompositions of general matrices. If a decomposition does not determine the phase of a
// column, the phase is taken as constant, so that functions that do not depend on the phase have correct derivatives.
import {
  addPart,
  at,
  complex,
  conjugate,
  join,
  minus,
  plus,
  product,
  productWithAdjoint,
  quotient,
  realPart,
  scaled,
  sumOfSizes,
  times,
} from './complex';

/** x / y, and 0 where x is 0. */
function ratio(x: v128, y: v128): v128 {
  return sumOfSizes(x) == 0.0 ? x : quotient(x, y);
}

/** B becomes A⁻¹ B, by elimination with partial pivoting; A is overwritten. */
function solve(a: usize, b: usize, n: i32): void {
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) {
      if (sumOfSizes(v128.load(at(a, n, i, k))) > sumOfSizes(v128.load(at(a, n, pivot, k)))) pivot = i;
    }
    if (pivot != k) {
      exchangeRows(a, n, k, pivot);
      exchangeRows(b, n, k, pivot);
    }
    const diagonal = v128.load(at(a, n, k, k));
    for (let i = k + 1; i < n; i++) {
      const factor = ratio(v128.load(at(a, n, i, k)), diagonal);
      for (let j = k + 1; j < n; j++) subtract(at(a, n, i, j), factor, v128.load(at(a, n, k, j)));
      for (let j = 0; j < n; j++) subtract(at(b, n, i, j), factor, v128.load(at(b, n, k, j)));
    }
  }
  for (let j = 0; j < n; j++) {
    for (let k = n - 1; k >= 0; k--) {
      const place = at(b, n, k, j);
      const x = quotient(v128.load(place), v128.load(at(a, n, k, k)));
      v128.store(place, x);
      for (let i = 0; i < k; i++) subtract(at(b, n, i, j), x, v128.load(at(a, n, i, k)));
    }
  }
}

@inline
function subtract(place: usize, x: v128, y: v128): void {
  v128.store(place, minus(v128.load(place), times(x, y)));
}

function exchangeRows(a: usize, n: i32, i: i32, k: i32): void {
  for (let j = 0; j < n; j++) {
    const kept = v128.load(at(a, n, i, j));
    v128.store(at(a, n, i, j), v128.load(at(a, n, k, j)));
    v128.store(at(a, n, k, j), kept);
  }
}

/**
 * Reverse mode of A V = V diag(λ) with columns of length 1: Aadj += V⁻* K V* with K_ij = conj(1/(λ_j - λ_i)) (V* V̄ - V* V diag(Re V* V̄))_ij and
 * λ̄ on the diagonal. A null pointer represents an adjoint that is zero or not needed. work: 10 n² numbers.
 */
export function eigen_adjoint(
  aReAdj: usize,
  aImAdj: usize,
  valuesRe: usize,
  valuesIm: usize,
  vectorsRe: usize,
  vectorsIm: usize,
  valuesReAdj: usize,
  valuesImAdj: usize,
  vectorsReAdj: usize,
  vectorsImAdj: usize,
  work: usize,
  n: i32,
): void {
  const size: usize = (n * n) << 4;
  const v = work;
  const adjoint = v + size;
  const gram = adjoint + size;
  const along = gram + size;
  const values = along + size;
  join(v, vectorsRe, vectorsIm, n * n);
  join(adjoint, vectorsReAdj, vectorsImAdj, n * n);
  product(along, v, adjoint, n, n, n, true);
  product(gram, v, v, n, n, n, true);
  join(values, valuesRe, valuesIm, n);
  for (let j = 0; j < n; j++) {
    const slip = realPart(v128.load(at(along, n, j, j)));
    for (let i = 0; i < n; i++) {
      const place = at(along, n, i, j);
      if (i == j) {
        join(place, valuesReAdj ? valuesReAdj + (j << 3) : 0, valuesImAdj ? valuesImAdj + (j << 3) : 0, 1);
      } else {
        const gap = minus(v128.load(values + (j << 4)), v128.load(values + (i << 4)));
        const turned = minus(v128.load(place), scaled(slip, v128.load(at(gram, n, i, j))));
        v128.store(place, ratio(turned, conjugate(gap)));
      }
    }
  }
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < n; i++) v128.store(at(gram, n, i, j), conjugate(v128.load(at(v, n, j, i))));
  }
  solve(gram, along, n);
  productWithAdjoint(adjoint, along, v, n, n, n);
  addPart(aReAdj, aImAdj, adjoint, n * n);
}

/**
 * Reverse mode of a Hermitian A = V diag(λ) V*, eigenvalues distinct: Aadj += V (diag(λ̄) + (K - K*) ∘ F / 2) V* with K = V* V̄ and F_ij = 1/(λ_j -
 * λ_i), as `eigen_symmetric_adjoint` for real matrices. A null pointer represents an adjoint that is zero or not needed.
 * work: 6 n² numbers.
 */
export function eigen_hermitian_adjoint(
  aReAdj: usize,
  aImAdj: usize,
  values: usize,
  vectorsRe: usize,
  vectorsIm: usize,
  valuesAdj: usize,
  vectorsReAdj: usize,
  vectorsImAdj: usize,
  work: usize,
  n: i32,
): void {
  const size: usize = (n * n) << 4;
  const v = work;
  const adjoint = v + size;
  const along = adjoint + size;
  join(v, vectorsRe, vectorsIm, n * n);
  join(adjoint, vectorsReAdj, vectorsImAdj, n * n);
  product(along, v, adjoint, n, n, n, true);
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < j; i++) {
      const above = at(along, n, i, j);
      const below = at(along, n, j, i);
      const gap = load<f64>(values + (j << 3)) - load<f64>(values + (i << 3));
      const part = ratio(scaled(0.5, minus(v128.load(above), conjugate(v128.load(below)))), complex(gap, 0.0));
      v128.store(above, part);
      v128.store(below, conjugate(part));
    }
    join(at(along, n, j, j), valuesAdj ? valuesAdj + (j << 3) : 0, 0, 1);
  }
  product(adjoint, v, along, n, n, n, false);
  productWithAdjoint(along, adjoint, v, n, n, n);
  addPart(aReAdj, aImAdj, along, n * n);
}

/**
 * Reverse mode of A = U T U*: with E = U* dA U the skew Ω = U* dU solves (ΩT - TΩ)_ij = E_ij below the diagonal, and dT = E - ΩT + TΩ.
 * A null pointer represents an adjoint that is zero or not needed. work: 10 n² numbers.
 */
export function complex_schur_adjoint(
  aReAdj: usize,
  aImAdj: usize,
  uRe: usize,
  uIm: usize,
  tRe: usize,
  tIm: usize,
  uReAdj: usize,
  uImAdj: usize,
  tReAdj: usize,
  tImAdj: usize,
  work: usize,
  n: i32,
): void {
  const size: usize = (n * n) << 4;
  const u = work;
  const t = u + size;
  const tAdj = t + size;
  const turn = tAdj + size;
  const spare = turn + size;
  join(u, uRe, uIm, n * n);
  join(t, tRe, tIm, n * n);
  join(tAdj, tReAdj, tImAdj, n * n);
  for (let j = 0; j < n; j++) {
    for (let i = j + 1; i < n; i++) v128.store(at(tAdj, n, i, j), f64x2.splat(0.0));
  }
  join(spare, uReAdj, uImAdj, n * n);
  product(turn, u, spare, n, n, n, true);
  product(spare, t, tAdj, n, n, n, true);
  addMatrix(turn, spare, 1.0, n);
  productWithAdjoint(spare, tAdj, t, n, n, n);
  addMatrix(turn, spare, -1.0, n);
  for (let distance = 1; distance < n; distance++) {
    for (let j = 0; j + distance < n; j++) {
      const i = j + distance;
      let rest = minus(v128.load(at(turn, n, i, j)), conjugate(v128.load(at(turn, n, j, i))));
      for (let k = j + 1; k < i; k++) {
        rest = plus(rest, times(conjugate(v128.load(at(t, n, k, i))), v128.load(at(tAdj, n, k, j))));
        rest = minus(rest, times(v128.load(at(tAdj, n, i, k)), conjugate(v128.load(at(t, n, j, k)))));
      }
      const gap = minus(v128.load(at(t, n, i, i)), v128.load(at(t, n, j, j)));
      // Stored with the sign of its contribution to the adjoint of E.
      v128.store(at(tAdj, n, i, j), ratio(scaled(-1.0, rest), conjugate(gap)));
    }
  }
  product(spare, u, tAdj, n, n, n, false);
  productWithAdjoint(turn, spare, u, n, n, n);
  addPart(aReAdj, aImAdj, turn, n * n);
}

/** A += a B */
function addMatrix(a: usize, b: usize, factor: f64, n: i32): void {
  for (let i = 0; i < n * n; i++) {
    const offset = i << 4;
    v128.store(a + offset, plus(v128.load(a + offset), scaled(factor, v128.load(b + offset))));
  }
}

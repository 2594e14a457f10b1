/** Eigenvalues of a symmetric matrix, and its eigenvectors, each of them a row. */
export interface EigenSystem {
  readonly values: Float64Array;
  readonly vectors: readonly Float64Array[];
}

/** Sweeps after which the rotations have converged for any matrix of doubles. */
const SWEEPS = 60;

/**
 * The eigen decomposition of a symmetric matrix, given row by row, by cyclic Jacobi rotations (Golub and Van Loan, Matrix
 * Computations, 4th edition, algorithm 8.5.3). Eigenvalues come in no particular order.
 */
export function symmetricEigen(matrix: Float64Array, size: number): EigenSystem {
  const a = matrix.slice();
  const vectors = Array.from({ length: size }, (_, i) => {
    const row = new Float64Array(size);
    row[i] = 1;
    return row;
  });
  const tiny = Number.EPSILON * Math.sqrt(a.reduce((sum, x) => sum + x * x, 0));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let largest = 0;
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        largest = Math.max(largest, Math.abs(a[p * size + q]));
        if (Math.abs(a[p * size + q]) > tiny * 1e-3) rotate(a, vectors, p, q, size);
      }
    }
    if (!(largest > tiny)) break;
  }
  return { values: Float64Array.from({ length: size }, (_, i) => a[i * size + i]), vectors };
}

/** Makes element (p, q) zero. */
function rotate(a: Float64Array, vectors: readonly Float64Array[], p: number, q: number, size: number): void {
  const theta = (a[q * size + q] - a[p * size + p]) / (2 * a[p * size + q]);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < size; k++) {
    const [akp, akq] = [a[k * size + p], a[k * size + q]];
    a[k * size + p] = c * akp - s * akq;
    a[k * size + q] = s * akp + c * akq;
  }
  for (let k = 0; k < size; k++) {
    const [apk, aqk] = [a[p * size + k], a[q * size + k]];
    a[p * size + k] = c * apk - s * aqk;
    a[q * size + k] = s * apk + c * aqk;
  }
  const [vp, vq] = [vectors[p], vectors[q]];
  for (let k = 0; k < size; k++) {
    const [x, y] = [vp[k], vq[k]];
    vp[k] = c * x - s * y;
    vq[k] = s * x + c * y;
  }
}

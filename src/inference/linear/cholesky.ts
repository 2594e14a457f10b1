/** The lower Cholesky factor of a symmetric row-major matrix, row-major; undefined if the matrix is not positive definite. */
export function choleskyFactor(matrix: Float64Array, size: number): Float64Array | undefined {
  const factor = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i * size + j];
      for (let k = 0; k < j; k++) rest -= factor[i * size + k] * factor[j * size + k];
      if (i !== j) factor[i * size + j] = rest / factor[j * size + j];
      else if (rest > 0 && Number.isFinite(rest)) factor[i * size + i] = Math.sqrt(rest);
      else return undefined;
    }
  }
  return factor;
}

/** Solves factor · x = vector in place. The factor is lower triangular and row-major. */
export function solveLower(factor: Float64Array, vector: Float64Array): void {
  const size = vector.length;
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) vector[i] -= factor[i * size + k] * vector[k];
    vector[i] /= factor[i * size + i];
  }
}

/** Solves factor' · x = vector in place. The factor is lower triangular and row-major. */
export function solveTransposed(factor: Float64Array, vector: Float64Array): void {
  const size = vector.length;
  for (let i = size - 1; i >= 0; i--) {
    const solved = vector[i] / factor[i * size + i];
    vector[i] = solved;
    for (let k = 0; k < i; k++) vector[k] -= factor[i * size + k] * solved;
  }
}

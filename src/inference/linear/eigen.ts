/** Eigenvalues and eigenvectors of a symmetric matrix; each eigenvector is an array. */
export interface EigenSystem {
  readonly values: Float64Array;
  readonly vectors: readonly Float64Array[];
}

/** Maximum number of QL iterations per eigenvalue. Two or three are typical. */
const MOST_ITERATIONS = 60;

/**
 * The eigendecomposition of a symmetric row-major matrix: Householder reduction to tridiagonal form, then implicit QL iterations with
 * Wilkinson's shift (Golub and Van Loan, Matrix Computations, 4th edition, section 8.3; Martin and Wilkinson, Numerische Mathematik 12,
 * 1968). The order of the eigenvalues is unspecified. They are NaN if the matrix is not finite.
 */
export function symmetricEigen(matrix: Float64Array, size: number): EigenSystem {
  const rows = Array.from({ length: size }, (_, i) => matrix.slice(i * size, (i + 1) * size));
  const { diagonal, offDiagonal, reflectors } = tridiagonalize(rows);
  const vectors = basisOf(reflectors, size);
  for (let first = 0; first < size; first++) diagonalize(first, diagonal, offDiagonal, vectors);
  return { values: diagonal, vectors };
}

interface Tridiagonal {
  readonly diagonal: Float64Array;
  /** Element i is the coupling of i and i + 1; the last element is 0. */
  readonly offDiagonal: Float64Array;
  /** Unit vectors v_k, zero up to k, with T = H_n … H_0 A H_0 … H_n and H_k = I - 2 v_k v_k'. */
  readonly reflectors: readonly Float64Array[];
}

/** Overwrites the rows. */
function tridiagonalize(rows: readonly Float64Array[]): Tridiagonal {
  const size = rows.length;
  const reflectors: Float64Array[] = [];
  const product = new Float64Array(size);
  for (let k = 0; k + 2 < size; k++) {
    const v = reflectorOf(rows[k], k + 1);
    if (v === undefined) continue;
    reflectors.push(v);
    // A := H A H, as the symmetric update of rank two A - v w' - w v', w = 2 (A v - (v' A v) v).
    let projection = 0;
    for (let i = k; i < size; i++) {
      const row = rows[i];
      let sum = 0;
      for (let j = k + 1; j < size; j++) sum += row[j] * v[j];
      product[i] = sum;
      projection += sum * v[i];
    }
    for (let i = k; i < size; i++) product[i] = 2 * (product[i] - projection * v[i]);
    for (let i = k; i < size; i++) {
      const row = rows[i];
      for (let j = k; j < size; j++) row[j] -= v[i] * product[j] + product[i] * v[j];
    }
  }
  const diagonal = Float64Array.from(rows, (row, i) => row[i]);
  const offDiagonal = Float64Array.from(rows, (row, i) => (i + 1 < size ? row[i + 1] : 0));
  return { diagonal, offDiagonal, reflectors };
}

/**
 * A unit vector, zero before `start`, whose reflection sets the elements of the row after `start` to 0; undefined if they already are 0.
 */
function reflectorOf(row: Float64Array, start: number): Float64Array | undefined {
  let tail = 0;
  for (let i = start + 1; i < row.length; i++) tail += row[i] * row[i];
  if (tail === 0) return undefined;
  const v = row.slice();
  v.fill(0, 0, start);
  const length = Math.sqrt(tail + row[start] * row[start]);
  v[start] += row[start] < 0 ? -length : length;
  const norm = Math.sqrt(tail + v[start] * v[start]);
  for (let i = start; i < v.length; i++) v[i] /= norm;
  return v;
}

/** Row i is column i of H_0 … H_n, so that rotations of columns are rotations of contiguous rows. */
function basisOf(reflectors: readonly Float64Array[], size: number): Float64Array[] {
  return Array.from({ length: size }, (_, i) => {
    const column = new Float64Array(size);
    column[i] = 1;
    for (const v of reflectors.toReversed()) {
      let projection = 0;
      for (let j = 0; j < size; j++) projection += v[j] * column[j];
      if (projection !== 0) for (let j = 0; j < size; j++) column[j] -= 2 * projection * v[j];
    }
    return column;
  });
}

/** Runs QL iterations until `first` is decoupled from its successor. Applies the rotations to the vectors. */
function diagonalize(first: number, d: Float64Array, e: Float64Array, vectors: readonly Float64Array[]): void {
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    let last = first;
    while (last + 1 < d.length && !isNegligible(e[last], d[last], d[last + 1])) last += 1;
    if (last === first) return;
    qlStep(first, last, d, e, vectors);
  }
}

/** False for NaN, so that NaN propagates to the eigenvalues. */
function isNegligible(coupling: number, first: number, second: number): boolean {
  return Math.abs(coupling) <= Number.EPSILON * (Math.abs(first) + Math.abs(second));
}

/** Makes one implicit QL step on the unreduced block from `first` to `last`. */
function qlStep(first: number, last: number, d: Float64Array, e: Float64Array, vectors: readonly Float64Array[]): void {
  const half = (d[first + 1] - d[first]) / (2 * e[first]);
  const root = Math.sqrt(half * half + 1);
  let bulge = d[last] - d[first] + e[first] / (half + (half < 0 ? -root : root));
  let [sine, cosine, shift] = [1, 1, 0];
  for (let i = last - 1; i >= first; i--) {
    const f = sine * e[i];
    const b = cosine * e[i];
    const length = Math.sqrt(f * f + bulge * bulge);
    e[i + 1] = length;
    if (length === 0) {
      d[i + 1] -= shift;
      e[last] = 0;
      return;
    }
    sine = f / length;
    cosine = bulge / length;
    const remaining = d[i + 1] - shift;
    const coupling = (d[i] - remaining) * sine + 2 * cosine * b;
    shift = sine * coupling;
    d[i + 1] = remaining + shift;
    bulge = cosine * coupling - b;
    const [lower, upper] = [vectors[i], vectors[i + 1]];
    for (let k = 0; k < upper.length; k++) {
      const [x, y] = [lower[k], upper[k]];
      upper[k] = sine * x + cosine * y;
      lower[k] = cosine * x - sine * y;
    }
  }
  d[first] -= shift;
  e[first] = bulge;
  e[last] = 0;
}

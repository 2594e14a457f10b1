/** Q with orthonormal columns and an upper triangular R whose product is the matrix. Both are arrays of columns. */
export interface ThinQr {
  readonly q: readonly Float64Array[];
  /** r[j] is column j. Its length is the number of columns of Q. */
  readonly r: readonly Float64Array[];
}

/** The thin QR decomposition of a matrix given by its columns, by Householder reflections (Golub and Van Loan, 5.2). */
export function thinQr(columns: readonly Float64Array[]): ThinQr {
  const rows = columns[0]?.length ?? 0;
  const rank = Math.min(rows, columns.length);
  const work = columns.map((column) => column.slice());
  const reflectors: Float64Array[] = [];
  for (let k = 0; k < rank; k++) {
    const reflector = householder(work[k], k);
    reflectors.push(reflector);
    for (let j = k; j < work.length; j++) reflect(reflector, work[j]);
  }
  const q = Array.from({ length: rank }, (_, k) => {
    const column = new Float64Array(rows);
    column[k] = 1;
    for (let i = rank - 1; i >= 0; i--) reflect(reflectors[i], column);
    return column;
  });
  const r = work.map((column, j) => column.slice(0, rank).map((value, i) => (i <= j ? value : 0)));
  return { q, r };
}

/** A unit vector, zero before element k, whose reflection sets the elements of the column below k to 0. */
function householder(column: Float64Array, k: number): Float64Array {
  const v = new Float64Array(column.length);
  let squares = 0;
  for (let i = k; i < v.length; i++) {
    v[i] = column[i];
    squares += v[i] * v[i];
  }
  const length = Math.sqrt(squares);
  if (length === 0) return v;
  v[k] += v[k] >= 0 ? length : -length;
  const norm = Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
  return v.map((x) => x / norm);
}

function reflect(v: Float64Array, x: Float64Array): void {
  let dot = 0;
  for (let i = 0; i < v.length; i++) dot += v[i] * x[i];
  for (let i = 0; i < v.length; i++) x[i] -= 2 * dot * v[i];
}

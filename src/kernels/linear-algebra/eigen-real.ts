// Eigenvalues and eigenvectors of a general real matrix: Householder reduction to Hessenberg form, Francis' double shifted QR steps
// and back substitution (Golub and Van Loan, Matrix Computations, 7.4 to 7.6). Shifts, deflation, order and signs are those of
// Eigen's EigenSolver, so that the results agree with Stan's. The phase of a complex pair depends on rounding, so the order of
// the operations is also Eigen's.
import { at, complex, imaginaryPart, part, quotient, realPart } from './complex';
import { normalizeColumns } from './eigen-complex';
import { makeReflection } from './qr';
import { axpy, clearVector, copyVector, dot } from './vectors';

const STEPS: i32 = 40;

@inline
function place(m: usize, n: i32, i: i32, j: i32): usize {
  return m + ((j * n + i) << 3);
}

@inline
function read(m: usize, n: i32, i: i32, j: i32): f64 {
  return load<f64>(place(m, n, i, j));
}

@inline
function write(m: usize, n: i32, i: i32, j: i32, x: f64): void {
  store<f64>(place(m, n, i, j), x);
}

/** M -= τ v (v' M) for cols columns of height size; v[0] = 1 is implied, essential part at v + 8. */
function reflectLeft(m: usize, column: usize, v: usize, tau: f64, size: i32, cols: i32): void {
  if (tau == 0.0) return;
  for (let j = 0; j < cols; j++) {
    const sum = dot(v + 8, m + 8, size - 1) + load<f64>(m);
    store<f64>(m, load<f64>(m) - tau * sum);
    for (let i = 1; i < size; i++) {
      const offset = i << 3;
      store<f64>(m + offset, load<f64>(m + offset) - tau * load<f64>(v + offset) * sum);
    }
    m += column;
  }
}

/** M -= τ (M v) v' for rows rows and size columns. */
function reflectRight(m: usize, column: usize, v: usize, tau: f64, rows: i32, size: i32): void {
  if (tau == 0.0) return;
  for (let i = 0; i < rows; i++) {
    let sum = 0.0;
    for (let j = 1; j < size; j++) sum += load<f64>(m + j * column) * load<f64>(v + (j << 3));
    sum += load<f64>(m);
    store<f64>(m, load<f64>(m) - tau * sum);
    for (let j = 1; j < size; j++) {
      const place = m + j * column;
      store<f64>(place, load<f64>(place) - tau * sum * load<f64>(v + (j << 3)));
    }
    m += 8;
  }
}

/** H = Q' A Q in place; taus: n numbers. */
function reduce(h: usize, q: usize, taus: usize, n: i32): void {
  const column: usize = n << 3;
  for (let i = 0; i < n - 1; i++) {
    const rest = n - i - 1;
    const v = place(h, n, i + 1, i);
    const tau = makeReflection(v, rest);
    store<f64>(taus + (i << 3), tau);
    reflectLeft(place(h, n, i + 1, i + 1), column, v, tau, rest, rest);
    reflectRight(place(h, n, 0, i + 1), column, v, tau, n, rest);
  }
  clearVector(q, n * n);
  for (let i = 0; i < n; i++) write(q, n, i, i, 1.0);
  for (let i = n - 2; i >= 0; i--) {
    const rest = n - i - 1;
    reflectLeft(place(q, n, i + 1, i + 1), column, place(h, n, i + 1, i), load<f64>(taus + (i << 3)), rest, rest);
  }
  for (let j = 0; j < n - 2; j++) clearVector(place(h, n, j + 2, j), n - j - 2);
}

function rotateRows(t: usize, n: i32, i: i32, first: i32, c: f64, s: f64): void {
  for (let j = first; j < n; j++) {
    const x = read(t, n, i, j);
    const y = read(t, n, i + 1, j);
    write(t, n, i, j, c * x - s * y);
    write(t, n, i + 1, j, s * x + c * y);
  }
}

function rotateColumns(t: usize, n: i32, i: i32, rows: i32, c: f64, s: f64): void {
  for (let k = 0; k < rows; k++) {
    const x = read(t, n, k, i);
    const y = read(t, n, k, i + 1);
    write(t, n, k, i, c * x - s * y);
    write(t, n, k, i + 1, s * x + c * y);
  }
}

/** Makes a block with two real eigenvalues triangular. */
function splitPair(t: usize, u: usize, n: i32, end: i32, shifted: f64): void {
  const p = 0.5 * (read(t, n, end - 1, end - 1) - read(t, n, end, end));
  const below = read(t, n, end, end - 1);
  const q = p * p + below * read(t, n, end - 1, end);
  write(t, n, end, end, read(t, n, end, end) + shifted);
  write(t, n, end - 1, end - 1, read(t, n, end - 1, end - 1) + shifted);
  if (q >= 0.0) {
    const z = sqrt<f64>(q);
    const first = p >= 0.0 ? p + z : p - z;
    let c: f64;
    let s: f64;
    if (below == 0.0) {
      c = first < 0.0 ? -1.0 : 1.0;
      s = 0.0;
    } else if (first == 0.0) {
      c = 0.0;
      s = below < 0.0 ? 1.0 : -1.0;
    } else if (abs<f64>(first) > abs<f64>(below)) {
      const ratio = below / first;
      c = copysign<f64>(1.0 / sqrt<f64>(1.0 + ratio * ratio), first);
      s = -ratio * c;
    } else {
      const ratio = first / below;
      s = copysign<f64>(1.0 / sqrt<f64>(1.0 + ratio * ratio), -below);
      c = -ratio * s;
    }
    rotateRows(t, n, end - 1, end - 1, c, s);
    rotateColumns(t, n, end - 1, end + 1, c, s);
    write(t, n, end, end - 1, 0.0);
    rotateColumns(u, n, end - 1, n, c, s);
  }
  if (end > 1) write(t, n, end - 1, end - 2, 0.0);
}

/** The double shift, with exceptional shifts at the tenth and thirtieth step; shift: its x, y and w. Returns the number subtracted from the diagonal. */
function makeShift(t: usize, n: i32, end: i32, step: i32, shift: usize): f64 {
  let x = read(t, n, end, end);
  let y = read(t, n, end - 1, end - 1);
  let w = read(t, n, end, end - 1) * read(t, n, end - 1, end);
  let subtracted = 0.0;
  if (step == 10) {
    subtracted = x;
    for (let i = 0; i <= end; i++) write(t, n, i, i, read(t, n, i, i) - subtracted);
    const s = abs<f64>(read(t, n, end, end - 1)) + abs<f64>(read(t, n, end - 1, end - 2));
    x = 0.75 * s;
    y = x;
    w = -0.4375 * s * s;
  } else if (step == 30) {
    const half = (y - x) / 2.0;
    let s = half * half + w;
    if (s > 0.0) {
      s = sqrt<f64>(s);
      if (y < x) s = -s;
      s = x - w / (s + half);
      subtracted = s;
      for (let i = 0; i <= end; i++) write(t, n, i, i, read(t, n, i, i) - s);
      x = 0.964;
      y = x;
      w = x;
    }
  }
  store<f64>(shift, x);
  store<f64>(shift, y, 8);
  store<f64>(shift, w, 16);
  return subtracted;
}

/** The row at which the double step can start, because two subdiagonal entries are small enough; v: the first column of the step there. */
function startOf(t: usize, n: i32, begin: i32, end: i32, shift: usize, v: usize): i32 {
  let m = end - 2;
  while (true) {
    const here = read(t, n, m, m);
    const r = load<f64>(shift) - here;
    const s = load<f64>(shift, 8) - here;
    const v0 = (r * s - load<f64>(shift, 16)) / read(t, n, m + 1, m) + read(t, n, m, m + 1);
    const v1 = read(t, n, m + 1, m + 1) - here - r - s;
    const v2 = read(t, n, m + 2, m + 1);
    store<f64>(v, v0);
    store<f64>(v, v1, 8);
    store<f64>(v, v2, 16);
    if (m <= begin) break;
    const left = read(t, n, m, m - 1) * (abs<f64>(v1) + abs<f64>(v2));
    const around = abs<f64>(read(t, n, m - 1, m - 1)) + abs<f64>(here) + abs<f64>(read(t, n, m + 1, m + 1));
    if (abs<f64>(left) < f64.EPSILON * (v0 * around)) break;
    m--;
  }
  return m;
}

/** One double step on the rows m … end; v: 3 numbers. */
function francisStep(t: usize, u: usize, n: i32, begin: i32, m: i32, end: i32, v: usize): void {
  const column: usize = n << 3;
  for (let k = m; k < end; k++) {
    const size = k < end - 1 ? 3 : 2;
    const isFirst = k == m;
    if (!isFirst) copyVector(v, place(t, n, k, k - 1), size);
    const tau = makeReflection(v, size);
    const beta = load<f64>(v);
    if (beta == 0.0) continue;
    if (!isFirst) write(t, n, k, k - 1, beta);
    else if (k > begin) write(t, n, k, k - 1, -read(t, n, k, k - 1));
    reflectLeft(place(t, n, k, k), column, v, tau, size, n - k);
    reflectRight(place(t, n, 0, k), column, v, tau, min<i32>(end, k + 3) + 1, size);
    reflectRight(place(u, n, 0, k), column, v, tau, n, size);
  }
  for (let i = m + 2; i <= end; i++) {
    write(t, n, i, i - 2, 0.0);
    if (i > m + 2) write(t, n, i, i - 3, 0.0);
  }
}

/** Quasi-triangular T from the Hessenberg T; shift: 6 numbers. */
function triangularise(t: usize, u: usize, shift: usize, n: i32): bool {
  const v = shift + 24;
  let norm = 0.0;
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < min<i32>(n, j + 2); i++) norm += abs<f64>(read(t, n, i, j));
  }
  if (norm == 0.0) return true;
  const negligible = max<f64>(norm * f64.EPSILON * f64.EPSILON, f64.MIN_NORMAL_VALUE);
  let end = n - 1;
  let step = 0;
  let total = 0;
  let shifted = 0.0;
  while (end >= 0) {
    let begin = end;
    while (begin > 0) {
      const around = abs<f64>(read(t, n, begin - 1, begin - 1)) + abs<f64>(read(t, n, begin, begin));
      if (abs<f64>(read(t, n, begin, begin - 1)) <= max<f64>(around * f64.EPSILON, negligible)) break;
      begin--;
    }
    if (begin == end) {
      write(t, n, end, end, read(t, n, end, end) + shifted);
      if (end > 0) write(t, n, end, end - 1, 0.0);
      end--;
      step = 0;
    } else if (begin == end - 1) {
      splitPair(t, u, n, end, shifted);
      end -= 2;
      step = 0;
    } else {
      shifted += makeShift(t, n, end, step, shift);
      step++;
      if (++total > STEPS * n) return false;
      const m = startOf(t, n, begin, end, shift, v);
      francisStep(t, u, n, begin, m, end, v);
    }
  }
  return true;
}

/** Eigenvalues of the quasi-triangular T. */
function readValues(re: usize, im: usize, t: usize, n: i32): void {
  let i = 0;
  while (i < n) {
    const offset = i << 3;
    if (i == n - 1 || read(t, n, i + 1, i) == 0.0) {
      store<f64>(re + offset, read(t, n, i, i));
      store<f64>(im + offset, 0.0);
      i++;
      continue;
    }
    const last = read(t, n, i + 1, i + 1);
    const p = 0.5 * (read(t, n, i, i) - last);
    const t0 = read(t, n, i + 1, i);
    const t1 = read(t, n, i, i + 1);
    const scale = max<f64>(abs<f64>(p), max<f64>(abs<f64>(t0), abs<f64>(t1)));
    const p0 = p / scale;
    const z = scale * sqrt<f64>(abs<f64>(p0 * p0 + (t0 / scale) * (t1 / scale)));
    store<f64>(re + offset, last + p);
    store<f64>(im + offset, z);
    store<f64>(re + offset, last + p, 8);
    store<f64>(im + offset, -z, 8);
    i += 2;
  }
}

/** The inner product of entries from .. to of row i and column j. */
function rowTimesColumn(t: usize, n: i32, i: i32, j: i32, from: i32, to: i32): f64 {
  let sum = 0.0;
  for (let l = from; l <= to; l++) sum += read(t, n, i, l) * read(t, n, l, j);
  return sum;
}

/** Divides entries i … n-1 of column j so that they do not overflow. */
function tame(t: usize, n: i32, i: i32, j: i32, size: f64): void {
  for (let l = i; l < n; l++) write(t, n, l, j, read(t, n, l, j) / size);
}

/** The eigenvector of a real eigenvalue p, in column k of T. */
function realVector(t: usize, re: usize, im: usize, n: i32, k: i32, norm: f64): void {
  const p = load<f64>(re + (k << 3));
  let lastR = 0.0;
  let lastW = 0.0;
  let l = k;
  write(t, n, k, k, 1.0);
  for (let i = k - 1; i >= 0; i--) {
    const w = read(t, n, i, i) - p;
    const r = rowTimesColumn(t, n, i, k, l, k);
    const imaginary = load<f64>(im + (i << 3));
    if (imaginary < 0.0) {
      lastW = w;
      lastR = r;
      continue;
    }
    l = i;
    if (imaginary == 0.0) {
      write(t, n, i, k, w != 0.0 ? -r / w : -r / (f64.EPSILON * norm));
    } else {
      const x = read(t, n, i, i + 1);
      const y = read(t, n, i + 1, i);
      const gap = load<f64>(re + (i << 3)) - p;
      const entry = (x * lastR - lastW * r) / (gap * gap + imaginary * imaginary);
      write(t, n, i, k, entry);
      write(t, n, i + 1, k, abs<f64>(x) > abs<f64>(lastW) ? (-r - w * entry) / x : (-lastR - y * entry) / lastW);
    }
    const size = abs<f64>(read(t, n, i, k));
    if (f64.EPSILON * size * size > 1.0) tame(t, n, i, k, size);
  }
}

/** The eigenvector of the eigenvalue k of a pair, its real part in column k - 1 of T, its imaginary part in column k. */
function complexVector(t: usize, re: usize, im: usize, n: i32, k: i32, norm: f64): void {
  const p = load<f64>(re + (k << 3));
  const q = load<f64>(im + (k << 3));
  let lastRa = 0.0;
  let lastSa = 0.0;
  let lastW = 0.0;
  let l = k - 1;
  const below = read(t, n, k, k - 1);
  const above = read(t, n, k - 1, k);
  if (abs<f64>(below) > abs<f64>(above)) {
    const entry = -(read(t, n, k, k) - p) / below;
    write(t, n, k - 1, k - 1, q / below);
    write(t, n, k - 1, k, entry);
  } else {
    const z = quotient(complex(0.0, -above), complex(read(t, n, k - 1, k - 1) - p, q));
    write(t, n, k - 1, k - 1, realPart(z));
    write(t, n, k - 1, k, imaginaryPart(z));
  }
  write(t, n, k, k - 1, 0.0);
  write(t, n, k, k, 1.0);
  for (let i = k - 2; i >= 0; i--) {
    const ra = rowTimesColumn(t, n, i, k - 1, l, k);
    const sa = rowTimesColumn(t, n, i, k, l, k);
    const w = read(t, n, i, i) - p;
    const imaginary = load<f64>(im + (i << 3));
    if (imaginary < 0.0) {
      lastW = w;
      lastRa = ra;
      lastSa = sa;
      continue;
    }
    l = i;
    if (imaginary == 0.0) {
      const z = quotient(complex(-ra, -sa), complex(w, q));
      write(t, n, i, k - 1, realPart(z));
      write(t, n, i, k, imaginaryPart(z));
    } else {
      const x = read(t, n, i, i + 1);
      const y = read(t, n, i + 1, i);
      const gap = load<f64>(re + (i << 3)) - p;
      let vr = gap * gap + imaginary * imaginary - q * q;
      const vi = gap * 2.0 * q;
      if (vr == 0.0 && vi == 0.0) {
        vr = f64.EPSILON * norm * (abs<f64>(w) + abs<f64>(q) + abs<f64>(x) + abs<f64>(y) + abs<f64>(lastW));
      }
      const z = quotient(
        complex(x * lastRa - lastW * ra + q * sa, x * lastSa - lastW * sa - q * ra),
        complex(vr, vi),
      );
      const zr = realPart(z);
      const zi = imaginaryPart(z);
      write(t, n, i, k - 1, zr);
      write(t, n, i, k, zi);
      if (abs<f64>(x) > abs<f64>(lastW) + abs<f64>(q)) {
        write(t, n, i + 1, k - 1, (-ra - w * zr + q * zi) / x);
        write(t, n, i + 1, k, (-sa - w * zi - q * zr) / x);
      } else {
        const next = quotient(complex(-lastRa - y * zr, -lastSa - y * zi), complex(lastW, q));
        write(t, n, i + 1, k - 1, realPart(next));
        write(t, n, i + 1, k, imaginaryPart(next));
      }
    }
    const size = max<f64>(abs<f64>(read(t, n, i, k - 1)), abs<f64>(read(t, n, i, k)));
    if (f64.EPSILON * size * size > 1.0) {
      tame(t, n, i, k - 1, size);
      tame(t, n, i, k, size);
    }
  }
}

/** Eigenvectors of the quasi-triangular T in its columns, then times U. */
function substitute(t: usize, u: usize, re: usize, im: usize, work: usize, n: i32): void {
  let norm = 0.0;
  for (let i = 0; i < n; i++) {
    for (let j = max<i32>(i - 1, 0); j < n; j++) norm += abs<f64>(read(t, n, i, j));
  }
  if (norm == 0.0) return;
  for (let k = n - 1; k >= 0; k--) {
    const q = load<f64>(im + (k << 3));
    if (q == 0.0) realVector(t, re, im, n, k, norm);
    else {
      complexVector(t, re, im, n, k, norm);
      k--;
    }
  }
  for (let j = n - 1; j >= 0; j--) {
    clearVector(work, n);
    for (let l = 0; l <= j; l++) axpy(work, read(t, n, l, j), place(u, n, 0, l), n);
    copyVector(place(u, n, 0, j), work, n);
  }
}

/** Complex columns of length 1 from the real and imaginary columns in U. */
function assemble(vectors: usize, u: usize, re: usize, im: usize, n: i32): void {
  for (let j = 0; j < n; j++) {
    const isReal =
      j + 1 == n || abs<f64>(load<f64>(im + (j << 3))) <= 2.0 * f64.EPSILON * abs<f64>(load<f64>(re + (j << 3)));
    for (let i = 0; i < n; i++) {
      const x = read(u, n, i, j);
      const y = isReal ? 0.0 : read(u, n, i, j + 1);
      v128.store(at(vectors, n, i, j), complex(x, y));
      if (!isReal) v128.store(at(vectors, n, i, j + 1), complex(x, -y));
    }
    if (!isReal) j++;
  }
  normalizeColumns(vectors, n);
}

/**
 * Eigenvalues and eigenvectors of length 1, with pairs adjacent, the one with the positive imaginary part first. work: 4 n² + 2 n + 6
 * numbers. Returns 0, or 1 if the iteration did not converge.
 */
export function eigen_real(
  valuesRe: usize,
  valuesIm: usize,
  vectorsRe: usize,
  vectorsIm: usize,
  a: usize,
  work: usize,
  n: i32,
): i32 {
  const size: usize = (n * n) << 3;
  const t = work;
  const u = t + size;
  const vectors = u + size;
  const spare = vectors + 2 * size;
  let scale = 0.0;
  for (let i = 0; i < n * n; i++) scale = max<f64>(scale, abs<f64>(load<f64>(a + (i << 3))));
  clearVector(u, n * n);
  for (let i = 0; i < n; i++) write(u, n, i, i, 1.0);
  let converged = true;
  if (scale < f64.MIN_NORMAL_VALUE) clearVector(t, n * n);
  else {
    for (let i = 0; i < n * n; i++) store<f64>(t + (i << 3), load<f64>(a + (i << 3)) / scale);
    reduce(t, u, spare, n);
    converged = triangularise(t, u, spare, n);
    for (let i = 0; i < n * n; i++) store<f64>(t + (i << 3), load<f64>(t + (i << 3)) * scale);
  }
  readValues(valuesRe, valuesIm, t, n);
  substitute(t, u, valuesRe, valuesIm, spare, n);
  assemble(vectors, u, valuesRe, valuesIm, n);
  part(vectorsRe, vectorsIm, vectors, n * n);
  return converged ? 0 : 1;
}

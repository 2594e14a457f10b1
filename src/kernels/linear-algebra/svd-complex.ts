// Thin singular value decomposition of a complex matrix by two-sided Jacobi rotations, applied to a pivoted QR factor if the matrix is
// not square (Golub and Van Loan, Matrix Computations, 8.6), and its reverse mode. Order and phases are those of Eigen's JacobiSVD.
import {
  addPart,
  at,
  complex,
  conjugate,
  imaginaryPart,
  join,
  makeIdentity,
  minus,
  over,
  part,
  plus,
  product,
  productWithAdjoint,
  quotient,
  realPart,
  scaled,
  sizeOf,
  squaredSize,
  times,
} from './complex';
import { makeComplexReflection, reflectLeft } from './schur';


/** Rows p and q: x becomes c x + s* y, y becomes c* y - s x. */
function rotateRows(m: usize, n: i32, p: i32, q: i32, c: v128, s: v128): void {
  for (let j = 0; j < n; j++) {
    const first = at(m, n, p, j);
    const second = at(m, n, q, j);
    const x = v128.load(first);
    const y = v128.load(second);
    v128.store(first, plus(times(c, x), times(conjugate(s), y)));
    v128.store(second, minus(times(conjugate(c), y), times(s, x)));
  }
}

/** Columns p and q: x becomes c x - s y, y becomes c* y + s* x. */
function rotateColumns(m: usize, rows: i32, p: i32, q: i32, c: v128, s: v128): void {
  for (let i = 0; i < rows; i++) {
    const first = at(m, rows, i, p);
    const second = at(m, rows, i, q);
    const x = v128.load(first);
    const y = v128.load(second);
    v128.store(first, minus(times(c, x), times(s, y)));
    v128.store(second, plus(times(conjugate(c), y), times(conjugate(s), x)));
  }
}

function scaleRow(m: usize, n: i32, i: i32, factor: v128): void {
  for (let j = 0; j < n; j++) v128.store(at(m, n, i, j), times(factor, v128.load(at(m, n, i, j))));
}

function scaleColumn(m: usize, rows: i32, j: i32, factor: v128): void {
  for (let i = 0; i < rows; i++) v128.store(at(m, rows, i, j), times(factor, v128.load(at(m, rows, i, j))));
}

function exchangeColumns(m: usize, rows: i32, j: i32, k: i32): void {
  for (let i = 0; i < rows; i++) {
    const kept = v128.load(at(m, rows, i, j));
    v128.store(at(m, rows, i, j), v128.load(at(m, rows, i, k)));
    v128.store(at(m, rows, i, k), kept);
  }
}

/** |z| / z */
function turnToReal(z: v128): v128 {
  return quotient(complex(sizeOf(z), 0.0), z);
}

function isReal(z: v128): bool {
  return abs<f64>(imaginaryPart(z)) <= f64.MIN_NORMAL_VALUE;
}

/** Makes the 2 × 2 block of rows and columns p, q real. */
function makeReal(w: usize, u: usize, v: usize, rows: i32, cols: i32, k: i32, p: i32, q: i32): void {
  const diagonal = v128.load(at(w, k, p, p));
  const below = v128.load(at(w, k, q, p));
  const n = sqrt<f64>(squaredSize(diagonal) + squaredSize(below));
  if (n == 0.0) {
    v128.store(at(w, k, p, p), f64x2.splat(0.0));
    v128.store(at(w, k, q, p), f64x2.splat(0.0));
    const beside = v128.load(at(w, k, p, q));
    if (!isReal(beside)) {
      const turn = turnToReal(beside);
      scaleRow(w, k, p, turn);
      scaleColumn(u, rows, p, conjugate(turn));
    }
  } else {
    const c = over(conjugate(diagonal), n);
    const s = over(below, n);
    rotateRows(w, k, p, q, c, s);
    rotateColumns(u, rows, p, q, conjugate(c), scaled(-1.0, s));
    const beside = v128.load(at(w, k, p, q));
    if (!isReal(beside)) {
      const turn = turnToReal(beside);
      scaleColumn(w, k, q, turn);
      scaleColumn(v, cols, q, turn);
    }
  }
  const last = v128.load(at(w, k, q, q));
  if (!isReal(last)) {
    const turn = turnToReal(last);
    scaleRow(w, k, q, turn);
    scaleColumn(u, rows, q, conjugate(turn));
  }
}

/** Makes the real 2 × 2 block diagonal. */
function diagonalise(w: usize, u: usize, v: usize, rows: i32, cols: i32, k: i32, p: i32, q: i32): void {
  const a = realPart(v128.load(at(w, k, p, p)));
  const b = realPart(v128.load(at(w, k, p, q)));
  const c = realPart(v128.load(at(w, k, q, p)));
  const d = realPart(v128.load(at(w, k, q, q)));
  let c1 = 1.0;
  let s1 = 0.0;
  if (abs<f64>(c - b) >= f64.MIN_NORMAL_VALUE) {
    const ratio = (a + d) / (c - b);
    const length = sqrt<f64>(1.0 + ratio * ratio);
    s1 = 1.0 / length;
    c1 = ratio / length;
  }
  const x = c1 * a + s1 * c;
  const y = c1 * b + s1 * d;
  const z = c1 * d - s1 * b;
  let cr = 1.0;
  let sr = 0.0;
  const twice = 2.0 * abs<f64>(y);
  if (twice >= f64.MIN_NORMAL_VALUE) {
    const tau = (x - z) / twice;
    const length = sqrt<f64>(tau * tau + 1.0);
    const t = tau > 0.0 ? 1.0 / (tau + length) : 1.0 / (tau - length);
    cr = 1.0 / sqrt<f64>(t * t + 1.0);
    sr = -t * copysign<f64>(1.0, y) * cr;
  }
  const left = complex(c1 * cr + s1 * sr, 0.0);
  const leftSine = complex(s1 * cr - c1 * sr, 0.0);
  const right = complex(cr, 0.0);
  const rightSine = complex(sr, 0.0);
  rotateRows(w, k, p, q, left, leftSine);
  rotateColumns(u, rows, p, q, left, scaled(-1.0, leftSine));
  rotateColumns(w, k, p, q, right, rightSine);
  rotateColumns(v, cols, p, q, right, rightSine);
}

/** B P = Q R with column pivoting: Q (tall × k) in `outer`, P in `inner`, R in `w`; B tall × k is overwritten, taus: k entries. */
function factorize(b: usize, outer: usize, inner: usize, w: usize, taus: usize, tall: i32, k: i32): void {
  const column: usize = tall << 4;
  makeIdentity(inner, k);
  for (let i = 0; i < k; i++) {
    let pivot = i;
    let largest = -1.0;
    for (let j = i; j < k; j++) {
      let norm = 0.0;
      for (let l = i; l < tall; l++) norm += squaredSize(v128.load(at(b, tall, l, j)));
      if (norm > largest) {
        largest = norm;
        pivot = j;
      }
    }
    if (pivot != i) {
      exchangeColumns(b, tall, i, pivot);
      exchangeColumns(inner, k, i, pivot);
    }
    const place = at(b, tall, i, i);
    const tau = makeComplexReflection(place, tall - i);
    v128.store(taus + (i << 4), tau);
    reflectLeft(place + column, column, place, tau, tall - i, k - i - 1);
  }
  memory.fill(outer, 0, (tall * k) << 4);
  for (let i = 0; i < k; i++) store<f64>(at(outer, tall, i, i), 1.0);
  for (let i = k - 1; i >= 0; i--) {
    const tau = conjugate(v128.load(taus + (i << 4)));
    reflectLeft(at(outer, tall, i, i), column, at(b, tall, i, i), tau, tall - i, k - i);
  }
  memory.fill(w, 0, (k * k) << 4);
  for (let j = 0; j < k; j++) memory.copy(at(w, k, 0, j), at(b, tall, 0, j), (j + 1) << 4);
}

/** out = A*, A rows × cols. */
function adjointOf(out: usize, a: usize, rows: i32, cols: i32): void {
  for (let j = 0; j < cols; j++) {
    for (let i = 0; i < rows; i++) v128.store(at(out, cols, j, i), conjugate(v128.load(at(a, rows, i, j))));
  }
}

function largestOf(a: usize, n: i32): f64 {
  let largest = 0.0;
  for (let i = 0; i < n; i++) largest = max<f64>(largest, sizeOf(v128.load(a + (i << 4))));
  return largest;
}

/** Jacobi rotations until W is diagonal. */
function sweep(w: usize, u: usize, v: usize, rows: i32, cols: i32, k: i32): void {
  let largest = 0.0;
  for (let i = 0; i < k; i++) largest = max<f64>(largest, sizeOf(v128.load(at(w, k, i, i))));
  let finished = false;
  while (!finished) {
    finished = true;
    for (let p = 1; p < k; p++) {
      for (let q = 0; q < p; q++) {
        if (!exceeds(w, k, p, q, max<f64>(f64.MIN_NORMAL_VALUE, 2.0 * f64.EPSILON * largest))) continue;
        finished = false;
        makeReal(w, u, v, rows, cols, k, p, q);
        largest = max<f64>(largest, diagonalSize(w, k, p, q));
        if (!exceeds(w, k, p, q, max<f64>(f64.MIN_NORMAL_VALUE, f64.EPSILON * largest))) continue;
        diagonalise(w, u, v, rows, cols, k, p, q);
        largest = max<f64>(largest, diagonalSize(w, k, p, q));
      }
    }
  }
}

function exceeds(w: usize, k: i32, p: i32, q: i32, threshold: f64): bool {
  return sizeOf(v128.load(at(w, k, p, q))) > threshold || sizeOf(v128.load(at(w, k, q, p))) > threshold;
}

function diagonalSize(w: usize, k: i32, p: i32, q: i32): f64 {
  return max<f64>(sizeOf(v128.load(at(w, k, p, p))), sizeOf(v128.load(at(w, k, q, q))));
}

/**
 * A = U diag(s) V* with k = min(rows, cols) singular values, descending; U rows × k, V cols × k. work: 14 max(rows, cols)² numbers. Returns
 * 0, or 1 if A is not finite; all results are then NaN.
 */
export function complex_svd(
  uRe: usize,
  uIm: usize,
  s: usize,
  vRe: usize,
  vIm: usize,
  aRe: usize,
  aIm: usize,
  work: usize,
  rows: i32,
  cols: i32,
): i32 {
  const k = min<i32>(rows, cols);
  const tall = max<i32>(rows, cols);
  const a = work;
  const b = a + ((rows * cols) << 4);
  const w = b + ((rows * cols) << 4);
  const u = w + ((k * k) << 4);
  const v = u + ((rows * k) << 4);
  const taus = v + ((cols * k) << 4);
  join(a, aRe, aIm, rows * cols);
  let scale = largestOf(a, rows * cols);
  if (!(scale < Infinity)) {
    for (let i = 0; i < rows * k; i++) v128.store(u + (i << 4), f64x2.splat(NaN));
    for (let i = 0; i < cols * k; i++) v128.store(v + (i << 4), f64x2.splat(NaN));
    for (let i = 0; i < k; i++) store<f64>(s + (i << 3), NaN);
    part(uRe, uIm, u, rows * k);
    part(vRe, vIm, v, cols * k);
    return 1;
  }
  if (scale == 0.0) scale = 1.0;
  for (let i = 0; i < rows * cols; i++) v128.store(a + (i << 4), over(v128.load(a + (i << 4)), scale));
  if (rows == cols) {
    memory.copy(w, a, (k * k) << 4);
    makeIdentity(u, k);
    makeIdentity(v, k);
  } else if (rows > cols) factorize(a, u, v, w, taus, tall, k);
  else {
    adjointOf(b, a, rows, cols);
    factorize(b, v, u, a, taus, tall, k);
    adjointOf(w, a, k, k);
  }
  sweep(w, u, v, rows, cols, k);
  for (let i = 0; i < k; i++) {
    const z = v128.load(at(w, k, i, i));
    const size = sizeOf(z);
    store<f64>(s + (i << 3), size * scale);
    if (!isReal(z)) scaleColumn(u, rows, i, over(z, size));
    else if (realPart(z) < 0.0) scaleColumn(u, rows, i, complex(-1.0, 0.0));
  }
  for (let i = 0; i < k; i++) {
    let largest = i;
    for (let j = i + 1; j < k; j++) {
      if (load<f64>(s + (j << 3)) > load<f64>(s + (largest << 3))) largest = j;
    }
    if (largest == i) continue;
    const kept = load<f64>(s + (i << 3));
    store<f64>(s + (i << 3), load<f64>(s + (largest << 3)));
    store<f64>(s + (largest << 3), kept);
    exchangeColumns(u, rows, i, largest);
    exchangeColumns(v, cols, i, largest);
  }
  part(uRe, uIm, u, rows * k);
  part(vRe, vIm, v, cols * k);
  return 0;
}

/** X̄ becomes (X̄ - X gram) diag(1/s). */
function outside(xAdj: usize, x: usize, gram: usize, s: usize, spare: usize, rows: i32, k: i32): void {
  product(spare, x, gram, rows, k, k, false);
  for (let j = 0; j < k; j++) {
    const factor = 1.0 / load<f64>(s + (j << 3));
    for (let i = 0; i < rows; i++) {
      const place = at(xAdj, rows, i, j);
      v128.store(place, scaled(factor, minus(v128.load(place), v128.load(at(spare, rows, i, j)))));
    }
  }
}

/** x a, and 0 where x is 0. */
function weighted(a: f64, x: v128): v128 {
  return squaredSize(x) == 0.0 ? x : scaled(a, x);
}

/**
 * Aadj += U C V* + the parts outside of the columns of U and V; the phases of the columns of V are taken as constant. A null pointer
 * represents an adjoint that is zero or not needed. work: 16 max(rows, cols)² numbers.
 */
export function complex_svd_adjoint(
  aReAdj: usize,
  aImAdj: usize,
  uRe: usize,
  uIm: usize,
  s: usize,
  vRe: usize,
  vIm: usize,
  uReAdj: usize,
  uImAdj: usize,
  sAdj: usize,
  vReAdj: usize,
  vImAdj: usize,
  work: usize,
  rows: i32,
  cols: i32,
): void {
  const k = min<i32>(rows, cols);
  const size: usize = (max<i32>(rows, cols) * max<i32>(rows, cols)) << 4;
  const u = work;
  const v = u + size;
  const uAdj = v + size;
  const vAdj = uAdj + size;
  const uGram = vAdj + size;
  const vGram = uGram + size;
  const core = vGram + size;
  const spare = core + size;
  join(u, uRe, uIm, rows * k);
  join(v, vRe, vIm, cols * k);
  join(uAdj, uReAdj, uImAdj, rows * k);
  join(vAdj, vReAdj, vImAdj, cols * k);
  product(uGram, u, uAdj, k, rows, k, true);
  product(vGram, v, vAdj, k, cols, k, true);
  for (let j = 0; j < k; j++) {
    const sj = load<f64>(s + (j << 3));
    for (let i = 0; i < k; i++) {
      const place = at(core, k, i, j);
      if (i == j) {
        const turn = imaginaryPart(v128.load(at(uGram, k, i, i)));
        v128.store(place, complex(sAdj ? load<f64>(sAdj + (i << 3)) : 0.0, turn == 0.0 ? 0.0 : turn / sj));
        continue;
      }
      const si = load<f64>(s + (i << 3));
      const gap = 1.0 / ((sj - si) * (sj + si));
      const byU = minus(v128.load(at(uGram, k, i, j)), conjugate(v128.load(at(uGram, k, j, i))));
      const byV = minus(v128.load(at(vGram, k, i, j)), conjugate(v128.load(at(vGram, k, j, i))));
      v128.store(place, plus(weighted(gap * sj, byU), weighted(gap * si, byV)));
    }
  }
  product(spare, u, core, rows, k, k, false);
  productWithAdjoint(core, spare, v, rows, k, cols);
  addPart(aReAdj, aImAdj, core, rows * cols);
  if (rows > k) {
    outside(uAdj, u, uGram, s, spare, rows, k);
    productWithAdjoint(core, uAdj, v, rows, k, cols);
    addPart(aReAdj, aImAdj, core, rows * cols);
  }
  if (cols > k) {
    outside(vAdj, v, vGram, s, spare, cols, k);
    productWithAdjoint(core, u, vAdj, rows, k, cols);
    addPart(aReAdj, aImAdj, core, rows * cols);
  }
}

// Schur decomposition of a complex matrix: Householder reduction to Hessenberg form and shifted QR steps with Givens rotations
// (Golub and Van Loan, Matrix Computations, 7.4 and 7.5). Shifts, deflation and phases are those of Eigen's ComplexSchur, so that the
// order on the diagonal and the phases agree with Stan's; since rounding decides which of a pair of eigenvalues is nearer, the order
// of the operations is also Eigen's.
import {
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
  quotient,
  realPart,
  scaled,
  sizeOf,
  squaredSize,
  squareRoot,
  sumOfSizes,
  times,
} from './complex';

const STEPS: i32 = 30;

/** Reflection I - τ v v*, v = (1, essential), with (I - τ v v*)* x = (β, 0, …), β real: as `makeReflection`. Returns τ. */
export function makeComplexReflection(x: usize, n: i32): v128 {
  const first = v128.load(x);
  let tail = 0.0;
  for (let i = 1; i < n; i++) tail += squaredSize(v128.load(x + (i << 4)));
  if (tail <= f64.MIN_NORMAL_VALUE && imaginaryPart(first) * imaginaryPart(first) <= f64.MIN_NORMAL_VALUE) {
    if (n > 1) memory.fill(x + 16, 0, (n - 1) << 4);
    v128.store(x, complex(realPart(first), 0.0));
    return f64x2.splat(0.0);
  }
  let beta = sqrt<f64>(squaredSize(first) + tail);
  if (realPart(first) >= 0.0) beta = -beta;
  const offset = complex(beta, 0.0);
  const divisor = minus(first, offset);
  for (let i = 1; i < n; i++) {
    const place = x + (i << 4);
    v128.store(place, quotient(v128.load(place), divisor));
  }
  v128.store(x, offset);
  return conjugate(over(minus(offset, first), beta));
}

/** M -= τ v (v* M) for a block of cols columns of height n, column bytes apart; v[0] = 1 is implied. */
export function reflectLeft(m: usize, column: usize, v: usize, tau: v128, n: i32, cols: i32): void {
  for (let j = 0; j < cols; j++) {
    let sum = f64x2.splat(0.0);
    for (let i = 1; i < n; i++) {
      sum = plus(sum, times(conjugate(v128.load(v + (i << 4))), v128.load(m + (i << 4))));
    }
    sum = plus(sum, v128.load(m));
    v128.store(m, minus(v128.load(m), times(tau, sum)));
    for (let i = 1; i < n; i++) {
      const place = m + (i << 4);
      v128.store(place, minus(v128.load(place), times(times(tau, v128.load(v + (i << 4))), sum)));
    }
    m += column;
  }
}

/** M -= τ (M v) v* for rows rows and n columns. */
export function reflectRight(m: usize, column: usize, v: usize, tau: v128, rows: i32, n: i32): void {
  for (let i = 0; i < rows; i++) {
    let sum = f64x2.splat(0.0);
    for (let j = 1; j < n; j++) {
      sum = plus(sum, times(v128.load(m + j * column), v128.load(v + (j << 4))));
    }
    sum = times(tau, plus(sum, v128.load(m)));
    v128.store(m, minus(v128.load(m), sum));
    for (let j = 1; j < n; j++) {
      const place = m + j * column;
      v128.store(place, minus(v128.load(place), times(sum, conjugate(v128.load(v + (j << 4))))));
    }
    m += 16;
  }
}

/** H = Q* A Q in place, taus: n entries. */
export function reduceToHessenberg(h: usize, q: usize, taus: usize, n: i32): void {
  const column: usize = n << 4;
  for (let i = 0; i < n - 1; i++) {
    const rest = n - i - 1;
    const v = at(h, n, i + 1, i);
    const tau = makeComplexReflection(v, rest);
    v128.store(taus + (i << 4), tau);
    reflectLeft(at(h, n, i + 1, i + 1), column, v, tau, rest, rest);
    reflectRight(at(h, n, 0, i + 1), column, v, conjugate(tau), n, rest);
  }
  makeIdentity(q, n);
  for (let i = n - 2; i >= 0; i--) {
    const rest = n - i - 1;
    const tau = conjugate(v128.load(taus + (i << 4)));
    reflectLeft(at(q, n, i + 1, i + 1), column, at(h, n, i + 1, i), tau, rest, rest);
  }
  for (let j = 0; j < n - 2; j++) memory.fill(at(h, n, j + 2, j), 0, (n - j - 2) << 4);
}

/** Rotation (c, s) with (c, s*; -s, c) turning (p, q) to (r, 0), c real; c, s and r are written one after another. */
function makeGivens(out: usize, p: v128, q: v128): void {
  let c = 0.0;
  let s = f64x2.splat(0.0);
  let r = s;
  if (squaredSize(q) == 0.0 && sumOfSizes(q) == 0.0) {
    c = realPart(p) < 0.0 ? -1.0 : 1.0;
    r = scaled(c, p);
  } else if (sumOfSizes(p) == 0.0) {
    const size = sizeOf(q);
    s = scaled(-1.0, over(q, size));
    r = complex(size, 0.0);
  } else {
    const p1 = sumOfSizes(p);
    const q1 = sumOfSizes(q);
    const larger = max<f64>(p1, q1);
    const ps = over(p, larger);
    const qs = over(q, larger);
    const p2 = squaredSize(ps);
    const q2 = squaredSize(qs);
    if (p1 >= q1) {
      let u = sqrt<f64>(1.0 + q2 / p2);
      if (realPart(p) < 0.0) u = -u;
      c = 1.0 / u;
      s = scaled(-c / p2, times(qs, conjugate(ps)));
      r = scaled(u, p);
    } else {
      let u = q1 * sqrt<f64>(p2 + q2);
      if (realPart(p) < 0.0) u = -u;
      const size = sizeOf(p);
      const unit = over(p, size);
      c = size / u;
      s = scaled(-1.0, times(conjugate(unit), over(q, u)));
      r = scaled(u, unit);
    }
  }
  v128.store(out, complex(c, 0.0));
  v128.store(out, s, 16);
  v128.store(out, r, 32);
}

/** Rows i and i+1 of the columns from `first` on. */
function rotateRows(t: usize, n: i32, i: i32, first: i32, c: f64, s: v128): void {
  for (let j = first; j < n; j++) {
    const place = at(t, n, i, j);
    const x = v128.load(place);
    const y = v128.load(place, 16);
    v128.store(place, minus(scaled(c, x), times(conjugate(s), y)));
    v128.store(place, plus(times(s, x), scaled(c, y)), 16);
  }
}

/** Columns i and i+1 of the first `rows` rows. */
function rotateColumns(t: usize, n: i32, i: i32, rows: i32, c: f64, s: v128): void {
  for (let k = 0; k < rows; k++) {
    const left = at(t, n, k, i);
    const right = at(t, n, k, i + 1);
    const x = v128.load(left);
    const y = v128.load(right);
    v128.store(left, minus(scaled(c, x), times(s, y)));
    v128.store(right, plus(times(conjugate(s), x), scaled(c, y)));
  }
}

function isNegligible(t: usize, n: i32, i: i32): bool {
  const below = at(t, n, i + 1, i);
  const scale = sumOfSizes(v128.load(at(t, n, i, i))) + sumOfSizes(v128.load(at(t, n, i + 1, i + 1)));
  if (sumOfSizes(v128.load(below)) > f64.EPSILON * scale) return false;
  v128.store(below, f64x2.splat(0.0));
  return true;
}

/** z / size, rounded as Eigen's vectorized division of complex numbers. */
@inline
function normalized(z: v128, size: f64): v128 {
  return over(scaled(size, z), size * size);
}

/** The eigenvalue of the last 2 × 2 block that is nearer to its last entry; an exceptional shift at steps 10 and 20. */
function shiftOf(t: usize, n: i32, end: i32, step: i32): v128 {
  if ((step == 10 || step == 20) && end >= 2) {
    const one = realPart(v128.load(at(t, n, end, end - 1)));
    const other = realPart(v128.load(at(t, n, end - 1, end - 2)));
    return complex(abs<f64>(one) + abs<f64>(other), 0.0);
  }
  const t00 = v128.load(at(t, n, end - 1, end - 1));
  const t10 = v128.load(at(t, n, end, end - 1));
  const t01 = v128.load(at(t, n, end - 1, end));
  const t11 = v128.load(at(t, n, end, end));
  const size = sizeOf(t00) + sizeOf(t10) + (sizeOf(t01) + sizeOf(t11));
  const a = normalized(t00, size);
  const d = normalized(t11, size);
  const b = times(normalized(t01, size), normalized(t10, size));
  const c = minus(a, d);
  const root = squareRoot(plus(times(c, c), scaled(4.0, b)));
  const determinant = minus(times(a, d), b);
  const trace = plus(a, d);
  let first = scaled(0.5, plus(trace, root));
  let second = scaled(0.5, minus(trace, root));
  const firstSize = sumOfSizes(first);
  const secondSize = sumOfSizes(second);
  if (firstSize > secondSize) second = quotient(determinant, first);
  else if (secondSize != 0.0) first = quotient(determinant, second);
  return scaled(size, sumOfSizes(minus(first, d)) < sumOfSizes(minus(second, d)) ? first : second);
}

/** QR steps on the Hessenberg T, accumulated in U; rotation: 3 entries. */
function triangularise(t: usize, u: usize, rotation: usize, n: i32): bool {
  let end = n - 1;
  let step = 0;
  let total = 0;
  while (true) {
    while (end > 0 && isNegligible(t, n, end - 1)) {
      step = 0;
      end--;
    }
    if (end <= 0) return true;
    step++;
    total++;
    if (total > STEPS * n) return false;
    let start = end - 1;
    while (start > 0 && !isNegligible(t, n, start - 1)) start--;
    const shift = shiftOf(t, n, end, step);
    makeGivens(rotation, minus(v128.load(at(t, n, start, start)), shift), v128.load(at(t, n, start + 1, start)));
    for (let i = start; i < end; i++) {
      if (i > start) {
        const place = at(t, n, i, i - 1);
        makeGivens(rotation, v128.load(place), v128.load(place, 16));
        v128.store(place, v128.load(rotation, 32));
        v128.store(place, f64x2.splat(0.0), 16);
      }
      const c = load<f64>(rotation);
      const s = v128.load(rotation, 16);
      rotateRows(t, n, i, i, c, s);
      rotateColumns(t, n, i, min<i32>(i + 2, end) + 1, c, s);
      rotateColumns(u, n, i, n, c, s);
    }
  }
}

/** A = U T U* with T upper triangular, all interleaved; T is A on entry. work: n + 3 entries. Returns false if the iteration did not converge. */
export function schurInPlace(t: usize, u: usize, work: usize, n: i32): bool {
  if (n == 0) return true;
  if (n == 1) {
    makeIdentity(u, 1);
    return true;
  }
  reduceToHessenberg(t, u, work, n);
  return triangularise(t, u, work + (n << 4), n);
}

/**
 * A = U T U* with T upper triangular; a null pointer for aIm means a real A. work: 4 n² + 2 n + 6 numbers. Returns 0, or 1 if
 * the iteration did not converge.
 */
export function complex_schur(
  uRe: usize,
  uIm: usize,
  tRe: usize,
  tIm: usize,
  aRe: usize,
  aIm: usize,
  work: usize,
  n: i32,
): i32 {
  const t = work;
  const u = t + ((n * n) << 4);
  join(t, aRe, aIm, n * n);
  const converged = schurInPlace(t, u, u + ((n * n) << 4), n);
  for (let j = 0; j < n; j++) {
    for (let i = j + 1; i < n; i++) v128.store(at(t, n, i, j), f64x2.splat(0.0));
  }
  part(uRe, uIm, u, n * n);
  part(tRe, tIm, t, n * n);
  return converged ? 0 : 1;
}

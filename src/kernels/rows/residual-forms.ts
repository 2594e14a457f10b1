// Sums of squares Σ w (a' x)² over rows of data, by a factor of their moments: ‖R x‖² with R'R = Σ w a a' (Golub & Van Loan, Matrix
// Computations, 4th edition, section 5.3, without Q). Subtractions in R x cancel like those in a row, and are not squared as in x' R'R x.
//
// The first row of R belongs to the column onto which the others are projected: the common part of data far from 0. It has 31 digits, the
// others 16. The factor of n columns takes (s + 3) s numbers, s = n rounded up to an even number: the high and the low parts of the first
// row, the norms of the columns of R, then the triangle of the residuals of the projections, row by row, where the row of the column itself is 0.

import { SPLITTER } from '../elementary/double-double';
import { storePair } from '../elementary/lanes';
import { factorInPlace, ownRow, stride } from './moments';

/**
 * Residuals are large if Σ |x| norms is at most this multiple of them. R x then loses at most three digits of doubles, and so do the slopes.
 */
const MOST_SPREAD: f64 = 1e3;

/** Makes the factor of moments, which it overwrites. Memory of the factor must be 0. Returns 0 if they are indefinite, as with negative weights. */
export function residual_factor(factor: usize, moments: usize, _factor: usize, _moments: usize, n: i32): i32 {
  const row = stride(n);
  for (let k: usize = 0; k < (n as usize); k++) {
    store<f64>(factor + 2 * row + (k << 3), sqrt<f64>(abs<f64>(load<f64>(moments + k * (row + 8)))));
  }
  if (!ownRow(factor, moments, mostCommon(moments, n), n)) return 0;
  if (!factorInPlace(moments, factor, n)) return 0;
  const rows = factor + 3 * row;
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      const offset = (j as usize) << 3;
      store<f64>(rows + (i as usize) * row + offset, load<f64>(moments + (i as usize) * row + offset));
    }
  }
  return 1;
}

/** The column whose projections explain most of the others. */
function mostCommon(moments: usize, n: i32): i32 {
  const column = stride(n);
  let most: f64 = -1.0;
  let found = 0;
  for (let p = 0; p < n; p++) {
    const own = load<f64>(moments + (p as usize) * (column + 8));
    if (!(own > 0.0)) continue;
    let explained: f64 = 0.0;
    for (let k = 0; k < n; k++) {
      const other = load<f64>(moments + (k as usize) * (column + 8));
      if (!(other > 0.0)) continue;
      const shared = load<f64>(moments + (min<i32>(p, k) as usize) * column + ((max<i32>(p, k) as usize) << 3));
      explained += (shared / own) * (shared / other);
    }
    if (explained <= most) continue;
    most = explained;
    found = p;
  }
  return found;
}

/**
 * form[0] = ‖R x‖², form[1] a bound of its error in units of 2⁻⁵², form[2] = Σ |x| largest, infinite if x is too large to be split into halves;
 * slopes = 2 R'R x. `largest`: the greatest absolute value of each column.
 */
export function residual_form(form: usize, slopes: usize, factor: usize, largest: usize, x: usize, n: i32): void {
  if (!formOfLarge(form, slopes, factor, largest, x, n)) formOfSmall(form, slopes, factor, largest, x, n);
}

/** The form if residuals are large compared with the subtracted terms, computed only in doubles. Returns false otherwise. */
@inline
function formOfLarge(form: usize, slopes: usize, factor: usize, largest: usize, x: usize, n: i32): bool {
  const row = stride(n);
  const even = ((n & ~1) as usize) << 3;
  const norms = factor + 2 * row;
  const first = factor + 3 * row;
  const second = first + row;
  let bounds = f64x2.splat(0.0);
  let spread = f64x2.splat(0.0);
  let common = f64x2.splat(0.0);
  let upper = f64x2.splat(0.0);
  let lower = f64x2.splat(0.0);
  for (let at: usize = 0; at < row; at += 16) {
    const b = newPairAt(x + at, at == even);
    const size = f64x2.abs(b);
    bounds = f64x2.add(bounds, f64x2.mul(size, pairAt(largest + at, at == even)));
    spread = f64x2.add(spread, f64x2.mul(size, v128.load(norms + at)));
    common = f64x2.add(common, f64x2.mul(b, v128.load(factor + at)));
    upper = f64x2.add(upper, f64x2.mul(b, v128.load(first + at)));
    lower = f64x2.add(lower, f64x2.mul(b, v128.load(second + at)));
  }
  const shared = across(common);
  let residuals = bothAcross(upper, lower);
  let squares = f64x2.mul(residuals, residuals);
  const byCommon = f64x2.splat(2.0 * shared);
  let byUpper = f64x2.splat(2.0 * f64x2.extract_lane(residuals, 0));
  let byLower = f64x2.splat(2.0 * f64x2.extract_lane(residuals, 1));
  for (let at: usize = 0; at < row; at += 16) {
    const inner = f64x2.add(f64x2.mul(byUpper, v128.load(first + at)), f64x2.mul(byLower, v128.load(second + at)));
    storePair(slopes + at, f64x2.add(inner, f64x2.mul(byCommon, v128.load(factor + at))), at == even);
  }
  // Two rows at a time. The row after the last one is 0.
  let above = second + row;
  for (let start: usize = 16; start < row; start += 16) {
    const below = above + row;
    upper = f64x2.splat(0.0);
    lower = f64x2.splat(0.0);
    for (let at = start; at < row; at += 16) {
      const b = newPairAt(x + at, at == even);
      upper = f64x2.add(upper, f64x2.mul(b, v128.load(above + at)));
      lower = f64x2.add(lower, f64x2.mul(b, v128.load(below + at)));
    }
    residuals = bothAcross(upper, lower);
    squares = f64x2.add(squares, f64x2.mul(residuals, residuals));
    byUpper = f64x2.splat(2.0 * f64x2.extract_lane(residuals, 0));
    byLower = f64x2.splat(2.0 * f64x2.extract_lane(residuals, 1));
    for (let at = start; at < row; at += 16) {
      const inner = f64x2.add(f64x2.mul(byUpper, v128.load(above + at)), f64x2.mul(byLower, v128.load(below + at)));
      storePair(slopes + at, f64x2.add(pairAt(slopes + at, at == even), inner), at == even);
    }
    above = below + row;
  }
  const value = shared * shared + across(squares);
  const whole = across(spread);
  store<f64>(form, value);
  store<f64>(form, 2.0 * MOST_SPREAD * value, 8);
  store<f64>(form, across(bounds), 16);
  return whole * whole < MOST_SPREAD * MOST_SPREAD * value;
}

/** The form where residuals may be small: the common part with 31 digits. */
function formOfSmall(form: usize, slopes: usize, factor: usize, largest: usize, x: usize, n: i32): void {
  const row = stride(n);
  const splitter = f64x2.splat(SPLITTER);
  let bounds = f64x2.splat(0.0);
  let greatest = f64x2.splat(0.0);
  let sum = f64x2.splat(0.0);
  let tail = f64x2.splat(0.0);
  for (let k = 0; k < n; k += 2) {
    const offset = (k as usize) << 3;
    const a = v128.load(factor + offset);
    const b = pairAt(x + offset, k + 1 == n);
    const size = f64x2.abs(b);
    greatest = f64x2.max(greatest, size);
    bounds = f64x2.add(bounds, f64x2.mul(size, pairAt(largest + offset, k + 1 == n)));
    const product = f64x2.mul(a, b);
    const s = f64x2.mul(splitter, a);
    const t = f64x2.mul(splitter, b);
    const aHigh = f64x2.sub(s, f64x2.sub(s, a));
    const bHigh = f64x2.sub(t, f64x2.sub(t, b));
    const aLow = f64x2.sub(a, aHigh);
    const bLow = f64x2.sub(b, bHigh);
    const most = f64x2.sub(product, f64x2.mul(aHigh, bHigh));
    const without = f64x2.sub(f64x2.sub(most, f64x2.mul(aLow, bHigh)), f64x2.mul(aHigh, bLow));
    const error = f64x2.sub(f64x2.mul(aLow, bLow), without);
    const next = f64x2.add(sum, product);
    const added = f64x2.sub(next, sum);
    const lost = f64x2.add(f64x2.sub(sum, f64x2.sub(next, added)), f64x2.sub(product, added));
    tail = f64x2.add(tail, f64x2.add(lost, f64x2.add(error, f64x2.mul(v128.load(factor + row + offset), b))));
    sum = next;
  }
  const first = total(sum, tail);
  let value = first * first;
  let bound: f64 = 0.0;
  const slope = f64x2.splat(2.0 * first);
  for (let k = 0; k < n; k += 2) {
    const offset = (k as usize) << 3;
    storePair(slopes + offset, f64x2.mul(slope, v128.load(factor + offset)), k + 1 == n);
  }
  let from = factor + 3 * row;
  for (let i = 0; i < n; i++) {
    const start = i & ~1;
    if (load<f64>(from + ((i as usize) << 3)) != 0.0) {
      let residual = f64x2.splat(0.0);
      let size = f64x2.splat(0.0);
      for (let k = start; k < n; k += 2) {
        const offset = (k as usize) << 3;
        const term = f64x2.mul(v128.load(from + offset), pairAt(x + offset, k + 1 == n));
        residual = f64x2.add(residual, term);
        size = f64x2.add(size, f64x2.abs(term));
      }
      const own = across(residual);
      value += own * own;
      bound += abs<f64>(own) * across(size);
      const weight = f64x2.splat(2.0 * own);
      for (let k = start; k < n; k += 2) {
        const offset = (k as usize) << 3;
        const isLast = k + 1 == n;
        const before = pairAt(slopes + offset, isLast);
        storePair(slopes + offset, f64x2.add(before, f64x2.mul(weight, v128.load(from + offset))), isLast);
      }
    }
    from += row;
  }
  const isSmall = max<f64>(f64x2.extract_lane(greatest, 0), f64x2.extract_lane(greatest, 1)) < 1e200;
  store<f64>(form, value);
  store<f64>(form, 2.0 * bound, 8);
  store<f64>(form, isSmall ? across(bounds) : Infinity, 16);
}

/** The sum of both lanes of a compensated sum, with the rounding errors in `tail`. */
@inline
function total(sum: v128, tail: v128): f64 {
  const a = f64x2.extract_lane(sum, 0);
  const b = f64x2.extract_lane(sum, 1);
  const s = a + b;
  const t = s - a;
  return s + (a - (s - t) + (b - t) + across(tail));
}

@inline
function across(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/** The sums of two pairs. */
@inline
function bothAcross(a: v128, b: v128): v128 {
  return f64x2.add(v128.shuffle<f64>(a, b, 0, 2), v128.shuffle<f64>(a, b, 1, 3));
}

/** Two numbers, or the last one and 0. */
@inline
function pairAt(at: usize, isLast: bool): v128 {
  return isLast ? v128.load64_zero(at) : v128.load(at);
}

/** Like `pairAt`, for numbers that have just been stored one by one: processors forward such stores only to loads of the same size. */
@inline
function newPairAt(at: usize, isLast: bool): v128 {
  const first = v128.load64_zero(at);
  return isLast ? first : v128.load64_lane(at, first, 1, 8);
}

// Sums of squares Σ w (a' x)² over rows of data, by a factor of their moments: ‖R x‖² with R'R = Σ w a a' (Golub & Van Loan, Matrix Computations,
// 4th edition, section 5.3, without Q). Subtractions of R x cancel as those of a row do, not squared as in x' R'R x.
//
// The first row of R belongs to one column, which the others are projected on: what data far from 0 have in common. It has 31 digits, the others
// 16. The factor of n columns takes (n + 2) s numbers, s = n rounded up to an even number: the high and the low parts of the first row, then
// the triangle of what the projections leave, row by row, where the row of the column itself is 0.

import { SPLITTER } from './double-double';
import { storePair } from './lanes';
import { factorInPlace, ownRow, stride } from './moments';

/** Makes the factor of moments, which it overwrites. Returns 0 if they are indefinite, as with negative weights. */
export function residual_factor(factor: usize, moments: usize, _factor: usize, _moments: usize, n: i32): i32 {
  const row = stride(n);
  if (!ownRow(factor, moments, mostCommon(moments, n), n)) return 0;
  if (!factorInPlace(moments, factor, n)) return 0;
  const rows = factor + 2 * row;
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
 * form[0] = ‖R x‖², form[1] a bound of its error in units of 2⁻⁵², form[2] = Σ |x| largest, infinite where x is too large to be split into halves;
 * slopes = 2 R'R x. `largest`: the greatest absolute data by column.
 */
export function residual_form(form: usize, slopes: usize, factor: usize, largest: usize, x: usize, n: i32): void {
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
  let from = factor + 2 * row;
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

/** The sum of two sums, each of which has lost `tail`. */
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

/** Two numbers; the last one and 0 where there is only that. */
@inline
function pairAt(at: usize, isLast: bool): v128 {
  return isLast ? v128.load64_zero(at) : v128.load(at);
}

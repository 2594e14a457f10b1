// Sums over the rows of data, kept as unevaluated sums of two doubles (about 31 digits), and forms with these sums as coefficients.
// Products and sums without error: Dekker, A floating-point technique for extending the available precision, Numer. Math. 18, 1971.
//
// The moments of n columns take 2 n s numbers, s = n rounded up to an even number: the high parts of the n × n matrix Σ w a a', columns s numbers
// apart, then the low parts. Only the lower triangle is used. All numbers must be below 2^996.

import { exactError, low, product, quotient, sum } from '../elementary/double-double';

let productLow: f64 = 0.0;
let sumLow: f64 = 0.0;

/** a·b, with the rounding error in `productLow`. */
@inline
function exactProduct(a: f64, b: f64): f64 {
  const product = a * b;
  productLow = exactError(a, b, product);
  return product;
}

/** (aHigh, aLow) + (bHigh, bLow), with the low part in `sumLow`. */
@inline
function exactSum(aHigh: f64, aLow: f64, bHigh: f64, bLow: f64): f64 {
  const s = aHigh + bHigh;
  const t = s - aHigh;
  const rest = aHigh - (s - t) + (bHigh - t) + (aLow + bLow);
  const sum = s + rest;
  sumLow = rest - (sum - s);
  return sum;
}

@inline
export function stride(n: i32): usize {
  return (((n + 1) & ~1) as usize) << 3;
}

/** moments += w a a' for a row a of n numbers. `_before` is the same address as `moments`. */
export function moments_add(moments: usize, _before: usize, row: usize, weight: f64, n: i32): void {
  const column = stride(n);
  const low = (n as usize) * column;
  for (let j = 0; j < n; j++) {
    const own = load<f64>(row + ((j as usize) << 3));
    const high = exactProduct(weight, own);
    const rest = productLow;
    const to = moments + (j as usize) * column;
    for (let i = j; i < n; i++) {
      const offset = (i as usize) << 3;
      const other = load<f64>(row + offset);
      const product = exactProduct(high, other);
      const at = to + offset;
      store<f64>(at, exactSum(load<f64>(at), load<f64>(at + low), product, productLow + rest * other));
      store<f64>(at + low, sumLow);
    }
  }
}

/** If less than this share of a column's own square remains, the remainder is rounding error of the moments: the column is collinear. */
const COLLINEAR: f64 = 1e-29;

/**
 * row[k] = M_pk / √M_pp for the moments M: high parts, then low parts one stride later; all 0 if column p is 0. Returns 0 if M_pp is
 * negative.
 */
export function ownRow(row: usize, moments: usize, p: i32, n: i32): i32 {
  const column = stride(n);
  const lows = (n as usize) * column;
  const own = moments + (p as usize) * (column + 8);
  const high = load<f64>(own);
  if (!(high >= 0.0)) return 0;
  const root = sqrt<f64>(high);
  const rootLow = root > 0.0 ? lowOfRoot(high, load<f64>(own + lows), root) : 0.0;
  for (let k = 0; k < n; k++) {
    const from = moments + (min<i32>(p, k) as usize) * column + ((max<i32>(p, k) as usize) << 3);
    const to = row + ((k as usize) << 3);
    store<f64>(to, root > 0.0 ? quotient(load<f64>(from), load<f64>(from + lows), root, rootLow) : 0.0);
    store<f64>(to + column, root > 0.0 ? low : 0.0);
  }
  return 1;
}

@inline
function lowOfRoot(high: f64, rest: f64, root: f64): f64 {
  const square = product(root, 0.0, root, 0.0);
  return sum(high, rest, -square, -low) / (2.0 * root);
}

/**
 * Cholesky decomposition in place: the triangular factor R of moments minus the square of `first`, a row from `ownRow`, or 0 for none;
 * R_ij replaces the moment of i and j. Rows of collinear columns are 0. Returns 0 if the moments are indefinite.
 */
export function factorInPlace(moments: usize, first: usize, n: i32): i32 {
  const column = stride(n);
  const lows = (n as usize) * column;
  for (let j = 0; j < n; j++) {
    const own = moments + (j as usize) * (column + 8);
    const whole = load<f64>(own);
    lessProducts(own, moments, first, j, j, n);
    const high = load<f64>(own);
    if (high < -COLLINEAR * whole) return 0;
    const isLost = !(high > COLLINEAR * whole);
    const root = isLost ? 0.0 : sqrt<f64>(high);
    const rootLow = isLost ? 0.0 : lowOfRoot(high, load<f64>(own + lows), root);
    store<f64>(own, root);
    store<f64>(own + lows, rootLow);
    for (let i = j + 1; i < n; i++) {
      const at = moments + (j as usize) * column + ((i as usize) << 3);
      lessProducts(at, moments, first, j, i, n);
      const entry = isLost ? 0.0 : quotient(load<f64>(at), load<f64>(at + lows), root, rootLow);
      store<f64>(at, entry);
      store<f64>(at + lows, isLost ? 0.0 : low);
    }
  }
  return 1;
}

/** Subtracts R_pi R_pj of the rows p above j, and that of the first row. */
function lessProducts(at: usize, moments: usize, first: usize, j: i32, i: i32, n: i32): void {
  const column = stride(n);
  const lows = (n as usize) * column;
  let high = load<f64>(at);
  let rest = load<f64>(at + lows);
  for (let p = first ? -1 : 0; p < j; p++) {
    const row = p < 0 ? first : moments + (p as usize) * column;
    const toLow = p < 0 ? column : lows;
    const a = row + ((j as usize) << 3);
    const b = row + ((i as usize) << 3);
    const term = product(load<f64>(a), load<f64>(a + toLow), load<f64>(b), load<f64>(b + toLow));
    high = sum(high, rest, -term, -low);
    rest = low;
  }
  store<f64>(at, high);
  store<f64>(at + lows, rest);
}

/** Updates the greatest absolute value of each column with a row; NaN if one of them is NaN. `_before` is the same address as `largest`. */
export function largest_add(largest: usize, _before: usize, row: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const offset = (i as usize) << 3;
    store<f64>(largest + offset, max<f64>(load<f64>(largest + offset), abs<f64>(load<f64>(row + offset))));
  }
}

/** Whether each of n numbers is 0 or within the bounds; false if one is NaN. */
export function all_within(x: usize, least: f64, greatest: f64, n: i32): i32 {
  for (let i = 0; i < n; i++) {
    const own = load<f64>(x + ((i as usize) << 3));
    if (!(own == 0.0 || (own >= least && own <= greatest))) return 0;
  }
  return 1;
}

/** Σ |x| y; infinite if a number of x is too large for the exact product. */
export function bound_of(x: usize, y: usize, n: i32): f64 {
  let sum: f64 = 0.0;
  for (let i = 0; i < n; i++) {
    const offset = (i as usize) << 3;
    const own = abs<f64>(load<f64>(x + offset));
    if (!(own < 1e200)) return Infinity;
    sum += own * load<f64>(y + offset);
  }
  return sum;
}

/** sums += row: n high parts, then n low parts. `_before` is the same address as `sums`. */
export function sums_add(sums: usize, _before: usize, row: usize, n: i32): void {
  const low = (n as usize) << 3;
  for (let i = 0; i < n; i++) {
    const at = sums + ((i as usize) << 3);
    store<f64>(at, exactSum(load<f64>(at), load<f64>(at + low), load<f64>(row + ((i as usize) << 3)), 0.0));
    store<f64>(at + low, sumLow);
  }
}

/** value = sums' x */
export function linear_form(value: usize, sums: usize, x: usize, n: i32): void {
  const low = (n as usize) << 3;
  let high: f64 = 0.0;
  let rest: f64 = 0.0;
  for (let i = 0; i < n; i++) {
    const at = sums + ((i as usize) << 3);
    const own = load<f64>(x + ((i as usize) << 3));
    const product = exactProduct(load<f64>(at), own);
    high = exactSum(high, rest, product, productLow + load<f64>(at + low) * own);
    rest = sumLow;
  }
  store<f64>(value, high);
}

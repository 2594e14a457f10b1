// Sums over the rows of data, kept as unevaluated sums of two doubles (about 31 digits), and the forms that they are the coefficients of.
// Products and sums without error: Dekker, A floating-point technique for extending the available precision, Numer. Math. 18, 1971.
//
// The moments of n columns take 2 n s numbers, s = n rounded up to an even number: the high parts of the n × n matrix Σ w a a', columns s numbers
// apart, then the low parts. Only the lower triangle is summed; `moments_mirror` fills the upper one. Nothing here may be as large as 2^996.

import { exactError, SPLITTER } from './double-double';

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
function stride(n: i32): usize {
  return (((n + 1) & ~1) as usize) << 3;
}

/** moments += w a a' for a row a of n numbers. `before` is where `moments` were: the same place. */
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

/** Fills the upper triangle of moments; norms[j] = √(Σ w a_j²). */
export function moments_mirror(moments: usize, norms: usize, _before: usize, n: i32): void {
  const column = stride(n);
  const low = (n as usize) * column;
  for (let j = 0; j < n; j++) {
    store<f64>(norms + ((j as usize) << 3), sqrt<f64>(load<f64>(moments + (j as usize) * (column + 8))));
    for (let i = j + 1; i < n; i++) {
      const from = moments + (j as usize) * column + ((i as usize) << 3);
      const to = moments + (i as usize) * column + ((j as usize) << 3);
      store<f64>(to, load<f64>(from));
      store<f64>(to + low, load<f64>(from + low));
    }
  }
}

/** value = x' M x and slopes = 2 M x for the moments M. */
export function quadratic_form(value: usize, slopes: usize, moments: usize, x: usize, n: i32): void {
  const column = stride(n);
  const low = (n as usize) * column;
  const splitter = f64x2.splat(SPLITTER);
  let high: f64 = 0.0;
  let rest: f64 = 0.0;
  for (let i = 0; i < n; i += 2) {
    let sum = f64x2.splat(0.0);
    let tail = f64x2.splat(0.0);
    let from = moments + ((i as usize) << 3);
    for (let k = 0; k < n; k++) {
      const a = v128.load(from);
      const b = v128.load64_splat(x + ((k as usize) << 3));
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
      const small = f64x2.add(error, f64x2.mul(v128.load(from + low), b));
      tail = f64x2.add(tail, f64x2.add(lost, small));
      sum = next;
      from += column;
    }
    for (let lane = 0; lane < 2 && i + lane < n; lane++) {
      const s = lane == 0 ? f64x2.extract_lane(sum, 0) : f64x2.extract_lane(sum, 1);
      const t = lane == 0 ? f64x2.extract_lane(tail, 0) : f64x2.extract_lane(tail, 1);
      const whole = s + t;
      const offset = ((i + lane) as usize) << 3;
      const own = load<f64>(x + offset);
      store<f64>(slopes + offset, 2.0 * whole);
      const product = exactProduct(whole, own);
      high = exactSum(high, rest, product, productLow + (t - (whole - s)) * own);
      rest = sumLow;
    }
  }
  store<f64>(value, high);
}

/** xAdj += value' slopes + 2 M slopes', of which a pointer 0 is left out. */
export function quadratic_form_adjoint(
  xAdj: usize,
  valueAdj: usize,
  slopes: usize,
  slopesAdj: usize,
  moments: usize,
  n: i32,
): void {
  const column = stride(n);
  const weight = valueAdj ? load<f64>(valueAdj) : 0.0;
  for (let i = 0; i < n; i++) {
    const offset = (i as usize) << 3;
    const at = xAdj + offset;
    let sum = weight * load<f64>(slopes + offset);
    if (slopesAdj) {
      let high: f64 = 0.0;
      let rest: f64 = 0.0;
      for (let k = 0; k < n; k++) {
        const from = moments + offset + (k as usize) * column;
        const own = load<f64>(slopesAdj + ((k as usize) << 3));
        const product = exactProduct(load<f64>(from), own);
        high = exactSum(high, rest, product, productLow + load<f64>(from + (n as usize) * column) * own);
        rest = sumLow;
      }
      sum += 2.0 * high;
    }
    store<f64>(at, load<f64>(at) + sum);
  }
}

/** The greatest absolute values of the numbers of several rows so far; NaN where one of them is. `before` is where `largest` was. */
export function largest_add(largest: usize, _before: usize, row: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const offset = (i as usize) << 3;
    store<f64>(largest + offset, max<f64>(load<f64>(largest + offset), abs<f64>(load<f64>(row + offset))));
  }
}

/** Whether each of n numbers is 0 or within the bounds; not if one is NaN. */
export function all_within(x: usize, least: f64, greatest: f64, n: i32): i32 {
  for (let i = 0; i < n; i++) {
    const own = load<f64>(x + ((i as usize) << 3));
    if (!(own == 0.0 || (own >= least && own <= greatest))) return 0;
  }
  return 1;
}

/** Σ |x| y; infinite where a number of x is too large for the exact product. */
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

/** sums += row: n high parts, then n low parts. `before` is where `sums` were. */
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

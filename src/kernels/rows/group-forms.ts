// Sums of squares Σ w (a' x)² over groups of rows. The first n of the quantities x are the same in all groups, and the other m belong to
// one group. A group's sum is ‖R x‖², where R is the triangular factor of its moments Σ w a a' = R'R: subtractions in R x cancel like
// those in a' x, and the loss of digits is not squared.

import { storePair } from '../elementary/lanes';
import { factorInPlace, stride } from './moments';

/**
 * Writes the factor R of the moments of k columns (moments.ts) of a group: k × k numbers by rows; the factors of two groups are interleaved number
 * by number. Overwrites the moments. Returns 0 if they are indefinite, as with negative weights. `_factors` and `_moments` are the same addresses
 * as `factors` and `moments`.
 */
export function moments_factor(factors: usize, moments: usize, _factors: usize, _moments: usize, k: i32, group: i32): i32 {
  const factor = factors + ((((group >> 1) * k * k * 2 + (group & 1)) as usize) << 3);
  const column = stride(k);
  if (!factorInPlace(moments, 0, k)) return 0;
  for (let j = 0; j < k; j++) {
    for (let i = j; i < k; i++) {
      const entry = load<f64>(moments + (j as usize) * column + ((i as usize) << 3));
      store<f64>(factor + (((j * k + i) as usize) << 4), entry);
    }
  }
  return 1;
}

/**
 * form[0] = Σ ‖R x‖² over the groups, form[1] a bound of its error in units of 2⁻⁵², form[2] = max Σ |x| largest. shared = the form's derivatives with
 * respect to the n shared quantities x, own = those with respect to the groups' own m quantities y, of which y holds the first of every group, then
 * the second of every group. `largest`: the greatest absolute value of each column.
 */
export function group_form(
  form: usize,
  shared: usize,
  own: usize,
  factors: usize,
  largest: usize,
  x: usize,
  y: usize,
  n: i32,
  m: i32,
  groups: i32,
): void {
  const k = n + m;
  const next = (groups as usize) << 3;
  const two = f64x2.splat(2.0);
  let value = f64x2.splat(0.0);
  let error = f64x2.splat(0.0);
  let greatest = f64x2.splat(0.0);
  let common: f64 = 0.0;
  for (let j = 0; j < n; j++) {
    const offset = (j as usize) << 3;
    store<f64>(shared + offset, 0.0);
    common += abs<f64>(load<f64>(x + offset)) * load<f64>(largest + offset);
  }
  for (let g = 0; g < groups; g += 2) {
    // An unpaired last group is in both lanes; the factor in the second is 0.
    const isSingle = g + 1 == groups;
    let bound = f64x2.splat(0.0);
    for (let j = 0; j < m; j++) {
      const at = y + (j as usize) * next;
      const quantity = isSingle ? v128.load64_splat(at) : v128.load(at);
      bound = f64x2.add(bound, f64x2.mul(f64x2.abs(quantity), v128.load64_splat(largest + (((n + j) as usize) << 3))));
      storePair(own + (j as usize) * next, f64x2.splat(0.0), isSingle);
    }
    // NaN in either operand gives NaN.
    greatest = f64x2.max(greatest, bound);
    for (let i = 0; i < k; i++) {
      const row = factors + (((i * k) as usize) << 4);
      const first = i > n ? i - n : 0;
      let residual = f64x2.splat(0.0);
      let size = f64x2.splat(0.0);
      for (let j = i; j < n; j++) {
        const term = f64x2.mul(v128.load(row + ((j as usize) << 4)), v128.load64_splat(x + ((j as usize) << 3)));
        residual = f64x2.add(residual, term);
        size = f64x2.add(size, f64x2.abs(term));
      }
      for (let j = first; j < m; j++) {
        const at = y + (j as usize) * next;
        const quantity = isSingle ? v128.load64_splat(at) : v128.load(at);
        const term = f64x2.mul(v128.load(row + (((n + j) as usize) << 4)), quantity);
        residual = f64x2.add(residual, term);
        size = f64x2.add(size, f64x2.abs(term));
      }
      value = f64x2.add(value, f64x2.mul(residual, residual));
      error = f64x2.add(error, f64x2.mul(f64x2.abs(residual), size));
      const slope = f64x2.mul(two, residual);
      for (let j = i; j < n; j++) {
        const at = shared + ((j as usize) << 3);
        const added = f64x2.mul(slope, v128.load(row + ((j as usize) << 4)));
        store<f64>(at, load<f64>(at) + (f64x2.extract_lane(added, 0) + f64x2.extract_lane(added, 1)));
      }
      for (let j = first; j < m; j++) {
        const at = own + (j as usize) * next;
        const added = f64x2.mul(slope, v128.load(row + (((n + j) as usize) << 4)));
        const before = isSingle ? v128.load64_splat(at) : v128.load(at);
        storePair(at, f64x2.add(before, added), isSingle);
      }
    }
    factors += ((k * k) as usize) << 4;
    y += 16;
    own += 16;
  }
  store<f64>(form, f64x2.extract_lane(value, 0) + f64x2.extract_lane(value, 1));
  store<f64>(form, 2.0 * (f64x2.extract_lane(error, 0) + f64x2.extract_lane(error, 1)), 8);
  store<f64>(form, common + max<f64>(f64x2.extract_lane(greatest, 0), f64x2.extract_lane(greatest, 1)), 16);
}

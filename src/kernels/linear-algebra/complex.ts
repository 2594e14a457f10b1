// Complex numbers as two lanes, real part first. In matrices, the parts of an entry are adjacent, 16 bytes per entry; kernels
// receive and return a complex matrix as two real ones.
import { hypot } from '../elementary/hyperbolic';

@inline
export function complex(re: f64, im: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(re), 1, im);
}

@inline
export function realPart(z: v128): f64 {
  return f64x2.extract_lane(z, 0);
}

@inline
export function imaginaryPart(z: v128): f64 {
  return f64x2.extract_lane(z, 1);
}

/** x + y */
@inline
export function plus(x: v128, y: v128): v128 {
  return f64x2.add(x, y);
}

/** x - y */
@inline
export function minus(x: v128, y: v128): v128 {
  return f64x2.sub(x, y);
}

@inline
export function conjugate(z: v128): v128 {
  return f64x2.mul(z, f64x2(1.0, -1.0));
}

/** x y */
@inline
export function times(x: v128, y: v128): v128 {
  const re = f64x2.splat(realPart(x));
  const im = f64x2.splat(imaginaryPart(x));
  const crossed = v128.shuffle<f64>(y, y, 1, 0);
  return f64x2.add(f64x2.mul(re, y), f64x2.mul(f64x2.mul(im, crossed), f64x2(-1.0, 1.0)));
}

/** a z for a real a */
@inline
export function scaled(a: f64, z: v128): v128 {
  return f64x2.mul(f64x2.splat(a), z);
}

/** z / a for a real a */
@inline
export function over(z: v128, a: f64): v128 {
  return f64x2.div(z, f64x2.splat(a));
}

/** x / y without overflow of |y|² (Smith 1962). */
export function quotient(x: v128, y: v128): v128 {
  const a = realPart(x);
  const b = imaginaryPart(x);
  const c = realPart(y);
  const d = imaginaryPart(y);
  if (abs<f64>(c) < abs<f64>(d)) {
    const ratio = c / d;
    const size = c * ratio + d;
    return complex((a * ratio + b) / size, (b * ratio - a) / size);
  }
  const ratio = d / c;
  const size = d * ratio + c;
  return complex((a + b * ratio) / size, (b - a * ratio) / size);
}

/** |z|² */
@inline
export function squaredSize(z: v128): f64 {
  return realPart(z) * realPart(z) + imaginaryPart(z) * imaginaryPart(z);
}

/** |z| */
@inline
export function sizeOf(z: v128): f64 {
  return hypot(realPart(z), imaginaryPart(z));
}

/** |Re z| + |Im z| */
@inline
export function sumOfSizes(z: v128): f64 {
  return abs<f64>(realPart(z)) + abs<f64>(imaginaryPart(z));
}

/** The square root with a non-negative real part. */
export function squareRoot(z: v128): v128 {
  const re = realPart(z);
  const im = imaginaryPart(z);
  const large = sqrt<f64>(0.5 * (abs<f64>(re) + hypot(re, im)));
  if (large == 0.0) return complex(0.0, im);
  const small = abs<f64>(im) / (2.0 * large);
  return re >= 0.0 ? complex(large, copysign<f64>(small, im)) : complex(small, copysign<f64>(large, im));
}

/** Joins real and imaginary parts to entries; a null pointer represents a part of zeros. */
export function join(out: usize, re: usize, im: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const offset = i << 3;
    v128.store(out, complex(re ? load<f64>(re + offset) : 0.0, im ? load<f64>(im + offset) : 0.0));
    out += 16;
  }
}

/** Splits entries into real and imaginary parts; a part with a null pointer is omitted. */
export function part(re: usize, im: usize, from: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    if (re) store<f64>(re + (i << 3), load<f64>(from));
    if (im) store<f64>(im + (i << 3), load<f64>(from, 8));
    from += 16;
  }
}

/** Like `part`, but adds to the output. */
export function addPart(re: usize, im: usize, from: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const offset = i << 3;
    if (re) store<f64>(re + offset, load<f64>(re + offset) + load<f64>(from));
    if (im) store<f64>(im + offset, load<f64>(im + offset) + load<f64>(from, 8));
    from += 16;
  }
}

/** Address of an entry of a matrix with `rows` rows. */
@inline
export function at(matrix: usize, rows: i32, i: i32, j: i32): usize {
  return matrix + ((j * rows + i) << 4);
}

/** out = A B, or A* B with `conjugated`; A m × k (k × m), B k × n. */
export function product(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32, conjugated: bool): void {
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < m; i++) {
      let sum = f64x2.splat(0.0);
      for (let l = 0; l < k; l++) {
        const x = conjugated ? conjugate(v128.load(at(a, k, l, i))) : v128.load(at(a, m, i, l));
        sum = plus(sum, times(x, v128.load(at(b, k, l, j))));
      }
      v128.store(at(out, m, i, j), sum);
    }
  }
}

/** out = A B*, A m × k, B n × k. */
export function productWithAdjoint(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32): void {
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < m; i++) {
      let sum = f64x2.splat(0.0);
      for (let l = 0; l < k; l++) {
        sum = plus(sum, times(v128.load(at(a, m, i, l)), conjugate(v128.load(at(b, n, j, l)))));
      }
      v128.store(at(out, m, i, j), sum);
    }
  }
}

/** Makes the n × n matrix the identity. */
export function makeIdentity(out: usize, n: i32): void {
  memory.fill(out, 0, (n * n) << 4);
  for (let i = 0; i < n; i++) store<f64>(at(out, n, i, i), 1.0);
}

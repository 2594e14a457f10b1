// Level-1 operations on contiguous f64 vectors. Pointers are byte addresses, n counts elements.

// @ts-ignore: decorator
@inline
export function laneSum(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

/** x'y */
export function dot(x: usize, y: usize, n: i32): f64 {
  let s0 = f64x2.splat(0.0);
  let s1 = f64x2.splat(0.0);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 = f64x2.add(s0, f64x2.mul(v128.load(x), v128.load(y)));
    s1 = f64x2.add(s1, f64x2.mul(v128.load(x, 16), v128.load(y, 16)));
    x += 32;
    y += 32;
  }
  let sum = laneSum(f64x2.add(s0, s1));
  for (; i < n; i++) {
    sum += load<f64>(x) * load<f64>(y);
    x += 8;
    y += 8;
  }
  return sum;
}

/** y += a x */
export function axpy(y: usize, a: f64, x: usize, n: i32): void {
  const factor = f64x2.splat(a);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    v128.store(y, f64x2.add(v128.load(y), f64x2.mul(factor, v128.load(x))));
    v128.store(y, f64x2.add(v128.load(y, 16), f64x2.mul(factor, v128.load(x, 16))), 16);
    x += 32;
    y += 32;
  }
  for (; i < n; i++) {
    store<f64>(y, load<f64>(y) + a * load<f64>(x));
    x += 8;
    y += 8;
  }
}

/** x *= a */
export function scale(x: usize, a: f64, n: i32): void {
  for (let i = 0; i < n; i++, x += 8) store<f64>(x, a * load<f64>(x));
}

/** Sum of the elements. */
export function sum(x: usize, n: i32): f64 {
  let s0 = f64x2.splat(0.0);
  let s1 = f64x2.splat(0.0);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 = f64x2.add(s0, v128.load(x));
    s1 = f64x2.add(s1, v128.load(x, 16));
    x += 32;
  }
  let total = laneSum(f64x2.add(s0, s1));
  for (; i < n; i++, x += 8) total += load<f64>(x);
  return total;
}

// @ts-ignore: decorator
@inline
export function copyVector(out: usize, x: usize, n: i32): void {
  if (out != x) memory.copy(out, x, n << 3);
}

// @ts-ignore: decorator
@inline
export function clearVector(out: usize, n: i32): void {
  memory.fill(out, 0, n << 3);
}

/** out += x */
export function add_to(out: usize, x: usize, n: i32): void {
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    v128.store(out, f64x2.add(v128.load(out), v128.load(x)));
    out += 16;
    x += 16;
  }
  if (i < n) store<f64>(out, load<f64>(out) + load<f64>(x));
}

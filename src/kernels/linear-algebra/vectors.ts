// Level-1 operations on contiguous f64 vectors. Pointers are byte addresses, n counts elements.

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

/**
 * y += alpha A x, four columns of A at a time: A rows × cols with columns aColumn bytes apart, entries of x xStride bytes
 * apart.
 */
export function addColumns(
  y: usize,
  a: usize,
  aColumn: usize,
  x: usize,
  xStride: usize,
  rows: i32,
  cols: i32,
  alpha: f64,
): void {
  let j = 0;
  for (; j + 4 <= cols; j += 4) {
    const x0 = alpha * load<f64>(x);
    const x1 = alpha * load<f64>(x + xStride);
    const x2 = alpha * load<f64>(x + 2 * xStride);
    const x3 = alpha * load<f64>(x + 3 * xStride);
    const v0 = f64x2.splat(x0);
    const v1 = f64x2.splat(x1);
    const v2 = f64x2.splat(x2);
    const v3 = f64x2.splat(x3);
    let a0 = a;
    let a1 = a0 + aColumn;
    let a2 = a1 + aColumn;
    let a3 = a2 + aColumn;
    let to = y;
    let i = 0;
    for (; i + 4 <= rows; i += 4) {
      const left = f64x2.add(f64x2.mul(v128.load(a0), v0), f64x2.mul(v128.load(a1), v1));
      const right = f64x2.add(f64x2.mul(v128.load(a2), v2), f64x2.mul(v128.load(a3), v3));
      v128.store(to, f64x2.add(v128.load(to), f64x2.add(left, right)));
      const nextLeft = f64x2.add(f64x2.mul(v128.load(a0, 16), v0), f64x2.mul(v128.load(a1, 16), v1));
      const nextRight = f64x2.add(f64x2.mul(v128.load(a2, 16), v2), f64x2.mul(v128.load(a3, 16), v3));
      v128.store(to, f64x2.add(v128.load(to, 16), f64x2.add(nextLeft, nextRight)), 16);
      a0 += 32;
      a1 += 32;
      a2 += 32;
      a3 += 32;
      to += 32;
    }
    for (; i < rows; i++) {
      const left = load<f64>(a0) * x0 + load<f64>(a1) * x1;
      const right = load<f64>(a2) * x2 + load<f64>(a3) * x3;
      store<f64>(to, load<f64>(to) + (left + right));
      a0 += 8;
      a1 += 8;
      a2 += 8;
      a3 += 8;
      to += 8;
    }
    a += 4 * aColumn;
    x += 4 * xStride;
  }
  for (; j < cols; j++) {
    axpy(y, alpha * load<f64>(x), a, rows);
    a += aColumn;
    x += xStride;
  }
}

/** y += alpha A' x, four columns of A at a time: A rows × cols, entries of y yStride bytes apart. */
export function addDots(
  y: usize,
  yStride: usize,
  a: usize,
  aColumn: usize,
  x: usize,
  rows: i32,
  cols: i32,
  alpha: f64,
): void {
  let j = 0;
  for (; j + 4 <= cols; j += 4) {
    let s0 = f64x2.splat(0.0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let a0 = a;
    let a1 = a0 + aColumn;
    let a2 = a1 + aColumn;
    let a3 = a2 + aColumn;
    let from = x;
    let i = 0;
    for (; i + 4 <= rows; i += 4) {
      const v = v128.load(from);
      const w = v128.load(from, 16);
      s0 = f64x2.add(s0, f64x2.add(f64x2.mul(v128.load(a0), v), f64x2.mul(v128.load(a0, 16), w)));
      s1 = f64x2.add(s1, f64x2.add(f64x2.mul(v128.load(a1), v), f64x2.mul(v128.load(a1, 16), w)));
      s2 = f64x2.add(s2, f64x2.add(f64x2.mul(v128.load(a2), v), f64x2.mul(v128.load(a2, 16), w)));
      s3 = f64x2.add(s3, f64x2.add(f64x2.mul(v128.load(a3), v), f64x2.mul(v128.load(a3, 16), w)));
      a0 += 32;
      a1 += 32;
      a2 += 32;
      a3 += 32;
      from += 32;
    }
    let d0 = laneSum(s0);
    let d1 = laneSum(s1);
    let d2 = laneSum(s2);
    let d3 = laneSum(s3);
    for (; i < rows; i++) {
      const v = load<f64>(from);
      d0 += load<f64>(a0) * v;
      d1 += load<f64>(a1) * v;
      d2 += load<f64>(a2) * v;
      d3 += load<f64>(a3) * v;
      a0 += 8;
      a1 += 8;
      a2 += 8;
      a3 += 8;
      from += 8;
    }
    store<f64>(y, load<f64>(y) + alpha * d0);
    y += yStride;
    store<f64>(y, load<f64>(y) + alpha * d1);
    y += yStride;
    store<f64>(y, load<f64>(y) + alpha * d2);
    y += yStride;
    store<f64>(y, load<f64>(y) + alpha * d3);
    y += yStride;
    a += 4 * aColumn;
  }
  for (; j < cols; j++) {
    store<f64>(y, load<f64>(y) + alpha * dot(a, x, rows));
    a += aColumn;
    y += yStride;
  }
}

/** x *= a */
export function scale(x: usize, a: f64, n: i32): void {
  const factor = f64x2.splat(a);
  let i = 0;
  for (; i + 2 <= n; i += 2, x += 16) v128.store(x, f64x2.mul(factor, v128.load(x)));
  if (i < n) store<f64>(x, a * load<f64>(x));
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

@inline
export function copyVector(out: usize, x: usize, n: i32): void {
  if (out != x) memory.copy(out, x, n << 3);
}

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

/** Plane rotation of two columns: p = c p - s q, q = s p + c q. */
export function rotateColumns(p: usize, q: usize, c: f64, s: f64, n: i32): void {
  const cosine = f64x2.splat(c);
  const sine = f64x2.splat(s);
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    const a = v128.load(p);
    const b = v128.load(q);
    v128.store(p, f64x2.sub(f64x2.mul(cosine, a), f64x2.mul(sine, b)));
    v128.store(q, f64x2.add(f64x2.mul(sine, a), f64x2.mul(cosine, b)));
    p += 16;
    q += 16;
  }
  if (i < n) {
    const a = load<f64>(p);
    const b = load<f64>(q);
    store<f64>(p, c * a - s * b);
    store<f64>(q, s * a + c * b);
  }
}

/** Exchanges two vectors. */
export function swapVectors(p: usize, q: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const kept = load<f64>(p);
    store<f64>(p, load<f64>(q));
    store<f64>(q, kept);
    p += 8;
    q += 8;
  }
}

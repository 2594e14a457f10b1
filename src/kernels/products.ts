// Matrix products, column-major. All level-3 forms go through one packed kernel: the left factor is packed (and
// multiplied by a sign) into panels of four rows that stay in cache, the right one is read in place by strides, and a
// 4 × 4 block of the result lives in registers (Goto and van de Geijn, ACM TOMS 34, 2008).
import { axpy, clearVector, dot } from './vectors';

const PANEL_ROWS: i32 = 32;
const PANEL_DEPTH: i32 = 96;
const PANEL: usize = memory.data(24576, 16);

/** Scratch of 32 × 32 numbers for blocked algorithms; addProduct leaves it alone. */
export const SQUARE: usize = memory.data(8192, 16);

/** out = A x, A rows × cols. */
export function gemv(out: usize, a: usize, x: usize, rows: i32, cols: i32): void {
  clearVector(out, rows);
  gemv_add(out, a, x, rows, cols);
}

/** out += A x, four columns at a time. */
export function gemv_add(out: usize, a: usize, x: usize, rows: i32, cols: i32): void {
  const stride: usize = rows << 3;
  let j = 0;
  for (; j + 4 <= cols; j += 4) {
    const x0 = load<f64>(x);
    const x1 = load<f64>(x, 8);
    const x2 = load<f64>(x, 16);
    const x3 = load<f64>(x, 24);
    const v0 = f64x2.splat(x0);
    const v1 = f64x2.splat(x1);
    const v2 = f64x2.splat(x2);
    const v3 = f64x2.splat(x3);
    let a0 = a;
    let a1 = a + stride;
    let a2 = a1 + stride;
    let a3 = a2 + stride;
    let y = out;
    let i = 0;
    for (; i + 2 <= rows; i += 2) {
      const left = f64x2.add(f64x2.mul(v128.load(a0), v0), f64x2.mul(v128.load(a1), v1));
      const right = f64x2.add(f64x2.mul(v128.load(a2), v2), f64x2.mul(v128.load(a3), v3));
      v128.store(y, f64x2.add(v128.load(y), f64x2.add(left, right)));
      a0 += 16;
      a1 += 16;
      a2 += 16;
      a3 += 16;
      y += 16;
    }
    if (i < rows) {
      const left = load<f64>(a0) * x0 + load<f64>(a1) * x1;
      const right = load<f64>(a2) * x2 + load<f64>(a3) * x3;
      store<f64>(y, load<f64>(y) + (left + right));
    }
    a += 4 * stride;
    x += 32;
  }
  for (; j < cols; j++) {
    axpy(out, load<f64>(x), a, rows);
    a += stride;
    x += 8;
  }
}

/** out = A' x, A rows × cols. */
export function gemv_t(out: usize, a: usize, x: usize, rows: i32, cols: i32): void {
  clearVector(out, cols);
  gemv_t_add(out, a, x, rows, cols);
}

/** out += A' x, four columns at a time. */
export function gemv_t_add(out: usize, a: usize, x: usize, rows: i32, cols: i32): void {
  const stride: usize = rows << 3;
  let j = 0;
  for (; j + 4 <= cols; j += 4) {
    let s0 = f64x2.splat(0.0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let a0 = a;
    let a1 = a + stride;
    let a2 = a1 + stride;
    let a3 = a2 + stride;
    let y = x;
    let i = 0;
    for (; i + 2 <= rows; i += 2) {
      const v = v128.load(y);
      s0 = f64x2.add(s0, f64x2.mul(v128.load(a0), v));
      s1 = f64x2.add(s1, f64x2.mul(v128.load(a1), v));
      s2 = f64x2.add(s2, f64x2.mul(v128.load(a2), v));
      s3 = f64x2.add(s3, f64x2.mul(v128.load(a3), v));
      a0 += 16;
      a1 += 16;
      a2 += 16;
      a3 += 16;
      y += 16;
    }
    let low = f64x2.add(i64x2.shuffle(s0, s1, 0, 2), i64x2.shuffle(s0, s1, 1, 3));
    let high = f64x2.add(i64x2.shuffle(s2, s3, 0, 2), i64x2.shuffle(s2, s3, 1, 3));
    if (i < rows) {
      const v = load<f64>(y);
      low = f64x2.add(low, f64x2.replace_lane(f64x2.splat(load<f64>(a0) * v), 1, load<f64>(a1) * v));
      high = f64x2.add(high, f64x2.replace_lane(f64x2.splat(load<f64>(a2) * v), 1, load<f64>(a3) * v));
    }
    v128.store(out, f64x2.add(v128.load(out), low));
    v128.store(out, f64x2.add(v128.load(out, 16), high), 16);
    a += 4 * stride;
    out += 32;
  }
  for (; j < cols; j++) {
    store<f64>(out, load<f64>(out) + dot(a, x, rows));
    a += stride;
    out += 8;
  }
}

/** A += x y' */
export function ger_add(a: usize, x: usize, y: usize, rows: i32, cols: i32): void {
  for (let j = 0; j < cols; j++) {
    axpy(a, load<f64>(y), x, rows);
    a += rows << 3;
    y += 8;
  }
}

/** Copies rows × depth of A into panels of four rows, times alpha; the last panel is filled up with zeros. */
function packPanels(a: usize, aRow: usize, aColumn: usize, rows: i32, depth: i32, alpha: f64): void {
  let to = PANEL;
  const factor = f64x2.splat(alpha);
  for (let i = 0; i < rows; i += 4) {
    const count = min<i32>(4, rows - i);
    let from = a + i * aRow;
    if (count == 4 && aRow == 8) {
      for (let p = 0; p < depth; p++) {
        v128.store(to, f64x2.mul(factor, v128.load(from)));
        v128.store(to, f64x2.mul(factor, v128.load(from, 16)), 16);
        from += aColumn;
        to += 32;
      }
    } else {
      for (let p = 0; p < depth; p++) {
        let source = from;
        for (let r = 0; r < 4; r++) {
          store<f64>(to + (r << 3), r < count ? alpha * load<f64>(source) : 0.0);
          source += aRow;
        }
        from += aColumn;
        to += 32;
      }
    }
  }
}

@inline
function addBlockColumn(c: usize, low: v128, high: v128, rows: i32): void {
  if (rows == 4) {
    v128.store(c, f64x2.add(v128.load(c), low));
    v128.store(c, f64x2.add(v128.load(c, 16), high), 16);
    return;
  }
  store<f64>(c, load<f64>(c) + f64x2.extract_lane(low, 0));
  if (rows > 1) store<f64>(c, load<f64>(c, 8) + f64x2.extract_lane(low, 1), 8);
  if (rows > 2) store<f64>(c, load<f64>(c, 16) + f64x2.extract_lane(high, 0), 16);
}

/** C[0..rows, 0..4] += panel · B[.., 0..4]. */
function multiplyFour(
  c: usize,
  cColumn: usize,
  panel: usize,
  b: usize,
  bRow: usize,
  bColumn: usize,
  depth: i32,
  rows: i32,
): void {
  let low0 = f64x2.splat(0.0);
  let low1 = low0;
  let low2 = low0;
  let low3 = low0;
  let high0 = low0;
  let high1 = low0;
  let high2 = low0;
  let high3 = low0;
  let b0 = b;
  let b1 = b + bColumn;
  let b2 = b1 + bColumn;
  let b3 = b2 + bColumn;
  for (let p = 0; p < depth; p++) {
    const low = v128.load(panel);
    const high = v128.load(panel, 16);
    const v0 = v128.load_splat<f64>(b0);
    low0 = f64x2.add(low0, f64x2.mul(low, v0));
    high0 = f64x2.add(high0, f64x2.mul(high, v0));
    const v1 = v128.load_splat<f64>(b1);
    low1 = f64x2.add(low1, f64x2.mul(low, v1));
    high1 = f64x2.add(high1, f64x2.mul(high, v1));
    const v2 = v128.load_splat<f64>(b2);
    low2 = f64x2.add(low2, f64x2.mul(low, v2));
    high2 = f64x2.add(high2, f64x2.mul(high, v2));
    const v3 = v128.load_splat<f64>(b3);
    low3 = f64x2.add(low3, f64x2.mul(low, v3));
    high3 = f64x2.add(high3, f64x2.mul(high, v3));
    panel += 32;
    b0 += bRow;
    b1 += bRow;
    b2 += bRow;
    b3 += bRow;
  }
  addBlockColumn(c, low0, high0, rows);
  addBlockColumn(c + cColumn, low1, high1, rows);
  addBlockColumn(c + 2 * cColumn, low2, high2, rows);
  addBlockColumn(c + 3 * cColumn, low3, high3, rows);
}

/** C[0..rows, 0] += panel · B[.., 0]. */
function multiplyOne(c: usize, panel: usize, b: usize, bRow: usize, depth: i32, rows: i32): void {
  let low = f64x2.splat(0.0);
  let high = low;
  for (let p = 0; p < depth; p++) {
    const v = v128.load_splat<f64>(b);
    low = f64x2.add(low, f64x2.mul(v128.load(panel), v));
    high = f64x2.add(high, f64x2.mul(v128.load(panel, 16), v));
    panel += 32;
    b += bRow;
  }
  addBlockColumn(c, low, high, rows);
}

/**
 * C += alpha · A B for C m × n with unit row stride and column stride cColumn, A m × k and B k × n with any strides;
 * strides in bytes. C must not overlap A or B.
 */
export function addProduct(
  c: usize,
  cColumn: usize,
  a: usize,
  aRow: usize,
  aColumn: usize,
  b: usize,
  bRow: usize,
  bColumn: usize,
  m: i32,
  k: i32,
  n: i32,
  alpha: f64,
): void {
  for (let p = 0; p < k; p += PANEL_DEPTH) {
    const depth = min<i32>(PANEL_DEPTH, k - p);
    for (let i = 0; i < m; i += PANEL_ROWS) {
      const rows = min<i32>(PANEL_ROWS, m - i);
      packPanels(a + i * aRow + p * aColumn, aRow, aColumn, rows, depth, alpha);
      const right = b + p * bRow;
      const target = c + (i << 3);
      let j = 0;
      for (; j + 4 <= n; j += 4) {
        let panel = PANEL;
        for (let r = 0; r < rows; r += 4) {
          multiplyFour(
            target + j * cColumn + (r << 3),
            cColumn,
            panel,
            right + j * bColumn,
            bRow,
            bColumn,
            depth,
            min<i32>(4, rows - r),
          );
          panel += depth << 5;
        }
      }
      for (; j < n; j++) {
        let panel = PANEL;
        for (let r = 0; r < rows; r += 4) {
          multiplyOne(target + j * cColumn + (r << 3), panel, right + j * bColumn, bRow, depth, min<i32>(4, rows - r));
          panel += depth << 5;
        }
      }
    }
  }
}

/** out = A B, A m × k, B k × n. */
export function gemm(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32): void {
  clearVector(out, m * n);
  gemm_add(out, a, b, m, k, n);
}

/** out += A B, A m × k, B k × n. */
export function gemm_add(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32): void {
  addProduct(out, m << 3, a, 8, m << 3, b, 8, k << 3, m, k, n, 1.0);
}

/** out += A' B, A k × m, B k × n, out m × n. */
export function gemm_tn_add(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32): void {
  addProduct(out, m << 3, a, k << 3, 8, b, 8, k << 3, m, k, n, 1.0);
}

/** out += A B', A m × k, B n × k, out m × n. */
export function gemm_nt_add(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32): void {
  addProduct(out, m << 3, a, 8, m << 3, b, n << 3, 8, m, k, n, 1.0);
}

/** out -= A B', A m × k, B n × k. */
export function gemm_nt_subtract(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32): void {
  addProduct(out, m << 3, a, 8, m << 3, b, n << 3, 8, m, k, n, -1.0);
}

/** out = A' B, A k × m, B k × n, out m × n. */
export function gemm_tn(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32): void {
  clearVector(out, m * n);
  gemm_tn_add(out, a, b, m, k, n);
}

const BAND: i32 = 48;

/** out = F F' for F n × k (any strides): bands of the lower triangle, then mirrored, so that out is exactly symmetric. */
function symmetricProduct(out: usize, f: usize, fRow: usize, fColumn: usize, n: i32, k: i32): void {
  const column: usize = n << 3;
  clearVector(out, n * n);
  for (let j = 0; j < n; j += BAND) {
    const from = f + j * fRow;
    const width = min<i32>(BAND, n - j);
    addProduct(out + j * (column + 8), column, from, fRow, fColumn, from, fColumn, fRow, n - j, k, width, 1.0);
  }
  mirrorLower(out, n);
}

/** Copies the lower triangle of the n × n matrix onto the upper one. */
export function mirrorLower(a: usize, n: i32): void {
  const column: usize = n << 3;
  for (let j = 0; j < n; j++) {
    const diagonal = a + j * (column + 8);
    for (let i = 1; i < n - j; i++) {
      store<f64>(diagonal + i * column, load<f64>(diagonal + (i << 3)));
    }
  }
}

/** out = A' A, A rows × cols, out cols × cols. */
export function crossprod(out: usize, a: usize, rows: i32, cols: i32): void {
  symmetricProduct(out, a, rows << 3, 8, cols, rows);
}

/** Aadj += A (S + S') for out = A' A with adjoint S. */
export function crossprod_adjoint(aAdj: usize, a: usize, outAdj: usize, rows: i32, cols: i32): void {
  const stride: usize = rows << 3;
  const side: usize = cols << 3;
  addProduct(aAdj, stride, a, 8, stride, outAdj, 8, side, rows, cols, cols, 1.0);
  addProduct(aAdj, stride, a, 8, stride, outAdj, side, 8, rows, cols, cols, 1.0);
}

/** out = A A', A rows × cols, out rows × rows. */
export function tcrossprod(out: usize, a: usize, rows: i32, cols: i32): void {
  symmetricProduct(out, a, 8, rows << 3, rows, cols);
}

/** Aadj += (S + S') A for out = A A' with adjoint S. */
export function tcrossprod_adjoint(aAdj: usize, a: usize, outAdj: usize, rows: i32, cols: i32): void {
  const stride: usize = rows << 3;
  addProduct(aAdj, stride, outAdj, 8, stride, a, 8, stride, rows, rows, cols, 1.0);
  addProduct(aAdj, stride, outAdj, stride, 8, a, 8, stride, rows, rows, cols, 1.0);
}

/** out = A', A rows × cols. */
export function transpose(out: usize, a: usize, rows: i32, cols: i32): void {
  for (let j = 0; j < cols; j++) {
    let to = out + (j << 3);
    for (let i = 0; i < rows; i++) {
      store<f64>(to, load<f64>(a));
      a += 8;
      to += cols << 3;
    }
  }
}

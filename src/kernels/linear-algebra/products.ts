// Matrix products, column-major. All level-3 forms go through one packed kernel: the left factor is packed (and
// multiplied by a sign) into panels of four rows that stay in cache, the right one is read in place through strides, and a
// 4 × 4 block of the result lives in registers (Goto and van de Geijn, ACM TOMS 34, 2008).
import { PANEL, scratch } from './scratch';
import { addColumns, addDots, axpy, clearVector } from './vectors';

const PANEL_ROWS: i32 = 32;
const PANEL_DEPTH: i32 = 96;

/** out = A x, A rows × cols. */
export function gemv(out: usize, a: usize, x: usize, rows: i32, cols: i32): void {
  clearVector(out, rows);
  gemv_add(out, a, x, rows, cols);
}

/** out += A x, A rows × cols. */
export function gemv_add(out: usize, a: usize, x: usize, rows: i32, cols: i32): void {
  addColumns(out, a, rows << 3, x, 8, rows, cols, 1.0);
}

/** out = A' x, A rows × cols. */
export function gemv_t(out: usize, a: usize, x: usize, rows: i32, cols: i32): void {
  clearVector(out, cols);
  gemv_t_add(out, a, x, rows, cols);
}

/** out += A' x, A rows × cols. */
export function gemv_t_add(out: usize, a: usize, x: usize, rows: i32, cols: i32): void {
  addDots(out, 8, a, rows << 3, x, rows, cols, 1.0);
}

/** A += x y' */
export function ger_add(a: usize, x: usize, y: usize, rows: i32, cols: i32): void {
  for (let j = 0; j < cols; j++) {
    axpy(a, load<f64>(y), x, rows);
    a += rows << 3;
    y += 8;
  }
}

/** Copies rows × depth of A into panels of four rows, times alpha; the last panel is padded with zeros. */
function packPanels(a: usize, aRow: usize, aColumn: usize, rows: i32, depth: i32, alpha: f64): void {
  let to = scratch + PANEL;
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
        let panel = scratch + PANEL;
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
        let panel = scratch + PANEL;
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

/**
 * out = A B for rows of a larger matrix: A is m × k with columns that start `stride` numbers apart, B k × n, out m × n. Vectors
 * use `gemv`.
 */
export function gemm_rows(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32, stride: i32): void {
  clearVector(out, m * n);
  if (n == 1) addColumns(out, a, stride << 3, b, 8, m, k, 1.0);
  else addProduct(out, m << 3, a, 8, stride << 3, b, 8, k << 3, m, k, n, 1.0);
}

/** Badj += A' outAdj for out = A B of `gemm_rows`. */
export function gemm_rows_adjoint(bAdj: usize, a: usize, outAdj: usize, m: i32, k: i32, n: i32, stride: i32): void {
  if (n == 1) addDots(bAdj, 8, a, stride << 3, outAdj, m, k, 1.0);
  else addProduct(bAdj, k << 3, a, stride << 3, 8, outAdj, 8, m << 3, k, m, n, 1.0);
}

/** out = A B where the product is symmetric except for rounding errors, A m × k, B k × m: made exactly symmetric. */
export function gemm_symmetric(out: usize, a: usize, b: usize, m: i32, k: i32, n: i32): void {
  gemm(out, a, b, m, k, n);
  const column: usize = m << 3;
  for (let j = 0; j < n; j++) {
    for (let i = j + 1; i < n; i++) {
      const below = out + j * column + (i << 3);
      const above = out + i * column + (j << 3);
      const mean = 0.5 * (load<f64>(below) + load<f64>(above));
      store<f64>(below, mean);
      store<f64>(above, mean);
    }
  }
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

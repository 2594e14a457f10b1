// Triangular systems with a lower factor L (n × n, column-major; its upper triangle is not read). Every form is a forward
// or a backward substitution on a matrix seen through strides: X L' = B is L X' = B'. Blocks of 32 rows;
// everything outside the diagonal blocks is a matrix product.
import { addProduct } from "./products";
import { axpy, copyVector, dot } from "./vectors";

const BLOCK: i32 = 32;

/** L x = b in place, one contiguous vector. */
function forwardVector(l: usize, column: usize, x: usize, n: i32): void {
  for (let j = 0; j < n; j++) {
    const value = load<f64>(x) / load<f64>(l);
    store<f64>(x, value);
    axpy(x + 8, -value, l + 8, n - j - 1);
    l += column + 8;
    x += 8;
  }
}

/** L' x = b in place, one contiguous vector. */
function backwardVector(l: usize, column: usize, x: usize, n: i32): void {
  for (let j = n - 1; j >= 0; j--) {
    const diagonal = l + j * (column + 8);
    const at = x + (j << 3);
    const rest = dot(diagonal + 8, at + 8, n - j - 1);
    store<f64>(at, (load<f64>(at) - rest) / load<f64>(diagonal));
  }
}

/** L X = B in place; X n × m with rows xRow bytes apart and columns xColumn bytes apart, one of them 8. */
function forwardBlock(
  l: usize,
  column: usize,
  x: usize,
  xRow: usize,
  xColumn: usize,
  n: i32,
  m: i32,
): void {
  if (xRow == 8) {
    for (let j = 0; j < m; j++) forwardVector(l, column, x + j * xColumn, n);
    return;
  }
  for (let i = 0; i < n; i++) {
    const row = x + i * xRow;
    for (let k = 0; k < i; k++) axpy(row, -load<f64>(l + k * column + (i << 3)), x + k * xRow, m);
    const inverse = 1.0 / load<f64>(l + i * (column + 8));
    for (let j = 0; j < m; j++) store<f64>(row + (j << 3), load<f64>(row + (j << 3)) * inverse);
  }
}

/** L' X = B in place; strides as in forwardBlock. */
function backwardBlock(
  l: usize,
  column: usize,
  x: usize,
  xRow: usize,
  xColumn: usize,
  n: i32,
  m: i32,
): void {
  if (xRow == 8) {
    for (let j = 0; j < m; j++) backwardVector(l, column, x + j * xColumn, n);
    return;
  }
  for (let i = n - 1; i >= 0; i--) {
    const row = x + i * xRow;
    for (let k = i + 1; k < n; k++) {
      axpy(row, -load<f64>(l + i * column + (k << 3)), x + k * xRow, m);
    }
    const inverse = 1.0 / load<f64>(l + i * (column + 8));
    for (let j = 0; j < m; j++) store<f64>(row + (j << 3), load<f64>(row + (j << 3)) * inverse);
  }
}

/** X -= T Y for X p × m, T p × q (strided), Y q × m; X and Y share strides, one of them 8. */
function subtractProduct(
  x: usize,
  t: usize,
  tRow: usize,
  tColumn: usize,
  y: usize,
  row: usize,
  column: usize,
  p: i32,
  q: i32,
  m: i32,
): void {
  if (row == 8) addProduct(x, column, t, tRow, tColumn, y, row, column, p, q, m, -1.0);
  else addProduct(x, row, y, 8, row, t, tColumn, tRow, m, q, p, -1.0);
}

/** Solves L X = B in place, L's columns lColumn bytes apart, X n × m with one of its strides 8. */
export function forwardSubstitute(
  l: usize,
  lColumn: usize,
  x: usize,
  xRow: usize,
  xColumn: usize,
  n: i32,
  m: i32,
): void {
  if (m == 1 && xRow == 8) return forwardVector(l, lColumn, x, n);
  for (let i = 0; i < n; i += BLOCK) {
    const size = min<i32>(BLOCK, n - i);
    const block = x + i * xRow;
    if (i > 0) {
      subtractProduct(block, l + (i << 3), 8, lColumn, x, xRow, xColumn, size, i, m);
    }
    forwardBlock(l + i * (lColumn + 8), lColumn, block, xRow, xColumn, size, m);
  }
}

/** Solves L' X = B in place; arguments as in forwardSubstitute. */
export function backwardSubstitute(
  l: usize,
  lColumn: usize,
  x: usize,
  xRow: usize,
  xColumn: usize,
  n: i32,
  m: i32,
): void {
  if (m == 1 && xRow == 8) return backwardVector(l, lColumn, x, n);
  for (let i = ((n - 1) / BLOCK) * BLOCK; i >= 0; i -= BLOCK) {
    const size = min<i32>(BLOCK, n - i);
    const below = n - i - size;
    const block = x + i * xRow;
    if (below > 0) {
      const first = i + size;
      const t = l + i * lColumn + (first << 3);
      subtractProduct(block, t, lColumn, 8, x + first * xRow, xRow, xColumn, size, below, m);
    }
    backwardBlock(l + i * (lColumn + 8), lColumn, block, xRow, xColumn, size, m);
  }
}

/** L X = B; L n × n, B and X n × m. X may be B. */
export function solve_lower(x: usize, l: usize, b: usize, n: i32, m: i32): void {
  copyVector(x, b, n * m);
  forwardSubstitute(l, n << 3, x, 8, n << 3, n, m);
}

/** L' X = B; L n × n, B and X n × m. X may be B. */
export function solve_lower_t(x: usize, l: usize, b: usize, n: i32, m: i32): void {
  copyVector(x, b, n * m);
  backwardSubstitute(l, n << 3, x, 8, n << 3, n, m);
}

/** X L = B; L n × n, B and X m × n. X may be B. */
export function solve_right_lower(x: usize, b: usize, l: usize, m: i32, n: i32): void {
  copyVector(x, b, n * m);
  backwardSubstitute(l, n << 3, x, m << 3, 8, n, m);
}

/** X L' = B; L n × n, B and X m × n. X may be B. */
export function solve_right_lower_t(x: usize, b: usize, l: usize, m: i32, n: i32): void {
  copyVector(x, b, n * m);
  forwardSubstitute(l, n << 3, x, m << 3, 8, n, m);
}

/** The lower triangle of out (n × n) -= U V', U and V n × m through strides, one of each pair 8. */
function subtractLowerProduct(
  out: usize,
  u: usize,
  uRow: usize,
  uColumn: usize,
  v: usize,
  vRow: usize,
  vColumn: usize,
  n: i32,
  m: i32,
): void {
  const column: usize = n << 3;
  for (let i = 0; i < n; i += BLOCK) {
    const size = min<i32>(BLOCK, n - i);
    for (let c = i; c < i + size; c++) {
      for (let r = c; r < i + size; r++) {
        let s: f64 = 0.0;
        let p = u + r * uRow;
        let q = v + c * vRow;
        for (let k = 0; k < m; k++) {
          s += load<f64>(p) * load<f64>(q);
          p += uColumn;
          q += vColumn;
        }
        const at = out + c * column + (r << 3);
        store<f64>(at, load<f64>(at) - s);
      }
    }
    const first = i + size;
    if (first < n) {
      addProduct(
        out + i * column + (first << 3),
        column,
        u + first * uRow,
        uRow,
        uColumn,
        v + i * vRow,
        vColumn,
        vRow,
        n - first,
        m,
        size,
        -1.0,
      );
    }
  }
}

function addTo(out: usize, x: usize, n: i32): void {
  axpy(out, 1.0, x, n);
}

/** Adjoint of solve_lower: W = L⁻ᵀ Xadj in work (n m); Badj += W, tril(Ladj) -= W X'. A pointer 0 is left out. */
export function solve_lower_adjoint(
  lAdj: usize,
  bAdj: usize,
  l: usize,
  x: usize,
  xAdj: usize,
  work: usize,
  n: i32,
  m: i32,
): void {
  solve_lower_t(work, l, xAdj, n, m);
  if (bAdj) addTo(bAdj, work, n * m);
  const column: usize = n << 3;
  if (lAdj) subtractLowerProduct(lAdj, work, 8, column, x, 8, column, n, m);
}

/** Adjoint of solve_lower_t: W = L⁻¹ Xadj; Badj += W, tril(Ladj) -= X W'. */
export function solve_lower_t_adjoint(
  lAdj: usize,
  bAdj: usize,
  l: usize,
  x: usize,
  xAdj: usize,
  work: usize,
  n: i32,
  m: i32,
): void {
  solve_lower(work, l, xAdj, n, m);
  if (bAdj) addTo(bAdj, work, n * m);
  const column: usize = n << 3;
  if (lAdj) subtractLowerProduct(lAdj, x, 8, column, work, 8, column, n, m);
}

/** Adjoint of solve_right_lower (X L = B): W = Xadj L⁻ᵀ; Badj += W, tril(Ladj) -= X' W. */
export function solve_right_lower_adjoint(
  lAdj: usize,
  bAdj: usize,
  l: usize,
  x: usize,
  xAdj: usize,
  work: usize,
  m: i32,
  n: i32,
): void {
  solve_right_lower_t(work, xAdj, l, m, n);
  if (bAdj) addTo(bAdj, work, n * m);
  const column: usize = m << 3;
  if (lAdj) subtractLowerProduct(lAdj, x, column, 8, work, column, 8, n, m);
}

/** Adjoint of solve_right_lower_t (X L' = B): W = Xadj L⁻¹; Badj += W, tril(Ladj) -= W' X. */
export function solve_right_lower_t_adjoint(
  lAdj: usize,
  bAdj: usize,
  l: usize,
  x: usize,
  xAdj: usize,
  work: usize,
  m: i32,
  n: i32,
): void {
  solve_right_lower(work, xAdj, l, m, n);
  if (bAdj) addTo(bAdj, work, n * m);
  const column: usize = m << 3;
  if (lAdj) subtractLowerProduct(lAdj, work, column, 8, x, column, 8, n, m);
}

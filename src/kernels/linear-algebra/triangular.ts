// Triangular systems with a lower factor L (n × n, column-major; its upper triangle is not read). Every form is a forward
// or a backward substitution on a matrix seen through strides: X L' = B is L X' = B'. Blocks of 32 rows;
// everything outside the diagonal blocks is a matrix product.
import { addProduct } from './products';
import { SQUARE, scratch } from './scratch';
import { addColumns, addDots, axpy, clearVector, copyVector, dot } from './vectors';

const BLOCK: i32 = 32;

/** L x = b in place, one contiguous vector: four unknowns, then four columns at once. */
function forwardVector(l: usize, column: usize, x: usize, n: i32): void {
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    const l1 = l + column;
    const l2 = l1 + column;
    const l3 = l2 + column;
    const x0 = load<f64>(x) / load<f64>(l);
    const x1 = (load<f64>(x, 8) - load<f64>(l, 8) * x0) / load<f64>(l1, 8);
    const x2 = (load<f64>(x, 16) - load<f64>(l, 16) * x0 - load<f64>(l1, 16) * x1) / load<f64>(l2, 16);
    const x3 =
      (load<f64>(x, 24) - load<f64>(l, 24) * x0 - load<f64>(l1, 24) * x1 - load<f64>(l2, 24) * x2) / load<f64>(l3, 24);
    store<f64>(x, x0);
    store<f64>(x, x1, 8);
    store<f64>(x, x2, 16);
    store<f64>(x, x3, 24);
    addColumns(x + 32, l + 32, column, x, 8, n - j - 4, 4, -1.0);
    l = l3 + column + 32;
    x += 32;
  }
  for (; j < n; j++) {
    const value = load<f64>(x) / load<f64>(l);
    store<f64>(x, value);
    for (let i = 1; i < n - j; i++) {
      const at = x + (i << 3);
      store<f64>(at, load<f64>(at) - value * load<f64>(l + (i << 3)));
    }
    l += column + 8;
    x += 8;
  }
}

/** L' x = b in place, one contiguous vector: four inner products, then four unknowns. */
function backwardVector(l: usize, column: usize, x: usize, n: i32): void {
  let j = n;
  for (; j >= 4; j -= 4) {
    const first = j - 4;
    const at = x + (first << 3);
    const l0 = l + first * (column + 8);
    const l1 = l0 + column;
    const l2 = l1 + column;
    const l3 = l2 + column;
    addDots(at, 8, l0 + 32, column, at + 32, n - j, 4, -1.0);
    const x3 = load<f64>(at, 24) / load<f64>(l3, 24);
    const x2 = (load<f64>(at, 16) - load<f64>(l2, 24) * x3) / load<f64>(l2, 16);
    const x1 = (load<f64>(at, 8) - load<f64>(l1, 16) * x2 - load<f64>(l1, 24) * x3) / load<f64>(l1, 8);
    const x0 =
      (load<f64>(at) - load<f64>(l0, 8) * x1 - load<f64>(l0, 16) * x2 - load<f64>(l0, 24) * x3) / load<f64>(l0);
    store<f64>(at, x0);
    store<f64>(at, x1, 8);
    store<f64>(at, x2, 16);
    store<f64>(at, x3, 24);
  }
  while (--j >= 0) {
    const diagonal = l + j * (column + 8);
    const at = x + (j << 3);
    const rest = dot(diagonal + 8, at + 8, n - j - 1);
    store<f64>(at, (load<f64>(at) - rest) / load<f64>(diagonal));
  }
}

/** out = A', A rows × cols, columns outColumn and aColumn bytes apart. */
function turnBlock(out: usize, outColumn: usize, a: usize, aColumn: usize, rows: i32, cols: i32): void {
  for (let j = 0; j < cols; j++) {
    let to = out + (j << 3);
    const from = a + j * aColumn;
    for (let i = 0; i < rows; i++) {
      store<f64>(to, load<f64>(from + (i << 3)));
      to += outColumn;
    }
  }
}

/** L X = B in place; X n × m with rows xRow bytes apart and columns xColumn bytes apart, one of them 8. */
function forwardBlock(l: usize, column: usize, x: usize, xRow: usize, xColumn: usize, n: i32, m: i32): void {
  if (xRow == 8) {
    let j = 0;
    for (; j + BLOCK <= m; j += BLOCK) {
      const block = x + j * xColumn;
      turnBlock(scratch + SQUARE, BLOCK << 3, block, xColumn, n, BLOCK);
      forwardBlock(l, column, scratch + SQUARE, BLOCK << 3, 8, n, BLOCK);
      turnBlock(block, xColumn, scratch + SQUARE, BLOCK << 3, BLOCK, n);
    }
    for (; j < m; j++) forwardVector(l, column, x + j * xColumn, n);
    return;
  }
  for (let i = 0; i < n; i++) {
    const row = x + i * xRow;
    addColumns(row, x, xRow, l + (i << 3), column, m, i, -1.0);
    const inverse = 1.0 / load<f64>(l + i * (column + 8));
    for (let j = 0; j < m; j++) store<f64>(row + (j << 3), load<f64>(row + (j << 3)) * inverse);
  }
}

/** L' X = B in place; strides as in forwardBlock. */
function backwardBlock(l: usize, column: usize, x: usize, xRow: usize, xColumn: usize, n: i32, m: i32): void {
  if (xRow == 8) {
    let j = 0;
    for (; j + BLOCK <= m; j += BLOCK) {
      const block = x + j * xColumn;
      turnBlock(scratch + SQUARE, BLOCK << 3, block, xColumn, n, BLOCK);
      backwardBlock(l, column, scratch + SQUARE, BLOCK << 3, 8, n, BLOCK);
      turnBlock(block, xColumn, scratch + SQUARE, BLOCK << 3, BLOCK, n);
    }
    for (; j < m; j++) backwardVector(l, column, x + j * xColumn, n);
    return;
  }
  for (let i = n - 1; i >= 0; i--) {
    const row = x + i * xRow;
    const diagonal = l + i * (column + 8);
    addColumns(row, row + xRow, xRow, diagonal + 8, 8, m, n - i - 1, -1.0);
    const inverse = 1.0 / load<f64>(diagonal);
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
  if (m < 8 && uRow == 8) {
    for (let c = 0; c < n; c++) {
      const offset = c << 3;
      addColumns(out + c * column + offset, u + offset, uColumn, v + c * vRow, vColumn, n - c, m, -1.0);
    }
    return;
  }
  for (let i = 0; i < n; i += BLOCK) {
    const size = min<i32>(BLOCK, n - i);
    const square: usize = size << 3;
    clearVector(scratch + SQUARE, size * size);
    addProduct(scratch + SQUARE, square, u + i * uRow, uRow, uColumn, v + i * vRow, vColumn, vRow, size, m, size, 1.0);
    for (let c = 0; c < size; c++) {
      axpy(out + (i + c) * (column + 8), -1.0, scratch + SQUARE + c * (square + 8), size - c);
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

/** Adjoint of solve_lower: W = L⁻ᵀ Xadj in work (n m); Badj += W, tril(Ladj) -= W X'. An adjoint with a null pointer is skipped. */
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

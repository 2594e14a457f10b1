// Cholesky factor and its reverse mode, blocked (Murray 2016, "Differentiation of the Cholesky decomposition",
// arXiv 1602.07527: the level-3 algorithm and, inside a block, its level-2 form).
import { addProduct } from './products';
import { SQUARE, scratch } from './scratch';
import { backwardSubstitute, forwardSubstitute } from './triangular';
import { addColumns, addDots, axpy, dot } from './vectors';

const BLOCK: i32 = 32;

/** Factors the n × n lower triangle at l in place. Returns 0, or the 1-based index of the first pivot that is not positive. */
function factorBlock(l: usize, column: usize, n: i32): i32 {
  for (let j = 0; j < n; j++) {
    const diagonal = l + j * (column + 8);
    const row = l + (j << 3);
    addColumns(diagonal, row, column, row, column, n - j, j, -1.0);
    const pivot = load<f64>(diagonal);
    if (!(pivot > 0.0)) return j + 1;
    const root = sqrt<f64>(pivot);
    store<f64>(diagonal, root);
    for (let i = 1; i < n - j; i++) {
      const at = diagonal + (i << 3);
      store<f64>(at, load<f64>(at) / root);
    }
  }
  return 0;
}

/**
 * L with L L' = A, reading the lower triangle of A; the upper triangle of L is set to 0. L may be A. Returns 0, or the 1-based index of
 * the first pivot that is NaN or not positive; L is then unusable.
 */
export function cholesky(l: usize, a: usize, n: i32): i32 {
  const column: usize = n << 3;
  for (let j = 0; j < n; j++) {
    memory.fill(l + j * column, 0, j << 3);
    if (l != a) {
      const offset = j * (column + 8);
      memory.copy(l + offset, a + offset, (n - j) << 3);
    }
  }
  for (let j = 0; j < n; j += BLOCK) {
    const size = min<i32>(BLOCK, n - j);
    const diagonal = l + j * (column + 8);
    const row = l + (j << 3);
    if (j > 0) {
      for (let c = 0; c < size; c++) {
        // lower triangle of the diagonal block, column by column
        const source = row + (c << 3);
        addColumns(diagonal + c * (column + 8), source, column, source, column, size - c, j, -1.0);
      }
    }
    const failed = factorBlock(diagonal, column, size);
    if (failed) return j + failed;
    const below = n - j - size;
    if (below > 0) {
      const panel = diagonal + (size << 3);
      if (j > 0) {
        addProduct(panel, column, row + (size << 3), 8, column, row, column, 8, below, j, size, -1.0);
      }
      forwardSubstitute(diagonal, column, panel, column, 8, size, below);
    }
  }
  return 0;
}

/** Reverse of factorBlock: turns the adjoint of L at g (lower triangle) into that of A in place. */
function reverseBlock(g: usize, gColumn: usize, l: usize, lColumn: usize, n: i32): void {
  for (let k = n - 1; k >= 0; k--) {
    const d = load<f64>(l + k * (lColumn + 8));
    const c = l + k * (lColumn + 8) + 8;
    const diagonal = g + k * (gColumn + 8);
    const rest = n - k - 1;
    store<f64>(diagonal, load<f64>(diagonal) - dot(c, diagonal + 8, rest) / d);
    for (let i = 0; i <= rest; i++) {
      const at = diagonal + (i << 3);
      store<f64>(at, load<f64>(at) / d);
    }
    const r = l + (k << 3);
    const rAdj = g + (k << 3);
    addDots(rAdj, gColumn, r, lColumn, diagonal, rest + 1, k, -1.0);
    for (let j = 0; j < k; j++) {
      axpy(rAdj + j * gColumn + 8, -load<f64>(r + j * lColumn), diagonal + 8, rest);
    }
    store<f64>(diagonal, 0.5 * load<f64>(diagonal));
  }
}

/**
 * Reverse mode of L = cholesky(A): adds the gradient with respect to the lower triangle of A (an entry below the diagonal represents both
 * of its mirror images, as in Stan) to the lower triangle of Aadj. Reads the lower triangle of Ladj. work: n² numbers, overwritten.
 */
export function cholesky_adjoint(aAdj: usize, l: usize, lAdj: usize, work: usize, n: i32): void {
  const column: usize = n << 3;
  memory.copy(work, lAdj, (n * n) << 3);
  for (let end = n; end > 0; ) {
    const size = end % BLOCK == 0 ? BLOCK : end % BLOCK;
    const start = end - size;
    const below = n - end;
    const diagonal: usize = start * (column + 8);
    const d = l + diagonal;
    const dAdj = work + diagonal;
    const r = l + (start << 3);
    const rAdj = work + (start << 3);
    if (below > 0) {
      const c = d + (size << 3);
      const cAdj = dAdj + (size << 3);
      backwardSubstitute(d, column, cAdj, column, 8, size, below);
      if (start > 0) {
        addProduct(work + (end << 3), column, cAdj, 8, column, r, 8, column, below, size, start, -1.0);
        addProduct(rAdj, column, cAdj, column, 8, l + (end << 3), 8, column, size, below, start, -1.0);
      }
      for (let j = 0; j < size; j++) {
        const offset = j * column;
        addDots(dAdj + offset + (j << 3), 8, cAdj + offset, column, c + offset, below, size - j, -1.0);
      }
    }
    reverseBlock(dAdj, column, d, column, size);
    if (start > 0) subtractSymmetric(rAdj, r, dAdj, column, size, start);
    end = start;
  }
  for (let j = 0; j < n; j++) {
    const offset = j * (column + 8);
    axpy(aAdj + offset, 1.0, work + offset, n - j);
  }
}

/** R̄ -= (D̄ + D̄') R with D̄ lower triangular, size × size, R size × count. */
function subtractSymmetric(rAdj: usize, r: usize, dAdj: usize, column: usize, size: i32, count: i32): void {
  const square: usize = size << 3;
  const sum = scratch + SQUARE;
  for (let j = 0; j < size; j++) {
    for (let i = j; i < size; i++) {
      const value = load<f64>(dAdj + j * column + (i << 3));
      store<f64>(sum + j * square + (i << 3), value);
      store<f64>(sum + i * square + (j << 3), i == j ? value + value : value);
    }
  }
  addProduct(rAdj, column, sum, 8, square, r, 8, column, size, size, count, -1.0);
}

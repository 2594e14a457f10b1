import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { add, at, type Matrix, matrix, multiply, randomMatrix, transpose } from './arena.js';
import { arena, close, kernel, put } from './linear.js';

beforeEach(() => arena.reset());

/** A random matrix in which about every sixth element is nonzero and one row is zero. */
function mostlyZeros(m: number, k: number): Matrix {
  const random = randomMatrix(m, k, 7);
  return matrix(m, k, (i, p) => (i !== 1 && (i + 3 * p) % 6 === p % 2 ? at(random, i, p) : 0));
}

/** The matrix with a different number in the fifth row of its last column. */
function withOther(a: Matrix, value: number): Matrix {
  return matrix(a.rows, a.cols, (i, j) => (i === 4 && j === a.cols - 1 ? value : at(a, i, j)));
}

const areFinite = ({ values }: Matrix): boolean[] => [...values].map(Number.isFinite);

const SHAPES = [
  [9, 11, 1],
  [16, 8, 2],
  [9, 11, 4],
  [20, 31, 5],
  [33, 40, 8],
  [13, 17, 10],
  [12, 25, 19],
] as const;

/** The address and the size of the compressed rows. */
function compress(a: Matrix, n: number): { readonly rows: number; readonly size: number } {
  const from = put(a);
  const size = kernel('sparse_size')(from, a.rows, a.cols, n);
  const rows = arena.doubles(size);
  kernel('sparse_rows')(rows, from, a.rows, a.cols, size);
  return { rows, size };
}

describe('products with compressed rows equal those with the matrix', () => {
  for (const [m, k, n] of SHAPES)
    it(`${m} × ${k} times ${k} × ${n}, plain and transposed`, () => {
      const a = mostlyZeros(m, k);
      const [b, c, sums] = [randomMatrix(k, n, 2), randomMatrix(m, n, 3), randomMatrix(k, n, 4)];
      const { rows, size } = compress(a, n);
      assert.equal(size, m + 1 + 2 * a.values.filter((x) => x !== 0).length);
      const work = arena.doubles(8 * k);
      const out = arena.doubles(m * n);
      // The matrix is not read.
      kernel('sparse_gemm')(out, rows, 0, put(b), work, m, k, n, size);
      close(arena.read(out, m, n), multiply(a, b), 1e-14, 'sparse_gemm');
      const sum = put(sums);
      kernel('sparse_gemm_t_add')(sum, rows, 0, put(c), work, m, k, n, size);
      close(arena.read(sum, k, n), add(sums, multiply(transpose(a), c)), 1e-14, 'sparse_gemm_t_add');
    });
});

describe('the matrix itself is multiplied', () => {
  for (const n of [1, 3])
    it(`if too few of its elements are 0: ${n} columns`, () => {
      const a = randomMatrix(12, 9, 5);
      assert.equal(compress(a, n).size, 0);
      const [b, c] = [randomMatrix(9, n, 6), randomMatrix(12, n, 7)];
      const out = arena.doubles(12 * n);
      kernel('sparse_gemm')(out, 0, put(a), put(b), 0, 12, 9, n, 0);
      close(arena.read(out, 12, n), multiply(a, b), 1e-14, 'sparse_gemm');
      const sum = put(b);
      kernel('sparse_gemm_t_add')(sum, 0, put(a), put(c), 0, 12, 9, n, 0);
      close(arena.read(sum, 9, n), add(b, multiply(transpose(a), c)), 1e-14, 'sparse_gemm_t_add');
    });

  for (const [n, value] of [
    [1, Number.POSITIVE_INFINITY],
    [6, Number.NaN],
  ] as const)
    it(`if the other factor contains ${value}: ${n} columns`, () => {
      const a = mostlyZeros(16, 12);
      const { rows, size } = compress(a, n);
      assert.notEqual(size, 0);
      const b = withOther(randomMatrix(12, n, 8), value);
      const out = arena.doubles(16 * n);
      kernel('sparse_gemm')(out, rows, put(a), put(b), arena.doubles(96), 16, 12, n, size);
      assert.deepEqual(areFinite(arena.read(out, 16, n)), areFinite(multiply(a, b)));
      const c = withOther(randomMatrix(16, n, 9), value);
      const sum = arena.doubles(12 * n);
      arena.view(sum, 12 * n).fill(0);
      kernel('sparse_gemm_t_add')(sum, rows, put(a), put(c), arena.doubles(96), 16, 12, n, size);
      assert.deepEqual(areFinite(arena.read(sum, 12, n)), areFinite(multiply(transpose(a), c)));
    });
});

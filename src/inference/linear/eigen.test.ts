import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { symmetricEigen } from './eigen.js';

describe('the eigendecomposition of a symmetric matrix', () => {
  const rng = createRng(1, 1);
  const random = (size: number) => {
    const matrix = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) matrix[i * size + j] = matrix[j * size + i] = rng.normal();
    }
    return matrix;
  };
  /** A matrix whose rows and columns are scaled by powers of ten. */
  const graded = (size: number) =>
    random(size).map((element, k) => element * 10 ** -(Math.floor(k / size) + (k % size)) * 1e8);
  const cases: readonly [string, number, Float64Array][] = [
    ['no elements', 0, new Float64Array()],
    ['one element', 1, Float64Array.of(-3)],
    ['zero', 4, new Float64Array(16)],
    ['the identity', 3, Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)],
    ['equal eigenvalues', 3, Float64Array.of(2, 1, 1, 1, 2, 1, 1, 1, 2)],
    ['blocks that do not couple', 4, Float64Array.of(1, 2, 0, 0, 2, 1, 0, 0, 0, 0, 3, 4, 0, 0, 4, -3)],
    ...[2, 3, 5, 20, 60].map((size): [string, number, Float64Array] => [`${size} random rows`, size, random(size)]),
    ['elements from 1e-8 to 1e8', 8, graded(8)],
  ];
  for (const [name, size, matrix] of cases) {
    it(`has orthonormal vectors that the matrix scales by its eigenvalues: ${name}`, () => {
      const { values, vectors } = symmetricEigen(matrix, size);
      const largest = Math.max(1e-300, ...matrix.map(Math.abs));
      for (const [k, vector] of vectors.entries()) {
        for (let i = 0; i < size; i++) {
          const image = vector.reduce((sum, element, j) => sum + matrix[i * size + j] * element, 0);
          assert.ok(Math.abs(image - values[k] * vector[i]) < 1e-13 * size * largest);
        }
        for (const [j, other] of vectors.entries()) {
          const product = vector.reduce((sum, element, i) => sum + element * other[i], 0);
          assert.ok(Math.abs(product - (j === k ? 1 : 0)) < 1e-13 * size);
        }
      }
    });
  }

  it('finds the eigenvalues of a tridiagonal matrix with a known spectrum', () => {
    const size = 12;
    const matrix = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      matrix[i * size + i] = 2;
      if (i > 0) matrix[i * size + i - 1] = matrix[(i - 1) * size + i] = -1;
    }
    const expected = Array.from({ length: size }, (_, k) => 2 - 2 * Math.cos(((k + 1) * Math.PI) / (size + 1)));
    const { values } = symmetricEigen(matrix, size);
    values.toSorted().forEach((value, k) => {
      assert.ok(Math.abs(value - expected[k]) < 1e-13);
    });
  });

  it('stops if an element is not a number', () => {
    assert.ok(symmetricEigen(Float64Array.of(1, NaN, NaN, 1), 2).values.some(Number.isNaN));
  });
});

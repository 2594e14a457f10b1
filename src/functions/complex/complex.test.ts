import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stopped } from '../../../test/support/evaluate.js';
import {
  complex,
  complexMatrix,
  complexVector,
  evaluate,
  evaluateParts,
  int,
  real,
} from '../../../test/support/evaluated-call.js';
import { arrayOf, COMPLEX_VECTOR } from '../../language/types.js';

const QUARTER = Math.PI / 2;

function closeTo(actual: readonly (number | readonly number[])[], expected: readonly [number, number]): void {
  for (const [k, part] of actual.entries()) {
    assert.ok(typeof part === 'number' && Math.abs(part - expected[k]) <= 1e-14 * Math.max(1, Math.abs(expected[k])));
  }
}

test('rearrangements move both parts', () => {
  assert.deepEqual(evaluateParts('reverse', complexVector([1, 2], [3, 4])), [
    [2, 1],
    [4, 3],
  ]);
  assert.deepEqual(evaluateParts('transpose', complexMatrix(1, [1, 2], [3, 4])), [
    [1, 2],
    [3, 4],
  ]);
  assert.equal(evaluate('num_elements', complexMatrix(2, [1, 2, 3, 4], [0, 0, 0, 0])).value, 4);
  assert.deepEqual(evaluateParts('sum', complexVector([1, 2], [3, 4])), [3, 7]);
});

test('arrays of complex vectors are the columns of a matrix, arrays of row vectors its rows', () => {
  const m = complexMatrix(2, [1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16]);
  const byColumn = [
    [1, 2, 3, 4, 5, 6],
    [11, 12, 13, 14, 15, 16],
  ];
  assert.deepEqual(evaluateParts('to_vector_array', m), byColumn);
  assert.deepEqual(evaluateParts('to_row_vector_array', m), [
    [1, 3, 5, 2, 4, 6],
    [11, 13, 15, 12, 14, 16],
  ]);
  assert.deepEqual(evaluateParts('to_matrix', { ...m, type: arrayOf(COMPLEX_VECTOR), sizes: [3, 2] }), byColumn);
});

test('a symmetric matrix from a lower triangle is Hermitian except on its diagonal', () => {
  assert.deepEqual(evaluateParts('symmetrize_from_lower_tri', complexMatrix(2, [1, 2, 9, 3], [4, 5, 9, 6])), [
    [1, 2, 2, 3],
    [4, 5, -5, 6],
  ]);
});

test('a dot product, and a row times a column, conjugate the first factor', () => {
  const [x, y] = [complexVector([1, 0], [1, 2]), complexVector([3, 1], [0, 1])];
  assert.deepEqual(evaluateParts('dot_product', x, y), [5, -5]);
  assert.deepEqual(evaluateParts('elt_multiply', x, y), [
    [3, -2],
    [3, 2],
  ]);
  assert.deepEqual(evaluateParts('dot_self', x), [6, 0]);
});

test('division neither overflows nor loses the pole', () => {
  closeTo(evaluateParts('divide', complex(1e300, 1e300), complex(1e300, -1e300)), [0, 1]);
  assert.deepEqual(evaluateParts('divide', complex(1, -2), complex(0, 0)), [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]);
});

test('branch cuts are those of C, where the sign of zero selects the side', () => {
  assert.deepEqual(evaluateParts('sqrt', complex(-4, 0)), [0, 2]);
  assert.deepEqual(evaluateParts('sqrt', complex(-4, -0)), [0, -2]);
  closeTo(evaluateParts('log', complex(-1, -0)), [0, -Math.PI]);
  closeTo(evaluateParts('asin', complex(2, 0)), [QUARTER, Math.acosh(2)]);
  closeTo(evaluateParts('asin', complex(2, -0)), [QUARTER, -Math.acosh(2)]);
  closeTo(evaluateParts('acos', complex(-2, 0)), [Math.PI, -Math.acosh(2)]);
  closeTo(evaluateParts('atanh', complex(2, 0)), [0.5 * Math.log(3), QUARTER]);
  closeTo(evaluateParts('atan', complex(0, 2)), [QUARTER, 0.5 * Math.log(3)]);
  closeTo(evaluateParts('asinh', complex(-0, 2)), [-Math.acosh(2), QUARTER]);
  closeTo(evaluateParts('acosh', complex(-2, -0)), [Math.acosh(2), -Math.PI]);
});

test('hyperbolic functions are accurate far from zero', () => {
  closeTo(evaluateParts('tanh', complex(800, 1)), [1, 0]);
  closeTo(evaluateParts('asinh', complex(-1e8, 0)), [-Math.log(2e8), 0]);
});

test('a power of zero is zero', () => {
  closeTo(evaluateParts('pow', complex(0, 3), complex(2, 0)), [-9, 0]);
  assert.deepEqual(evaluateParts('pow', complex(0, 0), complex(2.5, 1)), [0, 0]);
});

test('polar coordinates need a nonnegative distance', () => {
  closeTo(evaluateParts('polar', real(2), real(QUARTER)), [0, 2]);
  assert.deepEqual(evaluateParts('polar', real(-1), real(1)), [Number.NaN, 0]);
});

test('messages show sizes as for real containers', () => {
  assert.throws(() => evaluateParts('add', complexVector([1], [1]), complexVector([1, 2], [1, 2])), {
    message: 'add: m1 (1, 1) and m2 (2, 1) must match in size',
  });
  assert.throws(
    () => evaluateParts('head', complexVector([1], [1]), int(2)),
    new Stopped(
      'head: accessing element out of range. index 2 out of range; expecting index to be between 1 and 1 for size of n',
    ),
  );
});

test('eigenvalues of a Hermitian matrix, which rejects other matrices', () => {
  const refused: readonly [number[], number[], string][] = [
    [[2, 0, 0, 3], [0, 1, 1, 0], 'm[1,2] = (0,1), but m[2,1] = (0,1)'],
    [[2, 1, 1, 3], [1, 0, 0, 0], 'm[1,1] = (2,1), but m[1,1] = (2,1)'],
  ];
  for (const [re, im, places] of refused) {
    assert.throws(() => evaluateParts('eigenvalues_sym', complexMatrix(2, re, im)), {
      message: `eigenvalues_sym: m is not Hermitian. ${places}`,
    });
  }
});

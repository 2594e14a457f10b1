import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluate, int, vector } from '../../../test/support/evaluated-call.js';
import { arrayOf, MATRIX } from '../../language/types.js';

const matrices = (...sizes: number[]) =>
  evaluate('dims', {
    type: arrayOf(MATRIX, sizes.length - 2),
    level: 'data',
    sizes,
    elements: new Array<number>(sizes.reduce((product, size) => product * size)).fill(0),
  }).value;

test('dims ends at the first array dimension of size 0, as in Stan', () => {
  assert.deepEqual(matrices(2, 0, 3, 3), [2, 0]);
  assert.deepEqual(matrices(0, 2, 3, 3), [0]);
  assert.deepEqual(matrices(2, 1, 0, 3), [2, 1, 0, 3]);
  assert.deepEqual(matrices(2, 1, 3, 2), [2, 1, 3, 2]);
  assert.deepEqual(evaluate('dims', vector(1, 2)).value, [2, 1]);
  assert.deepEqual(evaluate('dims', int(1)).value, []);
});

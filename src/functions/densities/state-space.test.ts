import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stopped } from '../../../test/support/evaluate.js';
import { evaluate, matrix, parameter, vector } from '../../../test/support/evaluated-call.js';

const UNIT = matrix(1, 1);
const EMPTY = matrix(1);

test('a dynamic linear model has variances that are square matrices', () => {
  const density = (V: typeof UNIT, W: typeof UNIT, C0: typeof UNIT) =>
    evaluate('gaussian_dlm_obs_lpdf', matrix(1, 1, 2, 3), UNIT, UNIT, parameter(V), W, vector(0), C0);
  assert.ok(Number(density(UNIT, UNIT, UNIT).value) < 0);
  for (const [name, given] of [
    ['V', [EMPTY, UNIT, UNIT]],
    ['W', [UNIT, EMPTY, UNIT]],
    ['C0', [UNIT, UNIT, EMPTY]],
  ] as const) {
    const message = `gaussian_dlm_obs_lpdf: Expecting a square matrix; rows of ${name} (1) and columns of ${name} (0) must match in size`;
    assert.throws(() => density(...given), new Stopped(message));
  }
});

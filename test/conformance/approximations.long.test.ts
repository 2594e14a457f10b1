import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelsFolder } from '../reference/stan.js';
import { runApproximations } from './approximations.js';

test('approximations are as close to posteriors as documented, and to those of real Stan', () => {
  const outcomes = [...runApproximations(modelsFolder(), /./)];
  assert.deepEqual(
    outcomes.filter(({ verdict }) => verdict !== 'passed'),
    [],
  );
  assert.equal(outcomes.length, 92);
});

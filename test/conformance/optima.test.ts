import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelsFolder } from '../reference/stan.js';
import { runOptima } from './optima.js';

test('optimizers end at the modes that real Stan finds', () => {
  const outcomes = [...runOptima(modelsFolder(), /./)];
  assert.deepEqual(
    outcomes.filter(({ verdict }) => verdict !== 'passed'),
    [],
  );
  assert.equal(outcomes.length, 60);
});

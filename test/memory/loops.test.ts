import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareLoops } from './loops.js';

it('loops, slices and multi-indexes do the same whether checks are kept or proven away', () => {
  const { evaluations, findings } = compareLoops(1, 235);
  assert.deepEqual(findings, []);
  assert.ok(evaluations > 2800);
});

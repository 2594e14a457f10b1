import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareLoops } from './loops.js';

it('loops, slices and multi-indexes behave the same whether checks are kept or removed', () => {
  const { evaluations, findings } = compareLoops(1, 118);
  assert.deepEqual(findings, []);
  assert.ok(evaluations > 1400);
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareLoops } from './loops.js';

it('8,000 programs of loops, slices and multi-indexes do the same whether checks are kept or proven away', () => {
  const { findings } = compareLoops(100_000, 8_000);
  assert.deepEqual(findings, []);
});

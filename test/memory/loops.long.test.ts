import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareLoops } from './loops.js';

it('8,000 programs of loops, slices and multi-indexes behave the same whether checks are kept or removed', () => {
  const { findings } = compareLoops(100_000, 8_000);
  assert.deepEqual(findings, []);
});

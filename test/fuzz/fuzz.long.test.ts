import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { campaign } from './campaign.js';

test('100,000 generated and mutated programs are compiled and evaluated, or rejected with a message, within a second each', async () => {
  const { findings } = await campaign({ first: 10_000, count: 100_000, processes: availableParallelism() });
  assert.deepEqual(findings, []);
});

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { campaign } from './campaign.js';

test('20,000 programs around solvers are compiled and evaluated or refused in words', async () => {
  const processes = availableParallelism();
  const { findings } = await campaign({ family: 'solvers', first: 10_000, count: 20_000, processes });
  assert.deepEqual(findings, []);
});

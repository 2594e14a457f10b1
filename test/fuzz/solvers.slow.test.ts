import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { campaign } from './campaign.js';

test('10 programs around solvers are compiled and evaluated, or rejected with a message', async () => {
  const { findings } = await campaign({ family: 'solvers', first: 0, count: 10, processes: availableParallelism() });
  assert.deepEqual(findings, []);
});

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { campaign } from './campaign.js';

test('750 generated and mutated programs are compiled and evaluated, or rejected with a message, in time', async () => {
  const { findings } = await campaign({ first: 0, count: 750, processes: availableParallelism() });
  assert.deepEqual(findings, []);
});

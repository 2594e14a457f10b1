import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { campaign } from './campaign.js';

for (const first of [10_000, 15_000, 20_000, 25_000]) {
  test(`5,000 programs around solvers from seed ${first} on are compiled and evaluated, or rejected with a message`, async () => {
    const processes = availableParallelism();
    const { findings } = await campaign({ family: 'solvers', first, count: 5_000, processes });
    assert.deepEqual(findings, []);
  });
}

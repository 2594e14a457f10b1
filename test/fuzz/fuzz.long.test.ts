import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { campaign } from './campaign.js';

const FIRST = 10_000;
const PROGRAMS = 5_000;
const SHARDS = 20;

// Shards report their findings when they end: a run that is stopped has the results of earlier shards.
for (let shard = 0; shard < SHARDS; shard++) {
  const first = FIRST + shard * PROGRAMS;
  test(`5,000 generated and mutated programs from seed ${first} on are compiled and evaluated, or rejected with a message, in time`, async () => {
    const { findings } = await campaign({ first, count: PROGRAMS, processes: availableParallelism() });
    assert.deepEqual(findings, []);
  });
}

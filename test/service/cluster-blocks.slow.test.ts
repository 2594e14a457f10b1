import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withoutNats } from '../support/nats.js';
import { runBlocks } from './cluster-blocks.js';

it(
  '20 runs in blocks whose chains share one worker end with the draws of a single server',
  {
    skip: withoutNats,
  },
  async () => assert.deepEqual(await runBlocks(20), []),
);

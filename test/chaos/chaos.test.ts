import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutNats } from '../support/nats.js';
import { runChaos } from './chaos.js';

const MINUTES = 3;
const skip = withoutNats || (process.env.CI === undefined && `takes ${MINUTES} minutes: set CI to have it run`);

test('nothing acknowledged is lost or stuck in a cluster whose processes are killed, stopped, cut off and started', {
  skip,
}, async (context) => {
  const { report, problems } = await runChaos(60_000 * MINUTES, 1);
  context.diagnostic(report);
  assert.deepEqual(problems, []);
});

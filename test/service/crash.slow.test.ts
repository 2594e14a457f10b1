import assert from 'node:assert/strict';
import { test } from 'node:test';
import { survive } from './crashing/survive.js';

test('after 8 kills nothing acknowledged is lost, incomplete or different', async (context) => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6));
  context.diagnostic(`SEED=${seed}`);
  const { report, problems } = await survive({ seed, kills: 6, killsWithEviction: 2 });
  context.diagnostic(report);
  assert.deepEqual(problems, []);
});

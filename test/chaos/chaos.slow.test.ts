import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../project/tree.js';
import { withoutNats } from '../support/nats.js';
import { withoutNetworks } from './network.js';

const MINUTES = 1;
const skip =
  withoutNats ||
  (process.env.CI === undefined && `takes ${MINUTES} minute: set CI to have it run`) ||
  withoutNetworks();

test('a cluster whose processes are killed, stopped, disconnected and started neither loses nor blocks acknowledged work', {
  skip,
}, async (context) => {
  const words = [join(ROOT, 'dist/test/chaos/main.js'), '--minutes', String(MINUTES)];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, words, (_error, told, errors) => resolve(told + errors));
  });
  context.diagnostic(output);
  assert.match(output, /^0 problems$/m);
});

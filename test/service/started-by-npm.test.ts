import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startCommand } from '../support/serving.js';

/** Npm runs both in a shell of its own, which a signal ends without the server in it. */
const COMMANDS: readonly ((flags: readonly string[]) => readonly string[])[] = [
  (flags) => ['npm', 'start', '--', ...flags],
  (flags) => ['npx', '--call', ['node dist/src/cli/main.js serve', ...flags].join(' ')],
];

describe('a server started by npm ends when that gets SIGTERM:', () => {
  for (const command of COMMANDS) {
    test(command([]).join(' '), async (context) => {
      const store = await mkdtemp(join(tmpdir(), 'leapfrog-npm-'));
      context.after(() => rm(store, { recursive: true, force: true }));
      const server = startCommand(command(['--port', '0', '--store', store]));
      const address = await server.address;
      assert.equal((await fetch(`${address}/v1/health`)).status, 200);
      await server.end('SIGTERM');
      // The server holds the output open, which ends when it does.
      await server.ended;
      await assert.rejects(fetch(`${address}/v1/health`));
    });
  }
});

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startCommand } from '../support/serving.js';

/** npm runs both in a separate shell. SIGTERM also ends the shell; the other signals end only npm. None ends the server in the shell. */
const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'linux' ? ['SIGTERM', 'SIGHUP', 'SIGKILL'] : ['SIGTERM'];

const COMMANDS: readonly ((flags: readonly string[]) => readonly string[])[] = [
  (flags) => ['npm', 'start', '--', ...flags],
  (flags) => ['npx', '--call', ['node dist/src/cli/main.js serve', ...flags].join(' ')],
];

describe('a server started by npm ends when npm receives', () => {
  const cases = COMMANDS.flatMap((command) => SIGNALS.map((signal) => ({ command, signal })));
  for (const { command, signal } of cases) {
    test(`${signal}: ${command([]).join(' ')}`, async (context) => {
      const store = await mkdtemp(join(tmpdir(), 'leapfrog-npm-'));
      context.after(() => rm(store, { recursive: true, force: true }));
      const server = startCommand(command(['--port', '0', '--store', store]));
      const address = await server.address;
      assert.equal((await fetch(`${address}/v1/health`)).status, 200);
      await server.end(signal);
      // The server keeps the output open until it exits.
      await server.ended;
      await assert.rejects(fetch(`${address}/v1/health`));
    });
  }
});

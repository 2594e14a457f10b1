import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function leapfrog(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes;
    });
  }
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, output })));
  return { child, ended };
}

describe('leapfrog serve', () => {
  let store: string;
  before(async () => {
    store = await mkdtemp(join(tmpdir(), 'leapfrog-cli-'));
  });
  after(() => rm(store, { recursive: true, force: true }));

  test('listens at the given address and exits cleanly on request', async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGTERM'] as const) {
      const { child, ended } = leapfrog('serve', '--port', '0', '--store', store);
      const line = await new Promise<string>((resolve) =>
        child.stdout?.once('data', (bytes) => resolve(String(bytes))),
      );
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      assert.ok(address, line);
      assert.equal((await fetch(`${address}/v1/health`)).status, 200);
      child.kill(signal);
      assert.equal((await ended).code, signal === 'SIGKILL' ? null : 0);
    }
  });

  test('exits cleanly if requested during its start', async () => {
    const fresh = join(store, 'fresh');
    const { child, ended } = leapfrog('serve', '--port', '0', '--store', fresh);
    while (!existsSync(fresh)) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  test('rejects an address that others can reach unless there is a token or an explicit opt-out', async () => {
    const { code, output } = await leapfrog('serve', '--host', '0.0.0.0', '--store', store).ended;
    assert.equal(code, 1);
    assert.match(output, /set --token-file FILE, or --no-auth/);
  });

  test('reads a token from a file, and warns about one among the arguments', async () => {
    const file = join(store, 'token');
    await writeFile(file, 'secret\n', { mode: 0o600 });
    const statusOf = async (...args: string[]) => {
      const { child, ended } = leapfrog('serve', '--port', '0', '--store', join(store, 'own'), ...args);
      const line = await new Promise<string>((resolve) =>
        child.stdout?.once('data', (bytes) => resolve(String(bytes))),
      );
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      const { status } = await fetch(`${address}/v1/models`, { headers: { authorization: 'Bearer secret' } });
      const without = await fetch(`${address}/v1/models`);
      child.kill('SIGTERM');
      return { status, without: without.status, output: (await ended).output };
    };
    const quiet = await statusOf('--token-file', file);
    assert.deepEqual([quiet.status, quiet.without], [200, 401]);
    assert.doesNotMatch(quiet.output, /warning/);
    const list = join(store, 'tokens.json');
    await writeFile(list, '[{ "name": "ann", "token": "secret" }]', { mode: 0o600 });
    const named = await statusOf('--tokens', list);
    assert.deepEqual([named.status, named.without], [200, 401], named.output);
    assert.doesNotMatch(named.output, /warning/);
    const visible = await statusOf('--token', 'secret');
    assert.deepEqual([visible.status, visible.without], [200, 401]);
    assert.match(visible.output, /^warning: the process list shows the value of --token .*--token-file/m);
    const { code, output } = await leapfrog('serve', '--token', 'a', '--token-file', file, '--store', store).ended;
    assert.equal(code, 1);
    assert.match(output, /--token, --token-file and --tokens cannot be combined/);
  });

  test('rejects a configuration without workers for chains', async () => {
    const { code, output } = await leapfrog('serve', '--workers', '0', '--store', store).ended;
    assert.equal(code, 1);
    assert.match(output, /requires --nats/);
  });

  test('rejects invalid options', async () => {
    for (const [option, value] of [
      ['--port', '70000'],
      ['--workers', '-1'],
      ['--request-timeout', '-1'],
      ['--nonfinite', 'maybe'],
      ['--token', 'schlüssel'],
    ] as const) {
      const { code, output } = await leapfrog('serve', option, value, '--store', store).ended;
      assert.equal(code, 1);
      assert.match(output, new RegExp(`option '${option} <.*' argument '${value}' is invalid`));
    }
  });

  test('reports that the port or the folder is in use', async () => {
    const first = leapfrog('serve', '--port', '0', '--store', store);
    const line = await new Promise<string>((resolve) => {
      first.child.stdout?.once('data', (bytes) => resolve(String(bytes)));
    });
    const port = /:(\d+);/.exec(line)?.[1] ?? '';
    const other = await mkdtemp(join(tmpdir(), 'leapfrog-cli-'));
    const taken = await leapfrog('serve', '--port', port, '--store', other).ended;
    await rm(other, { recursive: true });
    assert.equal(taken.code, 1);
    assert.match(taken.output, /^error: .*EADDRINUSE/m);
    const shared = await leapfrog('serve', '--port', '0', '--store', store).ended;
    assert.equal(shared.code, 1);
    assert.match(shared.output, /^error: the folder .* is in use by another server/m);
    first.child.kill('SIGTERM');
    await first.ended;
  });
});

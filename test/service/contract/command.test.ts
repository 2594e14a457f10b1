/** http-interface.md and contract.md: requirements on the server as a command, in its own process. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ENDLESS, NORMAL, NUTS } from './programs.js';

const COMMAND = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'leapfrog-command-'));
});
after(() => rm(folder, { recursive: true, force: true }));

interface Running {
  readonly address: string;
  /** Sends a signal; resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

let stores = 0;

/** `leapfrog serve` with these arguments and variables of the environment, a separate store, as soon as it listens. */
async function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Running> {
  const env = { ...process.env, LEAPFROG_STORE: join(folder, `store-${stores++}`), ...environment };
  const child = spawn(process.execPath, [COMMAND, 'serve', ...args], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const exit = once(child, 'exit');
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    await exit;
    return child.exitCode;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /listens on (http:\S+?);/.exec(line)?.[1];
    if (address !== undefined) return { address, end };
  }
  throw new Error('the server did not start');
}

/** The standard output of a command. */
async function output(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const bytes of child.stdout) text += bytes;
  return text;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

const post = async (address: string, path: string, body: unknown): Promise<{ name: string }> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${address}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 201);
  return JSON.parse(await answer.text());
};

describe('leapfrog serve', () => {
  test('By default the service listens on localhost, port 8080. The service binds 127.0.0.1:8080 by default.', async (context) => {
    if (!(await isFree(8080))) return context.skip('another program listens on port 8080');
    const server = await start([]);
    assert.equal(server.address, 'http://127.0.0.1:8080');
    assert.equal((await fetch('http://localhost:8080/v1/health')).status, 200);
    await server.end('SIGTERM');
  });

  test('evaluation and compile requests have 30 s (--request-timeout SECONDS), operations no limit unless --operation-timeout sets one, a worker 2 GiB (--worker-memory); bodies have a size cap (default 256 MiB).', async () => {
    const help = (await output('serve', '--help')).replace(/\s+/g, ' ');
    assert.match(help, /--request-timeout <seconds> [^(]*\(default: 30,/);
    assert.match(help, /--operation-timeout <seconds> [^(]*\(default: no limit\)/);
    assert.match(help, /--worker-memory <mebibytes> [^(]*\(default: 2048,/);
    assert.match(help, /--body-limit <mebibytes> [^(]*\(default: 256,/);
  });

  test('another address needs a bearer token to be set (or an explicit flag that disables authentication).', async () => {
    const locked = await start(['--host', '0.0.0.0', '--port', '0'], { LEAPFROG_TOKEN: 'secret' });
    const models = `${locked.address.replace('0.0.0.0', '127.0.0.1')}/v1/models`;
    assert.equal((await fetch(models)).status, 401);
    assert.equal((await fetch(models, { headers: { authorization: 'Bearer secret' } })).status, 200);
    await locked.end('SIGTERM');
    const open = await start(['--host', '0.0.0.0', '--port', '0', '--no-auth']);
    assert.equal((await fetch(`${open.address.replace('0.0.0.0', '127.0.0.1')}/v1/models`)).status, 200);
    await open.end('SIGTERM');
    const child = spawn(process.execPath, [COMMAND, 'serve', '--host', '0.0.0.0', '--port', '0'], { stdio: 'ignore' });
    assert.deepEqual(await once(child, 'exit'), [1, null]);
  });

  test('configuration by flags, environment and a file, in that order, all listed by --help from one schema.', async () => {
    const help = (await output('serve', '--help')).replace(/\s+/g, ' ');
    const flags = [...help.matchAll(/ --([a-z-]+)(?: <[a-z]+>)? .*?env: LEAPFROG_([A-Z_]+)\)/g)];
    assert.ok(flags.length > 15);
    for (const [, flag, variable] of flags) assert.equal(variable, flag.toUpperCase().replaceAll('-', '_'));
    const file = join(folder, 'settings.json');
    await writeFile(file, '{"port": 0, "nonfinite": "null", "body-limit": 1, "max-queue": 7}');
    const server = await start(['--config', file, '--nonfinite', 'literal'], {
      LEAPFROG_NONFINITE: 'string',
      LEAPFROG_BODY_LIMIT: '2',
    });
    const model = (await post(server.address, 'models', { program_code: NORMAL })).name;
    const write = (body: string) =>
      fetch(`${server.address}/v1/${model}/write_array`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
    assert.equal(await (await write('["NaN"]')).text(), '{"params_r_constrained":[NaN]}\n');
    assert.equal((await write(' '.repeat(1.5 * 2 ** 20))).status, 400);
    assert.equal((await write(' '.repeat(2.5 * 2 ** 20))).status, 413);
    await server.end('SIGTERM');
  });

  test('SIGTERM: stop taking work, let what is short finish, record the rest, exit 0 in bounded time.', async () => {
    const store = join(folder, 'stopped');
    const settings = { LEAPFROG_STORE: store, LEAPFROG_SHUTDOWN_GRACE: '1', LEAPFROG_PORT: '0' };
    const first = await start([], settings);
    const model = (await post(first.address, 'models', { program_code: ENDLESS })).name;
    const operation = await post(first.address, `${model}/fits`, { function: NUTS });
    const events = await fetch(`${first.address}/v1/${operation.name}/events`);
    const [code, told] = await Promise.all([first.end('SIGTERM'), events.text().catch((error: Error) => error)]);
    assert.equal(code, 0);
    assert.ok(told instanceof Error, String(told));
    const second = await start([], settings);
    const recorded: { done: boolean } = JSON.parse(
      await (await fetch(`${second.address}/v1/${operation.name}`)).text(),
    );
    assert.equal(recorded.done, false);
    await fetch(`${second.address}/v1/${model}`, { method: 'DELETE' });
    assert.equal(await second.end('SIGTERM'), 0);
  });
});

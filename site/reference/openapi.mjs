/** The OpenAPI description of the built program, as its server returns it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

export async function readOpenApi() {
  const store = await mkdtemp(join(tmpdir(), 'leapfrog-site-'));
  const args = [PROGRAM, 'serve', '--port', '0', '--store', store, '--workers', '1'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (address !== undefined) return await (await fetch(`${address}/v1/openapi.json`)).json();
    }
    throw new Error('the server ended before it listened');
  } finally {
    server.kill('SIGTERM');
    await ended;
    await rm(store, { recursive: true, force: true });
  }
}

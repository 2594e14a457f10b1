import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

export interface Serving {
  readonly address: string;
  readonly processId: number;
  stop(): Promise<void>;
}

/**
 * The built server in a process of its own, on a free port, with a store that goes when it stops. Settings are variables of its
 * environment, such as `LEAPFROG_REQUEST_TIMEOUT`.
 */
export async function serve(settings: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const store = await mkdtemp(join(tmpdir(), 'leapfrog-served-'));
  const child = spawn(process.execPath, [COMMAND, 'serve', '--port', '0', '--store', store], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...settings },
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    }
    await rm(store, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /listens on (http:\S+?);/.exec(line)?.[1];
    if (address !== undefined) return { address, processId: child.pid ?? 0, stop };
  }
  await stop();
  throw new Error('the server did not start');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, read } from '../project/tree.js';

/** The arguments that `npm start` passes to node: flags, the command line and `serve`. */
const START: readonly string[] = String(JSON.parse(read('package.json')).scripts.start)
  .split(' ')
  .slice(1);

/** Maximum number of characters of a server's output that are kept. */
const KEPT_OUTPUT = 10_000;

export interface Serving {
  readonly address: string;
  readonly processId: number;
  stop(): Promise<void>;
}

/**
 * The built server in its own process, on a free port, with a store that is removed when it stops; if tests run against a cluster, a server of that.
 * Settings are environment variables, such as `LEAPFROG_REQUEST_TIMEOUT`.
 */
export async function serve(settings: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const store = await mkdtemp(join(tmpdir(), 'leapfrog-served-'));
  if (process.env.LEAPFROG_TEST_CLUSTER === '1') {
    const { serveCluster } = await import('./cluster.js');
    return serveCluster(store, settings);
  }
  const server = startServing(store, settings);
  const stop = async (): Promise<void> => {
    await server.end('SIGTERM');
    await rm(store, { recursive: true, force: true });
  };
  try {
    return { address: await server.address, processId: server.processId, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A server that may be starting, running or stopped. Its store is kept. */
export interface ServerProcess {
  readonly processId: number;
  /** Resolves when it listens; rejects if it exits before that. */
  readonly address: Promise<string>;
  /** The last part of its output. */
  readonly output: string;
  /** Its exit code and the last part of its output. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  /** Sends a signal, unless it has exited, and waits until it has. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Options for running the built server on a store. */
export function servingCommand(store: string): readonly string[] {
  return [process.execPath, ...START, '--port', '0', '--store', store];
}

/** Starts the built server on a store. `largestFile` is the maximum size of a file that the system lets it write, in bytes. */
export function startServing(
  store: string,
  settings: Readonly<Record<string, string>> = {},
  largestFile?: number,
): ServerProcess {
  const command = servingCommand(store);
  const limited = ['sh', '-c', `ulimit -f ${Math.floor((largestFile ?? 0) / 512)}; exec "$@"`, 'sh', ...command];
  return startCommand(largestFile === undefined ? command : limited, settings);
}

/** Starts the built worker of a cluster. Its `address` never resolves. */
export function startWorking(settings: Readonly<Record<string, string>>): ServerProcess {
  return startCommand([process.execPath, join(ROOT, 'dist/src/cli/main.js'), 'work'], settings);
}

/** Runs a command that starts a server, in the root of the project by default. */
export function startCommand(
  [program, ...given]: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  folder: string = ROOT,
): ServerProcess {
  const child = spawn(program, given, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...settings },
  });
  const { address, ended, said } = listenTo(child);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill(signal);
      await exit;
    }
  };
  return {
    processId: child.pid ?? 0,
    address,
    ended,
    end,
    get output() {
      return said();
    },
  };
}

function listenTo(child: ChildProcess): Pick<ServerProcess, 'address' | 'ended'> & { said(): string } {
  let output = '';
  const ended = once(child, 'close').then(([code]) => ({ code, output }));
  const address = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes) => {
        output = (output + bytes).slice(-KEPT_OUTPUT);
        const found = /listens on (http:\S+?);/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    void ended.then(() => reject(new Error(`the server did not start: ${output}`)));
  });
  address.catch(() => undefined);
  return { address, ended, said: () => output };
}

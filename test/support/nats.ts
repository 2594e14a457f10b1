/** The NATS server of the system, where there is one, for tests of what shares it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PLACES: readonly string[] = ['/usr/sbin/nats-server', '/usr/bin/nats-server', '/usr/local/bin/nats-server'];
/** Milliseconds. */
const START_TIME = 10_000;
const POLL_INTERVAL = 20;

function findServer(): string | undefined {
  const { NATS_SERVER_PATH } = process.env;
  return [...(NATS_SERVER_PATH === undefined ? [] : [NATS_SERVER_PATH]), ...PLACES].find((path) => existsSync(path));
}

const path = findServer();

/** For the option `skip` of a test: why it cannot run here, or false. */
export const withoutNats: string | false =
  path === undefined && 'there is no nats-server: install it, or name it in NATS_SERVER_PATH';

/** A NATS server with JetStream on a free port of this machine. */
export class NatsServer {
  /** `host:port`. */
  readonly address: string;
  private readonly child: ChildProcess;
  private readonly folder: string;

  private constructor(child: ChildProcess, folder: string, address: string) {
    this.child = child;
    this.folder = folder;
    this.address = address;
  }

  static async start(): Promise<NatsServer> {
    if (path === undefined) throw new Error('there is no nats-server');
    const folder = await mkdtemp(join(tmpdir(), 'leapfrog-nats-'));
    const options = [
      '-a',
      '127.0.0.1',
      '-p',
      '-1',
      '--ports_file_dir',
      folder,
      '-js',
      '-sd',
      join(folder, 'jetstream'),
    ];
    const child = spawn(path, options, { stdio: 'ignore' });
    const file = join(folder, `nats-server_${child.pid}.ports`);
    for (let waited = 0; waited < START_TIME; waited += POLL_INTERVAL) {
      const text = await readFile(file, 'utf8').catch(() => '');
      const address = /nats:\/\/([\d.]+:\d+)/.exec(text)?.[1];
      if (address !== undefined) return new NatsServer(child, folder, address);
      await pause(POLL_INTERVAL);
    }
    child.kill('SIGKILL');
    throw new Error('nats-server has not told its port');
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** NATS servers with specific configurations: TLS, users, permissions. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { natsServerPath } from './nats.js';

/** Milliseconds. */
const START_TIME = 10_000;
const POLL_INTERVAL = 20;

/** A NATS server with JetStream and these settings, on a port of this machine. */
export class ConfiguredNats {
  readonly port: number;
  private readonly child: ChildProcess;
  private readonly folder: string;
  private readonly said: () => string;

  private constructor(port: number, child: ChildProcess, folder: string, said: () => string) {
    this.port = port;
    this.child = child;
    this.folder = folder;
    this.said = said;
  }

  /** Its log. */
  get log(): string {
    return this.said();
  }

  /** `settings` are lines of a configuration file. The port is a free one unless it is given. */
  static async start(settings: string, port = -1): Promise<ConfiguredNats> {
    if (natsServerPath === undefined) throw new Error('there is no nats-server');
    const folder = await mkdtemp(join(tmpdir(), 'leapfrog-nats-'));
    const file = join(folder, 'nats.conf');
    const place = `listen: "127.0.0.1:${port}"\nports_file_dir: ${JSON.stringify(folder)}\n`;
    const storage = `jetstream { store_dir: ${JSON.stringify(join(folder, 'jetstream'))} }\n`;
    await writeFile(file, place + storage + settings);
    const child = spawn(natsServerPath, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (text) => {
      said += text;
    });
    for (let waited = 0; waited < START_TIME && child.exitCode === null; waited += POLL_INTERVAL) {
      const ports = await readFile(join(folder, `nats-server_${child.pid}.ports`), 'utf8').catch(() => '');
      const found = /\/\/[\d.]+:(\d+)/.exec(ports)?.[1];
      if (found !== undefined) return new ConfiguredNats(Number(found), child, folder, () => said);
      await pause(POLL_INTERVAL);
    }
    child.kill('SIGKILL');
    throw new Error(`nats-server has not started: ${said}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

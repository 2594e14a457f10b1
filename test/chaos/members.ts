import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../project/tree.js';
import { freePorts, type NatsServer } from '../support/nats.js';
import { type ServerProcess, startCommand } from '../support/serving.js';
import { Link } from './link.js';

/** Seconds. */
const LEASE = 3;
/** Milliseconds after which a front end must listen. */
const START_TIME = 60_000;
const START_INTERVAL = 500;

export const LEASE_TIME = 1000 * LEASE;

/** A front end or a worker, which is started again on the same port when it was killed. */
export class Member {
  readonly name: string;
  /** Of a front end. */
  readonly address: string | undefined;
  /** When it was last not as it should be, on the clock of `performance.now`; infinite while it is not. */
  disturbed = Number.NEGATIVE_INFINITY;
  private readonly arguments: readonly string[];
  private readonly link: Link;
  private process: ServerProcess | undefined;
  private isWanted = false;

  private constructor(name: string, given: readonly string[], link: Link, address?: string) {
    this.name = name;
    this.arguments = given;
    this.link = link;
    this.address = address;
  }

  static async start(
    role: 'serve' | 'work',
    name: string,
    nats: readonly NatsServer[],
    prefix: string,
  ): Promise<Member> {
    const link = await Link.to(nats.map(({ address }) => Number(address.split(':')[1])));
    const servers = link.ports.map((port) => `127.0.0.1:${port}`).join(',');
    const shared = ['--nats', servers, '--nats-prefix', prefix, '--nats-lease', String(LEASE)];
    const [port] = await freePorts(1);
    const own = role === 'serve' ? ['--port', String(port), '--workers', '0', '--no-web'] : ['--workers', '1'];
    const member = new Member(
      name,
      [process.execPath, join(ROOT, 'dist/src/cli/main.js'), role, ...shared, ...own],
      link,
      role === 'serve' ? `http://127.0.0.1:${port}` : undefined,
    );
    await member.run();
    return member;
  }

  /** Starts it and waits until it takes requests. One that ends by itself is started again, as a supervisor would. */
  async run(): Promise<void> {
    this.disturbed = Number.POSITIVE_INFINITY;
    this.isWanted = true;
    for (const end = performance.now() + START_TIME; ; await pause(START_INTERVAL)) {
      const started = startCommand(this.arguments);
      this.process = started;
      try {
        await (this.address === undefined ? pause(START_INTERVAL) : started.address);
        void started.ended.then(() => this.restart(started));
        break;
      } catch (error) {
        // It may have been refused by what is disturbed, too: then it is started once more.
        if (performance.now() > end) throw error;
      }
    }
    this.disturbed = performance.now();
  }

  private async restart(ended: ServerProcess): Promise<void> {
    if (!this.isWanted || this.process !== ended) return;
    await pause(START_INTERVAL);
    if (this.isWanted && this.process === ended) await this.run().catch(() => undefined);
  }

  async kill(): Promise<void> {
    this.isWanted = false;
    this.disturbed = Number.POSITIVE_INFINITY;
    await this.process?.end('SIGKILL');
  }

  stop(): void {
    this.disturbed = Number.POSITIVE_INFINITY;
    this.signal('SIGSTOP');
  }

  go(): void {
    this.signal('SIGCONT');
    this.disturbed = performance.now();
  }

  /** Nothing when it has just ended by itself. */
  private signal(signal: NodeJS.Signals): void {
    try {
      process.kill(this.process?.processId ?? 0, signal);
    } catch {
      // It is being started again.
    }
  }

  cut(): void {
    this.disturbed = Number.POSITIVE_INFINITY;
    this.link.cut();
  }

  mend(): void {
    this.link.mend();
    this.disturbed = performance.now();
  }

  async end(): Promise<void> {
    this.isWanted = false;
    await this.process?.end('SIGKILL');
    this.link.close();
  }
}

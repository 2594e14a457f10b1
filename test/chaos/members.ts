import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../project/tree.js';
import type { NatsServer } from '../support/nats.js';
import { type ServerProcess, startCommand } from '../support/serving.js';
import { Host } from './network.js';

/** Seconds. */
const LEASE = 3;
/** Milliseconds after which a front end must listen. */
const START_TIME = 180_000;
const START_INTERVAL = 500;

export const LEASE_TIME = 1000 * LEASE;

/** Options of front ends. */
const PORT = 8080;

/** The networks from which a member can be disconnected; a worker has no clients. */
export type Side = 'everybody' | 'NATS';

/** A front end or a worker on its own host, which is restarted after it has been killed. */
export class Member {
  readonly name: string;
  /** The address of a front end. */
  readonly address: string | undefined;
  /** When it was last disturbed, on the clock of `performance.now`; infinite while it is disturbed. */
  disturbed = Number.NEGATIVE_INFINITY;
  private readonly arguments: readonly string[];
  private readonly host: Host;
  private process: ServerProcess | undefined;
  private isWanted = false;

  private constructor(name: string, given: readonly string[], host: Host, address?: string) {
    this.name = name;
    this.arguments = given;
    this.host = host;
    this.address = address;
  }

  static async start(
    role: 'serve' | 'work',
    name: string,
    nats: readonly NatsServer[],
    prefix: string,
  ): Promise<Member> {
    const isFrontEnd = role === 'serve';
    const host = await (isFrontEnd ? Host.on('inside', 'outside') : Host.on('inside'));
    const servers = nats.map(({ address }) => address).join(',');
    const shared = ['--nats', servers, '--nats-prefix', prefix, '--nats-lease', String(LEASE)];
    const listening = isFrontEnd ? ['--host', host.address('outside'), '--port', String(PORT), '--no-auth'] : [];
    const own = isFrontEnd ? ['--workers', '0', '--no-web'] : ['--workers', '1'];
    const member = new Member(
      name,
      host.command([process.execPath, join(ROOT, 'dist/src/cli/main.js'), role, ...shared, ...listening, ...own]),
      host,
      isFrontEnd ? `http://${host.address('outside')}:${PORT}` : undefined,
    );
    await member.run();
    return member;
  }

  /** Starts it and waits until it accepts requests. If it exits, it is restarted, as by a supervisor. */
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
        // A disturbed process may also have refused it. It is then restarted.
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

  /** Errors in its recent log, one per line. */
  get faults(): string {
    const lines = this.process?.output.split('\n') ?? [];
    return lines.filter((line) => line.includes('"level":50')).join('\n');
  }

  /** Undefined if it has just exited. */
  private signal(signal: NodeJS.Signals): void {
    try {
      // 0 would signal every process of this group.
      if (this.process?.processId) process.kill(this.process.processId, signal);
    } catch {
      // It is being restarted.
    }
  }

  /** A front end that is disconnected only from NATS must still answer its clients. */
  async cut(from: Side): Promise<void> {
    if (from === 'NATS') return this.host.cut('inside');
    this.disturbed = Number.POSITIVE_INFINITY;
    await this.host.cut('inside', 'outside');
  }

  async repair(): Promise<void> {
    await this.host.repair();
    this.disturbed = Math.min(this.disturbed, performance.now());
  }

  async end(): Promise<void> {
    this.isWanted = false;
    await this.process?.end('SIGKILL');
  }
}

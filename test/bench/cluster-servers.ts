import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { joinCluster } from '../../src/service/cluster/cluster.js';
import { Values } from '../../src/service/cluster/values.js';
import { randomIdentifier } from '../../src/service/store/identifiers.js';
import { ROOT } from '../project/tree.js';
import { Client } from '../support/client.js';
import { freePorts, NatsServer } from '../support/nats.js';
import { holdToShare } from '../support/processor-share.js';
import { type ServerProcess, startCommand, startServing } from '../support/serving.js';

/** Milliseconds; the default of workers. */
const LEASE_TIME = 30_000;

/** Messages and bytes that a NATS server has received and sent, under the names that NATS uses. */
export interface Traffic {
  readonly in_msgs: number;
  readonly out_msgs: number;
  readonly in_bytes: number;
  readonly out_bytes: number;
}

interface Parts {
  readonly nats: NatsServer;
  /** Address of the NATS server's monitoring. */
  readonly monitor: string;
  readonly front: ServerProcess;
  /** Environment variables that the front end and workers share. */
  readonly settings: Readonly<Record<string, string>>;
  readonly store: string;
}

/** A front end, workers with one thread each, and their own NATS server. */
export class Servers {
  readonly client: Client;
  readonly address: string;
  private readonly parts: Parts;
  private readonly workers: ServerProcess[] = [];
  private readonly releases: (() => void)[] = [];

  private constructor(parts: Parts, address: string) {
    this.parts = parts;
    this.address = address;
    this.client = new Client(address);
  }

  /** `mostWaiting`: maximum number of waiting operations. */
  static async start(mostWaiting = 1000): Promise<Servers> {
    const [port] = await freePorts(1);
    const nats = await NatsServer.start(['-m', String(port)]);
    const store = await mkdtemp(join(tmpdir(), 'leapfrog-bench-'));
    const settings = { LEAPFROG_NATS: nats.address, LEAPFROG_NATS_PREFIX: randomUUID() };
    const front = startServing(store, { ...settings, LEAPFROG_WORKERS: '0', LEAPFROG_MAX_QUEUE: String(mostWaiting) });
    const monitor = `http://127.0.0.1:${port}/varz`;
    return new Servers({ nats, monitor, front, settings, store }, await front.address);
  }

  /** Starts a worker, limited to a share of a processor if one is given. */
  addWorker(share?: number): void {
    const command = [process.execPath, '--max-semi-space-size=4', join(ROOT, 'dist/src/cli/main.js'), 'work'];
    const worker = startCommand(command, { ...this.parts.settings, LEAPFROG_WORKERS: '1' });
    this.workers.push(worker);
    if (share !== undefined) this.releases.push(holdToShare(worker.processId, share));
  }

  /** The traffic that the NATS server has received and sent since it started. */
  async traffic(): Promise<Traffic> {
    const { in_msgs, out_msgs, in_bytes, out_bytes }: Traffic = JSON.parse(
      await (await fetch(this.parts.monitor)).text(),
    );
    return { in_msgs, out_msgs, in_bytes, out_bytes };
  }

  /** Stores copies of a fit under other names. */
  async repeatFit(modelId: string, fitId: string, count: number): Promise<void> {
    const options = {
      servers: [this.parts.nats.address],
      prefix: this.parts.settings.LEAPFROG_NATS_PREFIX,
      leaseTime: LEASE_TIME,
    };
    const cluster = await joinCluster({ ...options, credentials: undefined });
    const [heads, contents] = [new Values(cluster, 'fits'), new Values(cluster, 'contents')];
    const head = await heads.get(`${modelId}.${fitId}`);
    const { mark, bytes } = JSON.parse(head ?? '');
    const content = (await contents.get(`${modelId}.${fitId}.${mark}`)) ?? '';
    const limit = pLimit(100);
    await limit.map(Array.from({ length: count }), async (_, k) => {
      const copy = { id: randomIdentifier(), mark: k.toString(16).padStart(mark.length, '0') };
      await contents.put(`${modelId}.${copy.id}.${copy.mark}`, content);
      await heads.create(`${modelId}.${copy.id}`, JSON.stringify({ mark: copy.mark, bytes }));
    });
    await cluster.close();
  }

  async stop(): Promise<void> {
    await Promise.all([this.parts.front, ...this.workers].map((each) => each.end('SIGKILL')));
    for (const release of this.releases) release();
    await this.parts.nats.stop();
    await rm(this.parts.store, { recursive: true, force: true });
  }
}

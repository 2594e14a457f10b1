/** The NATS connection of a server that a test starts, without the server itself. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, joinCluster } from '../../src/service/cluster/cluster.js';
import { openIn } from '../../src/service/cluster/nats-pair.js';
import { NatsServer } from './nats.js';

/** Maximum size of unused data, in the memory and on the disk of this process, in bytes. */
const CACHE_SIZE = 2 ** 30;

export interface JoinedCluster {
  readonly cluster: Cluster;
  readonly pair: Awaited<ReturnType<typeof openIn>>;
  /** Folder of this process, which is removed with its contents. */
  readonly folder: string;
  /** Disconnects from the cluster, and stops and removes its NATS server. */
  close(): Promise<void>;
}

export async function joinNewCluster(): Promise<JoinedCluster> {
  const nats = await NatsServer.start();
  const folder = await mkdtemp(join(tmpdir(), 'leapfrog-cluster-'));
  const cluster = await joinCluster({
    servers: [nats.address],
    prefix: randomUUID(),
    credentials: undefined,
    leaseTime: 1000,
  });
  const pair = await openIn(cluster, folder, CACHE_SIZE);
  const close = async () => {
    await pair.queue.close();
    await pair.close();
    await nats.stop();
    await rm(folder, { recursive: true });
  };
  return { cluster, pair, folder, close };
}

/** The object with some of its methods replaced. */
export function instead<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, { get: (target, name) => Reflect.get(name in methods ? methods : target, name, target) });
}

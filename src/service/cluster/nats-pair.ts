import { tmpdir } from 'node:os';
import { UnusableFolder } from '../store/store.js';
import { type Cluster, joinCluster } from './cluster.js';
import { Leftovers } from './leftovers.js';
import { NatsQueue } from './nats-queue.js';
import { NatsStore } from './nats-store.js';
import { makeOwnFolder } from './own-folder.js';
import type { NatsOptions, Pair } from './pair.js';
import type { WatchedBucket } from './watched-bucket.js';
import { watchBuckets } from './watched-buckets.js';

/**
 * Joins a cluster. `limit`: maximum size of its models and fits, in bytes. `onWait` is called if NATS servers are
 * starting.
 */
export async function openNatsPair(
  options: NatsOptions,
  limit: number,
  onWait?: (message: string) => void,
): Promise<Pair> {
  const cluster = await joinCluster(options, onWait);
  const folder = await makeOwnFolder(tmpdir()).catch(async (error) => {
    await cluster.close();
    throw UnusableFolder.of(tmpdir(), error);
  });
  try {
    const pair = await openIn(cluster, folder.path, limit);
    return { ...pair, close: () => pair.close().finally(() => folder.release()) };
  } catch (error) {
    await cluster.close();
    await folder.release();
    throw error;
  }
}

/** Fits are written and read in a folder that belongs to this process. Closing leaves the cluster. */
export async function openIn(
  cluster: Cluster,
  folder: string,
  limit: number,
): Promise<Pair & { readonly store: NatsStore; readonly queue: NatsQueue }> {
  const { leaseTime } = cluster;
  const watched = await watchBuckets(cluster);
  const buckets = Object.values(watched);
  void refreshWhenBack(cluster, buckets);
  const store = await NatsStore.open(cluster, { folder, limit, watched, onLost: (id) => queue.leave(id) });
  const queue = new NatsQueue(cluster, watched.chains, store);
  const leftovers = new Leftovers(cluster, store);
  leftovers.start();
  const close = async () => {
    leftovers.stop();
    await store.close();
    for (const bucket of buckets) bucket.close();
    await cluster.close();
  };
  return { store, queue, adoptionInterval: leaseTime, close };
}

/** No process can renew its leases while NATS is unreachable, so that time must not count towards their expiry. */
async function refreshWhenBack({ connection }: Cluster, buckets: readonly WatchedBucket[]): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'reconnect') for (const bucket of buckets) bucket.refresh();
  }
}

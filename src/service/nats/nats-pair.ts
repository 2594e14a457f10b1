import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsOptions, Pair } from '../pair.js';
import { joinCluster } from './cluster.js';
import { NatsQueue } from './nats-queue.js';
import { NatsStore } from './nats-store.js';

/** Joins those who share a NATS. What they keep may take `limit` bytes. */
export async function openNatsPair(options: NatsOptions, limit: number): Promise<Pair> {
  const cluster = await joinCluster(options);
  const folder = await mkdtemp(join(tmpdir(), 'leapfrog-fits-'));
  const leave = async () => {
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const store = await NatsStore.open(cluster, { folder, limit });
    const queue = await NatsQueue.open(cluster, (id) => store.operations.read('running', id));
    const close = async () => {
      await store.close();
      await leave();
    };
    return { store, queue, adoptionInterval: options.leaseTime, close };
  } catch (error) {
    await leave();
    throw error;
  }
}

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe } from 'node:test';
import type { OperationRecord } from '../../../src/service/jobs/operation-record.js';
import { joinCluster } from '../../../src/service/nats/cluster.js';
import { NatsQueue } from '../../../src/service/nats/nats-queue.js';
import { NatsStore } from '../../../src/service/nats/nats-store.js';
import { NatsServer, withoutNats } from '../../support/nats.js';
import { queueContract } from './queue-contract.js';
import { storeContract } from './store-contract.js';

/** Milliseconds. */
const LEASE_TIME = 1000;

describe('with NATS', { skip: withoutNats }, () => {
  let nats: NatsServer;
  before(async () => {
    nats = await NatsServer.start();
  });
  after(() => nats.stop());

  const join = async (prefix: string) =>
    joinCluster({ servers: [nats.address], prefix, credentials: undefined, leaseTime: LEASE_TIME });

  storeContract('in NATS', withoutNats, async () => {
    const prefix = randomUUID();
    const folder = await mkdtemp(path.join(tmpdir(), 'leapfrog-cache-'));
    const clusters = [await join(prefix), await join(prefix)] as const;
    const open = (index: 0 | 1) =>
      NatsStore.open(clusters[index], { folder: path.join(folder, String(index)), limit: 2 ** 30 });
    const [one, other] = [await open(0), await open(1)];
    const close = async () => {
      for (const store of [one, other]) await store.close();
      for (const cluster of clusters) await cluster.close();
      await rm(folder, { recursive: true });
    };
    return { one, other, close };
  });

  queueContract('in NATS', withoutNats, async () => {
    const prefix = randomUUID();
    const clusters = [await join(prefix), await join(prefix)] as const;
    const records = new Map<string, string>();
    const read = async (id: string) => records.get(id);
    const record = async (given: OperationRecord) => void records.set(given.id, JSON.stringify(given));
    const asking = await NatsQueue.open(clusters[0], read);
    const working = await NatsQueue.open(clusters[1], read);
    const close = async () => {
      for (const queue of [asking, working]) await queue.close();
      for (const cluster of clusters) await cluster.close();
    };
    return { leaseTime: LEASE_TIME, asking, working, record, close };
  });
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { joinCluster } from '../../src/service/cluster/cluster.js';
import { NatsServer, withoutNats } from '../support/nats.js';

describe('processes that join a new cluster at the same time', { skip: withoutNats }, () => {
  let server: NatsServer;
  before(async () => {
    server = await NatsServer.start();
  });
  after(() => server.stop());

  it('create its buckets once', async () => {
    for (let round = 0; round < 20; round++) {
      const options = { servers: [server.address], prefix: randomUUID(), credentials: undefined, leaseTime: 1000 };
      const clusters = await Promise.all(Array.from({ length: 6 }, () => joinCluster(options)));
      const created = await Promise.all(
        clusters.map(async ({ manager, prefix }) => (await manager.streams.info(`KV_${prefix}_fits`)).created),
      );
      assert.equal(new Set(created).size, 1);
      for (const cluster of clusters) await cluster.close();
    }
  });
});

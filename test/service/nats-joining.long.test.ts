import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { joinCluster } from '../../src/service/cluster/cluster.js';
import { NatsServer, withoutNats } from '../support/nats.js';

/** Milliseconds. */
const LATE = 35_000;

describe('a process that joins a cluster', { skip: withoutNats }, () => {
  let servers: readonly NatsServer[];
  before(async () => {
    servers = await NatsServer.startCluster(3);
  });
  after(() => Promise.all(servers.map((server) => server.stop())));

  it('waits for a NATS server that starts later than the others', async () => {
    const [first, second, late] = servers;
    await late.kill();
    const joining = joinCluster({
      servers: [first.address, second.address],
      prefix: randomUUID(),
      credentials: undefined,
      leaseTime: 1000,
    });
    joining.catch(() => undefined);
    await pause(LATE);
    await late.run();
    const cluster = await joining;
    const { config } = await cluster.manager.streams.info(`KV_${cluster.prefix}_fits`);
    assert.equal(config.num_replicas, 3);
    await cluster.close();
  });
});

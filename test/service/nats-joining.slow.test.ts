import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { joinCluster } from '../../src/service/cluster/cluster.js';
import { deferred } from '../../src/service/queue/deferred.js';
import { NatsServer, withoutNats } from '../support/nats.js';

describe('a process that joins a cluster', { skip: withoutNats }, () => {
  let servers: readonly NatsServer[];
  before(async () => {
    servers = await NatsServer.startCluster(3);
  });
  after(() => Promise.all(servers.map((server) => server.stop())));

  it('reports that it waits for NATS servers, until late ones have started', async () => {
    const [first, ...late] = servers;
    // One server of three cannot decide anything, whichever of them was the leader.
    await Promise.all(late.map((server) => server.kill()));
    const reported = deferred<string>();
    const reports: string[] = [];
    const options = {
      servers: [first.address],
      prefix: randomUUID(),
      credentials: undefined,
      leaseTime: 1000,
    };
    const joining = joinCluster(options, (message) => {
      reports.push(message);
      reported.resolve(message);
    });
    await Promise.race([reported.promise, joining]);
    await Promise.all(late.map((server) => server.run()));
    const cluster = await joining;
    const { config } = await cluster.manager.streams.info(`KV_${cluster.prefix}_fits`);
    await cluster.close();
    assert.equal(config.num_replicas, 3);
    assert.equal(reports.length, 1);
    assert.match(reports[0], /^NATS cannot store the shared data yet \(.+\): waiting up to 45 s for NATS servers$/);
  });
});

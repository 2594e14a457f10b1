import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Cluster, joinCluster } from '../../src/service/cluster/cluster.js';
import { NatsServer, withoutNats } from '../support/nats.js';

describe('processes of a service', { skip: withoutNats }, () => {
  const servers: NatsServer[] = [];
  after(async () => {
    for (const server of servers) await server.stop();
  });

  test('share one lease time: another value is rejected while a process runs, and accepted otherwise', async () => {
    const nats = await NatsServer.start();
    servers.push(nats);
    const join = (prefix: string, seconds: number): Promise<Cluster> =>
      joinCluster({ servers: [nats.address], prefix, credentials: undefined, leaseTime: 1000 * seconds });
    const first = await join('service', 30);
    const second = await join('service', 30);
    await (await join('another', 3)).close();
    const refused = /processes of the service service .* leases of 30 s, .* leases of 3 s: set the same --nats-lease/;
    await assert.rejects(join('service', 3), refused);
    await first.close();
    await assert.rejects(join('service', 3), refused);
    await second.close();
    const third = await join('service', 3);
    await assert.rejects(join('service', 30), /leases of 3 s, .* leases of 30 s/);
    await third.close();
  });
});

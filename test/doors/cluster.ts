/** Two servers that share NATS, each with one thread for chains. Requests alternate between them. */
import { randomUUID } from 'node:crypto';
import { TestServer } from '../service/harness.js';
import { NatsServer, withoutNats } from '../support/nats.js';
import { httpDoor } from './http.js';

/** Milliseconds. */
const LEASE_TIME = 3000;

export const clusterDoor = httpDoor('a cluster of two servers', startPair, withoutNats);

async function startPair(): Promise<TestServer> {
  const server = await NatsServer.start();
  const nats = { servers: [server.address], prefix: randomUUID(), credentials: undefined, leaseTime: LEASE_TIME };
  // If a test fails because of a fault in the cluster, its log contains the fault.
  const options = { requestTimeout: 60_000, workerMemory: 1024, workers: 1, logLevel: 'warn', nats } as const;
  return TestServer.startTogether(2, options, () => server.stop());
}

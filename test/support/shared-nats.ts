/** A cluster of three NATS servers that all tests of a process share. */
import { jetstreamManager } from '@nats-io/jetstream';
import { StorageType } from '@nats-io/obj';
import { type ConnectionOptions, connect } from '@nats-io/transport-node';
import { tryFor } from '../../src/service/cluster/away.js';
import { NatsServer } from './nats.js';

const SERVERS = 3;
/** Milliseconds in which servers find each other; they need about 10 s. */
const FINDING = { time: 40_000, interval: 250 };

let starting: Promise<readonly NatsServer[]> | undefined;

/** The NATS servers of this process, which exit with it. */
export function sharedNats(): Promise<readonly NatsServer[]> {
  starting ??= start().then((servers) => {
    process.once('SIGTERM', () => process.exit(1));
    process.once('exit', () => {
      for (const server of servers) server.discard();
    });
    return servers;
  });
  return starting;
}

/**
 * Servers of version 2.9.10 once failed to find each other within a minute and a half. This is not what the tests check, so their logs are
 * then printed, and other servers are started once.
 */
async function start(isAgain = false): Promise<readonly NatsServer[]> {
  const servers = await NatsServer.startCluster(SERVERS);
  const problem = await clusterProblem({ servers: servers.map(({ address }) => address) });
  if (problem === null) return servers;
  const said = await Promise.all(servers.map((server) => server.said()));
  await Promise.all(servers.map((server) => server.stop()));
  console.error(['NATS servers do not find each other', ...said].join('\n\n'));
  if (isAgain) throw problem;
  return start(true);
}

/** The reason why three NATS servers cannot place a replicated stream within the time limit, or null. */
export async function clusterProblem(options: ConnectionOptions): Promise<unknown> {
  const connection = await connect(options);
  const together = { name: 'together', subjects: ['together'], num_replicas: SERVERS, storage: StorageType.Memory };
  try {
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    const anything = () => true;
    await tryFor(FINDING, anything, () => streams.add(together));
    await tryFor(FINDING, anything, () => streams.delete(together.name));
    return null;
  } catch (error) {
    return error;
  } finally {
    await connection.close();
  }
}

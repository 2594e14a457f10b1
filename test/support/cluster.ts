/**
 * A cluster in place of a server: three NATS servers, two front ends and three workers, each in its own process. With LEAPFROG_TEST_CLUSTER=1, tests
 * that use only HTTP run against it wherever they start a server.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import type { ServerOptions } from '../../src/service/server.js';
import type { WorkOptions } from '../../src/service/work.js';
import { type Serving, startServing, startWorking } from './serving.js';
import { sharedNats } from './shared-nats.js';

export const inCluster = process.env.LEAPFROG_TEST_CLUSTER === '1';

const FRONT_ENDS = 2;
const WORKERS = 3;
/** Milliseconds. */
const LEASE_TIME = 3000;

/** The start message of a member. */
export type Member =
  | { readonly role: 'serve'; readonly options: ServerOptions }
  | { readonly role: 'work'; readonly options: WorkOptions };

/** The reason why a test, or a part of one, does not apply to a cluster. */
export const ofOneProcess = {
  metrics: inCluster && 'each process reports its own metrics, and requests go to several processes',
  folder: inCluster && 'there is no folder in which one server keeps everything',
  use: inCluster && 'what is used or compiled at the moment is known to each process alone',
  connection:
    inCluster &&
    'who is refused before all was sent may find the connection reset, where the server is another process',
} as const;

/** The prefix of the service that takes the place of this folder. */
export function prefixOf(store: string): string {
  return createHash('sha256').update(store).digest('hex').slice(0, 32);
}

/** Front ends and workers that replace one server with these options. */
export class TestCluster {
  /** Address of a proxy that forwards connections to the front ends in turn. */
  readonly address: string;
  readonly frontEnds: readonly string[];
  private readonly members: readonly ChildProcess[];
  private readonly proxy: Server;

  private constructor(members: readonly ChildProcess[], frontEnds: readonly string[], proxy: Server, address: string) {
    this.members = members;
    this.frontEnds = frontEnds;
    this.proxy = proxy;
    this.address = address;
  }

  static async start(given: ServerOptions): Promise<TestCluster> {
    const servers = await sharedNats();
    const nats = {
      servers: servers.map(({ address }) => address),
      prefix: prefixOf(given.store),
      credentials: undefined,
      leaseTime: LEASE_TIME,
    };
    const front: Member = { role: 'serve', options: { ...given, nats, workers: 0 } };
    // The number of threads is that of the server, because tests count concurrent runs.
    const threads = Array.from({ length: WORKERS }, (_, k) => Math.floor((given.workers + WORKERS - 1 - k) / WORKERS));
    const { cacheSize, requestTimeout, workerMemory, memory, logLevel, engine } = given;
    const limits = {
      cacheSize,
      requestTimeout,
      workerMemory,
      memory,
      logLevel,
      ...(engine !== undefined && { engine }),
    };
    const workers = threads
      .filter((count) => count > 0)
      .map((count): Member => ({ role: 'work', options: { ...limits, nats, workers: count } }));
    // The first one creates the shared buckets.
    const first = await startMember(front);
    const others = Array.from({ length: FRONT_ENDS - 1 }, () => front);
    const rest = await Promise.all([...others, ...workers].map(startMember));
    const members = [first, ...rest];
    const frontEnds = members.flatMap(({ address }) => (address === undefined ? [] : [address]));
    const proxy = await proxyTo(frontEnds.map((address) => Number(new URL(address).port)));
    return new TestCluster(
      members.map(({ child }) => child),
      frontEnds,
      proxy,
      addressOf(proxy),
    );
  }

  /** Closes all members as a server is closed, with `grace` milliseconds for running work. */
  async close(grace = 0): Promise<void> {
    this.proxy.close();
    await Promise.all(
      this.members.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.send({ close: grace });
        await ended;
      }),
    );
  }
}

/** The equivalent of `serve` in serving.ts for a cluster: processes of the command line. */
export async function serveCluster(store: string, settings: Readonly<Record<string, string>>): Promise<Serving> {
  const servers = await sharedNats();
  const shared = {
    ...settings,
    LEAPFROG_NATS: servers.map(({ address }) => address).join(','),
    LEAPFROG_NATS_PREFIX: prefixOf(store),
    LEAPFROG_NATS_LEASE: String(LEASE_TIME / 1000),
  };
  const front = { ...shared, LEAPFROG_WORKERS: '0' };
  const frontEnds = Array.from({ length: FRONT_ENDS }, () => startServing(store, front));
  const workers = Array.from({ length: WORKERS }, () => startWorking({ ...shared, LEAPFROG_WORKERS: '1' }));
  const addresses = await Promise.all(frontEnds.map(({ address }) => address));
  const proxy = await proxyTo(addresses.map((address) => Number(new URL(address).port)));
  const stop = async () => {
    proxy.close();
    await Promise.all([...frontEnds, ...workers].map((each) => each.end('SIGTERM')));
    await rm(store, { recursive: true, force: true });
  };
  return { address: addressOf(proxy), processId: frontEnds[0]?.processId ?? 0, stop };
}

interface StartedMember {
  readonly child: ChildProcess;
  /** Address of a front end. */
  readonly address: string | undefined;
}

async function startMember(member: Member): Promise<StartedMember> {
  const child = fork(new URL('./cluster-member.js', import.meta.url), [JSON.stringify(member)]);
  const [message]: { address?: string; problem?: string }[] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => [{ problem: 'it has ended' }]),
  ]);
  if (message?.problem !== undefined) throw new Error(`a member of the cluster did not start: ${message.problem}`);
  return { child, address: message?.address };
}

function addressOf(proxy: Server): string {
  const own = proxy.address();
  return `http://127.0.0.1:${typeof own === 'object' && own !== null ? own.port : 0}`;
}

/** Forwards each connection to the next of these ports. */
export async function proxyTo(ports: readonly number[]): Promise<Server> {
  let turn = 0;
  const proxy = createServer({ allowHalfOpen: true }, (socket) => {
    const front = connect({ port: ports[turn++ % ports.length] ?? 0, host: '127.0.0.1', allowHalfOpen: true });
    for (const each of [socket, front]) each.setNoDelay(true);
    socket.on('error', () => front.destroy());
    socket.on('close', () => front.destroy());
    // A server may respond and close the connection before it has received everything; the client must receive this response while it is
    // still sending.
    front.on('error', () => undefined);
    front.on('close', () => {
      socket.unpipe(front);
      socket.resume();
      socket.end();
    });
    socket.pipe(front);
    front.pipe(socket);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return proxy;
}

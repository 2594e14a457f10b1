/** The system's NATS server, if installed, for tests of clusters. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { installed } from './installed.js';

const PLACES: readonly string[] = ['/usr/sbin/nats-server', '/usr/bin/nats-server', '/usr/local/bin/nats-server'];
/** Milliseconds. */
const START_TIME = 10_000;
const POLL_INTERVAL = 20;
/** Milliseconds in which servers find each other, after which some are restarted, and the number of such attempts. */
const FORMATION = { time: 30_000, interval: 100, attempts: 3 };
/** Characters. */
const MOST_SAID = 4000;

const path = installed('NATS_SERVER_PATH', PLACES);

/** For the option `skip` of a test: the reason why it cannot run here, or false. */
export const withoutNats: string | false =
  path === undefined && 'there is no nats-server: install it, or name it in NATS_SERVER_PATH';

/** The oldest version whose clusters lose nothing if their servers are killed, according to `npm run chaos`. */
const OLDEST_SAFE: readonly number[] = [2, 10, 27];

/** Whether servers of this version may be killed without anything being lost. */
export function isSafeWhenKilled(): boolean {
  if (path === undefined) return false;
  const version = /v(\d+)\.(\d+)\.(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }));
  const place = OLDEST_SAFE.findIndex((least, k) => Number(version?.[k + 1]) !== least);
  return place < 0 || Number(version?.[place + 1]) > OLDEST_SAFE[place];
}

/** The host of a server. */
export interface NatsHost {
  readonly address: string;
  /** Runs a command on this host. */
  command(words: readonly string[]): readonly string[];
}

const THIS_MACHINE: NatsHost = { address: '127.0.0.1', command: (words) => words };

/** A NATS server with JetStream on a port, which it keeps when it is restarted. */
export class NatsServer {
  /** `host:port`. */
  readonly address: string;
  private readonly host: NatsHost;
  private readonly port: number;
  private readonly folder: string;
  private readonly settings: readonly string[];
  private child: ChildProcess | undefined;

  /** `settings`: arguments of the server besides its address and folder. */
  private constructor(host: NatsHost, port: number, folder: string, settings: readonly string[]) {
    this.host = host;
    this.port = port;
    this.address = `${host.address}:${port}`;
    this.folder = folder;
    this.settings = settings;
  }

  static async start(settings: readonly string[] = []): Promise<NatsServer> {
    const [port] = await freePorts(1);
    const server = new NatsServer(THIS_MACHINE, port, await mkdtemp(join(tmpdir(), 'leapfrog-nats-')), settings);
    await server.run();
    return server;
  }

  /** A cluster of `count` servers on this machine. */
  static startCluster(count: number): Promise<readonly NatsServer[]> {
    return NatsServer.startClusterOn(Array.from({ length: count }, () => THIS_MACHINE));
  }

  /** One server on each of these hosts. */
  static async startClusterOn(hosts: readonly NatsHost[]): Promise<readonly NatsServer[]> {
    const count = hosts.length;
    const ports = await freePorts(3 * count);
    const routes = hosts.map(({ address }, k) => `nats://${address}:${ports[count + k]}`);
    const monitors = ports.slice(2 * count);
    const name = `leapfrog-${ports[0]}`;
    const servers = await Promise.all(
      hosts.map(async (host, index) => {
        const place = [
          '--no_advertise',
          '--cluster',
          routes[index],
          '--cluster_name',
          name,
          '--routes',
          routes.join(','),
          '-m',
          String(monitors[index]),
        ];
        const folder = await mkdtemp(join(tmpdir(), 'leapfrog-nats-'));
        return new NatsServer(host, ports[index], folder, ['--server_name', `server-${index}`, ...place]);
      }),
    );
    await Promise.all(servers.map((server) => server.run()));
    await formCluster(
      servers,
      hosts.map((host, k) => `http://${host.address}:${monitors[k]}/healthz`),
    );
    return servers;
  }

  /** The log file. */
  private get log(): string {
    return join(this.folder, 'log');
  }

  /** The last part of the log. */
  async said(): Promise<string> {
    return (await readFile(this.log, 'utf8')).slice(-MOST_SAID);
  }

  get processId(): number {
    return this.child?.pid ?? 0;
  }

  /** Starts or restarts it, and waits until it accepts connections. */
  async run(): Promise<void> {
    if (path === undefined) throw new Error('there is no nats-server');
    const { address, command } = this.host;
    const place = [
      '-a',
      address,
      '-p',
      String(this.port),
      '-js',
      '-sd',
      join(this.folder, 'jetstream'),
      '-l',
      this.log,
    ];
    const [program, ...words] = command([path, ...place, ...this.settings]);
    const child = spawn(program, words, { stdio: 'ignore' });
    child.unref();
    this.child = child;
    for (let waited = 0; waited < START_TIME; waited += POLL_INTERVAL) {
      if (child.exitCode !== null) break;
      if (await takesConnections(address, this.port)) return;
      await pause(POLL_INTERVAL);
    }
    child.kill('SIGKILL');
    throw new Error('nats-server does not take connections');
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Stops it and keeps its data. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Kills the server and removes its folder without waiting, because this process is exiting. */
  discard(): void {
    this.child?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * Waits until started servers have found each other and store a stream on each of them. On a busy machine, servers may have to be restarted:
 * those that have not found the others, or else all. `health` has the address of each server's health check.
 */
async function formCluster(servers: readonly NatsServer[], health: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let lost = servers;
    for (const end = performance.now() + FORMATION.time; performance.now() < end; await pause(FORMATION.interval)) {
      const healthy = await Promise.all(health.map(isHealthy));
      lost = servers.filter((_, k) => !healthy[k]);
      if (lost.length === 0 && (await storeStream(servers))) return;
    }
    if (attempt === FORMATION.attempts) {
      const said = await Promise.all(servers.map((server) => server.said()));
      throw new Error(`nats-servers did not find each other: ${said.join('\n')}`);
    }
    const restarted = lost.length > 0 ? lost : servers;
    await Promise.all(restarted.map((server) => server.kill()));
    await Promise.all(restarted.map((server) => server.run()));
  }
}

/** Stores a stream on each server and deletes it; false if they cannot place it yet. */
async function storeStream(servers: readonly NatsServer[]): Promise<boolean> {
  try {
    const connection = await connect({ servers: servers.map(({ address }) => address), reconnect: false });
    try {
      const { streams } = await jetstreamManager(connection, { checkAPI: false });
      await streams.add({ name: 'formation', subjects: ['formation'], num_replicas: servers.length });
      return await streams.delete('formation');
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}

/** Below the ephemeral ports of operating systems, so that no process takes one between the check and its use. */
const PORTS = { first: 10_000, last: 32_000 };

/** Ports of this machine that no process listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(PORTS.first, PORTS.last);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const listener = createServer().listen(port, '127.0.0.1');
  try {
    await once(listener, 'listening');
  } catch {
    return false;
  }
  await once(listener.close(), 'close');
  return true;
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(START_TIME) })).ok;
  } catch {
    return false;
  }
}

async function takesConnections(host: string, port: number): Promise<boolean> {
  const socket = createConnection(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Path of the program. */
export { path as natsServerPath };

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Server, type ServerOptions, startServer } from '../../src/service/server.js';
import { inCluster, TestCluster } from '../support/cluster.js';

export const fakeEngine = new URL('./fake-engine.js', import.meta.url).href;

/** The folder of package.json, from a compiled test. */
export const packageRoot = new URL('../../../', import.meta.url);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers is checked by the assertions that read it
  readonly json: any;
}

/** A server on a free port with its own folder, and a client for it. */
export class TestServer {
  readonly store: string;
  readonly address: string;
  private readonly server: Pick<Server, 'address' | 'close'>;
  /** Addresses that requests go to, in turn. */
  private readonly addresses: readonly string[];
  private readonly awaitsNats: boolean;
  private turn = 0;

  private constructor(
    server: Server | Pick<TestCluster, 'address' | 'frontEnds' | 'close'>,
    store: string,
    { awaitsNats = false } = {},
  ) {
    this.server = server;
    this.awaitsNats = awaitsNats;
    this.addresses = 'frontEnds' in server ? server.frontEnds : [server.address];
    this.address = server.address;
    this.store = store;
  }

  static async start(options: Partial<ServerOptions> = {}): Promise<TestServer> {
    const given = await TestServer.optionsOf(options);
    const start = inCluster ? TestCluster.start : startServer;
    return new TestServer(await start(given), given.store);
  }

  /**
   * Servers of this process that share NATS. `stop` is called after they have been closed. Requests other than DELETE are repeated while
   * NATS responds too late on a busy machine, as by clients that follow Retry-After.
   */
  static async startTogether(
    count: number,
    options: Partial<ServerOptions>,
    stop: () => Promise<void>,
  ): Promise<TestServer> {
    const given = await TestServer.optionsOf(options);
    const [first, ...others] = await Promise.all(Array.from({ length: count }, () => startServer(given)));
    if (first === undefined) throw new Error('no server was started');
    const servers = [first, ...others];
    const close = async (grace?: number) => {
      await Promise.all(servers.map((server) => server.close(grace)));
      await stop();
    };
    const frontEnds = servers.map(({ address }) => address);
    return new TestServer({ address: first.address, frontEnds, close }, given.store, { awaitsNats: true });
  }

  private static async optionsOf(options: Partial<ServerOptions>): Promise<ServerOptions> {
    const store = options.store ?? (await mkdtemp(join(tmpdir(), 'leapfrog-test-')));
    return {
      version: '0',
      host: '127.0.0.1',
      port: 0,
      store,
      cacheSize: 2 ** 30,
      workers: 2,
      requestTimeout: 10_000,
      operationTimeout: undefined,
      workerMemory: 128,
      memory: 4096,
      bodyLimit: 1 << 20,
      nonFinite: 'string',
      token: undefined,
      logLevel: 'silent',
      maxQueue: 1000,
      receiveTimeout: 30_000,
      allowedHosts: [],
      corsOrigins: [],
      web: false,
      frameAncestors: [],
      ...options,
    };
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    for (;;) {
      const answer = await this.requestOnce(method, path, body, headers);
      const isAway = answer.status === 503 && answer.text.includes('NATS cannot be reached');
      if (!(isAway && this.awaitsNats && method !== 'DELETE')) return answer;
      await pause(100);
    }
  }

  private async requestOnce(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const address = this.addresses[this.turn++ % this.addresses.length];
    const response = await fetch(address + path, {
      method,
      headers: text === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const json: unknown = isJson && answer !== '' ? parse(answer) : undefined;
    return { status: response.status, headers: response.headers, text: answer, json };
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.request('GET', path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', path, body, headers);
  }

  delete(path: string): Promise<Answer> {
    return this.request('DELETE', path);
  }

  /** Compiles a program and returns the path of its model. */
  async model(program: string): Promise<string> {
    const answer = await this.post('/v1/models', { program_code: program });
    if (answer.status !== 201) throw new Error(answer.text);
    return `/v1/${answer.json.name}`;
  }

  /** Polls an operation until it is done. */
  async finished(name: string): Promise<Answer> {
    for (;;) {
      const answer = await this.get(`/v1/${name}`);
      if (answer.status !== 200 || answer.json.done) return answer;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Polls an operation until its first chain runs. Throws if the operation ends before that. */
  async running(name: string): Promise<Answer> {
    for (;;) {
      const answer = await this.get(`/v1/${name}`);
      if (answer.status !== 200 || answer.json.done) throw new Error(`${name} does not run: ${answer.text}`);
      if (answer.json.metadata.state === 'running') return answer;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Stops listening, after at most `grace` milliseconds; keeps the folder. */
  stop(grace?: number): Promise<void> {
    return this.server.close(grace);
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.store, { recursive: true, force: true });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

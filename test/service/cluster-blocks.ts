import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NatsServer } from '../support/nats.js';
import { startServing, startWorking } from '../support/serving.js';
import { contentOf } from './crashing/kinds.js';
import { Speaker } from './crashing/speaker.js';

const PROGRAM = 'parameters { vector[2] x; } model { x ~ std_normal(); }';
/** Number of clients, each of which waits for its operation. The chains of their operations compete for four threads. */
const CLIENTS = 6;
const THREADS = 4;
const SEEDS = 5;
/** Milliseconds between two requests of a client. */
const INTERVAL = 500;
/** Four chains with two blocks of iterations and a last one that completes their files. */
const REQUEST = {
  function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
  num_chains: 4,
  num_warmup: 20,
  num_samples: 5,
  until: { ess_bulk: 1e9, max_iterations: 10 },
};

/** Runs many operations in blocks whose chains share one worker. Returns those that fail or have other draws than on a single server. */
export async function runBlocks(operations: number): Promise<readonly string[]> {
  const nats = await NatsServer.start();
  const folder = await mkdtemp(join(tmpdir(), 'leapfrog-blocks-'));
  const alone = startServing(join(folder, 'alone'));
  const shared = { LEAPFROG_NATS: nats.address };
  const server = startServing(folder, { ...shared, LEAPFROG_WORKERS: '0' });
  const worker = startWorking({ ...shared, LEAPFROG_WORKERS: String(THREADS) });
  try {
    const single = await Runs.on(await alone.address);
    const cluster = await Runs.on(await server.address);
    const expected: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) expected.push(await single.run(seed, 0));
    assert.equal(new Set(expected).size, SEEDS);
    const problems: string[] = [];
    let next = 0;
    const client = async () => {
      for (let number = next++; number < operations; number = next++) {
        const seed = 1 + (number % SEEDS);
        const hash = await cluster.run(seed, number).catch((error) => String(error));
        if (hash !== expected[seed - 1]) problems.push(`operation ${number}: ${hash}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return problems;
  } finally {
    await Promise.all([alone, server, worker].map((each) => each.end('SIGTERM')));
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs of a model on a server. */
class Runs {
  private readonly server: Speaker;
  private readonly model: string;

  private constructor(server: Speaker, model: string) {
    this.server = server;
    this.model = model;
  }

  static async on(address: string): Promise<Runs> {
    const server = new Speaker(address);
    return new Runs(server, (await server.demand('POST', '/v1/models', { program_code: PROGRAM })).name);
  }

  /** The hash of a fit's draws. Undeclared data distinguish runs with the same draws. */
  async run(seed: number, tag: number): Promise<string> {
    const request = { ...REQUEST, random_seed: seed, data: { tag } };
    const { name } = JSON.parse(await this.ask('POST', `/v1/${this.model}/fits`, request));
    for (;;) {
      const { done, result } = JSON.parse(await this.ask('GET', `/v1/${name}`));
      if (done && result.name === undefined) throw new Error(JSON.stringify(result));
      if (done) return contentOf(await this.ask('GET', `/v1/${result.name}`)).hash;
      await pause(INTERVAL);
    }
  }

  /** Retries while the server refuses a request because the machine is busy. */
  private async ask(method: string, path: string, body?: object): Promise<string> {
    for (;;) {
      const { status, text } = await this.server.ask(method, path, body);
      if (status < 300) return text;
      if (status !== 503 && status !== 429) throw new Error(`${method} ${path}: ${status} ${text}`);
      await pause(INTERVAL);
    }
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../support/client.js';
import { startServing } from '../support/serving.js';
import { describeLatency, type Latency, latencyOf, timed, watchHealth } from './latency.js';

const FITS = 10_000;
/** Number of concurrent fits. */
const CLIENTS = 32;
const PROGRAM = 'parameters { real x; } model { x ~ std_normal(); }';
const FIT = { function: 'stan::services::sample::fixed_param', num_samples: 1 };

export interface ManyFitsResult {
  /** Milliseconds. */
  readonly start: number;
  readonly firstList: number;
  readonly list: number;
  readonly firstPage: number;
  readonly deletion: number;
  /** Measured while the list was read and the model deleted. */
  readonly health: Latency;
}

/** The time in which a server starts on a store of 10,000 fits, lists them and deletes their model. */
export async function benchManyFits(): Promise<ManyFitsResult> {
  const store = await mkdtemp(join(tmpdir(), 'leapfrog-many-fits-'));
  try {
    const model = await fill(store);
    const [server, start] = await timed(async () => {
      const started = startServing(store);
      await started.address;
      return started;
    });
    const address = await server.address;
    const ask = async (path: string): Promise<number> => {
      const response = await fetch(`${address}/v1/${path}`);
      return (await response.arrayBuffer()).byteLength;
    };
    const watch = watchHealth(address);
    const [bytes, firstList] = await timed(() => ask(`${model}/fits`));
    const [, list] = await timed(() => ask(`${model}/fits`));
    const [, firstPage] = await timed(() => ask(`${model}/fits?page_size=100`));
    const [, deletion] = await timed(() => new Client(address).delete(model));
    const health = latencyOf(await watch.stop());
    await server.end('SIGTERM');
    const times = { start, firstList, list, firstPage, deletion };
    for (const [what, value] of Object.entries(times)) console.log(`${what.padEnd(12)} ${(value / 1000).toFixed(2)} s`);
    console.log(`health under this load: ${describeLatency(health)}`);
    console.log(`bench many-fits: ${FITS} fits, a list of ${(bytes / 1e6).toFixed(1)} MB`);
    return { ...times, health };
  } finally {
    await rm(store, { recursive: true, force: true });
  }
}

/** Creates fits that differ in their seeds; returns the name of their model. */
async function fill(store: string): Promise<string> {
  const server = startServing(store);
  const client = new Client(await server.address);
  const model = await client.compile(PROGRAM);
  let seed = 0;
  const runs = Array.from({ length: CLIENTS }, async () => {
    while (seed < FITS) {
      seed += 1;
      await client.fitName(model, { ...FIT, random_seed: seed });
    }
  });
  await Promise.all(runs);
  await server.end('SIGTERM');
  return model;
}

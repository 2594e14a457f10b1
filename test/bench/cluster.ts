/** Benchmarks servers and workers that share NATS: chains per minute by number of workers, and the overhead of sharing. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../support/client.js';
import { withoutNats } from '../support/nats.js';
import { serve } from '../support/serving.js';
import { Servers, type Traffic } from './cluster-servers.js';
import { describeLatency, latencyOf, timed, watchHealth } from './latency.js';

const PROGRAM = 'data { int N; } parameters { vector[N] x; } model { x ~ std_normal(); }';
/** Share of a processor for each worker. */
const SHARE = 0.2;
const WORKERS = [1, 2, 4, 8];
/** Milliseconds. */
const [WARM_UP, WINDOW] = [20_000, 40_000];
const QUEUED = 10_000;
const LISTED = 100_000;
const PAGE = 100;
/** Number of concurrent requests while fits are queued. */
const CLIENTS = 16;

const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  workers: benchWorkers,
  overhead: benchOverhead,
  queue: benchQueue,
  lists: benchLists,
};

/** The parts whose names match. */
export async function benchCluster(_: string, only: RegExp): Promise<Readonly<Record<string, unknown>>> {
  if (withoutNats !== false) throw new Error(withoutNats);
  const results: Record<string, unknown> = {};
  for (const [name, bench] of Object.entries(parts)) if (only.test(name)) results[name] = await bench();
  return results;
}

/** A request whose chain takes a few tenths of a second of processor time. */
function fitOf(seed: number, samples: number): object {
  return {
    function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
    data: { N: 100 },
    num_warmup: samples,
    num_samples: samples,
    random_seed: seed,
  };
}

/** Chains per minute of 1, 2, 4 and 8 workers with a fifth of a processor each, and what NATS receives and sends per chain. */
async function benchWorkers(): Promise<unknown> {
  const rows = [];
  for (const count of WORKERS) {
    const servers = await Servers.start();
    try {
      const model = await servers.client.compile(PROGRAM);
      for (let k = 0; k < count; k++) servers.addWorker(SHARE);
      let [seed, done, isOver] = [0, 0, false];
      const clients = Array.from({ length: 2 * count + 2 }, async () => {
        while (!isOver) {
          await servers.client.fitName(model, fitOf(++seed, 300));
          done++;
        }
      });
      await pause(WARM_UP);
      const [before, doneBefore, start] = [await servers.traffic(), done, performance.now()];
      await pause(WINDOW);
      const [after, chains, milliseconds] = [await servers.traffic(), done - doneBefore, performance.now() - start];
      isOver = true;
      const perChain = (what: keyof Traffic): number => (after[what] - before[what]) / chains;
      const row = {
        workers: count,
        chainsPerMinute: (60_000 * chains) / milliseconds,
        messagesIn: perChain('in_msgs'),
        messagesOut: perChain('out_msgs'),
        kilobytesIn: perChain('in_bytes') / 1000,
        kilobytesOut: perChain('out_bytes') / 1000,
      };
      rows.push(row);
      console.log(
        Object.entries(row)
          .map(([name, value]) => `${name} ${value.toFixed(1)}`)
          .join('  '),
      );
      await Promise.all(clients);
    } finally {
      await servers.stop();
    }
  }
  return rows;
}

const TINY = { function: 'stan::services::sample::fixed_param', data: { N: 1 }, num_samples: 1 };
/** Number of fits of each type, and of chains in the fit with many chains. */
const [ROUNDS, CHAINS] = [60, 100];

/** The additional time of a chain compared with a single server, both with one worker, in alternation. */
async function benchOverhead(): Promise<unknown> {
  const alone = await serve({ LEAPFROG_WORKERS: '1' });
  const servers = await Servers.start();
  try {
    servers.addWorker();
    const clients = { alone: new Client(alone.address), shared: servers.client };
    const model = await clients.alone.compile(PROGRAM);
    await clients.shared.compile(PROGRAM);
    let seed = 0;
    const measure = async (request: (seed: number) => object, rounds: number) => {
      const times: Record<keyof typeof clients, number[]> = { alone: [], shared: [] };
      for (let round = -2; round < rounds; round++) {
        seed++;
        for (const place of ['alone', 'shared'] as const) {
          const start = performance.now();
          await clients[place].fitName(model, request(seed));
          if (round >= 0) times[place].push(performance.now() - start);
        }
      }
      return { alone: latencyOf(times.alone).median, shared: latencyOf(times.shared).median };
    };
    const tiny = await measure((random_seed) => ({ ...TINY, random_seed }), ROUNDS);
    const many = await measure((random_seed) => ({ ...TINY, random_seed, num_chains: CHAINS }), 5);
    const long = await measure((random_seed) => fitOf(random_seed, 1500), 10);
    for (const [name, { alone, shared }] of Object.entries({ tiny, many, long }))
      console.log(
        `${name.padEnd(6)} alone ${alone.toFixed(1)} ms  shared ${shared.toFixed(1)} ms  difference ${(shared - alone).toFixed(1)} ms  ratio ${(shared / alone).toFixed(3)}`,
      );
    console.log(`a chain among ${CHAINS}: ${((many.shared - many.alone) / CHAINS).toFixed(2)} ms more`);
    return { tiny, many, long };
  } finally {
    await servers.stop();
    await alone.stop();
  }
}

/** Duration of requests while 10,000 chains are queued, and the time in which two workers run them. */
async function benchQueue(): Promise<unknown> {
  const servers = await Servers.start(2 * QUEUED);
  try {
    const { client, address } = servers;
    const model = await client.compile(PROGRAM);
    const watch = watchHealth(address);
    const operations: string[] = [];
    const posts = await timesOf(QUEUED, async (k) => {
      const answer = await fetch(`${address}/v1/${model}/fits`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...TINY, random_seed: k + 1 }),
      });
      const { name }: { name: string } = JSON.parse(await answer.text());
      operations[k] = name;
    });
    const gets = await timesOf(1000, async (k) => {
      await (await fetch(`${address}/v1/${operations[(k * 7919) % QUEUED]}`)).text();
    });
    const [, cancel] = await timed(() => client.delete(operations[QUEUED / 2] ?? ''));
    const start = performance.now();
    for (let k = 0; k < 2; k++) servers.addWorker();
    const last = operations[QUEUED - 1] ?? '';
    while (!JSON.parse(await (await fetch(`${address}/v1/${last}`)).text()).done) await pause(100);
    const drained = (performance.now() - start) / 1000;
    const health = latencyOf(await watch.stop());
    console.log(`POST fits:    ${describeLatency(posts)}`);
    console.log(`GET one:      ${describeLatency(gets)}`);
    console.log(`cancel one:   ${cancel.toFixed(0)} ms`);
    console.log(`health:       ${describeLatency(health)}`);
    console.log(
      `2 workers ran ${QUEUED} chains in ${drained.toFixed(0)} s: ${((1000 * drained) / QUEUED).toFixed(1)} ms a chain`,
    );
    return { posts, gets, cancel, health, drained };
  } finally {
    await servers.stop();
  }
}

/** The duration of each of `count` actions, some of which run concurrently. */
async function timesOf(count: number, action: (k: number) => Promise<void>) {
  const times: number[] = [];
  let next = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (next < count) {
      const [, milliseconds] = await timed(() => action(next++));
      times.push(milliseconds);
    }
  });
  await Promise.all(clients);
  return latencyOf(times);
}

/** Duration of a request for a page of 100 of 100,000 fits, and of another fit's completion among them. */
async function benchLists(): Promise<unknown> {
  const servers = await Servers.start();
  try {
    const { client, address } = servers;
    servers.addWorker();
    const model = await client.compile(PROGRAM);
    const [, modelId = '', , fitId = ''] = (await client.fitName(model, { ...TINY, random_seed: 1 })).split('/');
    await servers.repeatFit(modelId, fitId, LISTED);
    const watch = watchHealth(address);
    const pages: number[] = [];
    let token: string | undefined;
    let fits = 0;
    do {
      const query = token === undefined ? '' : `&page_token=${token}`;
      const [text, milliseconds] = await timed(async () =>
        (await fetch(`${address}/v1/${model}/fits?page_size=${PAGE}${query}`)).text(),
      );
      const page: { fits: readonly unknown[]; next_page_token?: string } = JSON.parse(text);
      fits += page.fits.length;
      token = page.next_page_token;
      pages.push(milliseconds);
    } while (token !== undefined);
    if (fits !== LISTED + 1) throw new Error(`${fits} fits are listed`);
    const ends: number[] = [];
    for (let random_seed = 2; random_seed < 32; random_seed++) {
      const [, milliseconds] = await timed(() => client.fitName(model, { ...TINY, random_seed }));
      ends.push(milliseconds);
    }
    const result = { pages: latencyOf(pages), ends: latencyOf(ends), health: latencyOf(await watch.stop()) };
    for (const [name, latency] of Object.entries(result)) console.log(`${name.padEnd(7)} ${describeLatency(latency)}`);
    console.log(`${pages.length} pages of ${PAGE}`);
    return result;
  } finally {
    await servers.stop();
  }
}

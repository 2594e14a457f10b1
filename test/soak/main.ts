/**
 * Mixed traffic against a server in its own process, with measurements of its memory and descriptors. Usage: `npm run soak -- [--minutes N]
 * [--clients N]`
 *
 * Clients compile, evaluate, sample, read and follow fits in every format, cancel, delete and send invalid requests. Large fits remain
 * until they are evicted, so that the store is full. Every ten seconds the server's resident memory, its number of open descriptors and the size of
 * its store are measured (Linux). Measurements after the first third (at most five minutes) are split into two halves. Exits with 1 if a valid
 * request failed (also with 404, because nothing in use may be evicted), an invalid one was accepted, memory grew by more than 10 % from the first
 * half to the second, the minimum number of descriptors grew by more than ten, or the store exceeded its limit by more than half.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Serving, serve } from '../support/serving.js';
import { Traffic } from './traffic.js';

const SAMPLE_INTERVAL = 10_000;
/** Memory may grow for this long, in minutes, or for a third of a shorter run. */
const WARM_UP = 5;
const ALLOWED_GROWTH = 1.1;
const ALLOWED_DESCRIPTORS = 10;
const CACHE_BYTES = 60_000_000;
/** Entries in use may exceed the limit. */
const ALLOWED_CACHE_BYTES = 1.5 * CACHE_BYTES;

interface Usage {
  readonly minute: number;
  readonly mebibytes: number;
  readonly descriptors: number;
  readonly cacheBytes: number;
}

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, clients: { type: 'string', default: '6' } },
});
const minutes = Number(values.minutes);
const server = await serve({ LEAPFROG_CACHE_SIZE: String(CACHE_BYTES) });
try {
  const start = performance.now();
  const traffic = new Traffic(server.address, start + 60_000 * minutes);
  const usages: Usage[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      await sleep(SAMPLE_INTERVAL);
      const now = await usage(server, start);
      usages.push(now);
      const [memory, cache] = [now.mebibytes, now.cacheBytes / 1e6].map((amount) => amount.toFixed(0));
      console.log(`${now.minute.toFixed(1)} min: ${memory} MiB, ${now.descriptors} descriptors, store ${cache} MB`);
    }
  })();
  await traffic.run(Number(values.clients));
  isOver = true;
  await watching;
  report(traffic, usages);
} finally {
  await server.stop();
}

function report(traffic: Traffic, usages: readonly Usage[]): void {
  const warm = Math.min(WARM_UP, minutes / 3);
  const settled = usages.filter(({ minute }) => minute >= warm);
  const half = Math.ceil(settled.length / 2);
  const halves = [settled.slice(0, half), settled.slice(half)];
  const [early, late] = halves.map(mean);
  const [few, later] = halves.map(fewest);
  for (const [kind, { count, failures, slowest }] of traffic.counts) {
    console.log(`${kind}: ${count} requests, ${failures} failures, slowest ${slowest.toFixed(0)} ms`);
  }
  console.log(`memory: ${early.toFixed(0)} MiB, later ${late.toFixed(0)} MiB; descriptors: ${few}, later ${later}`);
  const slopes = [slope(settled, (usage) => usage.mebibytes), slope(settled, (usage) => usage.descriptors)];
  const [memorySlope, descriptorSlope] = slopes.map((each) => each.toFixed(2));
  const most = Math.max(...usages.map(({ cacheBytes }) => cacheBytes));
  console.log(
    `per minute: ${memorySlope} MiB, ${descriptorSlope} descriptors; largest store: ${(most / 1e6).toFixed(1)} MB`,
  );
  const failed = [...traffic.counts.values()].some(({ failures }) => failures > 0);
  const grew = late > ALLOWED_GROWTH * early;
  const leaked = later > few + ALLOWED_DESCRIPTORS;
  for (const problem of traffic.problems) console.log(problem);
  if (failed || grew || leaked || most > ALLOWED_CACHE_BYTES) process.exitCode = 1;
}

/** Threads and connections come and go; the minimum shows what remains. */
function fewest(usages: readonly Usage[]): number {
  return Math.min(...usages.map(({ descriptors }) => descriptors));
}

function mean(usages: readonly Usage[]): number {
  return usages.reduce((sum, { mebibytes }) => sum + mebibytes, 0) / Math.max(1, usages.length);
}

/** Slope of the least-squares line of a quantity over minutes. */
function slope(usages: readonly Usage[], quantity: (usage: Usage) => number): number {
  const of = (value: (usage: Usage) => number) =>
    usages.reduce((sum, each) => sum + value(each), 0) / Math.max(1, usages.length);
  const minute = of((each) => each.minute);
  const middle = of(quantity);
  const product = of((each) => (each.minute - minute) * (quantity(each) - middle));
  return product / of((each) => (each.minute - minute) ** 2);
}

async function usage({ address, processId }: Serving, start: number): Promise<Usage> {
  const cache: { readonly bytes: number } = JSON.parse(await (await fetch(`${address}/v1/cache`)).text());
  const [status, descriptors] = await Promise.all([
    readFile(`/proc/${processId}/status`, 'utf8'),
    readdir(`/proc/${processId}/fd`),
  ]);
  return {
    minute: (performance.now() - start) / 60_000,
    mebibytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    descriptors: descriptors.length,
    cacheBytes: cache.bytes,
  };
}

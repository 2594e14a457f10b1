import assert from 'node:assert/strict';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { discard } from './garbage.js';

const { NODE_PERFORMANCE_GC_MINOR: MINOR, NODE_PERFORMANCE_GC_FLAGS_FORCED: FORCED } = constants;
const DELIVERY_TIME = 50;
const THREADS = 60;

/** The garbage collections that were requested while `act` ran. */
async function requestedCollections(act: () => void): Promise<unknown[]> {
  const collections: unknown[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if ('detail' in entry) collections.push(entry.detail);
  });
  observer.observe({ entryTypes: ['gc'] });
  act();
  await pause(DELIVERY_TIME);
  observer.disconnect();
  return collections.filter((each) => JSON.stringify(each).includes(`"flags":${FORCED}}`));
}

describe('memory of sent data', () => {
  it('is collected, young objects only, once per 4 MiB', async () => {
    const mebibytes = (count: number) => () => {
      for (let k = 0; k < 4 * count; k++) discard(1 << 18);
    };
    assert.deepEqual(await requestedCollections(mebibytes(3)), []);
    assert.deepEqual(await requestedCollections(mebibytes(9)), Array(3).fill({ kind: MINOR, flags: FORCED }));
  });
});

describe('memory', () => {
  it('can be collected by threads that start at the same time', async () => {
    const code = `import(${JSON.stringify(new URL('./garbage.js', import.meta.url))}).then(({ collectAll }) => collectAll())`;
    const run = () =>
      new Promise<void>((resolve, reject) => {
        new Worker(code, { eval: true }).once('error', reject).once('exit', () => resolve());
      });
    await Promise.all(Array.from({ length: THREADS }, run));
  });
});

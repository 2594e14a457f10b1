import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { LostStore } from '../store/store.js';
import { FitCache } from './fit-cache.js';

const FILES = Array.from({ length: 20 }, (_, k) => `chain-${k}.json`).sort();
const ROUNDS = 10;

async function fill(folder: string): Promise<void> {
  for (const name of FILES) await writeFile(join(folder, name), name);
}

describe('the folders of fits in a cluster', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'leapfrog-cache-'));
  });
  after(() => rm(root, { recursive: true }));

  const read = async (cache: FitCache, name: string): Promise<void> => {
    const { path, release } = await cache.open(name, fill);
    assert.deepEqual((await readdir(path)).sort(), FILES);
    release();
  };

  it('are filled once for concurrent readers', async () => {
    const cache = new FitCache(join(root, 'shared'), 1000);
    let fillings = 0;
    const held = await Promise.all(
      [1, 2, 3].map(() =>
        cache.open('fit', async (folder) => {
          fillings++;
          await fill(folder);
        }),
      ),
    );
    assert.deepEqual([fillings, new Set(held.map(({ path }) => path)).size], [1, 1]);
  });

  it('are complete for their readers while another one, which failed, cleans up', async () => {
    const cache = new FitCache(join(root, 'failing'), 1000);
    for (let round = 0; round < ROUNDS; round++) {
      const name = `fit-${round}`;
      const lost = async (folder: string): Promise<void> => {
        await fill(folder);
        throw new LostStore('away');
      };
      let isOver = false;
      const failing = assert.rejects(cache.open(name, lost)).finally(() => {
        isOver = true;
      });
      const reading: Promise<unknown>[] = [];
      for (; !isOver; await turn())
        reading.push(read(cache, name).catch((error) => assert.ok(error instanceof LostStore, String(error))));
      await Promise.all([failing, ...reading]);
      await read(cache, name);
    }
  });

  it('are complete for their readers while they are evicted', async () => {
    const cache = new FitCache(join(root, 'full'), 0);
    for (let round = 0; round < ROUNDS; round++) {
      const large = await cache.open('fit', async (folder) => {
        for (let k = 0; k < 300; k++) await writeFile(join(folder, `chain-${k}.json`), 'draws');
      });
      large.release();
      const small = await cache.open('fit', (folder) => writeFile(join(folder, 'fit.json'), 'draws'));
      await pause(10);
      assert.deepEqual(await readdir(small.path), ['fit.json']);
      small.release();
    }
  });

  it('are removed if they have no readers and there is no space', async () => {
    const folder = join(root, 'kept');
    const cache = new FitCache(folder, 0);
    const { release } = await cache.open('read', fill);
    await read(cache, 'left');
    await read(cache, 'left');
    assert.equal((await readdir(folder)).includes('read'), true);
    release();
    while ((await readdir(folder)).length > 0) await turn();
  });
});

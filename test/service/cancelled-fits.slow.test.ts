import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ofOneProcess } from '../support/cluster.js';
import { NUTS } from './every-function.js';
import { TestServer } from './harness.js';

const SKIP = { skip: ofOneProcess.folder };

it(
  'fits that are cancelled at any moment, or whose model is deleted, leave nothing behind when the server has stopped',
  SKIP,
  async () => {
    for (let round = 0; round < 6; round++) {
      const server = await TestServer.start();
      const model = await server.model('parameters { real x; } model { x ~ std_normal(); }');
      const fits = Array.from({ length: 24 }, async (_, k) => {
        const { json } = await server.post(`${model}/fits`, { function: NUTS, num_chains: 3, random_seed: k + 1 });
        for (let polls = 0; polls < k % 7; polls++) await server.get(`/v1/${json.name}`);
        await server.delete(`/v1/${json.name}`);
      });
      await Promise.all(fits);
      const others = Array.from({ length: 24 }, (_, k) =>
        server.post(`${model}/fits`, { function: NUTS, num_chains: 3, random_seed: 100 + k }),
      );
      await Promise.all(others.slice(round));
      await server.delete(model);
      await Promise.all(others);
      await server.stop();
      assert.deepEqual(await readdir(join(server.store, 'temporary')), []);
      await rm(server.store, { recursive: true });
    }
  },
);

it('a fit that is cancelled while its chains write leaves nothing behind', SKIP, async () => {
  const server = await TestServer.start();
  const model = await server.model('parameters { vector[2000] x; } model { x ~ std_normal(); }');
  const drawsOf = async (name: string): Promise<number> => {
    const { chains = [] } = (await server.get(`/v1/${name}`)).json.metadata;
    return Math.max(0, ...chains.map(({ iteration = 0 }: { iteration?: number }) => iteration));
  };
  for (let round = 0; round < 12; round++) {
    const request = { function: NUTS, num_chains: 2, random_seed: round + 1, save_warmup: true, num_samples: 5000 };
    const { json } = await server.post(`${model}/fits`, request);
    while ((await drawsOf(json.name)) < 40 * round) await pause(5);
    await server.delete(`/v1/${json.name}`);
    assert.deepEqual(await readdir(join(server.store, 'temporary')), []);
  }
  await server.remove();
});

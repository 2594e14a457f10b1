import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { ofOneProcess } from '../support/cluster.js';
import { fakeEngine, TestServer } from './harness.js';
import { PausedDownload } from './paused-download.js';

const SAMPLE = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const FIXED = 'stan::services::sample::fixed_param';

async function start(context: TestContext, options: Parameters<typeof TestServer.start>[0] = {}) {
  const server = await TestServer.start({ engine: fakeEngine, ...options });
  context.after(() => server.remove());
  return server;
}

/** Creates a fit and returns its path. */
async function fit(server: TestServer, model: string, seed: number, more: object = {}): Promise<string> {
  const body = { function: SAMPLE, num_samples: 1000, random_seed: seed, ...more };
  const started = await server.post(`${model}/fits`, body);
  const { json } = await server.finished(started.json.name);
  assert.deepEqual(json.result, started.json.metadata.fit);
  return `/v1/${json.result.name}`;
}

/** Resolves when an operation that does not end by itself is running. */
async function endless(server: TestServer, model: string, more: object = {}): Promise<string> {
  const body = { function: SAMPLE, num_samples: 2_000_000_000, refresh: 1000, random_seed: 1, ...more };
  const { json } = await server.post(`${model}/fits`, body);
  for (;;) {
    const operation = await server.get(`/v1/${json.name}`);
    if (operation.json.metadata.state === 'running') return json.name;
    assert.equal(operation.json.done, false, operation.text);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function isThere(server: TestServer, path: string): Promise<boolean> {
  return (await server.get(path)).status === 200;
}

describe('the cache', { skip: ofOneProcess.use }, () => {
  test('reports the sizes of models and fits, and can be cleared', async (context) => {
    const server = await start(context);
    const model = await server.model('normal');
    await fit(server, model, 1);
    const full = (await server.get('/v1/cache')).json;
    assert.deepEqual([full.models.count, full.fits.count, full.limit], [1, 1, 2 ** 30]);
    assert.equal(full.bytes, full.models.bytes + full.fits.bytes);
    assert.ok(full.fits.bytes > 8 * 1000);
    const emptied = await server.delete('/v1/cache');
    const none = { count: 0, bytes: 0 };
    assert.deepEqual(emptied.json, { bytes: 0, limit: 2 ** 30, models: none, fits: none, running: none });
    assert.deepEqual(await readdir(join(server.store, 'fits')), []);
    assert.deepEqual(await readdir(join(server.store, 'models')), []);
    assert.equal((await server.get(model)).status, 404);
  });

  test('evicts fits when it is full, the least recently used first, and keeps its models', async (context) => {
    const measured = await start(context);
    await fit(measured, await measured.model('normal'), 1);
    const { models, fits } = (await measured.get('/v1/cache')).json;

    const server = await start(context, { cacheSize: 2 * models.bytes + Math.round(3.5 * fits.bytes) });
    const model = await server.model('normal');
    const unused = await server.model('normal, too');
    const [first, second, third] = [
      await fit(server, model, 1),
      await fit(server, model, 2),
      await fit(server, model, 3),
    ];
    assert.ok(await isThere(server, first));
    const fourth = await fit(server, model, 4);
    const there = await Promise.all([first, second, third, fourth].map((path) => isThere(server, path)));
    assert.deepEqual(there, [true, false, true, true]);
    assert.equal((await server.get(unused)).status, 200);
    const again = await fit(server, model, 2);
    assert.equal(again, second);
    const { bytes, limit } = (await server.get('/v1/cache')).json;
    assert.ok(bytes <= limit);
  });

  test('evicts models when no fits remain, the least recently used first', async (context) => {
    const measured = await start(context);
    await measured.model('normal a');
    const { models } = (await measured.get('/v1/cache')).json;
    const server = await start(context, { cacheSize: Math.round(2.5 * models.bytes) });
    const [first, second] = [await server.model('normal a'), await server.model('normal b')];
    assert.equal((await server.post(`${first}/log_prob`, [1])).status, 200);
    const third = await server.model('normal c');
    const statuses = await Promise.all([first, second, third].map(async (path) => (await server.get(path)).status));
    assert.deepEqual(statuses, [200, 404, 200]);
  });

  test('keeps models that are evaluated while others make fits that exceed the limit', async (context) => {
    const server = await start(context, { cacheSize: 4_000_000, workers: 6 });
    const evaluated = await Promise.all(Array.from({ length: 6 }, (_, k) => server.model(`normal ${k}`)));
    const fitted = await server.model('normal');
    const clients = 6;
    const fitsOfEach = 4;
    let making = clients;
    const makeFits = async (client: number) => {
      for (let k = 0; k < fitsOfEach; k++)
        await fit(server, fitted, client * fitsOfEach + k, { function: FIXED, data: { N: 100 } });
      making -= 1;
    };
    const evaluate = async (model: string) => {
      let count = 0;
      for (; making > 0; count++) {
        const { status, text } = await server.post(`${model}/log_prob`, [1]);
        assert.equal(status, 200, `evaluation ${count} of ${model}: ${text}`);
      }
      assert.ok(count > 0);
    };
    await Promise.all([...evaluated.map(evaluate), ...Array.from({ length: clients }, (_, k) => makeFits(k))]);
    const { bytes, fits, limit, models } = (await server.get('/v1/cache')).json;
    assert.equal(models.count, 7);
    assert.ok(fits.count < clients * fitsOfEach && bytes <= limit, `${fits.count} fits, ${bytes} bytes`);
  });

  test('keeps running operations, with their models and the fits that they start from', async (context) => {
    const server = await start(context);
    const [model, other] = [await server.model('normal'), await server.model('normal, too')];
    const initial = await fit(server, model, 1);
    const unused = await fit(server, model, 2);
    const operation = await endless(server, model, { init: initial.slice('/v1/'.length) });
    await server.delete('/v1/cache');
    const there = await Promise.all(
      [initial, unused, other, model].map(async (path) => (await server.get(path)).status),
    );
    assert.deepEqual(there, [200, 404, 404, 200]);
    await server.delete(`/v1/${operation}`);
    await server.delete('/v1/cache');
    assert.equal((await server.get('/v1/cache')).json.bytes, 0);
  });

  test('keeps fits that are being read', async (context) => {
    const server = await start(context);
    const model = await server.model('normal');
    const read = await fit(server, model, 1, { function: FIXED, num_samples: 8000, data: { N: 200 } });
    const whole = (await server.get(read)).text;
    const download = await PausedDownload.begin(server.address + read);
    const left = (await server.delete('/v1/cache')).json;
    assert.deepEqual([left.models.count, left.fits.count], [1, 1]);
    assert.ok((await download.rest()).equals(Buffer.from(whole)));
    assert.equal((await server.delete('/v1/cache')).json.bytes, 0);
  });

  test('keeps operations that a restart runs again, even if its limit has been reduced', async (context) => {
    const first = await TestServer.start({ engine: fakeEngine });
    const model = await first.model('normal');
    const initial = await fit(first, model, 1);
    const unused = await fit(first, model, 2);
    const operation = await endless(first, model, { init: initial.slice('/v1/'.length) });
    await first.stop();
    const second = await start(context, { store: first.store, cacheSize: 1 });
    const there = await Promise.all([initial, unused, model].map(async (path) => (await second.get(path)).status));
    assert.deepEqual(there, [200, 404, 200]);
    assert.equal((await second.get(`/v1/${operation}`)).json.done, false);
  });
});

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { ofOneProcess } from '../support/cluster.js';
import { fakeEngine, TestServer } from './harness.js';
import { PausedDownload } from './paused-download.js';

/** A fit of many megabytes, so that a download lasts until the client reads it. */
const LARGE = { function: 'stan::services::sample::fixed_param', num_samples: 8000, random_seed: 1, data: { N: 200 } };

describe('a fit that is deleted while it is downloaded', { skip: ofOneProcess.folder }, () => {
  let server: TestServer;
  let model: string;
  before(async () => {
    server = await TestServer.start({ engine: fakeEngine });
  });
  after(() => server.remove());

  async function make(): Promise<string> {
    model = await server.model('normal');
    const started = await server.post(`${model}/fits`, LARGE);
    await server.finished(started.json.name);
    return `/v1/${started.json.metadata.fit.name}`;
  }

  /** Resolves to the folders of fits once their number is at most `count`. */
  async function foldersLeft(count: number): Promise<number> {
    for (let tries = 0; tries < 100; tries++) {
      const folders = await readdir(join(server.store, 'fits'));
      if (folders.length <= count) return folders.length;
      await pause(50);
    }
    throw new Error('files of deleted fits are left');
  }

  test('arrives in full, while other clients no longer find it', async () => {
    const fit = await make();
    const whole = Buffer.from((await server.get(fit)).text);
    const [plain, packed] = [
      await PausedDownload.begin(server.address + fit),
      await PausedDownload.begin(server.address + fit, { 'accept-encoding': 'gzip' }),
    ];
    assert.equal((await server.delete(fit)).status, 200);
    assert.equal((await server.get(fit)).status, 404);
    assert.deepEqual((await server.get(`${model}/fits`)).json.fits, []);
    assert.equal((await readdir(join(server.store, 'fits'))).length, 1);
    assert.ok((await plain.rest()).equals(whole));
    assert.ok(gunzipSync(await packed.rest()).equals(whole));
    assert.equal(await foldersLeft(0), 0);
  });

  test('arrives in full even if its model is deleted and compiled again, and the fit is created again', async () => {
    const fit = await make();
    const whole = Buffer.from((await server.get(fit)).text);
    const download = await PausedDownload.begin(server.address + fit);
    assert.equal((await server.delete(model)).status, 200);
    assert.equal((await server.get(fit)).status, 404);
    assert.equal(await make(), fit);
    assert.equal((await server.get(fit)).status, 200);
    assert.ok((await download.rest()).equals(whole));
    assert.equal(await foldersLeft(1), 1);
    assert.equal((await server.get(fit)).status, 200);
    await server.delete(fit);
  });

  test('is removed from disk when the download is aborted', async () => {
    const fit = await make();
    const download = await PausedDownload.begin(server.address + fit);
    await server.delete(fit);
    download.abandon();
    assert.equal(await foldersLeft(0), 0);
  });
});

describe('a model that is deleted', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ engine: fakeEngine });
  });
  after(() => server.remove());

  /** Sends requests in sequence until `isOver`; returns their statuses. */
  async function repeat(request: () => Promise<{ readonly status: number }>, isOver: () => boolean): Promise<number[]> {
    const statuses: number[] = [];
    while (!isOver()) statuses.push((await request()).status);
    return statuses;
  }

  test('has no running operation that was started during the deletion', async () => {
    for (let round = 0; round < 5; round++) {
      const model = await server.model('endless');
      const endless = () => server.post(`${model}/fits`, { function: 'stan::services::sample::hmc_nuts_diag_e' });
      await endless();
      let isDeleted = false;
      const starting = [1, 2, 3].map(() => repeat(endless, () => isDeleted));
      assert.equal((await server.delete(model)).status, 200);
      isDeleted = true;
      const statuses = (await Promise.all(starting)).flat();
      assert.deepEqual(
        statuses.filter((status) => status !== 201 && status !== 404),
        [],
      );
      const { operations } = (await server.get('/v1/operations')).json;
      assert.deepEqual(
        operations.filter(({ done }: { done: boolean }) => !done),
        [],
      );
    }
  });

  test('either exists or not if it is compiled again concurrently', async () => {
    let isOver = false;
    const model = await server.model('normal');
    const evaluate = () => server.post(`${model}/log_prob`, { data: { N: 1 }, unconstrained_parameters: [1] });
    const start = () =>
      server.post(`${model}/fits`, { function: 'stan::services::sample::fixed_param', num_samples: 1 });
    const asking = [evaluate, evaluate, evaluate, start].map((ask) => repeat(ask, () => isOver));
    for (let round = 0; round < 50; round++) {
      assert.equal((await server.delete(model)).status, 200);
      assert.equal(await server.model('normal'), model);
    }
    isOver = true;
    const statuses = (await Promise.all(asking)).flat();
    assert.ok(statuses.length > 0);
    assert.deepEqual(
      statuses.filter((status) => ![200, 201, 404].includes(status)),
      [],
    );
  });
});

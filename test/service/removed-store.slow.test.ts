/** A server whose store is removed, in whole or in part, while it runs. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DiskStore } from '../../src/service/store/disk-store.js';
import { lockFolder } from '../../src/service/store/lock.js';
import { ofOneProcess } from '../support/cluster.js';
import { fakeEngine, TestServer } from './harness.js';

const FIXED = 'stan::services::sample::fixed_param';
const REMOVED = [
  '.',
  'temporary',
  'fits',
  'models',
  'operations',
  'operations/running',
  'operations/ended',
  'lock',
  'format',
];

async function fit(server: TestServer, seed: number): Promise<string> {
  const model = await server.model('normal');
  const { json, text } = await server.post(`${model}/fits`, { function: FIXED, num_samples: 10, random_seed: seed });
  assert.match(text, /"name":"operations/);
  const ended = await server.finished(json.name);
  assert.equal(ended.json.result.code, undefined, ended.text);
  return `/v1/${json.metadata.fit.name}`;
}

describe('a running server whose user removes', { skip: ofOneProcess.folder }, () => {
  for (const part of REMOVED) {
    test(`${part === '.' ? 'the store' : part} creates it again and continues`, async (context) => {
      const server = await TestServer.start({ engine: fakeEngine });
      context.after(() => server.remove());
      const before = await fit(server, 1);
      rmSync(join(server.store, part), { recursive: true });
      assert.equal((await server.get('/v1/ready')).status, 200);
      assert.equal((await server.get(before)).status, ['.', 'fits'].includes(part) ? 404 : 200);
      const after = await fit(server, 2);
      assert.equal((await server.get(after)).status, 200);
      assert.equal((await server.get('/v1/operations')).status, 200);
      // The folder still contains a store, which belongs to this server.
      await assert.rejects(lockFolder(server.store), /in use by another server/);
      await server.stop();
      const [, , , modelId, , fitId] = after.split('/');
      const store = await DiskStore.open(server.store);
      assert.ok(await store.fits.has(modelId, fitId));
      await store.close();
    });
  }

  test('its lock file, so that another server uses the store, reports this and stores nothing more', async (context) => {
    const server = await TestServer.start({ engine: fakeEngine });
    context.after(() => server.remove());
    await fit(server, 1);
    rmSync(join(server.store, 'lock'), { recursive: true });
    const other = await lockFolder(server.store);
    const ready = await server.get('/v1/ready');
    assert.equal(ready.status, 503);
    assert.match(ready.text, /The store cannot be written: the folder .* is in use by another server/);
    const refused = await server.post('/v1/models', { program_code: 'normal 2' });
    assert.deepEqual([refused.status, readdirSync(join(server.store, 'models')).length], [503, 1]);
    await other.release();
    assert.equal((await server.get('/v1/ready')).status, 200);
    await fit(server, 2);
  });

  test('the store, replaced by something else, does not change that', async (context) => {
    const server = await TestServer.start({ engine: fakeEngine });
    context.after(() => server.remove());
    const away = `${server.store}-away`;
    context.after(() => rmSync(away, { recursive: true, force: true }));
    renameSync(server.store, away);
    mkdirSync(server.store);
    writeFileSync(join(server.store, 'thesis.tex'), 'mine');
    const ready = await server.get('/v1/ready');
    assert.equal(ready.status, 503);
    assert.match(ready.text, /contains thesis.tex but no file/);
    assert.deepEqual(readdirSync(server.store), ['thesis.tex']);
  });
});

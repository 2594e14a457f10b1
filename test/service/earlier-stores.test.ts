/**
 * Stores that commits of version 0.1.0 wrote: `stores/format-4.tar.gz` by 7cbc5471, the last one with that format, and `format-5.tar.gz` by
 * 0a597644. Each has a model, a fit of two chains and an operation that failed, and what the server of that commit sent for them.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inCluster } from '../support/cluster.js';
import { packageRoot, TestServer } from './harness.js';

for (const format of [4, 5]) {
  describe(`a store of format ${format}, written by version 0.1.0`, { skip: inCluster && 'of a single server' }, () => {
    let folder: string;
    let server: TestServer;
    let fit: string;
    const expected = (name: string): string => readFileSync(join(folder, 'expected', name), 'utf8');
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'leapfrog-earlier-'));
      const archive = new URL(`test/service/stores/format-${format}.tar.gz`, packageRoot);
      execFileSync('tar', ['-xzf', archive.pathname, '-C', folder]);
      server = await TestServer.start({ store: join(folder, 'store') });
      [{ name: fit }] = JSON.parse(expected('fits.json')).fits;
    });
    after(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    test('has the format of this version once it has been opened', () => {
      const [seen] = readFileSync(join(folder, 'store/format'), 'utf8').split('\n');
      assert.equal(seen, '5');
    });

    test('lists the same models, fits and operations', async () => {
      const model = fit.slice(0, fit.indexOf('/fits/'));
      for (const [name, path] of [
        ['models.json', 'models'],
        ['fits.json', `${model}/fits`],
        ['operations.json', 'operations'],
      ]) {
        assert.deepEqual((await server.get(`/v1/${path}`)).json, JSON.parse(expected(name)));
      }
    });

    test('serves the same bytes of a fit', async () => {
      assert.equal((await server.get(`/v1/${fit}`)).text, expected('draws.ndjson'));
    });

    test('serves the same draws as CSV', async () => {
      const rows = (text: string) => text.split('\n').filter((line) => !line.startsWith('#'));
      const csv = await server.get(`/v1/${fit}`, { accept: 'text/csv' });
      assert.deepEqual(rows(csv.text), rows(expected('draws.csv')));
    });

    test('has models that sample, and fits that can be deleted', async () => {
      const model = fit.slice(0, fit.indexOf('/fits/'));
      const operation = await server.post(`/v1/${model}/fits`, {
        function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
        data: { N: 2, y: [0, 1] },
        num_samples: 10,
        num_warmup: 10,
      });
      const { json } = await server.finished(operation.json.name);
      assert.equal(json.metadata.state, 'done');
      assert.equal((await server.delete(`/v1/${fit}`)).status, 200);
      assert.equal((await server.get(`/v1/${fit}`)).status, 404);
    });
  });
}

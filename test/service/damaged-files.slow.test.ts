/**
 * Files of the store that are missing, empty, truncated, exchanged or replaced by folders: each is found, named with a remedy, marked
 * in lists, repaired by the same request, and can be deleted.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ofOneProcess } from '../support/cluster.js';
import { TestServer } from './harness.js';

/** Types of damage, and the text about it. `other` is the same file of another resource. */
const DAMAGES: Readonly<
  Record<string, { readonly text: RegExp; readonly make: (path: string, other: string) => void }>
> = {
  missing: { text: /is missing/, make: (path) => rmSync(path) },
  empty: { text: /failed its checksum/, make: (path) => writeFileSync(path, '') },
  truncated: { text: /failed its checksum/, make: (path) => truncateSync(path, 40) },
  exchanged: { text: /failed its checksum|belongs to another/, make: (path, other) => cpSync(other, path) },
  folder: {
    text: /is not a file/,
    make: (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  },
};

const FIT_FILES = [
  'fit.json',
  'chain-2.json',
  'chain-2.messages',
  'chain-2.draws.arrow',
  'chain-2.diagnostics.arrow',
  'chain-2.state',
];
const MODEL_FILES = ['model.json', 'program.stan', 'includes.json'];
const COMPILED_FILES = ['artifact.json', 'module.wasm'];

const NUTS = { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', num_samples: 20, num_warmup: 30 };

/** Without times, which differ between runs. */
function withoutTimes(text: string): string {
  return text.replaceAll(/^.*(?:[Ss]econds|start_datetime).*$/gm, '');
}

describe('a damaged file of the store', { skip: ofOneProcess.folder }, () => {
  let server: TestServer;
  let model: string;
  let seed = 0;

  before(async () => {
    server = await TestServer.start({ requestTimeout: 60_000 });
    model = await server.model('parameters { real x; } model { x ~ normal(0, 1); }');
  });
  after(() => server.remove());

  async function makeFit() {
    seed += 1;
    const request = { ...NUTS, num_chains: 2, random_seed: seed };
    const operation = await make(request);
    return { request, operation, name: operation.replace('operations', `${model.slice(4)}/fits`) };
  }

  /** Requests a fit and returns its operation. */
  async function make(request: object): Promise<string> {
    const started = await server.post(`${model}/fits`, request);
    assert.equal(started.status, 201, started.text);
    const ended = await server.finished(started.json.name);
    assert.equal(ended.json.result.code, undefined, ended.text);
    return started.json.name;
  }

  function folderOf(name: string): string {
    const [, modelId, , fitId] = name.split('/');
    const folder = readdirSync(join(server.store, 'fits')).find((each) => each.startsWith(`${modelId}.${fitId}.`));
    assert.ok(folder !== undefined, name);
    return join(server.store, 'fits', folder);
  }

  async function listed(name: string): Promise<{ readonly isWhole: boolean; readonly damaged: string }> {
    const { json } = await server.get(`${model}/fits`);
    const isWhole = json.fits.some((fit: { name: string }) => fit.name === name);
    return { isWhole, damaged: (json.damaged ?? []).filter((text: string) => text.includes(name)).join() };
  }

  for (const file of FIT_FILES) {
    for (const [kind, damage] of Object.entries(DAMAGES)) {
      test(`${file} of a fit, ${kind}`, async () => {
        const other = folderOf((await makeFit()).name);
        const { name, request } = await makeFit();
        const whole = await server.get(`/v1/${name}`);
        const harm = () => damage.make(join(folderOf(name), file), join(other, file));
        const requireWhole = async () => {
          const again = await server.get(`/v1/${name}`);
          assert.equal(again.status, 200, again.text);
          assert.ok(withoutTimes(again.text) === withoutTimes(whole.text), 'the repaired fit differs');
          assert.deepEqual(await listed(name), { isWhole: true, damaged: '' });
        };

        // The same request repairs the fit, although nothing has read it.
        harm();
        await make(request);
        await requireWhole();

        harm();
        const named =
          kind === 'exchanged' ? new RegExp(`of the fit ${name} `) : new RegExp(`the file ${file} of the fit ${name} `);
        const read = await server.get(`/v1/${name}`).catch(() => undefined);
        const isState = file === 'chain-2.state';
        const isCut = kind === 'exchanged' && (read === undefined || isState);
        if (!isState) assert.ok(isCut || read?.status === 500, read?.text.slice(0, 500));
        const problems: string[] = read?.status === 500 ? [read.json.message] : [];
        const continued = await server.post(`${model}/fits`, { ...NUTS, random_seed: 1, continue: name });
        if (continued.status === 201) {
          // Continuing does not read this file.
          assert.ok(kind === 'exchanged' && file !== 'chain-2.state', continued.text);
          await server.finished(continued.json.name);
        } else {
          assert.equal(continued.json.reason, 'damaged', continued.text);
          problems.push(continued.json.message);
        }
        const { damaged, isWhole } = await listed(name);
        assert.equal(isWhole, false, damaged);
        problems.push(damaged);
        for (const problem of problems) {
          assert.match(problem, named);
          assert.match(problem, damage.text);
          assert.match(problem, /repeat the request with the same seed .* or DELETE the fit/);
        }
        await make(request);
        await requireWhole();

        harm();
        assert.equal((await server.delete(`/v1/${name}`)).status, 200);
        assert.equal((await server.get(`/v1/${name}`)).status, 404);
        assert.deepEqual(await listed(name), { isWhole: false, damaged: '' });
      });
    }
  }

  const program = () => {
    seed += 1;
    return {
      program_code: `#include f.stan\nparameters { real x; } model { x ~ normal(f(${seed}), 1); }`,
      includes: { 'f.stan': 'functions { real f(real x) { return x; } }' },
    };
  };

  for (const file of MODEL_FILES) {
    for (const [kind, damage] of Object.entries(DAMAGES)) {
      test(`${file} of a model, ${kind}`, async () => {
        const request = program();
        const { name } = (await server.post('/v1/models', request)).json;
        const other = (
          await server.post('/v1/models', {
            ...program(),
            includes: { 'f.stan': `functions { real f(real x) { return x + ${seed}; } }` },
          })
        ).json.name;
        const path = join(server.store, name, file);
        const harm = () => damage.make(path, join(server.store, other, file));
        const marked = async () => {
          const { json } = await server.get('/v1/models');
          return (json.damaged ?? []).filter((text: string) => text.includes(name)).join();
        };

        harm();
        const found = await server.get(`/v1/${name}`);
        if (file === 'model.json') {
          // It is made again from the program.
          assert.equal(found.status, 200, found.text);
        } else {
          for (const problem of [found.json.message, await marked()]) {
            assert.match(problem, new RegExp(`the file ${file} of the model ${name} `));
            assert.match(problem, damage.text);
            assert.match(problem, /POST \/v1\/models with the same program repairs the model/);
          }
        }
        assert.equal((await server.post('/v1/models', request)).json.name, name);
        assert.equal((await server.get(`/v1/${name}`)).status, 200);
        assert.equal(await marked(), '');

        harm();
        assert.equal((await server.delete(`/v1/${name}`)).status, 200);
        assert.equal((await server.get(`/v1/${name}`)).status, 404);
        await server.delete(`/v1/${other}`);
      });
    }
  }

  for (const file of COMPILED_FILES) {
    for (const [kind, damage] of Object.entries(DAMAGES)) {
      test(`${file} of a model, ${kind}`, async () => {
        const density = (center: number) => -0.5 * center ** 2;
        const names: string[] = [];
        for (let k = 0; k < 2; k++) names.push((await server.post('/v1/models', program())).json.name);
        const [path, other] = names.map((name) => {
          const [engine = ''] = readdirSync(join(server.store, name, 'compiled'));
          return join(server.store, name, 'compiled', engine, file);
        });
        damage.make(path, other);
        const evaluated = await server.post(`/v1/${names[0]}/log_prob`, [0]);
        assert.equal(evaluated.status, 200, evaluated.text);
        assert.equal(evaluated.json.log_prob, density(seed - 1));
      });
    }
  }

  for (const [kind, damage] of Object.entries(DAMAGES)) {
    test(`the record of an operation, ${kind}`, async () => {
      const other = (await makeFit()).operation;
      const { name, operation, request } = await makeFit();
      const path = (each: string) =>
        join(server.store, 'operations', 'ended', `${each.slice('operations/'.length)}.json`);
      const harm = () => damage.make(path(operation), path(other));
      harm();
      // The fit contains the record as well.
      const found = await server.get(`/v1/${operation}`);
      assert.equal(found.json.result.name, name, found.text);
      const all = (await server.get('/v1/operations')).json.operations.map((each: { name: string }) => each.name);
      assert.equal(all.filter((each: string) => each === operation).length, 1);
      await make(request);
      assert.equal((await server.get(`/v1/${name}`)).status, 200);
      assert.equal((await server.delete(`/v1/${operation}`)).status, 200);
      assert.equal((await server.get(`/v1/${operation}`)).status, 404);
    });
  }

  test('a model whose record is missing survives a restart with its fits', async () => {
    const { name } = await makeFit();
    rmSync(join(server.store, dirname(dirname(name)), 'model.json'));
    await server.stop();
    server = await TestServer.start({ requestTimeout: 60_000, store: server.store });
    assert.equal((await server.get(`/v1/${name}`)).status, 200);
    assert.equal((await server.get(model)).status, 200);
  });
});

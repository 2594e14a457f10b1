/** A store with files that have changed on disk: changed files are neither served nor run. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DiskStore } from '../../src/service/store/disk-store.js';
import { Random } from '../fuzz/random.js';
import { ofOneProcess } from '../support/cluster.js';
import { TestServer } from './harness.js';

const ROUNDS = 10;
const FLIPS = 30;
const MODELS = 4;

const program = (k: number) => ({
  program_code: `${k === 0 ? '#include f.stan\n' : ''}parameters { vector[2] x; } model { x ~ normal(${k}.25, 3); print("${k}"); }`,
  ...(k === 0 && { includes: { 'f.stan': 'functions { real f(real x) { return x; } }' } }),
});
const FITS = [
  { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', num_samples: 30, num_warmup: 30, random_seed: 1 },
  { function: 'stan::services::sample::fixed_param', num_samples: 2000, num_chains: 2, random_seed: 2 },
];

/** Requests whose responses depend only on the store, and the compared parts of these responses. */
interface Question {
  readonly ask: (server: TestServer) => Promise<{ readonly status: number; readonly text: string }>;
  readonly part?: (text: string) => string;
}

function* questionsOf(models: readonly string[], fits: readonly string[]): Generator<readonly [string, Question]> {
  const get = (path: string, part?: Question['part']): readonly [string, Question] => [
    path,
    { ask: (server) => server.get(path), ...(part !== undefined && { part }) },
  ];
  for (const model of models) {
    // A model that is compiled again has a log with different times.
    yield get(model, (text) => text.replace(/"compiler_output":"[^"]*"/, ''));
    const path = `${model}/log_prob_grad`;
    yield [path, { ask: (server) => server.post(path, [0.3, -1]) }];
  }
  for (const fit of fits) {
    for (const query of ['', '?format=csv&variables=x.2', '?format=arrow', '?first=20&last=25']) yield get(fit + query);
    yield get(`${fit}/summary`);
    yield get(`/v1/operations/${fit.split('/')[5]}`, withoutEnd);
  }
}

/** If the record of an operation is corrupt, that of its fit is used, which was written slightly earlier. */
function withoutEnd(text: string): string {
  return text.replace(/,"ended":"[^"]*"/, '');
}

/** Removes messages with elapsed times. */
function withoutTimes(text: string): string {
  return text.replaceAll(/^.*(?:[Ss]econds|start_datetime).*$/gm, '');
}

/** The lists, whose entries are compared one by one. */
function listsOf(models: readonly string[]): { readonly path: string; readonly member: string }[] {
  const fits = models.map((model) => ({ path: `${model}/fits`, member: 'fits' }));
  return [{ path: '/v1/models', member: 'models' }, { path: '/v1/operations', member: 'operations' }, ...fits];
}

function entriesOf(text: string, member: string): Map<string, string> {
  const entries: { name: string; compiler_output?: string }[] = JSON.parse(text)[member];
  return new Map(entries.map(({ compiler_output: _, ...rest }) => [rest.name, withoutEnd(JSON.stringify(rest))]));
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return files.map((path) => relative(folder, path)).sort();
}

function flip(path: string, bit: number): void {
  const bytes = readFileSync(path);
  bytes[bit >> 3] ^= 1 << (bit & 7);
  writeFileSync(path, bytes);
}

describe('of a store in which bits are flipped', { skip: ofOneProcess.folder }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-damage-'));
  const sound = join(folder, 'sound');
  const damaged = join(folder, 'damaged');
  const options = { requestTimeout: 60_000, workerMemory: 512 };
  const models: string[] = [];
  const fits: string[] = [];
  const expected = new Map<string, string>();
  let files: string[] = [];

  async function makeAll(server: TestServer): Promise<void> {
    for (let k = 0; k < MODELS; k++) {
      const made = await server.post('/v1/models', program(k));
      assert.equal(made.status, 201, made.text);
      models[k] = `/v1/${made.json.name}`;
      for (const [j, request] of FITS.entries()) {
        const started = await server.post(`${models[k]}/fits`, request);
        assert.equal(started.status, 201, started.text);
        const ended = await server.finished(started.json.name);
        assert.equal(ended.json.result.code, undefined, ended.text);
        fits[k * FITS.length + j] = `/v1/${ended.json.metadata.fit.name}`;
      }
    }
  }

  before(async () => {
    const server = await TestServer.start({ ...options, store: sound });
    await makeAll(server);
    for (const [name, { ask, part }] of questionsOf(models, fits)) {
      const { status, text } = await ask(server);
      assert.equal(status, 200, text);
      expected.set(name, part?.(text) ?? text);
    }
    for (const { path } of listsOf(models)) expected.set(path, (await server.get(path)).text);
    await server.stop();
    files = filesIn(sound).filter((path) => path !== 'format');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** A server on a copy of the store with one flipped bit in each of several files. */
  async function serveDamaged(random: Random, count: number): Promise<TestServer> {
    rmSync(damaged, { recursive: true, force: true });
    cpSync(sound, damaged, { recursive: true, preserveTimestamps: true });
    const left = [...files];
    for (let k = 0; k < count; k++) {
      const [path] = left.splice(random.below(left.length), 1);
      flip(join(damaged, path), random.below(8 * readFileSync(join(damaged, path)).length));
    }
    return TestServer.start({ ...options, store: damaged });
  }

  test('every response is the original one or an error', async () => {
    const random = new Random(1);
    const counts = { same: 0, refused: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const server = await serveDamaged(random, FLIPS);
      try {
        for (const [name, { ask, part }] of questionsOf(models, fits)) {
          const answer = await ask(server).catch(() => ({ status: 0, text: 'broken off' }));
          const isLost = answer.status === 200 && answer.text.includes('"result":{"code":500');
          if (answer.status === 200 && !isLost) {
            assert.equal(part?.(answer.text) ?? answer.text, expected.get(name), name);
            counts.same++;
          } else {
            assert.ok(answer.status === 0 || /Corrupt data in the store: /.test(answer.text), answer.text);
            counts.refused++;
          }
        }
        for (const { path, member } of listsOf(models)) {
          const { text } = await server.get(path);
          const known = entriesOf(expected.get(path) ?? '', member);
          const found = entriesOf(text, member);
          for (const [name, entry] of found) {
            if (!entry.includes('"result":{"code":500')) assert.equal(entry, known.get(name));
          }
          assert.equal(found.size + (JSON.parse(text).damaged?.length ?? 0), known.size, text);
        }
      } finally {
        await server.stop();
      }
    }
    assert.ok(counts.refused > 100 && counts.same > 100, JSON.stringify(counts));
  });

  test('repeating the requests restores everything', async () => {
    const server = await serveDamaged(new Random(2), FLIPS);
    try {
      // Corruption is detected on reading.
      for (const [, { ask }] of questionsOf(models, fits)) await ask(server).catch(() => undefined);
      await makeAll(server);
      for (const [name, { ask, part }] of questionsOf(models, fits)) {
        if (name.startsWith('/v1/operations')) continue;
        const { status, text } = await ask(server);
        assert.equal(status, 200, text);
        assert.equal(withoutTimes(part?.(text) ?? text), withoutTimes(expected.get(name) ?? ''), name);
      }
    } finally {
      await server.stop();
    }
  });

  test('a file with an unreadable format is not opened', async () => {
    const path = join(sound, 'format');
    const { length } = readFileSync(path);
    for (let bit = 0; bit < 8 * length; bit++) {
      flip(path, bit);
      await assert.rejects(
        DiskStore.open(sound),
        /the file format of the store .* is damaged: set --store to another folder, or/,
      );
      flip(path, bit);
    }
    await (await DiskStore.open(sound)).close();
  });
});

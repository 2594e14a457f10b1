import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ServerProcess, startServing } from '../support/serving.js';
import { Speaker } from './crashing/speaker.js';

const PROGRAM = 'parameters { vector[50] x; } model { x ~ normal(0, 1); }';
const FIXED = 'stan::services::sample::fixed_param';
/** Maximum file size of the server in bytes, a limit of the system with the same effect as a full disk. */
const LARGEST_FILE = 2 ** 21;
const NO_SPACE = /A file of the store would be larger than the system allows/;

describe('a full disk', () => {
  let store: string;
  let server: ServerProcess;
  let speaker: Speaker;
  let model: string;

  before(async () => {
    store = await mkdtemp(join(tmpdir(), 'leapfrog-full-'));
    server = startServing(store, {}, LARGEST_FILE);
    speaker = new Speaker(await server.address);
    model = (await speaker.demand('POST', '/v1/models', { program_code: PROGRAM })).name;
  });
  after(async () => {
    await server.end('SIGTERM');
    await rm(store, { recursive: true, force: true });
  });

  async function start(num_samples: number, more: object = {}): Promise<string> {
    const body = { function: FIXED, num_samples, random_seed: num_samples, ...more };
    return (await speaker.demand('POST', `/v1/${model}/fits`, body)).name;
  }

  test('stops the operation with a clear message and affects nothing else', async () => {
    const early = await speaker.finished(await start(100));
    const text = (await speaker.ask('GET', `/v1/${early.result.name}`)).text;
    const [large, chains, small] = await Promise.all([start(200_000), start(100_000, { num_chains: 3 }), start(101)]);
    for (const name of [large, chains]) {
      const { metadata, result } = await speaker.finished(name);
      assert.equal(result.code, 503);
      assert.match(result.message, NO_SPACE);
      assert.equal((await speaker.ask('GET', `/v1/${metadata.fit.name}`)).status, 404);
    }
    const other = await speaker.finished(small);
    assert.equal((await speaker.ask('GET', `/v1/${other.result.name}`)).status, 200);
    assert.equal((await speaker.ask('GET', `/v1/${early.result.name}`)).text, text);
    assert.deepEqual(await readdir(join(store, 'temporary')), []);
    assert.equal((await readdir(join(store, 'fits'))).length, 2);
  });

  test('is reported if an operation cannot be accepted, and the server continues', async () => {
    const data = { y: Array.from({ length: 800_000 }, () => 0.5) };
    const refused = await speaker.ask('POST', `/v1/${model}/fits`, { function: FIXED, data });
    assert.equal(refused.status, 503);
    assert.match(refused.text, NO_SPACE);
    assert.deepEqual(await readdir(join(store, 'operations', 'running')), []);
    const fit = await speaker.finished(await start(102));
    assert.equal((await speaker.ask('GET', `/v1/${fit.result.name}`)).status, 200);
  });

  test('does not prevent a failed operation from running again', async () => {
    const failed = await speaker.finished(await start(150_000));
    assert.equal(failed.result.code, 503);
    await server.end('SIGTERM');
    server = startServing(store);
    speaker = new Speaker(await server.address);
    const { result } = await speaker.demand('GET', `/v1/${failed.name}`);
    assert.match(result.message, NO_SPACE);
    const again = await speaker.finished(await start(150_000));
    assert.equal((await speaker.ask('HEAD', `/v1/${again.result.name}`)).status, 200);
  });
});

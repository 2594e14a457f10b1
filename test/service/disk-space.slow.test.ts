/** Limits on the disk space of running operations: one operation, and the reserve of the disk. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Faults, openFaults } from '../support/faults/faults.js';
import { type ServerProcess, startServing } from '../support/serving.js';
import { Speaker } from './crashing/speaker.js';

const PROGRAM = 'parameters { vector[50] x; } model { x ~ normal(0, 1); }';
const NUTS = { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', num_warmup: 20 };
const LIMIT = 20_000_000;

const opened = openFaults();

describe('the disk space of operations', { skip: typeof opened === 'string' ? opened : false }, () => {
  if (typeof opened === 'string') return;
  const faults: Faults = opened;
  let store: string;
  let server: ServerProcess;
  let speaker: Speaker;
  let fits: string;

  before(async () => {
    store = await mkdtemp(join(tmpdir(), 'leapfrog-space-'));
    const settings = {
      LEAPFROG_WORKERS: '2',
      LEAPFROG_OPERATION_DISK: String(LIMIT),
      LEAPFROG_DISK_RESERVE: '1000000',
    };
    server = startServing(store, { ...faults.environment, ...settings });
    speaker = new Speaker(await server.address);
    fits = `/v1/${(await speaker.demand('POST', '/v1/models', { program_code: PROGRAM })).name}/fits`;
  });
  after(async () => {
    await server.end('SIGTERM');
    await rm(store, { recursive: true, force: true });
    faults.close();
  });

  /** Starts a fit and waits until it has written draws. */
  async function startWriting(request: object): Promise<string> {
    const { name } = await speaker.demand('POST', fits, { ...NUTS, ...request });
    for (;;) {
      const { running } = await speaker.demand('GET', '/v1/cache');
      if (running.count > 0 && running.bytes > 0) return name;
      const { done, result } = await speaker.demand('GET', `/v1/${name}`);
      assert.ok(!done, JSON.stringify(result));
      await pause(20);
    }
  }

  test('a request that would exceed the limit is refused', async () => {
    const { status, text } = await speaker.ask('POST', fits, { ...NUTS, num_samples: 2_000_000_000 });
    assert.equal(status, 400, text);
    assert.match(text, /"reason":"operation_too_large".*at least 48000000000 bytes on disk.*--operation-disk/);
  });

  test('an operation that exceeds the limit ends with the reason, and its files are removed', async () => {
    const { metadata, result } = await speaker.finished(await startWriting({ num_samples: 800_000 }));
    assert.equal(result.reason, 'operation_too_large', result.message);
    assert.match(result.message, /exceeded the limit of 20000000 bytes \(--operation-disk\); request fewer draws/);
    assert.equal(metadata.kept, undefined);
    assert.deepEqual(await readdir(join(store, 'fits')), []);
    const { running } = await speaker.demand('GET', '/v1/cache');
    assert.deepEqual(running, { count: 0, bytes: 0 });
  });

  test('an operation that keeps draws when it is cancelled keeps them at the limit', async () => {
    const { metadata, result } = await speaker.finished(await startWriting({ num_samples: 20_000, on_cancel: 'keep' }));
    assert.equal(result.reason, 'operation_too_large', result.message);
    assert.ok(metadata.kept.name !== undefined, server.output.slice(-1500));
    assert.equal((await speaker.ask('GET', `/v1/${metadata.kept.name}/summary`)).status, 200);
  });

  test('below the reserve, no operation starts, and the largest one ends with the reason', async () => {
    const name = await startWriting({ num_samples: 800_000 });
    faults.setSpace(0);
    const refused = await speaker.ask('POST', fits, { ...NUTS, num_samples: 10 });
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, /"reason":"disk_full".*except for a reserve of \d+ bytes \(--disk-reserve\)/);
    const { result } = await speaker.finished(name);
    assert.ok(result.reason === 'disk_full' || result.reason === 'operation_too_large', result.message);
    faults.setSpace(undefined);
    const { result: later } = await speaker.finished(
      (await speaker.demand('POST', fits, { ...NUTS, num_samples: 10 })).name,
    );
    assert.equal(later.code, undefined, later.message);
  });
});

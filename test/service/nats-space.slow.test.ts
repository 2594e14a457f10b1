/** Limits on the disk space of chains that run on a worker of a cluster. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { NatsServer, withoutNats } from '../support/nats.js';
import { type ServerProcess, startServing, startWorking } from '../support/serving.js';
import { Speaker } from './crashing/speaker.js';
import { NUTS } from './every-function.js';

const LIMIT = 20_000_000;

describe('the disk space of chains on workers', { skip: withoutNats }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-nats-space-'));
  let nats: NatsServer;
  let server: ServerProcess;
  let worker: ServerProcess;
  let speaker: Speaker;
  let fits: string;

  before(async () => {
    nats = await NatsServer.start();
    const shared = { LEAPFROG_NATS: nats.address, LEAPFROG_NATS_PREFIX: 'space', LEAPFROG_DISK_RESERVE: '1000000' };
    const ofWorker = { ...shared, TMPDIR: folder, LEAPFROG_OPERATION_DISK: String(LIMIT), LEAPFROG_WORKERS: '2' };
    worker = startWorking(ofWorker);
    server = startServing(join(folder, 'store'), { ...shared, LEAPFROG_WORKERS: '0' });
    speaker = new Speaker(await server.address);
    const program = { program_code: 'parameters { vector[50] x; } model { x ~ normal(0, 1); }' };
    fits = `/v1/${(await speaker.demand('POST', '/v1/models', program)).name}/fits`;
  });
  after(async () => {
    await server.end('SIGTERM');
    await worker.end('SIGTERM');
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const request = { function: NUTS, num_warmup: 20, num_chains: 2 };
  const run = async (further: object) =>
    speaker.finished((await speaker.demand('POST', fits, { ...request, ...further })).name);

  test('an operation that exceeds the limit of its worker ends with the reason', async () => {
    const { result } = await run({ num_samples: 800_000 });
    assert.equal(result.reason, 'operation_too_large', result.message);
    assert.match(result.message, /exceeded the limit of 20000000 bytes \(--operation-disk\); request fewer draws/);
  });

  test('its draws are kept if it keeps draws when it is cancelled', async () => {
    const { metadata, result } = await run({ num_samples: 20_000, on_cancel: 'keep' });
    assert.equal(result.reason, 'operation_too_large', result.message);
    assert.equal((await speaker.ask('GET', `/v1/${metadata.kept.name}/summary`)).status, 200);
  });

  test('its files are removed, and the worker runs other operations', async () => {
    const { result } = await run({ num_samples: 10 });
    assert.equal(result.code, undefined, result.message);
    const left = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.journal'));
    assert.deepEqual(left, []);
  });
});

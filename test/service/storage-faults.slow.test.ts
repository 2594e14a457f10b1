/**
 * A server whose files fail: with each error of the operating system, responses state the reason, acknowledged fits survive, and the
 * server recovers without a restart when the error ends.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, type Faults, openFaults } from '../support/faults/faults.js';
import { type ServerProcess, startServing } from '../support/serving.js';
import { Speaker } from './crashing/speaker.js';

const PROGRAM = 'parameters { vector[5] x; } model { x ~ normal(0, 1); }';
const FUNCTION = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const WRITES = ['create', 'write', 'sync', 'mkdir', 'rename'] as const;

/** Errors, the calls that return them, and the reason that clients receive. */
const FAULTS: readonly (Omit<Fault, 'path'> & { readonly reason: RegExp })[] = [
  { errno: 'ENOSPC', calls: WRITES, reason: /The disk of the store is full/ },
  { errno: 'EDQUOT', calls: WRITES, reason: /The disk quota of the store is used up/ },
  { errno: 'EROFS', calls: [...WRITES, 'remove', 'change'], reason: /The store is on a read-only file system/ },
  {
    errno: 'EIO',
    calls: ['create', 'open', 'read', 'write', 'sync', 'list'],
    reason: /reports an input\/output error/,
  },
  { errno: 'EMFILE', calls: ['create', 'open', 'list'], reason: /too many open files/ },
  { errno: 'ENFILE', calls: ['create', 'open', 'list'], reason: /too many open files/ },
  {
    errno: 'EACCES',
    calls: [...WRITES, 'open', 'remove', 'list'],
    reason: /may not access a file of the store|may not be read by the server's user/,
  },
];

const opened = openFaults();

describe('a store whose files fail', { skip: typeof opened === 'string' ? opened : false }, () => {
  if (typeof opened === 'string') return;
  const faults: Faults = opened;
  let store: string;
  let server: ServerProcess;
  let speaker: Speaker;
  let model: string;
  let seed = 0;
  /** Bytes of acknowledged fits. */
  const kept = new Map<string, string>();

  const start = async () => {
    server = startServing(store, { ...faults.environment, LEAPFROG_WORKERS: '2', LEAPFROG_REQUEST_TIMEOUT: '60' });
    speaker = new Speaker(await server.address);
  };

  before(async () => {
    store = await mkdtemp(join(tmpdir(), 'leapfrog-faults-'));
    await start();
    model = (await speaker.demand('POST', '/v1/models', { program_code: PROGRAM })).name;
    await keep(await speaker.finished(JSON.parse((await request()).text).name));
  });
  after(async () => {
    faults.clear();
    await server.end('SIGTERM');
    await rm(store, { recursive: true, force: true });
    faults.close();
  });

  function request(more: object = {}) {
    seed += 1;
    const body = { function: FUNCTION, random_seed: seed, num_warmup: 50, num_samples: 50, ...more };
    return speaker.ask('POST', `/v1/${model}/fits`, body);
  }

  async function keep({ result }: { readonly result: { readonly name: string } }): Promise<void> {
    const { status, text } = await speaker.ask('GET', `/v1/${result.name}`);
    assert.equal(status, 200, text);
    kept.set(result.name, text);
  }

  /** Every acknowledged fit has the same bytes, and new ones are accepted. */
  async function requireRecovery(): Promise<void> {
    for (const [name, text] of kept) {
      const answer = await speaker.ask('GET', `/v1/${name}`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.text, text);
    }
    const ready = await speaker.ask('GET', '/v1/ready');
    assert.equal(ready.status, 200, ready.text);
    const another = await request({ num_chains: 2 });
    assert.equal(another.status, 201, another.text);
    await keep(await speaker.finished(JSON.parse(another.text).name));
    const program = `${PROGRAM} // after ${seed}`;
    const compiled = await speaker.ask('POST', '/v1/models', { program_code: program });
    assert.equal(compiled.status, 201, compiled.text);
  }

  for (const { reason, ...fault } of FAULTS) {
    test(`${fault.errno} is the reason in every response, and ends with its cause`, async () => {
      const [first = ''] = kept.keys();
      const running = JSON.parse((await request({ num_samples: 300_000, num_chains: 2 })).text).name;
      for (;;) {
        const { metadata } = await speaker.demand('GET', `/v1/${running}`);
        if (metadata.state === 'running') break;
        await pause(20);
      }
      faults.inject({ ...fault, path: store });
      const isWriting = fault.calls.includes('write');
      const ready = await speaker.ask('GET', '/v1/ready');
      assert.equal(ready.status, 503, ready.text);
      assert.match(ready.text, reason);

      const answers = await Promise.all([
        speaker.ask('POST', '/v1/models', { program_code: `${PROGRAM} // ${fault.errno}` }),
        request(),
        request({ num_chains: 2, on_cancel: 'keep' }),
        speaker.ask('GET', `/v1/${first}`),
        speaker.ask('GET', `/v1/${first}?format=arrow`),
        speaker.ask('GET', `/v1/${first}/summary`),
        speaker.ask('GET', `/v1/${model}/fits`),
        speaker.ask('GET', `/v1/${model}`),
        speaker.ask('GET', '/v1/models'),
        speaker.ask('GET', '/v1/operations'),
        speaker.ask('GET', '/v1/cache'),
        speaker.ask('GET', `/v1/operations/${first.split('/')[3]}`),
        speaker.ask('POST', `/v1/${model}/log_prob`, [0, 0, 0, 0, 0]),
        speaker.ask('DELETE', `/v1/${model}/fits/aaaaaaaaaaaaaaaaaaaaaaaa`),
      ]);
      for (const { status, text } of answers) {
        assert.doesNotMatch(text, /internal error/i);
        if (status >= 500) {
          assert.equal(status, JSON.parse(text).reason === 'damaged' ? 500 : 503, text);
          assert.match(text, reason);
        }
      }
      assert.ok(
        answers.some(({ status }) => status === 503),
        'no request has met the fault',
      );
      assert.equal((await speaker.ask('GET', '/v1/health')).status, 200);
      const stopped = isWriting ? await speaker.finished(running) : undefined;
      faults.clear();

      if (stopped === undefined) await speaker.demand('DELETE', `/v1/${running}`);
      else assert.match(stopped.result.message, reason);
      for (const { status, text } of answers.slice(1, 3)) {
        if (status !== 201) continue;
        const ended = await speaker.finished(JSON.parse(text).name);
        if (ended.result.code === undefined) await keep(ended);
        else assert.match(ended.result.message, reason);
      }
      await requireRecovery();
    });
  }

  test('single failures of every operation lose nothing that is acknowledged', async () => {
    for (const errno of ['ENOSPC', 'EIO', 'EMFILE'] as const) {
      const calls = errno === 'EMFILE' ? (['create', 'open', 'list'] as const) : WRITES;
      for (let spared = 0; spared < 24; spared += 1) {
        faults.inject({ errno, calls, path: store, spared, most: 1 });
        const answer = await request({ num_samples: 10, num_warmup: 10 });
        assert.doesNotMatch(answer.text, /internal error/i);
        if (answer.status === 201) {
          const { name } = JSON.parse(answer.text);
          // The failure may be that of this request.
          const early = await speaker.ask('GET', `/v1/${name}`);
          if (early.status !== 200) assert.equal(early.status, 503, early.text);
          while (faults.failures() === 0 && !JSON.parse((await speaker.ask('GET', `/v1/${name}`)).text).done)
            await pause(20);
          faults.clear();
          const ended = await speaker.finished(name);
          assert.doesNotMatch(JSON.stringify(ended), /internal error/i, `${errno} after ${spared} calls`);
          if (ended.result.code === undefined) await keep(ended);
        }
      }
      faults.clear();
      await requireRecovery();
    }
  });

  test('a store that cannot be opened is the reason why a server does not start', async () => {
    for (const { reason, ...fault } of FAULTS) {
      faults.inject({ ...fault, path: `${store}-new` });
      const { code, output } = await startServing(`${store}-new`, faults.environment).ended;
      faults.clear();
      await rm(`${store}-new`, { recursive: true, force: true });
      assert.equal(code, 1, output);
      assert.match(output, reason);
      assert.match(output, new RegExp(`^error: the folder ${store}-new cannot be used\\. The `, 'm'));
      assert.doesNotMatch(output, /\n +at |E[A-Z]+:/);
    }
  });

  test('a kill after the faults loses nothing that is acknowledged', async () => {
    await server.end('SIGKILL');
    await start();
    await requireRecovery();
  });
});

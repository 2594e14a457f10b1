/** A server whose clock jumps while fits run and are read: nothing hangs, fails, expires early or is evicted. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Faults, openFaults } from '../support/faults/faults.js';
import { type ServerProcess, startServing } from '../support/serving.js';
import { Speaker } from './crashing/speaker.js';

const PROGRAM = 'parameters { vector[5] x; } model { x ~ normal(0, 1); }';
const NUTS = { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', num_warmup: 50 };
const DAY = 24 * 3600;
const JUMPS = { 'a day ahead': DAY, 'a day back': -DAY, 'ten years ahead': 3653 * DAY, 'ten years back': -3653 * DAY };

const opened = openFaults();

describe('a server whose clock jumps', { skip: typeof opened === 'string' ? opened : false }, () => {
  if (typeof opened === 'string') return;
  const faults: Faults = opened;
  let store: string;
  let server: ServerProcess;
  let speaker: Speaker;
  let model: string;
  let seed = 0;
  /** Names of fits in the order of their starts, and their bytes. */
  const kept = new Map<string, string>();

  const start = async () => {
    const settings = { LEAPFROG_WORKERS: '2', LEAPFROG_REQUEST_TIMEOUT: '60' };
    server = startServing(store, { ...faults.environment, ...settings });
    speaker = new Speaker(await server.address);
  };

  before(async () => {
    store = await mkdtemp(join(tmpdir(), 'leapfrog-clock-'));
    await start();
    model = (await speaker.demand('POST', '/v1/models', { program_code: PROGRAM })).name;
    await keep(await begin(50));
  });
  after(async () => {
    await server.end('SIGTERM');
    await rm(store, { recursive: true, force: true });
    faults.close();
  });

  async function begin(draws: number): Promise<string> {
    seed += 1;
    const { name } = await speaker.demand('POST', `/v1/${model}/fits`, {
      ...NUTS,
      num_samples: draws,
      random_seed: seed,
    });
    return name;
  }

  async function keep(operation: string): Promise<string> {
    const { result } = await speaker.finished(operation);
    assert.equal(result.code, undefined, JSON.stringify(result));
    const { status, text } = await speaker.ask('GET', `/v1/${result.name}`);
    assert.equal(status, 200, text);
    kept.set(result.name, text);
    return result.name;
  }

  async function requireKept(): Promise<void> {
    for (const [name, text] of kept) {
      const answer = await speaker.ask('GET', `/v1/${name}`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.text, text);
    }
    const { fits } = await speaker.demand('GET', `/v1/${model}/fits`);
    const names: string[] = fits.map(({ name }: { readonly name: string }) => name);
    assert.deepEqual(names, [...kept.keys()].reverse(), 'the latest fit is listed first');
  }

  for (const [name, seconds] of Object.entries(JUMPS)) {
    test(`${name}, and back to the right time`, async () => {
      for (const offset of [seconds, 0]) {
        const operation = await begin(10_000);
        for (;;) {
          const { done, metadata } = await speaker.demand('GET', `/v1/${operation}`);
          if (done || metadata.chains?.some(({ draws = 0 }: { readonly draws?: number }) => draws > 0)) break;
          await pause(10);
        }
        const { fit } = (await speaker.demand('GET', `/v1/${operation}`)).metadata;
        const followed = speaker.ask('GET', `/v1/${fit.name}?follow=true`);
        faults.moveClock(offset);
        assert.equal((await speaker.ask('GET', '/v1/ready')).status, 200);
        const evaluated = await speaker.ask('POST', `/v1/${model}/log_prob`, [0, 0, 0, 0, 0]);
        assert.equal(evaluated.status, 200, evaluated.text);
        const fitted = await keep(operation);
        const { status, text } = await followed;
        assert.equal(status, 200);
        assert.equal(text.length, kept.get(fitted)?.length);
        await keep(await begin(50));
        await requireKept();
      }
    });
  }

  test('uses are in order after a restart, so that the latest fit is evicted last', async () => {
    faults.moveClock(DAY);
    await requireKept();
    faults.moveClock(0);
    const last = await keep(await begin(200));
    await server.end('SIGTERM');
    const bytes = (kept.get(last) ?? '').length;
    server = startServing(store, { ...faults.environment, LEAPFROG_CACHE_SIZE: String(bytes) });
    speaker = new Speaker(await server.address);
    const { fits } = await speaker.demand('GET', `/v1/${model}/fits`);
    assert.ok(fits.length < kept.size, 'nothing was evicted');
    assert.equal(fits[0]?.name, last);
  });
});

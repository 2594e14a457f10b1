/** Runs over HTTP that stop when their draws are precise enough: interrupted, followed and cancelled between their blocks. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ofOneProcess } from '../support/cluster.js';
import { TestServer } from './harness.js';

const PROGRAM = 'parameters { vector[5] x; } model { x ~ std_normal(); }';
const REQUEST = {
  function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
  random_seed: 7,
  num_chains: 3,
  num_warmup: 200,
  refresh: 100,
};
/** A rule that requires many blocks. */
const UNTIL = { num_samples: 300, until: { ess_bulk: 1e9, max_iterations: 10_000 } };
const LIMITS = { requestTimeout: 60_000, workerMemory: 1024 };

/** Waits until every chain has ended its first block. */
async function inLaterBlock(server: TestServer, operation: string): Promise<void> {
  for (;;) {
    const { done, metadata } = (await server.get(`/v1/${operation}`)).json;
    assert.ok(!done, 'the run has ended too early');
    const chains: readonly { readonly draws?: number }[] = metadata.chains;
    if (chains.every(({ draws = 0 }) => draws > UNTIL.num_samples)) return;
    await pause(5);
  }
}

async function start(context: TestContext, options = {}) {
  const server = await TestServer.start({ ...LIMITS, ...options });
  context.after(() => server.remove());
  const model = await server.model(PROGRAM);
  const begin = async (request: object): Promise<string> =>
    (await server.post(`${model}/fits`, { ...REQUEST, ...request })).json.name;
  return { server, model, begin };
}

/** The messages of a fit without times. */
async function messagesOf(server: TestServer, path: string): Promise<string[]> {
  const { text } = await server.get(path);
  return text
    .split('\n')
    .map((line) => line.replace(/\S+ seconds/, 'seconds'))
    .sort();
}

describe('a run with a stopping rule over HTTP', () => {
  it('runs again after a restart with the same draws', { skip: ofOneProcess.folder }, async (context) => {
    const first = await TestServer.start(LIMITS);
    const model = await first.model(PROGRAM);
    const operation = (await first.post(`${model}/fits`, { ...REQUEST, ...UNTIL })).json.name;
    await inLaterBlock(first, operation);
    await first.stop(0);
    const { server, begin } = await start(context, { store: first.store });
    const { metadata, result } = (await server.finished(operation)).json;
    assert.equal(metadata.stopped.iterations, 10_000);
    const whole = (await server.finished(await begin({ num_samples: 10_000 }))).json.result.name;
    const draws = async (name: string) =>
      (await server.get(`/v1/${name}?format=csv`)).text.split('\n').filter((line) => /^-?\d/.test(line));
    assert.deepEqual(await draws(result.name), await draws(whole));
  });

  it('is followed from its first block to the reason for its end', async (context) => {
    const { server, begin } = await start(context);
    const operation = await begin({ num_samples: 200, until: { ess_bulk: 3000, max_iterations: 1000 } });
    const { fit } = (await server.get(`/v1/${operation}`)).json.metadata;
    const followed = await messagesOf(server, `/v1/${fit.name}?follow=true`);
    await server.finished(operation);
    assert.deepEqual(followed, await messagesOf(server, `/v1/${fit.name}`));
    const stopped = followed.filter((line) => line.includes('Stopped after 1000 iterations'));
    assert.equal(stopped.length, REQUEST.num_chains);
    assert.equal(followed.filter((line) => line.includes('Adaptation terminated')).length, REQUEST.num_chains);
  });

  it('reports what is missing, and leaves nothing behind if it is cancelled between blocks', {
    skip: ofOneProcess.folder,
  }, async (context) => {
    const { server, begin } = await start(context);
    const operation = await begin(UNTIL);
    await inLaterBlock(server, operation);
    const { iterations, limit, quantity, statistic, value } = (await server.get(`/v1/${operation}`)).json.metadata
      .shortfall;
    assert.ok(iterations >= UNTIL.num_samples && iterations % UNTIL.num_samples === 0 && value < limit);
    assert.deepEqual([limit, statistic], [1e9, 'ess_bulk']);
    assert.match(quantity, /^(lp__|x\.[1-5])$/);
    const { result } = (await server.delete(`/v1/${operation}`)).json;
    assert.equal(result.status, 'Cancelled');
    assert.deepEqual(await readdir(join(server.store, 'temporary')), []);
  });

  it('counts divergences and largest tree depths over all blocks', async (context) => {
    const { server, begin } = await start(context);
    const request = { num_samples: 50, max_depth: 2, until: { ess_bulk: 1e9, max_iterations: 150 } };
    const operation = await begin(request);
    const { metadata, result } = (await server.finished(operation)).json;
    assert.equal(metadata.shortfall, undefined);
    for (const { chain, e_bfmi, treedepth_hits } of metadata.chains) {
      const { text } = await server.get(`/v1/${result.name}?format=csv&chain=${chain}`);
      const rows = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      const column = rows[0]?.split(',').indexOf('treedepth__') ?? -1;
      const depths = rows.slice(1).map((row) => Number(row.split(',')[column]));
      assert.equal(depths.length, 150);
      assert.equal(treedepth_hits, depths.filter((depth) => depth >= 2).length);
      assert.ok(treedepth_hits > 0 && e_bfmi > 0.3);
    }
  });

  it('has estimates of the worst quantities while a sampler runs', async (context) => {
    const { server, begin } = await start(context);
    const operation = await begin({ num_chains: 2, num_samples: 10_000_000, refresh: 0 });
    for (;;) {
      const { done, metadata } = (await server.get(`/v1/${operation}`)).json;
      assert.ok(!done);
      const { chains, estimates = [] } = metadata;
      const counts = chains.map(({ draws = 0 }: { readonly draws?: number }) => draws);
      if (Math.min(...counts) > 2000 && estimates.length > 0) {
        assert.equal(estimates.length, 5);
        for (const { ess, name, rhat } of estimates) {
          assert.match(name, /^(lp__|x\.[1-5])$/);
          assert.ok(ess > 100 && rhat >= 1 && rhat < 1.1, JSON.stringify(estimates));
        }
        assert.equal(chains[0].estimates, undefined);
        break;
      }
      await pause(10);
    }
    await server.delete(`/v1/${operation}`);
    const { operations } = (await server.get('/v1/operations')).json;
    assert.doesNotMatch(JSON.stringify(operations), /estimates/);
  });

  it('is the same operation for the same request, and a different one for a different rule', async (context) => {
    const { begin } = await start(context);
    const until = { rhat: 1.2 };
    const first = await begin({ num_samples: 100, until });
    assert.equal(await begin({ num_samples: 100, until }), first);
    assert.notEqual(await begin({ num_samples: 100, until: { rhat: 1.3 } }), first);
    assert.notEqual(await begin({ num_samples: 100 }), first);
  });
});

describe('a run over HTTP that keeps its draws if it is cancelled', () => {
  it('is a separate fit with the same messages, and without a reason to stop', async (context) => {
    const { server, begin } = await start(context);
    const request = { num_samples: 250, num_thin: 3, save_warmup: true, stepsize_jitter: 0.3 };
    const finished = async (operation: string) => {
      const { metadata, result } = (await server.finished(operation)).json;
      assert.equal(metadata.stopped, undefined);
      assert.equal(metadata.kept, undefined);
      return { messages: await messagesOf(server, `/v1/${result.name}`), name: result.name, chains: metadata.chains };
    };
    const kept = await finished(await begin({ ...request, on_cancel: 'keep' }));
    const whole = await finished(await begin(request));
    assert.notEqual(kept.name, whole.name);
    assert.deepEqual(kept.messages, whole.messages);
    const counts = (chains: readonly { readonly draws: number; readonly state: string }[]) =>
      chains.map(({ draws, state }) => [draws, state]);
    assert.deepEqual(counts(kept.chains), counts(whole.chains));
  });

  it('keeps nothing during warmup', async (context) => {
    const { server, begin } = await start(context);
    const operation = await begin({ num_warmup: 1_000_000_000, on_cancel: 'keep' });
    await server.running(operation);
    const nothing = { iterations: 0, draws: 0 };
    assert.deepEqual((await server.get(`/v1/${operation}`)).json.metadata.kept, nothing);
    const { metadata, result } = (await server.delete(`/v1/${operation}`)).json;
    assert.equal(result.status, 'Cancelled');
    assert.deepEqual(metadata.kept, nothing);
  });

  for (const { block, request } of [
    { block: 102, request: { num_samples: 1020, num_thin: 3 } },
    { block: 60, request: { num_samples: 60, num_thin: 3, until: { ess_bulk: 1e9, max_iterations: 100_000 } } },
  ])
    it(`reports what a cancellation would keep, and keeps it: blocks of ${block} iterations`, async (context) => {
      const { server, begin } = await start(context, { workers: 1 });
      // About a millisecond for an iteration, with the longest trajectories.
      const slow = { function: 'stan::services::sample::hmc_nuts_diag_e', stepsize: 1e-4, num_warmup: 0 };
      const operation = await begin({ ...request, ...slow, on_cancel: 'keep' });
      let reported = { iterations: 0, draws: 0 };
      for (; reported.iterations < 2 * block; await pause(5)) {
        const { done, metadata } = (await server.get(`/v1/${operation}`)).json;
        assert.ok(!done, 'the run has ended too early');
        reported = metadata.kept;
        const draws = REQUEST.num_chains * Math.ceil(reported.iterations / request.num_thin);
        assert.deepEqual([reported.iterations % block, reported.draws], [0, draws]);
      }
      const { metadata } = (await server.delete(`/v1/${operation}`)).json;
      const { iterations, draws, name } = metadata.kept;
      assert.ok(iterations >= reported.iterations && iterations % block === 0, `${iterations}`);
      const { text } = await server.get(`/v1/${name}?format=csv`);
      assert.equal(text.split('\n').filter((line) => /^-?\d/.test(line)).length, draws);
      assert.equal(draws, REQUEST.num_chains * Math.ceil(iterations / request.num_thin));
      const counts = metadata.chains.map((chain: { readonly draws: number }) => chain.draws);
      assert.ok(Math.min(...counts) * REQUEST.num_chains >= draws);
      assert.ok(!('blocks' in metadata.chains[0]));
    });
});

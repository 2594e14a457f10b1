import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fakeEngine, TestServer } from './harness.js';

const SAMPLE = 'stan::services::sample::hmc_nuts_diag_e_adapt';

describe('programs that never end or exhaust memory', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ engine: fakeEngine, requestTimeout: 500 });
  });
  after(() => server.remove());

  test('end with a clear error in every endpoint while the server continues to respond', async () => {
    const [endless, endlessData, endlessDraw, normal] = await Promise.all(
      ['endless', 'endless-data', 'endless-draw', 'normal'].map((program) => server.model(program)),
    );
    const hostile = [
      server.post('/v1/models', { program_code: 'endless-compile' }),
      server.post(`${endless}/log_prob`, [0]),
      server.post(`${endless}/log_prob_grad`, [0]),
      server.post(`${endless}/transform_inits`, { constrained_parameters: { x: [1] } }),
      server.post(`${endlessDraw}/write_array`, [0]),
      server.post(`${endlessData}/params`, {}),
    ];
    let ended = 0;
    for (const request of hostile) request.then(() => ended++);
    assert.equal((await server.get('/v1/health')).status, 200);
    assert.ok(ended < hostile.length, 'health was answered only after the hostile requests');
    for (const answer of await Promise.all(hostile)) {
      assert.equal(answer.status, 503, answer.text);
      assert.match(answer.json.message, /took longer than 0.5 s \(--request-timeout\)|Every worker is busy/);
    }
    assert.equal((await server.post(`${normal}/log_prob`, [0])).status, 200);
  });

  test('do not delay other evaluations of a model, each of which gets its own response', async (context) => {
    const patient = await TestServer.start({ engine: fakeEngine, requestTimeout: 3000 });
    context.after(() => patient.remove());
    const trap = await patient.model('trap');
    const evaluate = async (x: number) => {
      const answer = await patient.post(`${trap}/log_prob`, [x]);
      assert.equal(answer.json.log_prob, -0.5 * x * x, answer.text);
    };
    const points = Array.from({ length: 60 }, (_, k) => k);
    for (let round = 0; round < 3; round++) await Promise.all(points.map(evaluate));
    const trapped = patient.post(`${trap}/log_prob`, [101]);
    for (let round = 0; round < 3; round++) await Promise.all(points.map(evaluate));
    assert.match((await trapped).json.message, /took longer than 3 s/);
    await Promise.all(points.map(evaluate));
  });

  test('are stopped if they exceed the memory of a worker', async (context) => {
    const small = await TestServer.start({ engine: fakeEngine, workerMemory: 64, requestTimeout: 20_000 });
    context.after(() => small.remove());
    const explode = await small.model('explode');
    const answer = await small.post(`${explode}/log_prob`, [0]);
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.json.message, /^Evaluating the log density needed more than 64 MiB of memory/);
    const started = await small.post(`${explode}/fits`, { function: SAMPLE });
    const ended = await small.finished(started.json.name);
    assert.match(ended.json.result.message, /^The operation needed more than 64 MiB of memory/);
    assert.equal((await small.get('/v1/health')).status, 200);
  });

  test('an operation that never ends is cancelled within a second and its worker is free again', async () => {
    const endless = await server.model('endless');
    const started = await server.post(`${endless}/fits`, { function: SAMPLE, num_chains: 3 });
    assert.equal(started.status, 201);
    await server.running(started.json.name);
    const fit = `/v1/${started.json.metadata.fit.name}`;
    assert.match((await server.get(fit)).json.message, /not finished; poll GET \/v1\/operations\//);
    const cancelled = await server.delete(`/v1/${started.json.name}`);
    assert.equal(cancelled.json.done, true);
    assert.equal(cancelled.json.result.status, 'Cancelled');
    assert.equal((await server.get(fit)).status, 404);
    const normal = await server.model('normal');
    const next = await server.post(`${normal}/fits`, { function: SAMPLE, num_samples: 10 });
    assert.equal((await server.finished(next.json.name)).json.result.name, next.json.metadata.fit.name);
    assert.equal((await server.delete(`/v1/${started.json.name}`)).status, 200);
    assert.equal((await server.get(`/v1/${started.json.name}`)).status, 404);
  });

  test('an operation has no time limit unless one is set', async (context) => {
    const limited = await TestServer.start({ engine: fakeEngine, operationTimeout: 300 });
    context.after(() => limited.remove());
    const endless = await limited.model('endless');
    const started = await limited.post(`${endless}/fits`, { function: SAMPLE });
    const ended = await limited.finished(started.json.name);
    assert.match(ended.json.result.message, /longer than 0.3 s \(--operation-timeout\)/);
  });

  test('the time limit of an operation covers all its chains together', async (context) => {
    const limited = await TestServer.start({ engine: fakeEngine, operationTimeout: 1500, workers: 1 });
    context.after(() => limited.remove());
    const slow = await limited.model('slow');
    const request = { function: SAMPLE, num_warmup: 0, num_samples: 5, stepsize: 0.5, num_chains: 20 };
    const ended = await limited.finished((await limited.post(`${slow}/fits`, request)).json.name);
    assert.match(ended.json.result.message, /longer than 1.5 s \(--operation-timeout\)/);
  });
});

import assert from 'node:assert/strict';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ofOneProcess } from '../support/cluster.js';
import { fakeEngine, TestServer } from './harness.js';

const SAMPLE = 'engine::services::sample::hmc_nuts_diag_e_adapt';

function draws(fit: string, chain?: number): unknown[] {
  return fit
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((message) => message.topic === 'sample' && !Array.isArray(message.values))
    .filter((message) => message.chain === chain)
    .map((message) => message.values);
}

describe('models and fits', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ engine: fakeEngine });
  });
  after(() => server.remove());

  test('one program compiles once, for concurrent and later requests', { skip: ofOneProcess.use }, async () => {
    const body = { program_code: 'normal once' };
    const answers = await Promise.all([server.post('/v1/models', body), server.post('/v1/models', body)]);
    const later = await server.post('/v1/models', body);
    for (const answer of [...answers, later]) {
      assert.equal(answer.status, 201);
      assert.deepEqual(answer.json, later.json);
    }
    assert.match(later.json.name, /^models\/[a-z2-7]{24}$/);
    assert.equal(later.json.stanc_warnings, '');
    const list = await server.get('/v1/models');
    assert.ok(list.json.models.some((model: { name: string }) => model.name === later.json.name));
  });

  test('a model reports its parameters and densities', async () => {
    const model = await server.model('normal');
    const data = { N: 2 };
    const params = await server.post(`${model}/params`, { data });
    const name = model.slice('/v1/'.length);
    const x = { name: 'x', dims: [2], constrained_names: ['x.1', 'x.2'] };
    assert.deepEqual(params.json, { id: name, name, params: [x] });
    assert.equal((await server.post(`${model}/params`)).json.params[0].dims[0], 1);
    const point = { data, unconstrained_parameters: [1, 2] };
    assert.deepEqual((await server.post(`${model}/log_prob`, point)).json, { log_prob: -2.5 });
    const gradient = [-1, -2];
    assert.deepEqual((await server.post(`${model}/log_prob_grad`, point)).json, {
      log_prob: -2.5,
      grad_log_prob: gradient,
      log_prob_grad: gradient,
    });
    assert.deepEqual((await server.post(`${model}/write_array`, [3])).json, { params_r_constrained: [3] });
  });

  test('data distinguish an integer and a real', async () => {
    const model = await server.model('normal');
    assert.equal((await server.post(`${model}/params`, '{"data": {"N": 1.0}}')).status, 400);
    assert.equal((await server.post(`${model}/params`, '{"data": {"N": 1}}')).status, 200);
  });

  test('a body of many megabytes is read without delaying other requests', async (context) => {
    const large = await TestServer.start({ engine: fakeEngine, bodyLimit: 64 << 20, requestTimeout: 20_000 });
    context.after(() => large.remove());
    const model = await large.model('normal');
    const numbers = Array.from({ length: 300_000 }, (_, index) => index / 7).join(', ');
    const asked = large.post(`${model}/params`, `{"data": {"N": 2, "y": [${numbers}], "s": "a b"}}`);
    let isRead = false;
    const read = asked.finally(() => {
      isRead = true;
    });
    let answers = 0;
    for (; !isRead; answers++) assert.equal((await large.get('/v1/health')).status, 200);
    assert.ok(answers > 1, 'health was answered only after the whole body had been read');
    assert.equal((await read).json.params[0].dims[0], 2);
    const broken = await large.post(`${model}/params`, `{"data": [${numbers}]`);
    assert.match(broken.json.message, /not JSON: line 1/);
  });

  test('non-finite numbers are read in every form and written as requested', async () => {
    const model = await server.model('normal');
    const body = '{"unconstrained_parameters": [NaN]}';
    assert.equal((await server.post(`${model}/log_prob`, body)).text, '{"log_prob":"NaN"}\n');
    assert.equal((await server.post(`${model}/log_prob?nonfinite=literal`, '["NaN"]')).text, '{"log_prob":NaN}\n');
    assert.equal((await server.post(`${model}/log_prob?nonfinite=null`, '[-Infinity]')).text, '{"log_prob":null}\n');
    assert.equal((await server.post(`${model}/log_prob`, '["-Inf"]')).text, '{"log_prob":"-Infinity"}\n');
    assert.equal((await server.post(`${model}/write_array`, '[-0.0]')).text, '{"params_r_constrained":[-0]}\n');
  });

  test('a fit goes from request to draws, and the same request finds it again', async () => {
    const model = await server.model('normal');
    const request = { function: SAMPLE, random_seed: 7, num_samples: 20, num_warmup: 10, data: { N: 2 } };
    const started = await server.post(`${model}/fits`, request);
    assert.equal(started.status, 201);
    assert.equal(started.json.done, false);
    assert.equal(started.json.metadata.function, 'stan::services::sample::hmc_nuts_diag_e_adapt');
    const ended = await server.finished(started.json.name);
    const fit = started.json.metadata.fit.name;
    assert.deepEqual(ended.json.result, { name: fit });
    assert.match(ended.json.metadata.progress, /^Iteration: 30 \/ 30 \[100%\] {2}\(Sampling\)$/);
    const text = await server.get(`/v1/${fit}`);
    assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(draws(text.text).length, 20);
    const ndjson = await server.get(`/v1/${fit}`, { accept: 'application/x-ndjson' });
    assert.equal(ndjson.headers.get('content-type'), 'application/x-ndjson');
    assert.equal(ndjson.text, text.text);
    const again = await server.post(`${model}/fits`, { ...request, num_chains: 1 });
    assert.equal(again.status, 201);
    assert.deepEqual(again.json, ended.json);
    assert.equal((await server.delete(`/v1/${fit}`)).status, 200);
    assert.equal((await server.get(`/v1/${fit}`)).status, 404);
  });

  test('chains of one fit run in parallel, and a chain does not depend on the others', async () => {
    const model = await server.model('normal');
    const request = { function: SAMPLE, random_seed: 11, num_samples: 50, num_warmup: 50 };
    const four = await server.post(`${model}/fits`, { ...request, num_chains: 4, chain: 3 });
    const alone = await server.post(`${model}/fits`, { ...request, chain: 5 });
    await Promise.all([server.finished(four.json.name), server.finished(alone.json.name)]);
    const all = (await server.get(`/v1/${four.json.metadata.fit.name}`)).text;
    const one = (await server.get(`/v1/${alone.json.metadata.fit.name}`)).text;
    assert.equal(draws(all, 3).length, 50);
    assert.deepEqual(draws(all, 5), draws(one));
    assert.notDeepEqual(draws(all, 6), draws(one));
  });

  test('a fit in progress can be followed', async () => {
    const model = await server.model('slow');
    const request = { function: SAMPLE, num_samples: 30, num_warmup: 0, save_warmup: true, stepsize: 0.5, refresh: 1 };
    const started = await server.post(`${model}/fits`, request);
    await server.running(started.json.name);
    const fit = `/v1/${started.json.metadata.fit.name}`;
    assert.equal((await server.get(fit)).status, 404);
    const followed = await server.get(`${fit}?follow=true`);
    assert.equal(followed.status, 200);
    assert.equal(draws(followed.text).length, 30);
    await server.finished(started.json.name);
    assert.equal((await server.get(fit)).text, followed.text);
  });

  test('following a fit that is abandoned ends with an aborted transfer', async () => {
    const model = await server.model('slow');
    const started = await server.post(`${model}/fits`, {
      function: SAMPLE,
      num_samples: 1000,
      num_warmup: 0,
      refresh: 1,
    });
    const response = await fetch(`${server.address}/v1/${started.json.metadata.fit.name}?follow=true`);
    assert.equal(response.status, 200);
    const messages = response.text();
    await server.delete(`/v1/${started.json.name}`);
    await assert.rejects(messages);
  });

  test('a failing run reports the reason and leaves no fit', { skip: ofOneProcess.folder }, async () => {
    const model = await server.model('reject');
    const started = await server.post(`${model}/fits`, { function: SAMPLE, num_chains: 2 });
    const ended = await server.finished(started.json.name);
    assert.equal(ended.json.result.code, 400);
    assert.match(
      ended.json.result.message,
      /Rejecting initial value:[\s\S]*x is not right[\s\S]*Initialization failed\./,
    );
    assert.equal((await server.get(`/v1/${started.json.metadata.fit.name}`)).status, 404);
    assert.deepEqual(await readdir(join(server.store, 'temporary')), []);
  });

  test('deleting a model cancels its operations and deletes its fits', async () => {
    const model = await server.model('normal doomed');
    const fit = await server.post(`${model}/fits`, { function: SAMPLE, num_samples: 10 });
    await server.finished(fit.json.name);
    const slow = await server.post(`${model}/fits`, { function: SAMPLE, num_samples: 2_000_000_000, refresh: 1000 });
    assert.equal((await server.delete(model)).status, 200);
    assert.equal((await server.get(`/v1/${slow.json.name}`)).json.result.status, 'Cancelled');
    assert.equal((await server.get(`/v1/${fit.json.metadata.fit.name}`)).status, 404);
    assert.equal((await server.delete(model)).status, 404);
  });

  test('operations are listed', async () => {
    const { operations } = (await server.get('/v1/operations')).json;
    assert.ok(operations.length > 3);
    for (const operation of operations) assert.match(operation.name, /^operations\/[a-z2-7]{24}$/);
  });
});

test('models, fits and operations survive a restart, and interrupted operations run again', {
  skip: ofOneProcess.folder,
}, async (context) => {
  const first = await TestServer.start({ engine: fakeEngine });
  const model = await first.model('normal');
  const done = await first.post(`${model}/fits`, { function: SAMPLE, num_samples: 10, random_seed: 1 });
  await first.finished(done.json.name);
  const text = (await first.get(`/v1/${done.json.metadata.fit.name}`)).text;
  const other = await first.model('normal from another build');
  const compiled = join(first.store, 'models', other.split('/').at(-1) ?? '', 'compiled');
  const [engine] = await readdir(compiled);
  await rename(join(compiled, engine ?? ''), join(compiled, 'another'));
  const slow = await first.model('slow');
  const interrupted = await first.post(`${slow}/fits`, { function: SAMPLE, num_samples: 3, num_warmup: 3 });
  await first.stop();

  const second = await TestServer.start({ engine: fakeEngine, store: first.store });
  context.after(() => second.remove());
  assert.equal((await second.get(`/v1/${done.json.metadata.fit.name}`)).text, text);
  assert.equal((await second.get(`/v1/${done.json.name}`)).json.done, true);
  assert.equal((await second.post(`${model}/log_prob`, [1])).json.log_prob, -0.5);
  assert.equal((await second.post(`${other}/log_prob`, [1])).json.log_prob, -0.5);
  assert.deepEqual(await readdir(compiled), [engine]);
  const finished = await second.finished(interrupted.json.name);
  assert.deepEqual(finished.json.result, interrupted.json.metadata.fit);
});

test('a token is required if one is set', async (context) => {
  const server = await TestServer.start({ engine: fakeEngine, token: 'secret' });
  context.after(() => server.remove());
  assert.equal((await server.get('/v1/models')).status, 401);
  assert.equal((await server.get('/v1/models', { authorization: 'Bearer wrong' })).json.code, 401);
  assert.equal((await server.get('/v1/models', { authorization: 'Bearer secret' })).status, 200);
  assert.equal((await server.get('/v1/health')).status, 200);
});

test('the interface describes itself', async (context) => {
  const server = await TestServer.start({ engine: fakeEngine });
  context.after(() => server.remove());
  const openapi = await server.get('/v1/openapi.json');
  assert.deepEqual(Object.keys(openapi.json.paths), [
    '/v1/health',
    '/v1/ready',
    '/v1/version',
    '/v1/models',
    '/v1/models/{model_id}',
    '/v1/stanc',
    '/v1/models/{model_id}/params',
    '/v1/models/{model_id}/log_prob',
    '/v1/models/{model_id}/log_prob_grad',
    '/v1/models/{model_id}/write_array',
    '/v1/models/{model_id}/transform_inits',
    '/v1/models/{model_id}/functions/{function_name}',
    '/v1/models/{model_id}/profile',
    '/v1/functions',
    '/v1/models/{model_id}/fits',
    '/v1/models/{model_id}/fits/{fit_id}',
    '/v1/models/{model_id}/fits/{fit_id}/summary',
    '/v1/models/{model_id}/fits/{fit_id}/diagnose',
    '/v1/models/{model_id}/fits/{fit_id}/loo',
    '/v1/models/{model_id}/fits/{fit_id}/evidence',
    '/v1/models/{model_id}/fits/{fit_id}/predictive',
    '/v1/models/{model_id}/prior',
    '/v1/models/{model_id}/sbc',
    '/v1/models/{model_id}/fits/{fit_id}/sbc',
    '/v1/models/{model_id}/kfold',
    '/v1/models/{model_id}/fits/{fit_id}/kfold',
    '/v1/compare',
    '/v1/compare/evidence',
    '/v1/operations',
    '/v1/operations/{operation_id}',
    '/v1/operations/{operation_id}/events',
    '/v1/cache',
  ]);
  const body = (path: string) => openapi.json.paths[`/v1/models/{model_id}/${path}`].post.requestBody;
  const { properties } = openapi.json.components.schemas.FixedParamRequest;
  assert.equal(properties.num_samples.default, 1000);
  for (const prefix of ['stan', 'engine']) {
    assert.ok(properties.function.enum.includes(`${prefix}::services::sample::fixed_param`));
  }
  assert.deepEqual([body('fits').required, body('log_prob').required, body('params').required], [true, true, false]);
  const { responses } = openapi.json.paths['/v1/models/{model_id}/fits/{fit_id}'].get;
  assert.ok(Object.keys(responses[200].content).includes('application/x-ndjson'));
  assert.deepEqual(Object.keys(responses[404].content), ['application/json']);
  const page = await server.get('/docs');
  assert.equal(page.status, 200);
  assert.match(page.text, /swagger-ui/);
});

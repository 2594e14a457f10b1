/** Requests written as deployed clients send them: httpstan's own tests and PyStan 3 with another base URL. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answer, TestServer } from '../harness.js';

const SCHOOLS = `
    data {
      int<lower=0> J;         // number of schools
      array[J] real y;              // estimated treatment effects
      array[J] real<lower=0> sigma; // s.e. of effect estimates
    }
    parameters {
      real mu;                // population treatment effect
      real<lower=0> tau;      // standard deviation in treatment effects
      vector[J] eta;          // unscaled deviation from mu by school
    }
    transformed parameters {
      vector[J] theta = mu + tau * eta;        // school treatment effects
    }
    model {
      target += normal_lpdf(eta | 0, 1);       // prior log-density
      target += normal_lpdf(y | theta, sigma); // log-likelihood
    }
`;

/** What aiohttp, which PyStan uses, puts into every request. */
const AIOHTTP = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate',
  'user-agent': 'Python/3.11 aiohttp/3.9.1',
  'content-type': 'application/json',
};
/** Python's json.dumps puts a blank behind commas and colons, and writes non-finite numbers as bare tokens. */
const DATA = '{"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}';

describe('PyStan', () => {
  let server: TestServer;
  let name: string;
  before(async () => {
    server = await TestServer.start({ workerMemory: 512 });
    const body = JSON.stringify({ program_code: SCHOOLS });
    const answer = await server.post('/v1/models', body, AIOHTTP);
    assert.equal(answer.status, 201);
    assert.equal(answer.json.stanc_warnings, '');
    name = answer.json.name;
  });
  after(() => server.remove());
  const post = (path: string, body: string): Promise<Answer> => server.post(`/v1/${name}/${path}`, body, AIOHTTP);

  test('stan.build reads the parameters', async () => {
    const { status, json } = await post('params', `{"data": ${DATA}}`);
    assert.equal(status, 200);
    assert.deepEqual(
      json.params.map((each: { name: string }) => each.name),
      ['mu', 'tau', 'eta', 'theta'],
    );
    assert.deepEqual(
      json.params.map((each: { dims: number[] }) => each.dims),
      [[], [], [8], [8]],
    );
    assert.equal(json.params[2].constrained_names[7], 'eta.8');
  });

  test('Model.sample starts a fit a chain, polls the operations and reads the draws', async () => {
    const operations: Answer[] = [];
    for (const chain of [1, 2]) {
      const payload = `{"function": "stan::services::sample::hmc_nuts_diag_e_adapt", "chain": ${chain}, "random_seed": 1, "data": ${DATA}, "num_samples": 100, "num_warmup": 100, "init": {}}`;
      const response = await post('fits', payload);
      assert.equal(response.status, 201, response.text);
      operations.push(response);
    }
    const drawn: string[] = [];
    for (const { json } of operations) {
      const ended = await server.finished(json.name);
      assert.match(ended.json.metadata.progress, /Iteration:\s+(\d+) \/ (\d+)\s+\[\s*(\d+)%\]/);
      assert.equal(ended.json.result.name, json.metadata.fit.name);
      const fit = await server.get(`/v1/${json.metadata.fit.name}`, { accept: '*/*', 'accept-encoding': 'identity' });
      assert.equal(fit.status, 200);
      assert.match(fit.headers.get('content-type') ?? '', /^text\/plain; charset=utf-8$/);
      for (const line of fit.text.trim().split('\n')) {
        const message = JSON.parse(line);
        if (message.topic === 'sample' && !Array.isArray(message.values)) drawn.push(line);
        if (message.topic === 'logger') assert.match(message.values[0], /^(info|warn|error|debug|fatal):/);
      }
    }
    assert.equal(drawn.length, 200);
    const columns = Object.keys(JSON.parse(drawn[0] ?? '').values);
    assert.deepEqual(columns.filter((column) => !column.endsWith('__')).slice(0, 3), ['mu', 'tau', 'eta.1']);
    assert.equal(new Set(drawn).size, 200);
  });

  test('Model.log_prob, grad_log_prob, constrain_pars and unconstrain_pars', async () => {
    const zeros = '[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]';
    const point = `"data": ${DATA}, "unconstrained_parameters": ${zeros}`;
    assert.equal(typeof (await post('log_prob', `{${point}, "adjust_transform": true}`)).json.log_prob, 'number');
    assert.equal((await post('log_prob_grad', `{${point}, "adjust_transform": false}`)).json.log_prob_grad.length, 10);
    const written = await post('write_array', `{${point}, "include_tparams": true, "include_gqs": true}`);
    assert.equal(written.json.params_r_constrained.length, 18);
    const values = '{"mu": 0.0, "tau": 1.0, "eta": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]}';
    const inits = await post('transform_inits', `{"data": ${DATA}, "constrained_parameters": ${values}}`);
    assert.equal(inits.json.params_r_unconstrained.length, 10);
  });

  test('a failed initialisation is a result with a code that does not begin with 2', async () => {
    const failing = await server.post(
      '/v1/models',
      JSON.stringify({ program_code: 'parameters { real x; } model { reject("no"); }' }),
      AIOHTTP,
    );
    const body =
      '{"function": "stan::services::sample::hmc_nuts_diag_e_adapt", "chain": 1, "random_seed": 1, "data": {}}';
    const started = await server.post(`/v1/${failing.json.name}/fits`, body, AIOHTTP);
    const { result } = (await server.finished(started.json.name)).json;
    assert.equal(result.name, undefined);
    assert.ok(!String(result.code).startsWith('2'));
    assert.match(result.message, /Initialization failed\./);
  });

  test('a program that does not compile is a 400 with a message', async () => {
    const answer = await server.post(
      '/v1/models',
      '{"program_code": "parameters {real z} model {z ~ no_such_distribution();}"}',
      AIOHTTP,
    );
    assert.equal(answer.status, 400);
    assert.equal(typeof answer.json.message, 'string');
  });
});

describe('httpstan', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ nonFinite: 'literal', workerMemory: 512 });
  });
  after(() => server.remove());

  test('bare NaN tokens are read and written', async () => {
    const program =
      'data { array[2] real y; } parameters { real x; } model { x ~ normal(0, 1); } generated quantities { array[2] real z = y; }';
    const name = await server.model(program);
    const body = '{"data": {"y": [NaN, -Infinity]}, "unconstrained_parameters": [0.0]}';
    const answer = await server.post(`${name}/write_array`, body, AIOHTTP);
    assert.equal(answer.text, '{"params_r_constrained":[0,NaN,-Infinity]}');
    const fit = `{"function": "stan::services::sample::hmc_nuts_diag_e_adapt", "data": {"y": [NaN, Infinity]}, "num_samples": 2, "num_warmup": 2}`;
    const started = await server.post(`${name}/fits`, fit, AIOHTTP);
    const ended = await server.finished(started.json.name);
    const text = (await server.get(`/v1/${ended.json.result.name}`)).text;
    assert.match(text, /"z\.1":NaN,"z\.2":Infinity/);
  });

  test('a fit of fixed_param, of an unknown function, and of a function without its prefix', async () => {
    const name = await server.model('generated quantities { real y = 1; }');
    const post = (name_: string) => server.post(`${name}/fits`, { function: name_, num_samples: 3 }, AIOHTTP);
    const ended = await server.finished((await post('stan::services::sample::fixed_param')).json.name);
    assert.equal((await server.get(`/v1/${ended.json.result.name}`)).text.match(/"y":1/g)?.length, 3);
    assert.equal((await post('stan::services::nonexistent')).status, 400);
  });

  test('models are listed and deleted', async () => {
    const { json } = await server.get('/v1/models');
    for (const { name } of json.models) assert.equal((await server.delete(`/v1/${name}`)).status, 200);
    assert.deepEqual((await server.get('/v1/models')).json, { models: [] });
  });
});

/** Requests in the form that deployed clients send: httpstan's own tests, and PyStan 3 with another base URL. */
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

/** Headers that aiohttp, which PyStan uses, adds to every request. */
const AIOHTTP = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate',
  'user-agent': 'Python/3.11 aiohttp/3.9.1',
  'content-type': 'application/json',
};
/** Python's json.dumps puts a space after commas and colons, and writes non-finite numbers as bare tokens. */
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

  test('stan.build requests the parameters of a model that may not exist: 404 means that it does not', async () => {
    assert.equal((await server.post('/v1/models/2uxewutp/params', `{"data": ${DATA}}`, AIOHTTP)).status, 404);
    assert.equal((await server.post('/v1/models/none/params', `{"data": ${DATA}}`, AIOHTTP)).status, 404);
  });

  test('stan.build finds the type and text of an error in one line of the message', async () => {
    for (const [program_code, type] of [
      ['parameters { real x }', 'Syntax error'],
      ["// \u00e9 \\ '\nmodel { y ~ normal(0, 1); }", 'Semantic error'],
    ]) {
      const body = JSON.stringify({ program_code });
      const plain = await server.post('/v1/models', body);
      const { status, json } = await server.post('/v1/models', body, AIOHTTP);
      assert.deepEqual([plain.status, status], [400, 400]);
      assert.deepEqual(json.details, plain.json.details);
      assert.ok(plain.json.message.startsWith(type) && !plain.json.message.includes('ValueError'));
      assert.ok(json.message.startsWith(plain.json.message));
      // The pattern of `stan.build` in PyStan 3.14. In Python, a dot does not match a newline either.
      const [, text] = /ValueError\(['"](.*)['"]\)/.exec(json.message) ?? assert.fail(json.message);
      const read = text
        .replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
        .replace(/\\([n'\\])/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));
      assert.equal(read, plain.json.message);
    }
  });

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

  test('Model.sample starts one fit per chain, polls the operations and reads the draws', async () => {
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

  test('Model.sample without a seed deletes each fit after reading it', async () => {
    const payload = `{"num_samples": 5, "num_warmup": 5, "function": "stan::services::sample::hmc_nuts_diag_e_adapt", "chain": 1, "data": ${DATA}, "init": {}}`;
    const started = await post('fits', payload);
    const { result } = (await server.finished(started.json.name)).json;
    assert.equal((await server.get(`/v1/${result.name}`)).status, 200);
    assert.ok([200, 202, 204].includes((await server.delete(`/v1/${result.name}`)).status));
    assert.equal((await server.delete(`/v1/${result.name}`)).status, 404);
  });

  test('Model.fixed_param polls until all chains are done; progress is absent or has the iteration and their number', async () => {
    const payload = (chain: number) =>
      `{"num_samples": 2000, "function": "stan::services::sample::fixed_param", "chain": ${chain}, "data": ${DATA}, "init": {}, "random_seed": 3}`;
    const operations = await Promise.all([1, 2, 3, 4].map(async (chain) => (await post('fits', payload(chain))).json));
    while (!operations.every(({ done }) => done)) {
      for (const operation of operations) {
        const answer = await server.get(`/v1/${operation.name}`);
        assert.equal(answer.status, 200);
        Object.assign(operation, answer.json);
        const { progress } = operation.metadata;
        if (progress) assert.match(progress, /Iteration:\s+(\d+)\s+\/\s+(\d+)/);
      }
    }
    for (const { result } of operations) assert.equal(typeof result.name, 'string');
  });

  test("Fit finds one row per draw as long as the parameter names, with the sampler's columns first", async () => {
    const { params } = (await post('params', `{"data": ${DATA}}`)).json;
    const names = params.flatMap((each: { constrained_names: string[] }) => each.constrained_names);
    const payload = `{"num_samples": 7, "num_warmup": 9, "num_thin": 2, "save_warmup": true, "function": "stan::services::sample::hmc_nuts_diag_e_adapt", "chain": 1, "data": ${DATA}, "init": {}}`;
    const { result } = (await server.finished((await post('fits', payload)).json.name)).json;
    const draws = (await server.get(`/v1/${result.name}`)).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ topic, values }) => topic === 'sample' && !Array.isArray(values));
    assert.equal(draws.length, Math.ceil(7 / 2) + Math.ceil(9 / 2));
    for (const { values } of draws) {
      const own = Object.keys(values).filter((key) => key.endsWith('__'));
      assert.deepEqual(Object.keys(values), [...own, ...names]);
    }
  });

  test('Model.log_prob, grad_log_prob, constrain_pars and unconstrain_pars', async () => {
    const zeros = '[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]';
    const point = `"data": ${DATA}, "unconstrained_parameters": ${zeros}`;
    assert.equal(typeof (await post('log_prob', `{${point}, "adjust_transform": true}`)).json.log_prob, 'number');
    assert.equal((await post('log_prob_grad', `{${point}}`)).json.log_prob_grad.length, 10);
    assert.equal((await post('log_prob_grad', `{${point}, "adjust_transform": false}`)).json.log_prob_grad.length, 10);
    const written = await post('write_array', `{${point}, "include_tparams": true, "include_gqs": true}`);
    assert.equal(written.json.params_r_constrained.length, 18);
    const values = '{"mu": 0.0, "tau": 1.0, "eta": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]}';
    const inits = await post('transform_inits', `{"data": ${DATA}, "constrained_parameters": ${values}}`);
    assert.equal(inits.json.params_r_unconstrained.length, 10);
  });

  test('a failed initialization is a result with a code that does not begin with 2', async () => {
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
    assert.equal(answer.text, '{"params_r_constrained":[0,NaN,-Infinity]}\n');
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

  test('a fit whose data are missing or invalid is accepted, and its result states why it failed', async () => {
    const name = await server.model('data { int<lower=0> N; } parameters { real y; } model { y ~ normal(0, 1); }');
    for (const [data, reason] of [
      ['', /variable does not exist/],
      [', "data": {"N": -5}', /but must be greater than or equal to 0/],
    ] as const) {
      const body = `{"function": "stan::services::sample::hmc_nuts_diag_e_adapt", "random_seed": 1${data}}`;
      const started = await server.post(`${name}/fits`, body, AIOHTTP);
      assert.equal(started.status, 201);
      const { result } = (await server.finished(started.json.name)).json;
      assert.equal(result.code, 400);
      assert.match(result.message, reason);
    }
  });

  test('the output of write_array is accepted by transform_inits, including transformed parameters and generated quantities', async () => {
    const name = await server.model(
      'parameters { real x; real<lower=0> y; } transformed parameters { real x_mult = x * 2; } generated quantities { real z = x + y; }',
    );
    const written = await server.post(
      `${name}/write_array`,
      '{"data": {}, "unconstrained_parameters": [1.25, 0.5]}',
      AIOHTTP,
    );
    const [x, y, x_mult, z] = written.json.params_r_constrained;
    const body = { data: {}, constrained_parameters: { x, y, x_mult, z } };
    const inits = await server.post(`${name}/transform_inits`, body, AIOHTTP);
    for (const [index, each] of inits.json.params_r_unconstrained.entries())
      assert.ok(Math.abs(each - [1.25, 0.5][index]) < 1e-15, `${each}`);
  });

  test('models are listed and deleted', async () => {
    const { json } = await server.get('/v1/models');
    for (const { name } of json.models) assert.equal((await server.delete(`/v1/${name}`)).status, 200);
    assert.deepEqual((await server.get('/v1/models')).json, { models: [] });
  });
});

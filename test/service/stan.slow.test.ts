import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BERNOULLI, BERNOULLI_DATA as data, NUTS as SAMPLE } from './contract/programs.js';
import { TestServer } from './harness.js';

const FIXED = 'stan::services::sample::fixed_param';

interface Draw {
  readonly [name: string]: number;
}

function draws(fit: string): Draw[] {
  return fit
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((message) => message.topic === 'sample' && !Array.isArray(message.values))
    .map((message) => message.values);
}

describe('Stan programs over HTTP', () => {
  let server: TestServer;
  let model: string;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 30_000, workerMemory: 1024 });
    model = await server.model(BERNOULLI);
  });
  after(() => server.remove());

  test('a program that does not compile reports the location and the reason', async () => {
    const answer = await server.post('/v1/models', { program_code: BERNOULLI.replace('beta(1, 1);', 'beta(1, 1)') });
    assert.equal(answer.status, 400);
    assert.match(answer.json.message, /line 10, column 2[\s\S]*\^/);
    assert.equal(answer.json.details[0].line, 10);
    assert.equal(answer.json.details[0].column, 2);
  });

  test('a model lists its parameters', async () => {
    const { params } = (await server.post(`${model}/params`, { data })).json;
    assert.deepEqual(params, [
      { name: 'theta', dims: [], constrained_names: ['theta'] },
      { name: 'odds', dims: [], constrained_names: ['odds'] },
    ]);
  });

  test('densities, gradients and transforms agree with the formula', async () => {
    const near = (found: number, expected: number) => assert.ok(Math.abs(found - expected) < 1e-12, `${found}`);
    const point = { data, unconstrained_parameters: [0] };
    near((await server.post(`${model}/log_prob`, point)).json.log_prob, 12 * Math.log(0.5));
    const plain = { ...point, adjust_transform: false };
    near((await server.post(`${model}/log_prob`, plain)).json.log_prob, 10 * Math.log(0.5));
    const gradient = (await server.post(`${model}/log_prob_grad`, point)).json;
    near(gradient.grad_log_prob[0], -3);
    near(gradient.log_prob_grad[0], -3);
    assert.deepEqual((await server.post(`${model}/write_array`, point)).json.params_r_constrained, [0.5, 1]);
    const parameters = { ...point, include_gqs: false };
    assert.deepEqual((await server.post(`${model}/write_array`, parameters)).json.params_r_constrained, [0.5]);
    const inits = { data, constrained_parameters: { theta: 0.5, odds: 1, unknown: 'x' } };
    assert.deepEqual((await server.post(`${model}/transform_inits`, inits)).json.params_r_unconstrained, [0]);
  });

  test('unsuitable data are rejected by name, with a code', async () => {
    const rejected = async (text: string, message: RegExp, code: string, variable?: string) => {
      const answer = await server.post(`${model}/log_prob`, `{"unconstrained_parameters": [0], "data": ${text}}`);
      assert.deepEqual([answer.status, answer.json.reason], [400, 'refused'], text);
      assert.match(answer.json.message, message);
      const [detail, ...others] = answer.json.details;
      assert.deepEqual([detail.code, detail.variable, others], [code, variable, []], text);
      return detail;
    };
    await rejected('{}', /variable does not exist; .*variable name=N/, 'missing-variable', 'N');
    await rejected('{"N": 1.0, "y": [1]}', /int variable contained non-int values; .*name=N/, 'not-integer', 'N');
    const { line } = await rejected('{"N": 1, "y": [2]}', /y\[1\] is 2, but must be less than or equal/, 'rejection');
    assert.ok(line > 0);
    const sizes = await rejected('{"N": 2, "y": [1]}', /mismatch in dimension declared and found/, 'wrong-size', 'y');
    assert.deepEqual([sizes.declared, sizes.found], [[2], [1]]);
    await rejected('{"N": null, "y": []}', /N/, 'not-a-number', 'N');
    await rejected('{"N": 1, "y": [true]}', /y/, 'not-a-number', 'y');
  });

  test('a fit that fails reports the failure in its operation', async () => {
    const text = 'parameters { real x; }\nmodel {\n  fatal_error("stop at ", x);\n}';
    const compiled = await server.post('/v1/models', { program_code: text });
    const started = await server.post(`/v1/${compiled.json.name}/fits`, { function: SAMPLE, random_seed: 1 });
    const { result: error } = (await server.finished(started.json.name)).json;
    assert.equal(error.reason, 'refused');
    assert.deepEqual([error.details[0].code, error.details[0].line], ['program-error', 3]);
  });

  test('four chains find the posterior, and a seed reproduces the draws', async () => {
    const request = { function: SAMPLE, data, num_chains: 4, random_seed: 1 };
    const started = await server.post(`${model}/fits`, request);
    const ended = await server.finished(started.json.name);
    assert.equal(ended.json.result.name, started.json.metadata.fit.name);
    const found = draws((await server.get(`/v1/${ended.json.result.name}`)).text);
    assert.equal(found.length, 4000);
    assert.deepEqual(Object.keys(found[0] ?? {}), [
      'lp__',
      'accept_stat__',
      'stepsize__',
      'treedepth__',
      'n_leapfrog__',
      'divergent__',
      'energy__',
      'theta',
      'odds',
    ]);
    const mean = found.reduce((sum, draw) => sum + (draw.theta ?? Number.NaN), 0) / found.length;
    assert.ok(Math.abs(mean - 3 / 12) < 0.02, `${mean}`);
    await server.delete(`/v1/${ended.json.result.name}`);
    const again = await server.post(`${model}/fits`, request);
    await server.finished(again.json.name);
    const order = (draw: Draw) => JSON.stringify(draw);
    const repeated = draws((await server.get(`/v1/${ended.json.result.name}`)).text);
    assert.deepEqual(repeated.map(order).sort(), found.map(order).sort());
  });

  test('initial values may be given for some parameters', async () => {
    const two = await server.model('parameters { real a; real b; } model { a ~ normal(0, 1); b ~ normal(0, 1); }');
    const unreadable = { function: FIXED, init: { a: 7, other: null }, num_samples: 2 };
    const refused = await server.finished((await server.post(`${two}/fits`, unreadable)).json.name);
    assert.match(refused.json.result.message, /Variable: other, error: null values not allowed/);
    const request = { function: FIXED, init: { a: 7 }, num_samples: 2, random_seed: 3 };
    const started = await server.post(`${two}/fits`, request);
    await server.finished(started.json.name);
    const [draw] = draws((await server.get(`/v1/${started.json.metadata.fit.name}`)).text);
    assert.equal(draw?.a, 7);
    assert.ok(draw?.b !== undefined && Math.abs(draw.b) <= 2);
  });

  test('a program that always rejects reports the reason', async () => {
    const rejecting = await server.model('parameters { real a; } model { reject("never ", a); }');
    const answer = await server.post(`${rejecting}/log_prob`, [1]);
    assert.equal(answer.status, 400);
    assert.match(answer.json.message, /never 1 \(in 'string', line 1, column/);
    const started = await server.post(`${rejecting}/fits`, { function: SAMPLE });
    const ended = await server.finished(started.json.name);
    assert.equal(ended.json.result.code, 400);
    assert.match(ended.json.result.message, /Rejecting initial value:[\s\S]*Initialization failed\./);
  });

  test('a program that prints or rejects without measure has the first messages, and their number is stated', async () => {
    const flood = `for (i in 1:400) print("number ", i, " ${'x'.repeat(50_000)}");`;
    const refusal = 'reject("never ", a, " ", rep_vector(1.5, 120000));';
    const program = `parameters { real a; } model { ${flood} if (a > 1) ${refusal} a ~ normal(0, 1); } generated quantities { ${flood} }`;
    const flooding = await server.model(program);
    const started = await server.post(`${flooding}/fits`, { function: SAMPLE, num_samples: 20, num_warmup: 20 });
    const ended = await server.finished(started.json.name);
    const { text } = await server.get(`/v1/${ended.json.result.name}`);
    assert.equal(draws(text).length, 20);
    assert.ok(text.length < 17 * 2 ** 20, `${text.length}`);
    assert.match(text.slice(0, 1000), /number 1 xxx/);
    assert.match(text, /"warn:Further messages are omitted: a chain keeps the first 16 MiB of its messages\."/);
    assert.match(text, /"warn:\d+ further messages were omitted: a chain keeps the first 16 MiB of its messages\."/);
    const point = [2];
    const answer = await server.post(`${flooding}/log_prob`, point);
    assert.equal(answer.status, 400);
    assert.match(
      answer.json.message,
      /never 2 \[1\.5,.*… \(the rest of this text is omitted: it is longer than 64 KiB\) \(in 'string'/,
    );
    assert.ok(answer.text.length < 2 ** 17);
  });
});

describe('Stan programs that never end or exhaust memory', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 1500, workerMemory: 256 });
  });
  after(() => server.remove());

  const hostile: [name: string, program: string][] = [
    ['an endless loop in transformed data', 'transformed data { while (1) { } } parameters { real x; }'],
    ['an endless loop in the model', 'parameters { real x; } model { real s = 0; while (1) { s += x; } target += s; }'],
    [
      'an endless loop in generated quantities',
      'parameters { real x; } generated quantities { real s = 0; while (1) { s += x; } }',
    ],
    [
      'recursion without end',
      'functions { real f(real x) { return f(x + 1) + 1; } } parameters { real x; } model { target += f(x); }',
    ],
    ['a vector beyond all memory', 'transformed data { vector[2000000000] v; } parameters { real x; }'],
    [
      'memory taken bit by bit',
      `functions { real eat(int n, real x) { vector[n] v = rep_vector(x, n); return sum(v) + eat(2 * n, x); } }
       parameters { real x; } model { target += eat(1000, x); }`,
    ],
  ];
  for (const [name, program] of hostile) {
    test(`${name} ends with a clear error in every endpoint`, async () => {
      const compiled = await server.post('/v1/models', { program_code: program });
      assert.equal(compiled.status, 201, compiled.text);
      const model = `/v1/${compiled.json.name}`;
      const answers = await Promise.all([
        server.post(`${model}/params`),
        server.post(`${model}/log_prob`, [0]),
        server.post(`${model}/log_prob_grad`, [0]),
        server.post(`${model}/write_array`, [0]),
        server.post(`${model}/transform_inits`, { constrained_parameters: { x: 0 } }),
      ]);
      for (const answer of answers) {
        assert.ok([200, 400, 503].includes(answer.status), answer.text);
        if (answer.status !== 200) assert.ok(answer.json.message.length > 20, answer.text);
      }
      assert.ok(answers.some(({ status }) => status !== 200));
      const started = await server.post(`${model}/fits`, { function: SAMPLE, num_samples: 1 });
      const ended = await server.delete(`/v1/${started.json.name}`);
      assert.equal(ended.status, 200);
      assert.equal(ended.json.result.status, 'Cancelled');
      assert.equal((await server.get('/v1/health')).status, 200);
    });
  }
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TestServer } from './harness.js';

describe('language services over HTTP', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 30_000, workerMemory: 1024 });
  });
  after(() => server.remove());

  test("an error has its type, its range and the compiler's text", async () => {
    const { status, json } = await server.post('/v1/stanc', { program_code: 'model {\n  real x = y;\n}' });
    assert.equal(status, 200);
    assert.equal(json.errors.length, 1);
    const { text, message, ...rest } = json.errors[0];
    assert.match(
      text,
      /^Semantic error in 'string', line 2, column 11 to column 12:\n[\s\S]*\n {5}2: {4}real x = y;\n/,
    );
    assert.equal(message, 'Identifier "y" not in scope.');
    assert.deepEqual(rest, {
      kind: 'semantic',
      severity: 'error',
      code: 'unknown-name',
      file: 'string',
      line: 2,
      column: 11,
      end_line: 2,
      end_column: 12,
    });
    assert.equal(json.formatted, 'model {\n  real x = y;\n}\n');
    assert.equal('info' in json, false);
  });

  test('a valid program is described and formatted, with warnings on request', async () => {
    const program_code = 'data{int N;}parameters{real a;}model{target+=N/2;}';
    const plain = (await server.post('/v1/stanc', { program_code })).json;
    assert.deepEqual(plain.errors, []);
    assert.deepEqual(plain.info.inputs, { N: { type: 'int', dimensions: 0 } });
    assert.equal(plain.formatted, 'data {\n  int N;\n}\nparameters {\n  real a;\n}\nmodel {\n  target += N / 2;\n}\n');
    assert.equal(plain.warnings.length, 1);
    assert.match(
      plain.warnings[0].text,
      /^Warning in 'string', line 1, column 45 to column 46:\n {4}Found int division/,
    );
    const pedantic = (await server.post('/v1/stanc', { program_code, pedantic: true })).json;
    assert.ok(pedantic.warnings.length > 1);
  });

  test('costs of statements are explained on request', async () => {
    const program_code =
      'data { int N; vector[N] x; vector[N] y; } parameters { real a; } model { y ~ normal(a * x, 1); }';
    assert.equal('costs' in (await server.post('/v1/stanc', { program_code })).json, false);
    const { costs } = (await server.post('/v1/stanc', { program_code, explain: true })).json;
    assert.deepEqual(costs, [
      {
        cost: 'sums',
        by: [],
        terms_by: [],
        reasons: [],
        text: 'y ~ normal(a * x, 1);',
        file: 'string',
        line: 1,
        column: 73,
      },
    ]);
    const invalid = (await server.post('/v1/stanc', { program_code: 'model {', explain: true })).json;
    assert.equal('costs' in invalid, false);
  });

  test('misspelled fields are rejected', async () => {
    const answer = await server.post('/v1/stanc', { program_code: '', pedantik: true });
    assert.equal(answer.status, 400);
    assert.equal(answer.json.details[0].field, '/pedantik');
  });

  test('a model returns its program, its warnings and its declarations', async () => {
    const program_code = 'parameters { real a; } model { a ~ normal(1 / 2, 1); }';
    const compiled = await server.post('/v1/models', { program_code });
    assert.match(compiled.json.stanc_warnings, /^Warning in 'string', line 1, column 42 to column 43:\n/);
    const { status, json } = await server.get(`/v1/${compiled.json.name}`);
    assert.equal(status, 200);
    const { info, ...rest } = json;
    assert.deepEqual(rest, { ...compiled.json, program_code });
    assert.deepEqual(info.parameters, { a: { type: 'real', dimensions: 0 } });
    assert.deepEqual(info.distributions, ['normal_lupdf']);
    assert.equal((await server.get('/v1/models/nothing')).status, 404);
  });

  test('includes are sent with the request and belong to the model', async () => {
    const program_code = 'functions {\n#include f.stan\n}\nparameters { real a; } model { target += f(a); }';
    const model = async (text: string): Promise<string> => {
      const answer = await server.post('/v1/models', { program_code, includes: { 'f.stan': text } });
      assert.equal(answer.status, 201, answer.text);
      return answer.json.name;
    };
    const [one, other] = [
      await model('real f(real x) { return -x^2; }'),
      await model('real f(real x) { return -x^4; }'),
    ];
    assert.notEqual(one, other);
    assert.equal((await server.post(`/v1/${one}/log_prob`, [2])).json.log_prob, -4);
    assert.equal((await server.post(`/v1/${other}/log_prob`, [2])).json.log_prob, -16);
    const { json } = await server.get(`/v1/${other}`);
    assert.deepEqual(json.includes, { 'f.stan': 'real f(real x) { return -x^4; }' });
    assert.deepEqual(json.info.included_files, ['./f.stan']);
    const missing = await server.post('/v1/stanc', { program_code });
    assert.equal(missing.json.errors[0].kind, 'include');
    const inside = await server.post('/v1/stanc', {
      program_code,
      includes: { 'f.stan': 'real f(real x) { return y; }' },
    });
    assert.deepEqual([inside.json.errors[0].file, inside.json.errors[0].line], ['f.stan', 1]);
  });
});

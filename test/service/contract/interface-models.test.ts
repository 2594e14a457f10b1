/** http-interface.md, sections 1, 2 and the endpoints of models. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { TestServer } from '../harness.js';
import { BERNOULLI, BERNOULLI_DATA, NORMAL, NUTS } from './programs.js';

describe('models', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ workerMemory: 512 });
  });
  after(() => server.remove());

  test('All resource paths are under the prefix /v1.', async () => {
    const { paths } = (await server.get('/v1/openapi.json')).json;
    assert.ok(Object.keys(paths).every((path) => path.startsWith('/v1/')));
    assert.equal((await server.get('/models')).status, 404);
  });

  test('Requests with a body carry the header Content-Type: application/json.', async () => {
    const answer = await server.post('/v1/models', 'x', { 'content-type': 'application/x-www-form-urlencoded' });
    assert.equal(answer.status, 415);
    const charset = { 'content-type': 'application/json; charset=utf-8' };
    assert.equal((await server.post('/v1/models', { program_code: NORMAL }, charset)).status, 201);
  });

  test('Request and response bodies are JSON. The one exception is the fit download, which returns newline-delimited JSON.', async () => {
    const model = await server.model(NORMAL);
    const started = await server.post(`${model}/fits`, { function: NUTS, num_samples: 5, num_warmup: 5 });
    const operation = await server.finished(started.json.name);
    const answers = [
      started,
      operation,
      await server.get('/v1/models'),
      await server.post(`${model}/params`, {}),
      await server.post(`${model}/log_prob`, [0]),
      await server.post(`${model}/log_prob_grad`, [0]),
      await server.post(`${model}/write_array`, [0]),
      await server.post(`${model}/transform_inits`, { constrained_parameters: { x: 0 } }),
      await server.get('/v1/health'),
    ];
    for (const { headers, json } of answers) {
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(typeof json, 'object');
    }
    const fit = `/v1/${operation.json.result.name}`;
    for (const line of (await server.get(fit)).text.trim().split('\n')) JSON.parse(line);
    const deleted = [await server.delete(fit), await server.delete(model)];
    for (const { headers } of deleted) assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  });

  test('GET /v1/models: No request body. One that clients send all the same is left unread.', async () => {
    const { hostname, port } = new URL(server.address);
    const body = '{"program_code": "parameters {real y;} model {y ~ normal(0,1);}"}';
    const head = `GET /v1/models HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const next = `GET /v1/health HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`;
    const received = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write(head + body + next));
      socket.on('data', (bytes) => {
        text += bytes;
      });
      socket.on('close', () => resolve(text)).on('error', reject);
    });
    assert.equal(received.match(/HTTP\/1\.1 200 OK\r/g)?.length, 2, received);
    assert.match(received, /\{"models":\[/);
  });

  test('The described interface is generated from an OpenAPI specification.', async () => {
    const { json } = await server.get('/v1/openapi.json');
    assert.match(json.openapi, /^3\./);
    assert.deepEqual(json.components.schemas.CompileRequest.required, ['program_code']);
    assert.equal((await server.get('/docs')).status, 200);
  });

  test('Resource names are strings of the form models/<model_id>.', async () => {
    const { json } = await server.post('/v1/models', { program_code: NORMAL });
    assert.match(json.name, /^models\/[a-z2-7]+$/);
  });

  test('POST /v1/models: 201 Created: body is a Model (name, compiler_output, stanc_warnings; all required).', async () => {
    const answer = await server.post('/v1/models', { program_code: BERNOULLI });
    assert.equal(answer.status, 201);
    assert.deepEqual(Object.keys(answer.json), ['name', 'compiler_output', 'stanc_warnings']);
    for (const field of Object.values(answer.json)) assert.equal(typeof field, 'string');
  });

  test('stanc_warnings: an empty string without warnings.', async () => {
    assert.equal((await server.post('/v1/models', { program_code: NORMAL })).json.stanc_warnings, '');
    const program = 'parameters { real x; } model { x ~ normal(0, 1); real y = 1 / 2; target += y; }';
    assert.match((await server.post('/v1/models', { program_code: program })).json.stanc_warnings, /1 \/ 2/);
  });

  test('compiler_output is the compile log: stages with their times, sizes of what was made.', async () => {
    const { compiler_output: log } = (await server.post('/v1/models', { program_code: NORMAL })).json;
    assert.match(log, /^parse\s+[\d.]+ ms$/m);
    assert.match(log, /^module\s+\d+ bytes$/m);
  });

  test('POST /v1/models: 400 Bad Request: error in the compile request (for example a program that does not compile).', async () => {
    assert.equal((await server.post('/v1/models', { program_code: 'parameters { real x }' })).status, 400);
    assert.equal((await server.post('/v1/models', {})).status, 400);
    assert.equal((await server.post('/v1/models', { program_code: 1 })).status, 400);
    assert.equal((await server.post('/v1/models', { program_code: NORMAL, other: 1 })).status, 400);
  });

  test("A program that does not compile: 400, message = the compiler's full text with line, column, source excerpt and caret, details = the same, structured.", async () => {
    const { json } = await server.post('/v1/models', { program_code: 'parameters {\n  real x\n}\n' });
    assert.match(
      json.message,
      /^Syntax error in 'string', line 3, column 0[\s\S]*2: {4}real x[\s\S]*\n\s+\^[\s\S]*";"/,
    );
    assert.equal(json.details.length, 1);
    assert.deepEqual([json.details[0].line, json.details[0].column, json.details[0].kind], [3, 0, 'syntax']);
  });

  test('GET /v1/models: 200 OK: object with models, an array of Model objects.', async () => {
    const model = (await server.post('/v1/models', { program_code: NORMAL })).json;
    const answer = await server.get('/v1/models');
    assert.equal(answer.status, 200);
    assert.ok(answer.json.models.length > 0);
    for (const each of answer.json.models) {
      assert.deepEqual(Object.keys(each), ['name', 'compiler_output', 'stanc_warnings']);
    }
    assert.deepEqual(
      answer.json.models.find(({ name }: { name: string }) => name === model.name),
      model,
    );
  });

  test('DELETE /v1/models/{model_id}: 200 OK: the model was deleted.', async () => {
    const model = await server.model(`${NORMAL} // to be deleted`);
    assert.equal((await server.delete(model)).status, 200);
    assert.equal((await server.post(`${model}/params`, {})).status, 404);
  });

  test('DELETE /v1/models/{model_id}: 404 Not Found: model not found.', async () => {
    assert.equal((await server.delete('/v1/models/abcdefghijklmnopqrstuvwx')).status, 404);
  });

  test('Deleting a model also deletes its fits.', async () => {
    const model = await server.model(`${NORMAL} // with a fit`);
    const started = await server.post(`${model}/fits`, { function: NUTS, num_samples: 5, num_warmup: 5 });
    const fit = `/v1/${(await server.finished(started.json.name)).json.result.name}`;
    assert.equal((await server.get(fit)).status, 200);
    await server.delete(model);
    assert.equal((await server.get(fit)).status, 404);
    await server.model(`${NORMAL} // with a fit`);
    assert.equal((await server.get(fit)).status, 404);
  });

  test('It caches compiled models automatically. Same program on the same build gives the same id; compiling it again returns 201 with the cached model at once.', async () => {
    const first = await server.post('/v1/models', { program_code: BERNOULLI });
    const again = await server.post('/v1/models', { program_code: BERNOULLI });
    assert.equal(again.status, 201);
    assert.deepEqual(again.json, first.json);
    const other = await server.post('/v1/models', { program_code: `${BERNOULLI} ` });
    assert.notEqual(other.json.name, first.json.name);
  });

  test('model_id = lower-case base32 of a cryptographic hash; at least 80 bits.', async () => {
    const { name } = (await server.post('/v1/models', { program_code: BERNOULLI })).json;
    assert.match(name, /^models\/[a-z2-7]{16,}$/);
  });

  test('Two simultaneous POSTs of one program compile once.', async () => {
    const body = { program_code: `${BERNOULLI} // twice` };
    const answers = await Promise.all([server.post('/v1/models', body), server.post('/v1/models', body)]);
    assert.equal(answers[0]?.json.compiler_output, answers[1]?.json.compiler_output);
  });

  test('params: an array of objects (name string required; constrained_names array of string; dims array of integer).', async () => {
    const model = await server.model(BERNOULLI);
    const answer = await server.post(`${model}/params`, { data: BERNOULLI_DATA });
    assert.equal(answer.status, 200);
    assert.equal(answer.json.id, model.slice('/v1/'.length));
    assert.equal(answer.json.name, answer.json.id);
    assert.deepEqual(answer.json.params, [
      { name: 'theta', dims: [], constrained_names: ['theta'] },
      { name: 'odds', dims: [], constrained_names: ['odds'] },
    ]);
  });

  test("params: params, transformed parameters and generated quantities in declaration order; dotted names in Stan's order (theta.1.2, column-major; tuple slots t:1; complex .real, .imag).", async () => {
    const model = await server.model(`parameters { matrix[2, 2] b; }
      transformed parameters { real a = sum(b); }
      model { to_vector(b) ~ normal(0, 1); }
      generated quantities {
        tuple(real, vector[2]) t = (1.0, rep_vector(2, 2));
        complex z = to_complex(1, 2);
        array[2, 2] int i = {{1, 2}, {3, 4}};
        array[0] real e;
      }`);
    const { params } = (await server.post(`${model}/params`)).json;
    const names = Object.fromEntries(
      params.map((each: { name: string; constrained_names: string[] }) => [each.name, each.constrained_names]),
    );
    assert.deepEqual(names.b, ['b.1.1', 'b.2.1', 'b.1.2', 'b.2.2']);
    assert.deepEqual(names.z, ['z.real', 'z.imag']);
    assert.deepEqual(names.i, ['i.1.1', 'i.2.1', 'i.1.2', 'i.2.2']);
    assert.deepEqual(names.e, []);
    assert.deepEqual(
      Object.values(names)
        .flat()
        .filter((name) => String(name).startsWith('t')),
      ['t:1', 't:2.1', 't:2.2'],
    );
    assert.ok(Object.keys(names).indexOf('b') < Object.keys(names).indexOf('a'));
    assert.ok(Object.keys(names).indexOf('a') < Object.keys(names).indexOf('z'));
  });

  test('params: body absent, {} or {data}.', async () => {
    const model = await server.model(NORMAL);
    for (const body of [undefined, {}, { data: {} }]) {
      assert.equal((await server.post(`${model}/params`, body)).status, 200);
    }
  });

  test('params: 400 Bad Request: error in the request. 404 Not Found: model not found.', async () => {
    const model = await server.model(BERNOULLI);
    assert.equal((await server.post(`${model}/params`, {})).status, 400);
    assert.equal((await server.post(`${model}/params`, { data: 1 })).status, 400);
    assert.equal((await server.post('/v1/models/abcdefghijklmnopqrstuvwx/params', {})).status, 404);
  });
});

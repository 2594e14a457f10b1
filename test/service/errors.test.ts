import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { ERROR_REASONS } from '../../src/service/errors.js';
import { ofOneProcess } from '../support/cluster.js';
import { type Answer, fakeEngine, TestServer } from './harness.js';

const SAMPLE = 'stan::services::sample::hmc_nuts_diag_e_adapt';

function assertError(answer: Answer, code: number, message: RegExp): void {
  assert.equal(answer.status, code, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(answer.json.code, code);
  assert.equal(typeof answer.json.status, 'string');
  assert.ok(ERROR_REASONS.includes(answer.json.reason), answer.text);
  assert.match(answer.json.message, message);
  assert.doesNotMatch(answer.text, /\bat .*\.(js|ts):\d+/, 'a stack trace');
}

describe('errors have one shape', () => {
  let server: TestServer;
  let model: string;
  before(async () => {
    server = await TestServer.start({ engine: fakeEngine });
    model = await server.model('normal');
  });
  after(() => server.remove());

  test('unknown paths and methods', async () => {
    assertError(await server.get('/nothing'), 404, /There is no GET \/nothing/);
    assertError(await server.get('/v1/nothing'), 404, /openapi/);
    const answer = await server.request('PUT', '/v1/models', {});
    assertError(answer, 405, /allowed: GET, HEAD, POST/);
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST');
    assertError(await server.get(`${model}/log_prob`), 405, /GET is not allowed/);
    assertError(await server.get('/v1/%zz'), 400, /percent-encoded/);
  });

  test('missing resources', async () => {
    const missing = await server.delete('/v1/models/nothing');
    assertError(missing, 404, /Model models\/nothing not found/);
    assert.equal(missing.json.reason, 'model_not_found');
    assertError(await server.delete('/v1/models/..%2F..%2Fetc'), 404, /not found/);
    assertError(await server.post('/v1/models/aaaaaaaaaaaaaaaaaaaaaaaa/params', {}), 404, /Model .* not found/);
    assertError(await server.delete(`/v1/models/${'a'.repeat(5000)}`), 404, /not found/);
    assertError(await server.get(`${model}/fits/nothing`), 404, /Fit .* not found/);
    assertError(await server.delete(`${model}/fits/nothing`), 404, /Fit .* not found/);
    assertError(await server.get('/v1/operations/nothing'), 404, /Operation .* not found/);
    assertError(await server.delete('/v1/operations/..%2Frunning%2Fx'), 404, /Operation .* not found/);
    assertError(await server.post('/v1/models/nothing/fits', { function: SAMPLE }), 404, /Model .* not found/);
  });

  test('unreadable bodies', { skip: ofOneProcess.connection }, async () => {
    assertError(
      await server.post('/v1/models', '{"program_code": '),
      400,
      /not JSON: line 1, column 18: expected a value/,
    );
    assertError(await server.post('/v1/models', '{"__proto__": {}}'), 400, /"__proto__" is not allowed/);
    assertError(await server.post('/v1/models', '['.repeat(100_000)), 400, /nested deeper than 100/);
    assertError(
      await server.post('/v1/models', `"${'x'.repeat(1 << 20)}"`),
      413,
      /larger than the limit of 1048576 bytes/,
    );
    assertError(
      await server.post('/v1/models', 'x', { 'content-type': 'text/plain' }),
      415,
      /text\/plain; send the header/,
    );
    assertError(await server.post('/v1/models', 'x', { 'content-type': 'nonsense' }), 415, /nonsense; send the header/);
    const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    assertError(await server.post('/v1/models', '{}', packed), 415, /encoding gzip; send it without an encoding/);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    assertError(await server.post('/v1/models', 'x=1', form), 415, /urlencoded; send the header/);
    assertError(await server.post('/v1/models', '', form), 400, /\/program_code is required/);
    assert.equal((await server.post(`${model}/params`, '', form)).status, 200);
    const response = await fetch(`${server.address}/v1/models`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Uint8Array.of(0x22, 0xff, 0x22),
    });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /not valid UTF-8/);
  });

  test('all invalid fields are listed', async () => {
    assertError(await server.post('/v1/models', {}), 400, /\/program_code is required/);
    assertError(await server.post('/v1/models'), 400, /\/program_code is required/);
    assertError(await server.post('/v1/models', []), 400, /the body must be an object/);
    assertError(await server.post('/v1/models', { program_code: 7 }), 400, /\/program_code must be a string/);
    const many = await server.post(`${model}/fits`, {
      function: SAMPLE,
      num_samples: -1,
      delta: 1.5,
      save_warmup: 'yes',
      nonsense: 1,
      data: [],
      init: 3,
      num_chains: 0,
    });
    assertError(many, 400, /Invalid request: /);
    const fields = many.json.details.map((detail: { field: string }) => detail.field).sort();
    assert.deepEqual(fields, ['/data', '/delta', '/init', '/nonsense', '/num_chains', '/num_samples', '/save_warmup']);
    const chains = { function: SAMPLE, chain: 2147483647, num_chains: 2, delta: 5 };
    assertError(
      await server.post(`${model}/fits`, chains),
      400,
      /\/chain plus num_chains exceeds 2147483647; \/delta must/,
    );
    assertError(await server.post(`${model}/fits`, {}), 400, /\/function is required/);
    assertError(await server.post(`${model}/fits`), 400, /must be an object/);
    assertError(
      await server.post(`${model}/fits`, { function: 'engine::services::no' }),
      400,
      /\/function must be one of/,
    );
    const fixed = { function: 'stan::services::sample::fixed_param', delta: 0.5 };
    assertError(await server.post(`${model}/fits`, fixed), 400, /\/delta is not an argument of this function/);
  });

  test('points of the wrong size', async () => {
    assertError(await server.post(`${model}/log_prob`, [1, 2]), 400, /expected 1 unconstrained parameters, found 2/);
    assertError(await server.post(`${model}/log_prob`, ['x']), 400, /\/0 must be a number or must be one of/);
    assertError(await server.post(`${model}/log_prob`, {}), 400, /\/unconstrained_parameters is required/);
    const wrong = { unconstrained_parameters: [0], adjust_transform: 1, other: 2 };
    const answer = await server.post(`${model}/log_prob`, wrong);
    assertError(answer, 400, /\/adjust_transform must be a boolean/);
    assert.equal(answer.json.details.length, 2);
    assertError(
      await server.post(`${model}/log_prob`, { unconstrained_parameters: [0], data: 1 }),
      400,
      /\/data must be/,
    );
    assertError(await server.post(`${model}/log_prob?nonfinite=maybe`, [0]), 400, /nonfinite must be one of/);
  });

  test('invalid programs and rejected points', async () => {
    const answer = await server.post('/v1/models', { program_code: 'syntax-error' });
    assertError(answer, 400, /^Syntax error in line 1$/);
    const [{ field, line, column, message }] = answer.json.details;
    assert.deepEqual({ field, line, column, message }, { field: '/program_code', line: 1, column: 0, message: 'bad' });
    assertError(await server.post(`${await server.model('reject')}/log_prob`, [0]), 400, /^x is not right$/);
    assertError(await server.post(`${await server.model('throw')}/log_prob`, [0]), 500, /internal error/);
  });

  test('requests that are not HTTP', async () => {
    const { port, hostname } = new URL(server.address);
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      let received = '';
      socket.on('data', (bytes) => {
        received += bytes;
      });
      socket.on('close', () => resolve(received));
    });
    assert.match(text, /^HTTP\/1\.1 400 Bad Request/);
    assert.match(text, /\{"code":400,"status":"Bad Request"/);
  });
});

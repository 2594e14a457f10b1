/** contract.md: errors and safety, over real sockets. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { ofOneProcess } from '../../support/cluster.js';
import { type Answer, TestServer } from '../harness.js';
import { ENDLESS, NORMAL, NUTS } from './programs.js';

/** Sends bytes unchanged and returns the response until the server closes the connection. */
function raw(address: string, bytes: string): Promise<string> {
  const { port, hostname } = new URL(address);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (data) => {
      received += data;
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
}

function assertError(answer: Answer, code: number): void {
  assert.equal(answer.status, code, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(answer.json.code, code);
  assert.equal(typeof answer.json.status, 'string');
  assert.ok(answer.json.message.length > 10);
  assert.ok(answer.json.details === undefined || Array.isArray(answer.json.details));
  assert.doesNotMatch(answer.text, /\bat .*\.(js|ts):\d+/);
}

describe('errors and safety', () => {
  let server: TestServer;
  let normal: string;
  let endless: string;
  before(async () => {
    server = await TestServer.start({ workerMemory: 256, requestTimeout: 2000 });
    [normal, endless] = await Promise.all([server.model(NORMAL), server.model(ENDLESS)]);
  });
  after(() => server.remove());

  test('Every error body, for every route, unknown routes included: {"code", "status", "reason", "message", "details"?}. Never a stack trace.', async () => {
    const { paths } = (await server.get('/v1/openapi.json')).json;
    for (const path of Object.keys(paths)) {
      const concrete = path.replace(/\{\w+\}/g, 'nothing');
      assertError(await server.request('PUT', concrete, {}), 405);
      if (path.includes('{')) {
        for (const method of Object.keys(paths[path])) {
          const answer = await server.request(method.toUpperCase(), concrete, method === 'post' ? [] : undefined);
          assert.ok([400, 404].includes(answer.status), answer.text);
          assertError(answer, answer.status);
        }
      }
    }
    assertError(await server.get('/v1/nothing'), 404);
    assertError(await server.get('/%'), 400);
    const connected = await raw(server.address, 'CONNECT example.org:80 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    assert.match(
      connected,
      /^HTTP\/1\.1 404 Not Found\r\n[\s\S]*\{"code":404,"status":"Not Found","reason":"unknown_route","message":"/,
    );
    const head = 'GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
    assert.match(await raw(server.address, `${head}Expect: the impossible\r\n\r\n`), /^HTTP\/1\.1 200 /);
  });

  test('A message states what was wrong, where (Stan source line and column, or JSON field), and what would be right.', async () => {
    const program = await server.post('/v1/models', { program_code: 'parameters { rael x; }' });
    assert.match(program.json.message, /line 1, column 13/);
    const field = await server.post(`${normal}/fits`, { function: NUTS, num_samples: 'many' });
    assert.match(field.json.message, /\/num_samples must be an integer/);
    const name = await server.post(`${normal}/fits`, { function: 'nuts' });
    assert.match(name.json.message, /\/function must be one of .*hmc_nuts_diag_e_adapt/);
  });

  test('an endless while (1) in any endpoint ends in a clear error.', async () => {
    const answers = await Promise.all([
      server.post(`${endless}/log_prob`, [0]),
      server.post(`${endless}/log_prob_grad`, [0]),
      server.model('transformed data { while (1) { } }').then((model) => server.post(`${model}/params`, {})),
      server
        .model('parameters { real x; } generated quantities { real s = 0; while (1) { s += x; } }')
        .then((model) => server.post(`${model}/write_array`, [0])),
    ]);
    for (const answer of answers) {
      assertError(answer, 503);
      assert.match(answer.json.message, /took longer than 2 s \(--request-timeout\)/);
    }
  });

  test("Model programs come from strangers: evaluating one never runs on the server's own event loop, and cannot take the server or another operation down.", async () => {
    const evaluations = Array.from({ length: 4 }, () => server.post(`${endless}/log_prob_grad`, [0]));
    let ended = 0;
    for (const evaluation of evaluations) evaluation.then(() => ended++);
    assert.equal((await server.get('/v1/health')).status, 200);
    assert.ok(ended < evaluations.length, 'health was answered only after the endless evaluations');
    const started = await server.post(`${endless}/fits`, { function: NUTS });
    const other = await server.post(`${normal}/fits`, { function: NUTS, num_samples: 50, num_warmup: 50 });
    for (let k = 0; k < 20; k++) assert.equal((await server.get('/v1/health')).status, 200);
    assert.equal((await server.finished(other.json.name)).json.result.name, other.json.metadata.fit.name);
    for (const answer of await Promise.all(evaluations)) assertError(answer, 503);
    assert.equal((await server.get(`/v1/${started.json.name}`)).json.done, false);
    await server.delete(`/v1/${started.json.name}`);
  });

  test('an endless while (1) in data that transform_inits needs, and in every chain of a fit, ends in a clear error.', async (context) => {
    const hasty = await TestServer.start({ workerMemory: 256, requestTimeout: 1000, operationTimeout: 1000 });
    context.after(() => hasty.remove());
    const model = await hasty.model('transformed data { while (1) { } } parameters { real x; }');
    const body = { constrained_parameters: { x: 0 } };
    const answer = await hasty.post(`${model}/transform_inits`, body);
    assertError(answer, 503);
    assert.match(answer.json.message, /took longer than 1 s \(--request-timeout\)/);
    const started = await hasty.post(`${model}/fits`, { function: NUTS, num_chains: 2 });
    const { result } = (await hasty.finished(started.json.name)).json;
    assert.match(result.message, /1 s \(--operation-timeout\)/);
  });

  test('queued requests do not wait behind endless ones of another model.', async () => {
    let ended = 0;
    const endlessOnes = Array.from({ length: 30 }, async () => {
      const answer = await server.post(`${endless}/log_prob`, [0]);
      ended++;
      return answer;
    });
    assert.equal((await server.post(`${normal}/log_prob`, [0])).status, 200);
    assert.ok(ended < 30);
    for (const answer of await Promise.all(endlessOnes)) assertError(answer, 503);
  });

  test('a worker has a memory cap (--worker-memory), and cannot take the server or another operation down.', async () => {
    const eager =
      await server.model(`functions { real eat(int n, real x) { vector[n] v = rep_vector(x, n); return sum(v) + eat(2 * n, x); } }
      parameters { real x; } model { target += eat(1000, x); }`);
    const started = await server.post(`${eager}/fits`, { function: NUTS });
    const other = await server.post(`${normal}/fits`, { function: NUTS, num_samples: 100 });
    const failed = await server.finished(started.json.name);
    assert.match(failed.json.result.message, /memory/);
    assert.equal((await server.finished(other.json.name)).json.result.name, other.json.metadata.fit.name);
    assert.equal((await server.get('/v1/health')).status, 200);
  });

  test('Bodies have a size cap.', { skip: ofOneProcess.connection }, async () => {
    assertError(await server.post('/v1/models', `{"program_code": "${'x'.repeat(1 << 20)}"}`), 413);
    const head =
      'POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n';
    assert.match(await raw(server.address, `${head}Content-Length: 99999999999\r\n\r\n`), /^HTTP\/1\.1 413 /);
  });

  test('bad UTF-8, deep nesting, __proto__ keys and traversal in ids are refused.', async () => {
    const latin =
      'POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 22\r\n\r\n';
    assert.match(await raw(server.address, `${latin}{"program_code": "\u0080\u0080"}`.slice(0, -2)), /^HTTP\/1\.1 4/);
    assertError(await server.post(`${normal}/params`, `{"data": ${'['.repeat(5000)}${']'.repeat(5000)}}`), 400);
    assertError(await server.post(`${normal}/params`, '{"data": {"__proto__": 1}}'), 400);
    for (const id of ['..%2f..%2fetc%2fpasswd', '%2e%2e', '..%5c', 'a%00b', '%c0%ae']) {
      const answer = await server.delete(`/v1/models/${id}`);
      assert.ok([400, 404].includes(answer.status), `${id} ${answer.text}`);
    }
  });

  test('401: missing or wrong token, compared in constant time; health needs none.', async (context) => {
    const locked = await TestServer.start({ token: 'secret', workerMemory: 256 });
    context.after(() => locked.remove());
    assertError(await locked.get('/v1/models'), 401);
    for (const token of ['wrong', 'secre', 'secrets', '']) {
      assertError(await locked.get('/v1/models', { authorization: `Bearer ${token}` }), 401);
    }
    assertError(await locked.get('/metrics'), 401);
    for (const authorization of ['Bearer secret', 'bearer secret', 'BEARER  secret']) {
      assert.equal((await locked.get('/v1/models', { authorization })).status, 200);
    }
    assert.equal((await locked.get('/v1/health')).status, 200);
    assert.equal((await locked.get('/v1/ready')).status, 200);
  });

  test('a Host header of another name is refused: DNS rebinding.', async () => {
    const ask = (host: string) =>
      raw(server.address, `GET /v1/models HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const host of ['attacker.example', 'localhost.attacker.example', '127.0.0.1.nip.io:8080', 'evil', '', 'a b']) {
      assert.match(await ask(host), /^HTTP\/1\.1 40[03] [\s\S]*"code":40[03]/, host);
    }
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '[::1]:8080', 'app.localhost']) {
      assert.match(await ask(host), /^HTTP\/1\.1 200 /, host);
    }
    assert.match(await raw(server.address, 'GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 400 /);
    const named = await TestServer.start({ allowedHosts: ['stan.example'], workerMemory: 256 });
    const text = await raw(
      named.address,
      'GET /v1/health HTTP/1.1\r\nHost: Stan.example:80\r\nConnection: close\r\n\r\n',
    );
    await named.remove();
    assert.match(text, /^HTTP\/1\.1 200 /);
  });

  test('CORS is off unless --cors-origin allows an origin.', async (context) => {
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
    const refused = await server.request('OPTIONS', '/v1/models', undefined, headers);
    assert.ok(refused.status >= 400);
    assert.equal(refused.headers.get('access-control-allow-origin'), null);
    assert.equal((await server.get('/v1/health', headers)).headers.get('access-control-allow-origin'), null);
    const open = await TestServer.start({ corsOrigins: ['https://page.example'], token: 'secret', workerMemory: 256 });
    context.after(() => open.remove());
    const allowed = await open.request('OPTIONS', '/v1/models', undefined, headers);
    assert.equal(allowed.status, 204);
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://page.example');
    assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /Authorization/);
    const other = await open.get('/v1/health', { origin: 'https://other.example' });
    assert.equal(other.headers.get('access-control-allow-origin'), null);
  });

  test('a client that sends slowly is cut off (--receive-timeout).', async (context) => {
    const hasty = await TestServer.start({ receiveTimeout: 500, workerMemory: 256 });
    context.after(() => hasty.remove());
    assert.match(await raw(hasty.address, 'GET /v1/health HT'), /^HTTP\/1\.1 408 /);
    const body =
      'POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"pro';
    assert.match(await raw(hasty.address, body), /^(HTTP\/1\.1 408 .*)?/);
  });
});

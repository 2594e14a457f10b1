/**
 * Malicious programs and requests. The server, in its own process, must answer each with a status below 600 and a JSON body, answer `health` in time
 * throughout, and run a normal fit after each group.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../support/client.js';
import { type Serving, serve } from '../support/serving.js';

const NUTS = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const NORMAL = 'parameters { real x; } model { x ~ normal(0, 1); }';
/**
 * Maximum duration of `health` requests in milliseconds: elapsed time for 95 % of them, and processor time of the server's event loop for
 * all of them (on Linux), because elapsed time includes other processes on the machine.
 */
const HEALTH_LIMIT = 250;
/** Frequency of the clock in which Linux counts processor time. */
const MILLISECONDS_PER_TICK = 10;

const many = (count: number, text: string): string => text.repeat(count);
const inModel = (text: string): string => `parameters { real x; } model { x ~ normal(0, 1); ${text} }`;
const inData = (text: string): string =>
  `transformed data { ${text} } parameters { real x; } model { x ~ normal(0, 1); }`;

const texts: readonly string[] = [
  '',
  ' ',
  '\0',
  '\ufeff',
  '\ud800',
  '💣',
  '/*',
  '//',
  '"',
  "'",
  '{',
  '}',
  many(50_000, '{'),
  many(50_000, '('),
  many(50_000, '/*'),
  many(100_000, ';'),
  many(100_000, 'a'),
  many(20_000, '1+'),
  'parameters {',
  'model { ',
  'model { } model { }',
  '#include <stdio.h>',
  '#include /etc/passwd',
  '#include ../../../../etc/passwd',
  `model { ${many(10_000, '{ ')}`,
  inModel(`target += ${many(5_000, '(')}x${many(5_000, ')')};`),
  inModel(`target += ${many(5_000, '-')}x;`),
  inModel(`target += ${many(20_000, 'x + ')}x;`),
  inModel(`target += ${many(2_000, 'x ? 1 : ')}x;`),
  inModel(`target += ${many(3_000, 'exp(')}x${many(3_000, ')')};`),
  inModel(`${many(2_000, '{')}${many(2_000, '}')}`),
  inModel(`${many(1_000, 'if (x > 0) ')} ;`),
  inModel(`real ${many(100_000, 'y')} = 1;`),
  inModel(`target += 1e${many(1_000, '9')};`),
  inModel(`target += ${many(10_000, '9')};`),
  inModel('target += 99999999999999999999;'),
  inModel(`print("${many(100_000, 'x')}");`),
  inModel('real __proto__ = 1;'),
  inModel('real constructor = 1; target += constructor;'),
  inModel('real toString = x; target += toString;'),
  inModel('target += hasOwnProperty(x);'),
  `parameters { array[${many(100, '1, ')}1] real x; }`,
  `functions { ${many(2_000, 'real f(real x) { return x; } ')} }`,
  `functions { ${Array.from({ length: 500 }, (_, k) => `real f${k}(real x) { return ${k === 0 ? 'x' : `f${k - 1}(x) + f${k - 1}(x)`}; }`).join(' ')} } ${inModel('target += f499(x);')}`,
  `parameters { ${Array.from({ length: 2_000 }, (_, k) => `real p${k};`).join(' ')} }`,
  `data { ${Array.from({ length: 2_000 }, (_, k) => `int d${k};`).join(' ')} }`,
  `parameters { real<lower=${many(1_000, '(')}1${many(1_000, ')')}> x; }`,
  `parameters { ${many(200, 'tuple(')}real${many(200, ', real)')} x; }`,
];

const endless: readonly string[] = [
  inData('while (1) { }'),
  inModel('while (1) { }'),
  inModel('real s = 0; for (i in 1:2147483647) for (j in 1:2147483647) s += x; target += s;'),
  inData('for (i in 1:2147483647) { while (i > 0) { } }'),
  `functions { real f(real x) { return f(x) + 1; } } ${inModel('target += f(x);')}`,
  `functions { real f(real x) { return x > 1e300 ? x : f(x + 1); } } ${inModel('target += f(x);')}`,
  `${NORMAL} generated quantities { real s = 0; while (1) { s += x; } }`,
  `parameters { real x; } transformed parameters { real s = 0; while (1) { s += x; } } model { }`,
  inModel('while (1) { print("again"); }'),
  inData('while (1) { print("again"); }'),
];

const eager: readonly string[] = [
  inData('vector[2000000000] v;'),
  inData('matrix[100000, 100000] m;'),
  inData('array[2000000000] int i;'),
  inData('array[65536, 65536] real r;'),
  inData('vector[-1] v;'),
  inData('matrix[50000, 50000] m = rep_matrix(0, 50000, 50000);'),
  inData('int n = 1; while (n > 0) { vector[n] v = rep_vector(1, n); n *= 2; }'),
  inData('matrix[3000, 3000] m = inverse(rep_matrix(1, 3000, 3000));'),
  inData('array[1000000, 100] real r = rep_array(1.0, 1000000, 100); print(r);'),
  `functions { real eat(int n, real x) { vector[n] v = rep_vector(x, n); return sum(v) + eat(2 * n, x); } } ${inModel('target += eat(1000, x);')}`,
  'parameters { vector[500000000] x; }',
  'parameters { cholesky_factor_corr[20000] L; }',
];

const bodies: readonly [path: string, body: string][] = [
  ['log_prob', '['],
  ['log_prob', 'NaN'],
  ['log_prob', '[1e999999]'],
  ['log_prob', `[${many(100_000, '0,')}0]`],
  ['log_prob', many(100_000, '[')],
  ['log_prob', '{"unconstrained_parameters": {"length": 1}}'],
  ['log_prob', '{"unconstrained_parameters": [0], "data": {"x": {"y": {"z": 1}}}}'],
  ['log_prob', '{"unconstrained_parameters": [0], "unconstrained_parameters": [1]}'],
  ['log_prob_grad', '{"__proto__": {"unconstrained_parameters": [0]}}'],
  ['log_prob_grad', '{"constructor": {"prototype": {}}}'],
  ['log_prob_grad', '"\\ud800"'],
  ['log_prob_grad', 'null'],
  ['log_prob_grad', '\u0000'],
  ['write_array', '{"unconstrained_parameters": [0], "random_seed": -1}'],
  ['write_array', '{"unconstrained_parameters": [0], "random_seed": 1e99}'],
  ['write_array', '{"unconstrained_parameters": [0], "include_gqs": "false"}'],
  ['transform_inits', '{"constrained_parameters": []}'],
  ['transform_inits', '{"constrained_parameters": {"x": [[[]]]}}'],
  ['transform_inits', `{"constrained_parameters": {"x": "${many(100_000, '9')}"}}`],
  ['transform_inits', '{"constrained_parameters": {"x": "../../etc/passwd"}}'],
  ['params', '{"data": {"": 1}}'],
  ['params', `{"data": {${Array.from({ length: 10_000 }, (_, k) => `"v${k}": 1`).join(',')}}}`],
  ['params', `{"data": {"x": [${many(3_000_000, '1.5,')}1]}}`],
  ['log_prob_grad', `[${many(5_000_000, '0,')}0]`],
  ['log_prob_grad', `{${Array.from({ length: 300_000 }, (_, k) => `"v${k}": 1`).join(',')}}`],
  ['log_prob_grad', `{"unconstrained_parameters": [${many(1_000_000, '"NaN",')}"NaN"]}`],
  ['log_prob', many(10_000_000, '[')],
  ['fits', `{"function": "${NUTS}", "inv_metric": [${many(2_000_000, '1,')}1]}`],
  ['fits', `{"function": "${NUTS}", "data": {"x": [${many(3_000_000, '1.5,')}1]}}`],
  ['params', '{"data": "models/../../x"}'],
  ['fits', '{"function": "stan::services::../../x"}'],
  ['fits', '{"function": "__proto__"}'],
  ['fits', `{"function": "${NUTS}", "num_chains": 1000000}`],
  ['fits', `{"function": "${NUTS}", "num_samples": 1e300}`],
  ['fits', `{"function": "${NUTS}", "num_samples": -1}`],
  ['fits', `{"function": "${NUTS}", "init": "models/../../etc/fits/passwd"}`],
  ['fits', `{"function": "${NUTS}", "save": ["__proto__"]}`],
  ['fits', `{"function": "${NUTS}", "inv_metric": [${many(10_000, '1,')}1]}`],
  ['fits', `{"function": "${NUTS}", "chain": 99999999999}`],
  ['fits', `{"function": "${NUTS}", "random_seed": 1.5}`],
  ['../../compare', '{"fits": []}'],
  ['../../compare', '{"fits": {"0": {"name": "models/a/fits/b"}}}'],
  ['../../compare', '{"fits": [null, [], "models/a/fits/b", {"__proto__": {"name": "x"}}]}'],
  ['../../compare', '{"fits": [{"name": "models/../../etc/fits/passwd"}, {"name": "models/__proto__/fits/x"}]}'],
  ['../../compare', `{"fits": [${many(300_000, '1,')}1]}`],
  ['../../compare', `{"fits": [${many(100_000, '{"name": "models/a/fits/b"},')}{}]}`],
  ['../../compare', `{"fits": [{"data": {"x": [${many(3_000_000, '1.5,')}1]}}, {"data": [${many(100_000, '[')}]}`],
  ['../../compare', `{"fits": ${many(10_000_000, '[')}`],
  ['../../../v1/health', '{}'],
  ['fits/..%2f..%2fmodel.json', '{}'],
];

const sockets: readonly string[] = [
  '\r\n\r\n',
  'GET\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01',
  'GET / HTTP/9.9\r\n\r\n',
  `GET /${many(100_000, 'a')} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: localhost\r\n${many(5_000, 'X-A: b\r\n')}\r\n`,
  'POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
  'POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n',
  'GET /v1/models/%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'GET http://elsewhere.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /v1/health HTTP/1.1\r\nHost: localhost\r\nHost: attacker.example\r\nConnection: close\r\n\r\n',
];

/** Milliseconds of processor time of a process's first thread on Linux; otherwise 0. */
async function loopTime(processId: number): Promise<number> {
  const text = await readFile(`/proc/${processId}/task/${processId}/stat`, 'utf8').catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  return MILLISECONDS_PER_TICK * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}

describe('hostile programs and requests', () => {
  let server: Serving;
  let client: Client;
  let normal: string;
  before(async () => {
    server = await serve({
      LEAPFROG_REQUEST_TIMEOUT: '1',
      LEAPFROG_WORKER_MEMORY: '256',
      LEAPFROG_OPERATION_TIMEOUT: '10',
    });
    client = new Client(server.address);
    normal = await client.compile(NORMAL);
    await client.fit(normal, { function: NUTS });
  });
  after(() => server.stop());

  async function post(path: string, body: string): Promise<{ status: number; json: { name?: string } }> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.address}/v1/${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    assert.ok(
      [200, 201, 400, 404, 405, 413, 503].includes(response.status),
      `${response.status} ${text.slice(0, 500)}`,
    );
    assert.doesNotMatch(text, /\bat .*\.(js|ts):\d+/);
    return { status: response.status, json: JSON.parse(text) };
  }

  /** Sends all requests, four at a time, while `health` is monitored; then runs a normal fit. */
  async function survive<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
    let isOver = false;
    const loopTimes: number[] = [];
    const watching = (async () => {
      while (!isOver) {
        const used = await loopTime(server.processId);
        assert.equal((await fetch(`${server.address}/v1/health`)).status, 200);
        loopTimes.push((await loopTime(server.processId)) - used);
        await pause(25);
      }
    })();
    const left = [...items];
    const worker = async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    isOver = true;
    await watching;
    const most = Math.max(...loopTimes);
    assert.ok(most < HEALTH_LIMIT, `health had to wait for ${most} ms of work on the event loop`);
    const fit = await client.fit(normal, { function: NUTS, num_samples: 10, num_warmup: 10 });
    assert.equal(fit.match(/"topic":"sample","values":\{/g)?.length, 10);
  }

  test(`${texts.length} texts that hardly resemble programs`, () =>
    survive(texts, (program_code) => post('models', JSON.stringify({ program_code }))));

  for (const [kind, programs] of Object.entries({ 'never end': endless, 'want all memory': eager })) {
    test(`${programs.length} programs that ${kind}`, () =>
      survive(programs, async (program_code) => {
        const { json, status } = await post('models', JSON.stringify({ program_code }));
        if (status !== 201) return;
        await post(`${json.name}/log_prob_grad`, '[0]');
        const started = await post(`${json.name}/fits`, `{"function": "${NUTS}", "num_samples": 2, "num_warmup": 0}`);
        if (started.json.name === undefined) return;
        await fetch(`${server.address}/v1/${started.json.name}`, { method: 'DELETE' });
      }));
  }

  test(`${bodies.length} bodies`, () => survive(bodies, ([path, body]) => post(`${normal}/${path}`, body)));

  test(`${sockets.length} requests that hardly resemble HTTP`, () =>
    survive(sockets, async (bytes) => {
      const { port, hostname } = new URL(server.address);
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
        socket.setTimeout(1000, () => socket.destroy());
        socket.on('data', () => undefined).on('error', () => undefined);
        socket.on('close', () => resolve());
      });
    }));
});

/** One client that fills queues and threads does not keep others from being served. */
import assert from 'node:assert/strict';
import { request as openRequest } from 'node:http';
import { availableParallelism } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { networkOf } from '../../src/service/http/clients.js';
import { ofOneProcess } from '../support/cluster.js';
import { fakeEngine, TestServer } from './harness.js';

const NUTS = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const MOST_WAITING = 6;
const GREEDY = '127.0.0.1';
const OTHER = '127.0.0.2';

interface Sent {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check what the server answers
  readonly json: any;
}

const isLinux = process.platform === 'linux';

describe('clients with different addresses', { skip: ofOneProcess.folder || !isLinux }, () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({
      engine: fakeEngine,
      workers: 1,
      maxQueue: MOST_WAITING,
      requestTimeout: 3_600_000,
    });
  });
  after(() => server.remove());

  function post(from: string, path: string, body: object): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        localAddress: from,
        agent: false,
      };
      const sent = openRequest(`${server.address}${path}`, options, async (response) => {
        let text = '';
        for await (const bytes of response) text += bytes;
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) });
      });
      sent.on('error', reject).end(JSON.stringify(body));
    });
  }

  const state = async (name: string): Promise<string> => (await server.get(`/v1/${name}`)).json.metadata.state;

  it('share the queue of operations, and get workers in turn', async () => {
    const model = await server.model('endless');
    const fit = (from: string) => post(from, `${model}/fits`, { function: NUTS });
    const first = await fit(GREEDY);
    assert.equal(first.status, 201);
    for (let attempt = 0; (await state(first.json.name)) !== 'running'; attempt++) {
      assert.ok(attempt < 1000, 'the first operation does not run');
      await pause(20);
    }
    const waiting: string[] = [];
    let refused: Sent | undefined;
    while (refused === undefined) {
      const answer = await fit(GREEDY);
      if (answer.status === 201) waiting.push(answer.json.name);
      else refused = answer;
    }
    assert.deepEqual([refused.status, refused.json.reason], [429, 'queue_full']);
    assert.equal(waiting.length, MOST_WAITING);
    const newcomer = await fit(OTHER);
    assert.equal(newcomer.status, 201, JSON.stringify(newcomer.json));
    assert.equal((await fit(GREEDY)).status, 429);
    // An accepted operation enters the queue a moment later, so some of the greedy client's may start before it.
    const unfinished = new Set([first.json.name, ...waiting]);
    for (let attempt = 0; (await state(newcomer.json.name)) !== 'running'; attempt++) {
      assert.ok(attempt < 2000, 'no operation is started');
      for (const name of unfinished) {
        if ((await state(name)) !== 'running') continue;
        await server.delete(`/v1/${name}`);
        unfinished.delete(name);
        break;
      }
      await pause(20);
    }
    assert.ok(unfinished.size > 0, 'the operation of the other client was started last');
    for (const name of [newcomer.json.name, ...unfinished]) await server.delete(`/v1/${name}`);
  });

  it('do not wait for the compilations of each other', async () => {
    let answered = 0;
    const share = Math.max(4, availableParallelism());
    const slow = Array.from({ length: 5 * share }, (_, k) =>
      post(GREEDY, '/v1/models', { program_code: `endless-compile ${k}` }).then(
        () => answered++,
        () => undefined,
      ),
    );
    const waits = async () =>
      Number(/leapfrog_jobs_waiting\{pool="requests"\} (\d+)/.exec((await server.get('/metrics')).text)?.[1]);
    for (let attempt = 0; (await waits()) !== 4 * share; attempt++) {
      assert.ok(attempt < 1000, 'the compilations do not occupy their threads');
      await pause(20);
    }
    const late = pause(20_000, undefined, { ref: false }).then(() =>
      assert.fail('the other compilation has not ended'),
    );
    const { status } = await Promise.race([post(OTHER, '/v1/models', { program_code: 'normal' }), late]);
    assert.deepEqual([status, answered], [201, 0]);
    await server.remove();
    await Promise.all(slow);
  });
});

it('an IPv6 network is one client', () => {
  assert.equal(networkOf('127.0.0.1'), '127.0.0.1');
  assert.equal(networkOf('::ffff:10.0.0.1'), '10.0.0.1');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('2001:DB8::1:2'), '2001:db8:0:0::/64');
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(networkOf('1:2:3:4:5:6:7:8'), '1:2:3:4::/64');
});

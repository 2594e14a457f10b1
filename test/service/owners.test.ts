/** Named tokens: fits and operations belong to the token that created them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { NamedToken } from '../../src/service/store/owners.js';
import { ofOneProcess } from '../support/cluster.js';
import { type Answer, fakeEngine, TestServer } from './harness.js';

const NUTS = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const QUANTITIES = 'stan::services::standalone_generate';
const LAPLACE = 'stan::services::laplace_sample';
const TOKENS: readonly NamedToken[] = [
  { name: 'ann', token: 'secret-of-ann' },
  { name: 'bob', token: 'secret-of-bob', maxQueue: 2 },
];
const SEEDED = { function: NUTS, random_seed: 1, num_samples: 5, num_warmup: 5 };

type Name = 'ann' | 'bob';

describe('a server with named tokens', () => {
  let server: TestServer;
  let model: string;
  let operation: string;
  let fit: string;
  let endless: string;
  /** An operation of Ann that does not end. */
  let running: string;

  const start = (store?: string) =>
    TestServer.start({ engine: fakeEngine, workers: 1, tokens: TOKENS, ...(store !== undefined && { store }) });
  const as = (name: Name, method: string, path: string, body?: unknown): Promise<Answer> =>
    server.request(method, path, body, { authorization: `Bearer secret-of-${name}` });
  const done = async (name: Name, request: Promise<Answer>): Promise<Answer> => {
    const { json, status, text } = await request;
    assert.equal(status, 201, text);
    return until(name, json.name, (answer) => answer.json.done === true, 'done');
  };
  const until = async (name: Name, of: string, isSo: (answer: Answer) => boolean, what: string): Promise<Answer> => {
    for (let attempt = 0; attempt < 1500; attempt++) {
      const answer = await as(name, 'GET', `/v1/${of}`);
      if (isSo(answer)) return answer;
      await pause(20);
    }
    return assert.fail(`${of} is not ${what}`);
  };
  const namesIn = async (name: Name, path: string, member: string): Promise<string[]> =>
    (await as(name, 'GET', path)).json[member].map((each: { name: string }) => each.name);
  const startEndless = async () => {
    running = (await as('ann', 'POST', `/v1/${endless}/fits`, { function: NUTS })).json.name;
    await until('ann', running, ({ json }) => json.metadata.state === 'running', 'running');
  };
  /** Asserts that everything of Ann exists for Ann. */
  const assertIntact = async () => {
    assert.equal((await as('ann', 'GET', `/v1/${fit}`)).status, 200);
    assert.equal((await as('ann', 'GET', `/v1/${operation}`)).json.done, true);
    assert.equal((await as('ann', 'GET', `/v1/${running}`)).json.done, false);
  };

  before(async () => {
    server = await start();
    model = (await as('ann', 'POST', '/v1/models', { program_code: 'normal' })).json.name;
    endless = (await as('ann', 'POST', '/v1/models', { program_code: 'endless' })).json.name;
    const made = await done('ann', as('ann', 'POST', `/v1/${model}/fits`, SEEDED));
    operation = made.json.name;
    fit = made.json.result.name;
    await startEndless();
  });
  after(() => server.remove());

  it('requires one of the tokens, except for health; metrics are those of the server', async () => {
    for (const token of ['', 'secret', 'secret-of-ann ', 'secret-of-annsecret-of-bob', 'ann']) {
      const answer = await server.get('/v1/models', { authorization: `Bearer ${token}x` });
      assert.deepEqual([answer.status, answer.json.reason], [401, 'unauthorized']);
    }
    for (const path of ['/v1/models', '/v1/operations', '/metrics', '/v1/cache', `/v1/${fit}`, `/v1/${operation}`])
      assert.equal((await server.get(path)).status, 401);
    for (const path of ['/v1/health', '/v1/ready']) assert.equal((await server.get(path)).status, 200);
    assert.match((await as('bob', 'GET', '/metrics')).text, /leapfrog_operations\{state="running"\} \d/);
  });

  it('shares models, but makes the same request of another token again', async () => {
    const compiled = await as('bob', 'POST', '/v1/models', { program_code: 'normal' });
    assert.equal(compiled.json.name, model);
    await as('ann', 'DELETE', `/v1/${running}`);
    const made = await done('bob', as('bob', 'POST', `/v1/${model}/fits`, SEEDED));
    assert.notEqual(made.json.name, operation);
    const [own, other] = [await as('bob', 'GET', `/v1/${made.json.result.name}`), await as('ann', 'GET', `/v1/${fit}`)];
    assert.deepEqual(drawsIn(own), drawsIn(other));
    const again = await as('bob', 'POST', `/v1/${model}/fits`, SEEDED);
    assert.equal(again.json.name, made.json.name);
    await startEndless();
  });

  it('responds to every request for a fit or operation of another token that it does not exist', async () => {
    const { paths } = (await as('bob', 'GET', '/v1/openapi.json')).json;
    let count = 0;
    for (const [path, methods] of Object.entries<Record<string, unknown>>(paths)) {
      const isFit = path.includes('{fit_id}');
      if (!isFit && !path.includes('{operation_id}')) continue;
      const [, unfinishedFit] = running.split('/');
      for (const [own, made] of [
        [model, isFit ? fit : operation],
        [endless, isFit ? `${endless}/fits/${unfinishedFit}` : running],
      ]) {
        const target = path
          .replace('/v1/models/{model_id}', `/v1/${own}`)
          .replace(/\{(fit|operation)_id\}/, made.split('/').at(-1) ?? '');
        for (const method of Object.keys(methods)) {
          const body = method === 'post' ? { data: {} } : undefined;
          const answer = await as('bob', method.toUpperCase(), target, body);
          const reason = isFit ? 'fit_not_found' : 'operation_not_found';
          assert.deepEqual([answer.status, answer.json.reason], [404, reason], `${method} ${target}`);
          count++;
        }
      }
    }
    assert.ok(count >= 24, `${count} requests`);
    for (const query of ['follow=true', 'format=csv', 'follow=true&format=none'])
      assert.equal((await as('bob', 'GET', `/v1/${fit}?${query}`)).status, query.includes('none') ? 400 : 404);
    assert.equal((await as('bob', 'GET', `/v1/${running}/events?draws=true`)).status, 404);
    await assertIntact();
  });

  it('lists only what belongs to the token', async () => {
    const of = async (name: Name) => [
      await namesIn(name, `/v1/${model}/fits`, 'fits'),
      await namesIn(name, '/v1/operations', 'operations'),
    ];
    const [[annsFits, anns], [bobsFits, bobs]] = [await of('ann'), await of('bob')];
    assert.deepEqual(annsFits, [fit]);
    assert.equal(bobsFits.length, 1);
    assert.equal(bobs.length, 1);
    for (const name of [operation, running]) assert.ok(anns.includes(name) && !bobs.includes(name));
    for (const name of bobsFits) assert.ok(!annsFits.includes(name));
    for (const path of [`/v1/${model}/fits`, '/v1/operations']) {
      const page = (await as('bob', 'GET', `${path}?page_size=1`)).json;
      assert.equal(page.next_page_token, undefined);
    }
    assert.deepEqual(await namesIn('bob', `/v1/${endless}/fits`, 'fits'), []);
  });

  it('accepts no fit of another token as an input or in a comparison', async () => {
    const missing = `${fit.slice(0, -4)}aaaa`;
    const fits = [fit, `${endless}/fits/${running.split('/')[1]}`, missing];
    for (const [algorithm, field] of [
      [NUTS, 'continue'],
      [NUTS, 'warm_start'],
      [NUTS, 'init'],
      [LAPLACE, 'mode'],
      [QUANTITIES, 'fitted_params'],
    ]) {
      for (const name of fits) {
        const answer = await as('bob', 'POST', `/v1/${model}/fits`, { function: algorithm, [field]: name });
        const { details, reason } = answer.json;
        assert.equal(reason, 'invalid_request', `${field} ${answer.text}`);
        if (field === 'init') continue;
        assert.deepEqual(details, [{ field: `/${field}`, message: `names the fit ${name}, which does not exist` }]);
      }
    }
    // A thread parses large bodies.
    const large = { z: Array.from({ length: 200_000 }, () => 1) };
    const big = await as('bob', 'POST', `/v1/${model}/fits`, { function: NUTS, warm_start: fit, data: large });
    assert.match(big.text, /"\/warm_start".*which does not exist/);
    const [own] = await namesIn('bob', `/v1/${model}/fits`, 'fits');
    for (const pair of [
      [own, fit],
      [fit, own],
      [own, missing],
    ]) {
      const answer = await as('bob', 'POST', '/v1/compare', { data: {}, fits: pair.map((name) => ({ name })) });
      assert.deepEqual([answer.status, answer.json.reason], [404, 'fit_not_found'], answer.text);
    }
    assert.equal((await as('ann', 'POST', `/v1/${model}/fits`, { function: NUTS, continue: own })).status, 400);
    for (const path of ['prior', 'kfold'])
      assert.equal((await as('bob', 'POST', `/v1/${model}/${path}`, { warm_start: fit })).status, 400);
  });

  it('deletes only what belongs to the token, with a model or all of the cache', async () => {
    const [own] = await namesIn('bob', `/v1/${model}/fits`, 'fits');
    for (const path of [model, endless]) assert.equal((await as('bob', 'DELETE', `/v1/${path}`)).status, 200);
    await assertIntact();
    assert.equal((await as('bob', 'GET', `/v1/${own}`)).status, 404);
    for (const path of [model, endless]) assert.equal((await as('bob', 'GET', `/v1/${path}`)).status, 200);
    assert.equal((await as('bob', 'DELETE', '/v1/models/none')).status, 404);
    await as('ann', 'DELETE', `/v1/${running}`);
    await done('bob', as('bob', 'POST', `/v1/${model}/fits`, SEEDED));
    await startEndless();
    assert.equal((await as('bob', 'DELETE', '/v1/cache')).status, 200);
    assert.deepEqual(await namesIn('bob', `/v1/${model}/fits`, 'fits'), []);
    await assertIntact();
    assert.equal((await as('bob', 'DELETE', `/v1/${running}`)).status, 404);
    await assertIntact();
  });

  it('limits the waiting operations of a token', { skip: ofOneProcess.folder }, async () => {
    const waiting: string[] = [];
    const request = (name: Name) => as(name, 'POST', `/v1/${endless}/fits`, { function: NUTS });
    for (let index = 0; index < 2; index++) {
      const { json, status, text } = await request('bob');
      assert.equal(status, 201, text);
      waiting.push(json.name);
    }
    const refused = await request('bob');
    assert.deepEqual([refused.status, refused.json.reason], [429, 'queue_full']);
    assert.match(refused.json.message, /2 operations of this token are waiting \(max_queue in --tokens\)/);
    const others = await request('ann');
    assert.equal(others.status, 201);
    await as('ann', 'DELETE', `/v1/${others.json.name}`);
    for (const name of waiting) assert.equal((await as('bob', 'DELETE', `/v1/${name}`)).status, 200);
  });

  it('keeps the draws of a cancelled operation for its owner', async () => {
    await as('ann', 'DELETE', `/v1/${running}`);
    const request = { function: NUTS, num_samples: 500_000, num_warmup: 5, on_cancel: 'keep' };
    const { name } = (await as('ann', 'POST', `/v1/${model}/fits`, request)).json;
    await until('ann', name, ({ json }) => json.metadata.kept?.iterations > 0, 'beyond a block');
    await as('ann', 'DELETE', `/v1/${name}`);
    const ended = (await as('ann', 'GET', `/v1/${name}`)).json;
    const kept = ended.metadata.kept?.name;
    assert.ok(kept !== undefined, JSON.stringify(ended));
    assert.equal((await as('ann', 'GET', `/v1/${kept}/diagnose`)).status, 200);
    assert.equal((await as('bob', 'GET', `/v1/${kept}`)).status, 404);
    assert.ok((await namesIn('ann', `/v1/${model}/fits`, 'fits')).includes(kept));
    await startEndless();
  });

  it('separates tokens after a restart, and without tokens shows everything', {
    skip: ofOneProcess.folder,
  }, async () => {
    await server.stop();
    server = await start(server.store);
    await until('ann', running, ({ json }) => json.metadata.state === 'running', 'running again');
    await assertIntact();
    for (const name of [operation, running, fit]) assert.equal((await as('bob', 'GET', `/v1/${name}`)).status, 404);
    await server.stop();
    server = await TestServer.start({ engine: fakeEngine, workers: 1, store: server.store });
    const { json } = await server.post(`/v1/${model}/fits`, { ...SEEDED, random_seed: 2 });
    for (const name of [operation, running, fit, json.name])
      assert.equal((await server.get(`/v1/${name}`)).status, 200);
  });
});

/** The draws among the messages of a fit, without times. */
function drawsIn({ text }: Answer): string[] {
  return text.split('\n').filter((line) => line.startsWith('{"version":1,"topic":"sample","values":{'));
}

/** http-interface.md and contract.md: fits and operations. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, TestServer } from '../harness.js';
import {
  BERNOULLI,
  BERNOULLI_DATA,
  drawsOf,
  ENDLESS,
  type Message,
  messagesOf,
  NORMAL,
  NUTS,
  SLOW,
} from './programs.js';

/** Whether a message is one of the lines about elapsed times. */
function isElapsedTime(values: Message['values']): boolean {
  return Array.isArray(values) && / seconds \((Warm-up|Sampling|Total)\)$/.test(String(values[0]));
}

describe('fits and operations', () => {
  let server: TestServer;
  let bernoulli: string;
  let normal: string;
  let endless: string;
  before(async () => {
    server = await TestServer.start({ workerMemory: 512, logLevel: 'error' });
    [bernoulli, normal, endless] = await Promise.all([BERNOULLI, NORMAL, ENDLESS].map((each) => server.model(each)));
  });
  after(() => server.remove());

  const start = (model: string, body: object = {}): Promise<Answer> =>
    server.post(`${model}/fits`, { function: NUTS, num_samples: 20, num_warmup: 20, ...body });
  const run = async (model: string, body: object = {}): Promise<{ operation: Answer; text: string }> => {
    const started = await start(model, body);
    assert.equal(started.status, 201, started.text);
    const operation = await server.finished(started.json.name);
    assert.ok(operation.json.result.name, operation.text);
    return { operation, text: (await server.get(`/v1/${operation.json.result.name}`)).text };
  };

  test('201 Created: returns immediately with an Operation (name operations/<operation_id>, done false, metadata.fit.name the fit name).', async () => {
    const { status, json } = await start(endless);
    assert.equal(status, 201);
    assert.match(json.name, /^operations\/[a-z2-7]+$/);
    assert.equal(json.done, false);
    assert.equal(json.metadata.fit.name, `${endless.slice('/v1/'.length)}/fits/${json.name.split('/')[1]}`);
    await server.delete(`/v1/${json.name}`);
    const slow = await server.model('transformed data { while (1) { } } parameters { real x; }');
    for (const save of [undefined, ['x']]) {
      const started = await start(slow, save && { save });
      assert.equal(started.status, 201);
      assert.equal(started.json.done, false);
      await server.delete(`/v1/${started.json.name}`);
    }
  });

  test("It offers over HTTP the functions of the library's command-line interface.", async () => {
    const { functions } = (await server.get('/v1/functions')).json;
    const names: string[] = functions.map(({ name }: { name: string }) => name);
    const methods = ['sample', 'optimize', 'laplace', 'advi', 'pathfinder', 'standalone_generate', 'diagnose'];
    for (const method of methods)
      assert.ok(
        names.some((name) => name.includes(method)),
        `${method}: ${names}`,
      );
    for (const name of names) {
      assert.match(name, /^(stan|leapfrog)::services::/);
      assert.notEqual((await start(normal, { function: name, num_samples: 'x' })).status, 201);
    }
  });

  test('In paths, {model_id}, {fit_id} and {operation_id} are the identifier part only (the text after the last slash in the name).', async () => {
    const { operation } = await run(normal);
    const [, modelId, , fitId] = operation.json.result.name.split('/');
    assert.equal((await server.get(`/v1/models/${modelId}/fits/${fitId}`)).status, 200);
    assert.equal((await server.get(`/v1/operations/${operation.json.name.split('/').at(-1)}`)).status, 200);
    assert.equal((await server.get(`/v1/operations/${operation.json.name}`)).status, 404);
  });

  test('Success codes: 200 OK for everything except creation, 201 Created for POST /v1/models and POST /v1/models/{model_id}/fits.', async () => {
    const { paths } = (await server.get('/v1/openapi.json')).json;
    const startingFits = ['prior', 'sbc', 'kfold'].map((name) => `/v1/models/{model_id}/${name}`);
    const creating = ['/v1/models', '/v1/models/{model_id}/fits', ...startingFits];
    for (const [path, methods] of Object.entries<Record<string, { responses: object }>>(paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const creates = method === 'post' && creating.includes(path);
        // 204 has no body, and 206 is 200 for a part.
        const success = Object.keys(responses).filter((code) => /^2(?!04|06)/.test(code));
        assert.deepEqual(success, [creates ? '201' : '200'], `${method} ${path}`);
      }
    }
  });

  test('Only function is required. The one default stated for this service is num_samples = 1000.', async () => {
    const started = await server.post(`${normal}/fits`, { function: NUTS });
    const operation = await server.finished(started.json.name);
    const fit = (await server.get(`/v1/${operation.json.result.name}`)).text;
    assert.equal(drawsOf(fit).length, 1000);
  });

  test('Parameters that are not supplied receive the defaults of the command-line interface of the engine.', async () => {
    const { functions } = (await server.get('/v1/functions')).json;
    const { arguments: fields } = functions.find(({ name }: { name: string }) => name === NUTS);
    const defaults = Object.fromEntries(
      fields.map((each: { name: string; default: unknown }) => [each.name, each.default]),
    );
    const expected = {
      num_warmup: 1000,
      num_thin: 1,
      save_warmup: false,
      delta: 0.8,
      gamma: 0.05,
      kappa: 0.75,
      t0: 10,
    };
    const more = {
      init_buffer: 75,
      term_buffer: 50,
      window: 25,
      max_depth: 10,
      stepsize: 1,
      stepsize_jitter: 0,
      init_radius: 2,
    };
    for (const [name, value] of Object.entries({ ...expected, ...more })) assert.equal(defaults[name], value, name);
  });

  test('Every field of the table of fit request parameters is accepted.', async () => {
    const { text } = await run(bernoulli, {
      function: NUTS,
      chain: 2,
      data: BERNOULLI_DATA,
      init: { theta: 0.5 },
      random_seed: 1,
      refresh: 10,
      num_samples: 20,
      num_warmup: 30,
      num_thin: 2,
      save_warmup: true,
      delta: 0.9,
      gamma: 0.06,
      kappa: 0.8,
      t0: 11,
      init_buffer: 10,
      term_buffer: 5,
      window: 5,
      init_radius: 1,
      max_depth: 5,
      stepsize: 0.5,
      stepsize_jitter: 0.1,
    });
    assert.equal(drawsOf(text).length, 25);
  });

  test('Function names are accepted under both prefixes; the stored and returned form is stan::services::….', async () => {
    const { json } = await start(normal, {
      function: 'engine::services::sample::hmc_nuts_diag_e_adapt',
      random_seed: 5,
    });
    assert.equal(json.metadata.function, NUTS);
    assert.equal((await start(normal, { random_seed: 5 })).json.name, json.name);
    assert.equal((await start(normal, { function: 'hmc_nuts_diag_e_adapt' })).status, 400);
  });

  test('A field that the function does not take, an unknown field, a wrong type or an out-of-range value is a 400 that lists every offending field.', async () => {
    const answer = await start(normal, { num_samples: -1, delta: 2, stepsize: 'x', iter: 5, nothing: 1, data: 3 });
    assert.equal(answer.status, 400);
    const fields = answer.json.details.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields.sort(), ['/data', '/delta', '/iter', '/nothing', '/num_samples', '/stepsize']);
    assert.equal((await start(normal, { function: 'stan::services::nothing' })).status, 400);
    assert.equal((await server.post(`${normal}/fits`, {})).status, 400);
  });

  test('POST fits of a model that is not there: 404.', async () => {
    assert.equal((await start('/v1/models/abcdefghijklmnopqrstuvwx')).status, 404);
  });

  test('The sampling function finishes: done = true, and the fit can be downloaded from the fit path named in metadata.fit.name. result: {name: fit} on success.', async () => {
    const { operation } = await run(normal);
    assert.equal(operation.json.done, true);
    assert.deepEqual(operation.json.result, operation.json.metadata.fit);
    assert.equal((await server.get(`/v1/${operation.json.metadata.fit.name}`)).status, 200);
  });

  test('Reading the lines one by one recovers every message the engine emitted: {"version":1,"topic":T,"values":V}.', async () => {
    const { text } = await run(normal);
    const messages = messagesOf(text);
    for (const message of messages) {
      assert.deepEqual(Object.keys(message), ['version', 'topic', 'values']);
      assert.equal(message.version, 1);
    }
    const topics = new Set(messages.map(({ topic }) => topic));
    assert.deepEqual([...topics].sort(), ['diagnostic', 'initialization', 'logger', 'sample']);
    assert.ok(text.endsWith('}\n'));
  });

  test('logger: ["info:…"]; initialization: the unconstrained initial values, an array.', async () => {
    const { text } = await run(bernoulli, { data: BERNOULLI_DATA, init: { theta: 0.5 } });
    const messages = messagesOf(text);
    const logs = messages.filter(({ topic }) => topic === 'logger').flatMap(({ values }) => Object.values(values));
    assert.ok(logs.every((line) => /^(info|warn|error|debug|fatal):/.test(String(line))));
    assert.ok(logs.some((line) => /^info:Iteration:\s+1 \/ 40 \[ {2}2%\] {2}\(Warmup\)/.test(String(line))));
    assert.deepEqual(messages.find(({ topic }) => topic === 'initialization')?.values, [0]);
  });

  test('sample: a draw, an object whose keys are in order (lp__, accept_stat__, stepsize__, treedepth__, n_leapfrog__, divergent__, energy__, then constrained names); or an adaptation text line.', async () => {
    const { text } = await run(bernoulli, { data: BERNOULLI_DATA });
    const own = ['lp__', 'accept_stat__', 'stepsize__', 'treedepth__', 'n_leapfrog__', 'divergent__', 'energy__'];
    for (const draw of drawsOf(text)) assert.deepEqual(Object.keys(draw), [...own, 'theta', 'odds']);
    const lines = messagesOf(text).flatMap(({ topic, values }) =>
      topic === 'sample' && Array.isArray(values) ? [values] : [],
    );
    assert.deepEqual(lines[0], ['Adaptation terminated']);
    assert.match(String(lines[1]?.[0]), /^Step size = [\d.e-]+$/);
    assert.deepEqual(lines[2], ['Diagonal elements of inverse mass matrix:']);
    assert.match(String(lines[3]?.[0]), /^[\d.e+-]+$/);
  });

  test('A fit collects all logger and writer messages from the engine, one JSON object a line, in the order in which they were emitted.', async () => {
    const model = await server.model(
      'parameters { real x; } model { x ~ normal(0, 1); } generated quantities { print("drawn ", x); }',
    );
    const { text } = await run(model, { num_samples: 3, num_warmup: 4, save_warmup: true });
    const order = messagesOf(text).map(({ topic, values }) => {
      if (topic === 'logger') return /^info:drawn/.test(String(Object.values(values)[0])) ? 'print' : '';
      if (topic !== 'sample' || !Array.isArray(values)) return topic;
      return isElapsedTime(values) ? 'elapsed' : 'adaptation';
    });
    const told = order.filter((each) => each !== '' && each !== 'diagnostic');
    const draws = (count: number) => Array.from({ length: count }, () => ['print', 'sample']).flat();
    const adaptation = Array(4).fill('adaptation');
    const elapsed = Array(3).fill('elapsed');
    assert.deepEqual(told, ['initialization', ...draws(4), ...adaptation, ...draws(3), ...elapsed]);
    const drawn = drawsOf(text).map(({ x }) => Number(x));
    const printed = [...text.matchAll(/"info:drawn ([-\d.e]+)/g)].map(([, x]) => Number(x));
    assert.equal(printed.length, 7);
    for (const [index, x] of printed.entries())
      assert.ok(Math.abs(x - drawn[index]) <= 1e-4 * Math.abs(x), `${x} ${drawn[index]}`);
  });

  test("init: Stan's JSON data format, bare tokens and strings for numbers that are not finite included.", async () => {
    const model = await server.model('parameters { vector[2] v; complex z; tuple(real, real) t; } model { }');
    const body = (v: string) =>
      `{"function": "stan::services::sample::fixed_param", "num_samples": 1, "init": {"v": ${v}, "z": [1, 2], "t": {"1": 3, "2": 4}}}`;
    const started = await server.post(`${model}/fits`, body('[NaN, "-Inf"]'));
    assert.equal(started.status, 201, started.text);
    const operation = await server.finished(started.json.name);
    const text = (await server.get(`/v1/${operation.json.result.name}`)).text;
    assert.deepEqual(Object.values(drawsOf(text)[0]).slice(-6), ['NaN', '-Infinity', 1, 2, 3, 4], text);
    const literal = (await server.get(`/v1/${operation.json.result.name}?nonfinite=literal`)).text;
    assert.match(literal, /"v\.1":NaN,"v\.2":-Infinity/);
    const nulls = (await server.get(`/v1/${operation.json.result.name}?nonfinite=null`)).text;
    assert.match(nulls, /"v\.1":null,"v\.2":null/);
    const refused = await server.post(`${model}/fits`, body('[true, null]'));
    const { result } =
      refused.status === 201 ? (await server.finished(refused.json.name)).json : { result: refused.json };
    assert.equal(result.code, 400);
    assert.match(result.message, /\bv\b/);
  });

  test('diagnostic: unconstrained position, momentum (p_…) and gradient (g_…) of a draw, an object.', async () => {
    const { text } = await run(bernoulli, { data: BERNOULLI_DATA });
    const diagnostic = messagesOf(text).find(({ topic }) => topic === 'diagnostic');
    assert.deepEqual(Object.keys(diagnostic?.values ?? {}).slice(-3), ['theta', 'p_theta', 'g_theta']);
  });

  test('with num_chains > 1 also "chain":k; num_chains: chain ids from chain upward, same seed, one stream per chain.', async () => {
    const several = await run(normal, { num_chains: 3, chain: 4, random_seed: 9 });
    const alone = await run(normal, { chain: 5, random_seed: 9 });
    const messages = messagesOf(several.text);
    assert.deepEqual([...new Set(messages.map(({ chain }) => chain))].sort(), [4, 5, 6]);
    const samples = (of: readonly Message[]) =>
      of.flatMap(({ topic, values }) => (topic === 'sample' && !isElapsedTime(values) ? [values] : []));
    const of = (chain: number) => samples(messages.filter((each) => each.chain === chain));
    assert.deepEqual(of(5), samples(messagesOf(alone.text)));
    assert.notDeepEqual(of(4), of(5));
  });

  test('fit_id: Same request with a seed returns 201 with an operation that is already done; operation_id = the fit id.', async () => {
    const { operation } = await run(normal, { random_seed: 77 });
    const again = await start(normal, { random_seed: 77 });
    assert.equal(again.status, 201);
    assert.equal(again.json.done, true);
    assert.equal(again.json.name, operation.json.name);
    assert.equal(again.json.metadata.fit.name.split('/').at(-1), again.json.name.split('/').at(-1));
    assert.notEqual((await start(normal, { random_seed: 78 })).json.name, again.json.name);
  });

  test('fit_id = the same kind of hash over (function, model name, every argument) when random_seed is given.', async () => {
    const named = async (model: string, body: object) => {
      const { status, json, text } = await start(model, { random_seed: 3, num_samples: 1, num_warmup: 1, ...body });
      assert.equal(status, 201, text);
      return json.metadata.fit.name.split('/').at(-1);
    };
    const first = await named(bernoulli, { data: BERNOULLI_DATA });
    assert.match(first, /^[a-z2-7]{16,}$/);
    const reordered = { data: BERNOULLI_DATA, num_warmup: 1, num_samples: 1, random_seed: 3, function: NUTS };
    assert.equal((await server.post(`${bernoulli}/fits`, reordered)).json.name.split('/').at(-1), first);
    const others = [
      await named(bernoulli, { data: { N: 2, y: [0, 1] } }),
      await named(bernoulli, { data: BERNOULLI_DATA, chain: 2 }),
      await named(bernoulli, { data: BERNOULLI_DATA, delta: 0.9 }),
      await named(bernoulli, { data: BERNOULLI_DATA, init: { theta: 0.5 } }),
      await named(bernoulli, { data: BERNOULLI_DATA, num_samples: 2 }),
      await named(normal, {}),
      await named(normal, { function: 'stan::services::sample::hmc_nuts_dense_e_adapt' }),
    ];
    assert.equal(new Set([first, ...others]).size, 8);
  });

  test('fit_id: without a seed it is random and a seed is drawn and recorded.', async () => {
    const one = await start(normal);
    const other = await start(normal);
    assert.notEqual(one.json.name, other.json.name);
    const seed = one.json.metadata.random_seed;
    assert.ok(Number.isInteger(seed) && seed > 0);
    const operation = await server.finished(one.json.name);
    const repeated = await run(normal, { random_seed: seed });
    assert.deepEqual(drawsOf(repeated.text), drawsOf((await server.get(`/v1/${operation.json.result.name}`)).text));
  });

  test('GET of a fit: text/plain; charset=utf-8 by default, application/x-ndjson when Accept asks.', async () => {
    const { operation, text } = await run(normal);
    const fit = `/v1/${operation.json.result.name}`;
    assert.equal((await server.get(fit)).headers.get('content-type'), 'text/plain; charset=utf-8');
    const asked = await server.get(fit, { accept: 'application/x-ndjson' });
    assert.match(asked.headers.get('content-type') ?? '', /^application\/x-ndjson/);
    assert.equal(asked.text, text);
  });

  test('A fit that is not finished is a 404 whose message names the operation to poll; ?follow=true streams it live instead.', async () => {
    const slow = await server.model(SLOW);
    const started = await start(slow, { num_samples: 10, num_warmup: 10, max_depth: 3 });
    const fit = `/v1/${started.json.metadata.fit.name}`;
    const early = await server.get(fit);
    assert.equal(early.status, 404);
    assert.ok(early.json.message.includes(started.json.name), early.text);
    const followed = await server.get(`${fit}?follow=true`);
    assert.equal(followed.status, 200);
    assert.equal(drawsOf(followed.text).length, 10);
  });

  test('GET and DELETE of a fit: 404 Not Found: fit not found. DELETE: 200 OK: fit deleted.', async () => {
    const { operation } = await run(normal);
    const fit = `/v1/${operation.json.result.name}`;
    assert.equal((await server.delete(fit)).status, 200);
    assert.equal((await server.delete(fit)).status, 404);
    assert.equal((await server.get(fit)).status, 404);
    assert.equal((await server.get(`${normal}/fits/abcdefghijklmnopqrstuvwx`)).status, 404);
  });

  test('GET /v1/operations/{operation_id}: 200 OK: Operation object. 404 Not Found: operation not found.', async () => {
    const { operation } = await run(normal);
    const answer = await server.get(`/v1/${operation.json.name}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.json), ['name', 'done', 'metadata', 'result']);
    assert.equal((await server.get('/v1/operations/abcdefghijklmnopqrstuvwx')).status, 404);
  });

  test('metadata.progress: "Iteration: 1200 / 2000 [60%]  (Sampling)". The last progress line stays after the end.', async () => {
    const { operation } = await run(normal);
    assert.equal(operation.json.metadata.progress, 'Iteration: 40 / 40 [100%]  (Sampling)');
  });

  test('Progress per chain, with draws done, divergences so far, step size, time left.', async () => {
    const slow = await server.model(SLOW);
    const started = await start(slow, { num_chains: 2, num_warmup: 5, num_samples: 1000, refresh: 1 });
    let chains = [];
    while (!chains.some(({ draws }: { draws?: number }) => draws !== undefined && draws > 0)) {
      await pause(20);
      chains = (await server.get(`/v1/${started.json.name}`)).json.metadata.chains;
    }
    const chain = chains.find(({ draws }: { draws?: number }) => draws !== undefined && draws > 0);
    assert.equal(chain.state, 'running');
    assert.equal(chain.divergences, 0);
    assert.ok(
      chain.step_size > 0 && chain.seconds_left > 0 && chain.iteration < chain.iterations,
      JSON.stringify(chain),
    );
    await server.delete(`/v1/${started.json.name}`);
  });

  test("result: on failure the error body (the partial fit is deleted, the messages' reasons are in message, as Initialization failed. with the Rejecting initial value lines).", async () => {
    const model = await server.model('parameters { real x; } model { reject("never ", x > 100); }');
    const started = await start(model);
    const { json } = await server.finished(started.json.name);
    assert.deepEqual([json.done, json.result.code, json.result.status], [true, 400, 'Bad Request']);
    assert.match(json.result.message, /Rejecting initial value:[\s\S]*never 0[\s\S]*Initialization failed\./);
    assert.equal((await server.get(`/v1/${json.metadata.fit.name}`)).status, 404);
  });

  test('DELETE /v1/operations/{id} cancels (a running one stops within a second and its worker is free again); result on cancellation has the same shape with status "Cancelled".', async () => {
    const started = await start(endless, { num_chains: 3 });
    await server.running(started.json.name);
    const { status, json } = await server.delete(`/v1/${started.json.name}`);
    assert.equal(status, 200);
    assert.deepEqual([json.done, json.result.status, typeof json.result.message], [true, 'Cancelled', 'string']);
    await run(normal);
  });

  test('DELETE /v1/operations/{id} forgets a finished one.', async () => {
    const { operation } = await run(normal);
    assert.equal((await server.delete(`/v1/${operation.json.name}`)).status, 200);
    assert.equal((await server.get(`/v1/${operation.json.name}`)).status, 404);
    assert.equal((await server.get(`/v1/${operation.json.result.name}`)).status, 200);
  });

  test('GET /v1/operations lists.', async () => {
    const { operation } = await run(normal);
    const { operations } = (await server.get('/v1/operations')).json;
    assert.ok(operations.some(({ name }: { name: string }) => name === operation.json.name));
  });

  test('Deleting a model cancels its operations; deleting a fit cancels its operation.', async () => {
    const model = await server.model(`${ENDLESS} // deleted`);
    const first = await start(model);
    assert.equal((await server.delete(`/v1/${first.json.metadata.fit.name}`)).status, 200);
    assert.equal((await server.get(`/v1/${first.json.name}`)).json.result.status, 'Cancelled');
    const second = await start(model);
    assert.equal((await server.delete(model)).status, 200);
    assert.equal((await server.get(`/v1/${second.json.name}`)).json.result.status, 'Cancelled');
  });

  test('It samples in parallel.', async () => {
    const started = await start(endless, { num_chains: 2 });
    let states: string[] = [];
    while (!states.every((state) => state === 'running') || states.length === 0) {
      await pause(50);
      const { metadata } = (await server.get(`/v1/${started.json.name}`)).json;
      states = metadata.chains.map(({ state = 'waiting' }: { state?: string }) => state);
      assert.ok(!states.includes('done'));
    }
    await server.delete(`/v1/${started.json.name}`);
  });
});

test('After a restart every finished fit is there; an interrupted operation is run again from its recorded seed and gives the same draws.', async (context) => {
  const first = await TestServer.start({ workerMemory: 512 });
  const model = await first.model(SLOW);
  const body = { function: NUTS, num_samples: 5, num_warmup: 5, max_depth: 2 };
  const done = await first.finished((await first.post(`${model}/fits`, { ...body, random_seed: 1 })).json.name);
  const fit = `/v1/${done.json.result.name}`;
  const text = (await first.get(fit)).text;
  const interrupted = (await first.post(`${model}/fits`, { ...body, num_samples: 20 })).json;
  await first.stop();

  const second = await TestServer.start({ workerMemory: 512, store: first.store });
  context.after(() => second.remove());
  assert.equal((await second.get(fit)).text, text);
  const again = await second.finished(interrupted.name);
  const fresh = { ...body, num_samples: 20, random_seed: interrupted.metadata.random_seed };
  const repeated = await second.finished((await second.post(`${model}/fits`, fresh)).json.name);
  const [one, other] = await Promise.all([again, repeated].map(({ json }) => second.get(`/v1/${json.result.name}`)));
  assert.deepEqual(drawsOf(one?.text ?? ''), drawsOf(other?.text ?? ''));
});

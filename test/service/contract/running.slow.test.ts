/** Issue "the service, durable and whole": queue, events, health, metrics. The programs are the words of fake-engine.ts. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ofOneProcess } from '../../support/cluster.js';
import { fakeEngine, TestServer } from '../harness.js';
import { NUTS } from './programs.js';

interface Event {
  readonly name: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: what a server sends is checked by the assertions that read it
  readonly data: any;
}

function eventsOf(text: string): Event[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('event:'))
    .map((block) => {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      );
      return { name: fields.get('event') ?? '', id: fields.get('id'), data: JSON.parse(fields.get('data') ?? '') };
    });
}

describe('operations', () => {
  let server: TestServer;
  let normal: string;
  let slow: string;
  let endless: string;
  before(async () => {
    server = await TestServer.start({ engine: fakeEngine, workers: 2, maxQueue: 2 });
    [normal, slow, endless] = await Promise.all(['normal', 'slow', 'endless'].map((program) => server.model(program)));
  });
  after(() => server.remove());
  const fit = (model: string, body: object = {}) =>
    server.post(`${model}/fits`, { function: NUTS, num_samples: 5, num_warmup: 5, ...body });
  const state = async (name: string) => (await server.get(`/v1/${name}`)).json.metadata;
  const until = async (name: string, wanted: string) => {
    while ((await state(name)).state !== wanted) await pause(20);
  };

  test('GET /v1/operations/{id}/events sends progress and, at the end, done with the result.', async () => {
    const started = await fit(slow, { refresh: 1, max_depth: 2 });
    const answer = await server.get(`/v1/${started.json.name}/events`);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
    const events = eventsOf(answer.text);
    assert.deepEqual([...new Set(events.map(({ name }) => name))], ['progress', 'done']);
    const last = events.at(-1);
    assert.equal(last?.name, 'done');
    assert.deepEqual(last?.data, (await server.get(`/v1/${started.json.name}`)).json);
    assert.ok(events.some(({ data }) => data.metadata.chains[0].iteration < 10));
    const again = await server.get(`/v1/${started.json.name}/events`);
    assert.deepEqual(
      eventsOf(again.text).map(({ name }) => name),
      ['progress', 'done'],
    );
    const seen = await server.get(`/v1/${started.json.name}/events`, { 'last-event-id': last?.id ?? '' });
    assert.equal(seen.status, 204);
    assert.equal((await server.get('/v1/operations/nothing/events')).status, 404);
  });

  test('…/events?draws=true also sends every draw.', async () => {
    const started = await fit(slow, { num_samples: 8, max_depth: 1 });
    const events = eventsOf((await server.get(`/v1/${started.json.name}/events?draws=true`)).text);
    const draws = events.filter(({ name }) => name === 'draw').map(({ data }) => data);
    assert.equal(draws.length, 8);
    const text = (await server.get(`/v1/${started.json.metadata.fit.name}`)).text;
    for (const draw of draws) assert.ok(text.includes(`${JSON.stringify(draw)}\n`));
  });

  test('a client that leaves does not disturb the operation.', async () => {
    const started = await fit(slow, { refresh: 1, max_depth: 2 });
    const controller = new AbortController();
    await fetch(`${server.address}/v1/${started.json.name}/events?draws=true`, { signal: controller.signal });
    controller.abort();
    assert.equal((await server.finished(started.json.name)).json.result.name, started.json.metadata.fit.name);
  });

  test('running and waiting operations are listed in order; 429 with Retry-After when the queue is full; a waiting one is cancelled in under 1 s.', async () => {
    const running = await fit(endless, { num_chains: 2 });
    await until(running.json.name, 'running');
    while ((await state(running.json.name)).chains.some((chain: { state?: string }) => chain.state !== 'running'))
      await pause(20);
    const first = await fit(normal);
    const second = await fit(normal);
    assert.deepEqual([first.json.metadata.state, first.json.metadata.place], ['waiting', 1]);
    assert.equal((await state(second.json.name)).place, 2);
    const { operations } = (await server.get('/v1/operations')).json;
    assert.deepEqual(
      operations.slice(0, 3).map(({ name }: { name: string }) => name),
      [running, first, second].map(({ json }) => json.name),
    );
    const refused = await fit(normal);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.match(refused.json.message, /2 operations are waiting \(--max-queue\)/);
    const cancelled = await server.delete(`/v1/${first.json.name}`);
    assert.equal(cancelled.json.result.status, 'Cancelled');
    assert.equal((await state(second.json.name)).place, 1);
    await server.delete(`/v1/${running.json.name}`);
    assert.equal((await server.finished(second.json.name)).json.result.name, second.json.metadata.fit.name);
  });

  test('A queue with fair shares: a fit of one chain does not wait for all chains of an earlier one.', async () => {
    const large = await fit(slow, { num_chains: 12, num_samples: 10, max_depth: 2 });
    await until(large.json.name, 'running');
    const small = await fit(normal);
    await server.finished(small.json.name);
    const { chains } = await state(large.json.name);
    assert.ok(
      chains.some((chain: { state?: string }) => chain.state === undefined),
      'all chains of the first had begun',
    );
    await server.delete(`/v1/${large.json.name}`);
  });

  test('A worker that dies fails only its own operation, with a reason; it is replaced.', async () => {
    const started = await fit(await server.model('die'));
    const other = await fit(slow, { max_depth: 1 });
    const ended = await server.finished(started.json.name);
    assert.equal(ended.json.result.code, 500);
    assert.match(ended.json.result.message, /^The worker thread died: .*code 3/);
    assert.equal((await server.finished(other.json.name)).json.result.name, other.json.metadata.fit.name);
    if (ofOneProcess.metrics) return;
    assert.match((await server.get('/metrics')).text, /leapfrog_workers_replaced_total\{pool="operations"\} [1-9]/);
  });

  test('/v1/health, /v1/ready, /v1/version and Prometheus metrics at /metrics.', async () => {
    assert.deepEqual((await server.get('/v1/health')).json, { status: 'ok', version: '0', stan: '2.40.0' });
    assert.deepEqual((await server.get('/v1/ready')).json, { status: 'ok' });
    const version = (await server.get('/v1/version')).json;
    assert.deepEqual([version.name, version.version, version.node], ['leapfrog', '0', process.version]);
    if (ofOneProcess.metrics) return;
    const metrics = await server.get('/metrics');
    assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    for (const line of [
      /^leapfrog_http_request_duration_seconds_bucket\{le="0\.005",method="GET",route="\/v1\/health",status="200"\} \d+$/m,
      /^leapfrog_operations\{state="waiting"\} 0$/m,
      /^leapfrog_operations_ended_total\{outcome="succeeded"\} \d+$/m,
      /^leapfrog_workers\{pool="requests",state="idle"\} [1-9]/m,
      /^leapfrog_gradients_total [1-9]/m,
      /^leapfrog_cache_bytes [1-9]/m,
      /^process_resident_memory_bytes \d+$/m,
    ]) {
      assert.match(metrics.text, line);
    }
  });
});

test('a server that shuts down accepts no operations, completes short ones and leaves the others to the next server', async (context) => {
  const first = await TestServer.start({ engine: fakeEngine, workers: 2, maxQueue: 10 });
  const [endless, slow] = await Promise.all(['endless', 'slow'].map((program) => first.model(program)));
  const start = (model: string, body: object = {}) =>
    first.post(`${model}/fits`, { function: NUTS, num_samples: 10, num_warmup: 5, max_depth: 2, ...body });
  const long = await start(endless ?? '');
  const short = await start(slow ?? '');
  const waiting = await start(slow ?? '', { num_samples: 3 });
  while ((await first.get(`/v1/${short.json.name}`)).json.metadata.state !== 'running') await pause(10);
  const stopped = first.stop(8000);
  while ((await first.get('/v1/ready')).status !== 503) await pause(10);
  assert.equal((await first.get('/v1/health')).status, 200);
  assert.equal((await start(slow ?? '')).status, 503);
  assert.equal((await first.get(`/v1/${waiting.json.name}`)).json.done, false);
  assert.equal((await first.finished(short.json.name)).json.result.name, short.json.metadata.fit.name);
  await stopped;

  const second = await TestServer.start({ engine: fakeEngine, store: first.store });
  context.after(() => second.remove());
  assert.equal((await second.get(`/v1/${short.json.name}`)).json.done, true);
  assert.equal((await second.get(`/v1/${long.json.name}`)).json.done, false);
  assert.equal((await second.finished(waiting.json.name)).json.result.name, waiting.json.metadata.fit.name);
  await second.delete(`/v1/${long.json.name}`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestServer } from './harness.js';

const MEBIBYTE = 2 ** 20;
const LIMIT = 160;
/** A model that takes about 40 MiB with these data. */
const PROGRAM = `
  data { int<lower=0> N; int id; }
  transformed data { vector[N] y = cumulative_sum(rep_vector(id * 1e-6, N)); }
  parameters { real mu; }
  model { y ~ student_t(5, mu, 1); }`;
const SIZE = 2_500_000;

test('models of all threads share one memory limit, and concurrent requests receive memory in turn', async (context) => {
  const server = await TestServer.start({ memory: LIMIT, workerMemory: 128, requestTimeout: 600_000, workers: 2 });
  context.after(() => server.remove());
  const model = await server.model(PROGRAM);
  const used = async () => {
    const { text } = await server.get('/metrics');
    const [, bytes = '0'] = /leapfrog_model_memory_bytes\{of="used"\} (\d+)/.exec(text) ?? [];
    assert.ok(Number(bytes) <= LIMIT * MEBIBYTE, `${bytes} bytes`);
    return Number(bytes);
  };
  /** Whether the request was granted memory. */
  const ask = async (id: number) => {
    const body = { data: { N: SIZE, id }, unconstrained_parameters: [0] };
    const { status, headers, text } = await server.post(`${model}/log_prob_grad`, body);
    assert.ok(status === 200 || (status === 503 && headers.has('retry-after') && text.includes('--memory')), text);
    return status === 200;
  };
  let isAsking = true;
  const watching = (async () => {
    while (isAsking) await used();
  })();
  const granted = await Promise.all(Array.from({ length: 12 }, (_, id) => ask(id))).finally(() => {
    isAsking = false;
  });
  await watching;
  // The number of refused requests depends on the timing of threads. Sent alone, each request receives the memory of models that idle
  // threads keep.
  for (const [id, wasGranted] of granted.entries()) if (!wasGranted) while (!(await ask(id)));
  // The last model counts until its thread has been idle for a while.
  do await ask(1);
  while ((await used()) <= 40 * MEBIBYTE);
});

test('a model that needs more than the limit for all models is reported', async (context) => {
  const server = await TestServer.start({ memory: 64, workerMemory: 128 });
  context.after(() => server.remove());
  const model = await server.model(PROGRAM);
  const answer = await server.post(`${model}/log_prob`, {
    data: { N: 2 * SIZE, id: 1 },
    unconstrained_parameters: [0],
  });
  assert.equal(answer.status, 400);
  assert.match(answer.json.message, /needs more memory than the limit of 67108864 bytes/);
});

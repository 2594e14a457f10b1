import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionResource } from '../../src/service/schemas/functions.js';
import { TestServer } from './harness.js';

/** A curved valley in many dimensions, slow to evaluate and slower to draw from. */
const SLOW = `parameters {
  vector[150] x;
}
model {
  real s = 0;
  for (i in 1:50000) s += sin(i * x[1]);
  for (i in 1:149) target += -100 * (x[i + 1] - x[i] ^ 2) ^ 2 - (1 - x[i]) ^ 2;
  target += 1e-9 * s;
}
generated quantities {
  real g = 0;
  for (i in 1:2000000) g += sin(i * x[1]);
}
`;

test('functions report progress while they run, and can be cancelled', async (context) => {
  const server = await TestServer.start({ requestTimeout: 30_000, workerMemory: 1024 });
  context.after(() => server.remove());
  const model = await server.model(SLOW);
  const point = { x: Array.from({ length: 150 }, () => 1) };
  const inputs: Readonly<Record<string, unknown>> = {
    mode: point,
    fitted_params: Array.from({ length: 100 }, () => point),
  };
  const waiting: FunctionResource[] = [...(await server.get('/v1/functions')).json.functions];
  const cancelNext = async (): Promise<void> => {
    const row = waiting.shift();
    if (row === undefined) return;
    const short = row.arguments.some(({ name }) => name === 'max_depth') ? { max_depth: 3 } : {};
    const needed = row.inputs.filter(({ required }) => required).map(({ name }) => [name, inputs[name]]);
    const request = { function: row.name, refresh: 1, random_seed: 1, ...short, ...Object.fromEntries(needed) };
    const started = await server.post(`${model}/fits`, request);
    assert.equal(started.status, 201, started.text);
    const path = `/v1/${started.json.name}`;
    let operation = started.json;
    while (operation.metadata.progress === undefined) {
      assert.ok(!operation.done, `${row.name} ${JSON.stringify(operation.result)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
      operation = (await server.get(path)).json;
    }
    assert.ok(!operation.done, row.name);
    assert.equal((await server.delete(path)).json.result.status, 'Cancelled', row.name);
    assert.equal((await server.get(`/v1/${started.json.metadata.fit.name}`)).status, 404);
    return cancelNext();
  };
  await Promise.all([cancelNext(), cancelNext()]);
});

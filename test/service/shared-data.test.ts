/** Chains that start from data which one thread has bound. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TestServer } from './harness.js';

const PROGRAM = `data { int N; vector[N] y; }
transformed data { real shift = normal_rng(0, 1); print("bound with ", shift); }
parameters { real m; real<lower=0> s; }
model { y ~ normal(m + shift, s); }
generated quantities { real replicated = normal_rng(m + shift, s); }`;
const FUNCTION = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const ROWS = 10_000;
const DATA = { N: ROWS, y: Array.from({ length: ROWS }, (_, n) => Math.sin(n)) };

interface Message {
  readonly topic: string;
  readonly chain?: number;
  readonly values: unknown;
}

describe('chains of a fit with large data', () => {
  let server: TestServer;
  let model: string;
  before(async () => {
    server = await TestServer.start();
    model = await server.model(PROGRAM);
  });
  after(() => server.remove());

  /** The texts and draws of the chain whose messages have this id. */
  const chainOf = async (request: object, id?: number, on = model): Promise<unknown[]> => {
    const body = { function: FUNCTION, data: DATA, random_seed: 7, num_warmup: 30, num_samples: 10, ...request };
    const operation = (await server.post(`${on}/fits`, body)).json.name;
    const { json } = await server.finished(operation);
    assert.ok(json.result?.name !== undefined, JSON.stringify(json));
    const { text } = await server.get(`/v1/${json.result.name}`);
    const messages: Message[] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const isDraw = ({ topic, values }: Message) => topic === 'sample' && !Array.isArray(values);
    const isText = ({ values }: Message) => JSON.stringify(values).includes('bound with');
    return messages
      .filter((message) => message.chain === id && (isDraw(message) || isText(message)))
      .map(({ values }) => values);
  };

  it('have the same output and draws as each chain alone', async () => {
    const third = await chainOf({ chain: 3 });
    assert.match(JSON.stringify(third[0]), /bound with/);
    assert.equal(third.length, 11);
    assert.deepEqual(await chainOf({ num_chains: 3 }, 3), third);
  });

  it('have the same draws in shared memory as each chain alone', async () => {
    const silent = await server.model(PROGRAM.replace('print("bound with ", shift);', ''));
    const rows = 150_000;
    const data = { N: rows, y: Array.from({ length: rows }, (_, n) => (n * n) % 10) };
    const alone = await chainOf({ data, chain: 3 }, undefined, silent);
    assert.equal(alone.length, 10);
    assert.deepEqual(await chainOf({ data, num_chains: 3 }, 3, silent), alone);
  });

  it('have the same draws in blocks', async () => {
    const until = { ess_bulk: 1e9, max_iterations: 30 };
    const whole = await chainOf({ num_chains: 2, num_samples: 30 }, 2);
    assert.deepEqual(await chainOf({ num_chains: 2, until }, 2), whole);
  });

  it('report unsuitable data', async () => {
    const data = { ...DATA, N: ROWS + 1 };
    const body = { function: FUNCTION, data, num_chains: 2 };
    const { json } = await server.finished((await server.post(`${model}/fits`, body)).json.name);
    assert.match(json.result.message, /mismatch/);
  });

  it('release their memory when the fit is done', async () => {
    await chainOf({ num_chains: 2, random_seed: 8 }, 2);
    for (;;) {
      const { text } = await server.get('/metrics');
      if (text.includes('leapfrog_model_memory_bytes{of="used"} 0\n')) break;
    }
  });
});

/** Requests whose client disconnects before the response. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { TestServer } from './harness.js';

const SAMPLE = 'stan::services::sample::hmc_nuts_diag_e_adapt';

const PROGRAM = `functions {
  real endless(real x) { while (1) print(""); return x; }
}
parameters { real y; }
model { y ~ std_normal(); }`;
/** Evaluations end only with the data of the fit. */
const SWITCHED = `functions {
  real endless(real x) { while (1) print(""); return x; }
}
data { int is_endless; real x; }
parameters { real y; }
model { x ~ normal(is_endless ? endless(y) : y, 1); }`;

/** Milliseconds between two readings of the metrics. */
const INTERVAL = 20;

describe('the work for a client that has disconnected', () => {
  let server: TestServer;
  let model: string;
  let fit: string;
  before(async () => {
    // A time limit that no request reaches.
    server = await TestServer.start({ requestTimeout: 3_600_000 });
    model = await server.model(PROGRAM);
    const request = {
      function: SAMPLE,
      data: { is_endless: 0, x: 1 },
      num_warmup: 50,
      num_samples: 50,
      random_seed: 1,
    };
    const started = await server.post(`${await server.model(SWITCHED)}/fits`, request);
    fit = (await server.finished(started.json.name)).json.result.name;
  });
  after(() => server.remove());

  /** Waits until a number of threads for requests are working. */
  const untilBusy = async (count: number) => {
    const line = `leapfrog_workers{pool="requests",state="busy"} ${count}`;
    while (!(await (await fetch(`${server.address}/metrics`)).text()).includes(`${line}\n`)) await pause(INTERVAL);
  };

  for (const [name, path, body] of [
    ['a profile', () => `${model}/profile`, { evaluations: 1_000_000_000 }],
    ['a call of a function', () => `${model}/functions/endless`, { arguments: [1] }],
    ['moment matching', () => `/v1/${fit}/loo`, { data: { is_endless: 1, x: 1 }, moment_match: true }],
  ] as const) {
    it(`ends: ${name}`, async () => {
      await untilBusy(0);
      const leaving = new AbortController();
      const answer = fetch(server.address + path(), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: leaving.signal,
      });
      const refused = assert.rejects(answer, { name: 'AbortError' });
      await untilBusy(1);
      leaving.abort();
      await refused;
      await untilBusy(0);
      assert.equal((await server.post(`${model}/log_prob`, [0])).status, 200);
    });
  }
});

/** Requests whose client disconnects before the response. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { TestServer } from './harness.js';

const PROGRAM = `functions {
  real endless(real x) { while (1) print(""); return x; }
}
parameters { real y; }
model { y ~ std_normal(); }`;

/** Milliseconds between two readings of the metrics. */
const INTERVAL = 20;

describe('the work for a client that has disconnected', () => {
  let server: TestServer;
  let model: string;
  before(async () => {
    // A time limit that no request reaches.
    server = await TestServer.start({ requestTimeout: 3_600_000 });
    model = await server.model(PROGRAM);
  });
  after(() => server.remove());

  /** Waits until a number of threads for requests are working. */
  const untilBusy = async (count: number) => {
    const line = `leapfrog_workers{pool="requests",state="busy"} ${count}`;
    while (!(await (await fetch(`${server.address}/metrics`)).text()).includes(`${line}\n`)) await pause(INTERVAL);
  };

  for (const [name, path, body] of [
    ['a profile', '/profile', { evaluations: 1_000_000_000 }],
    ['a call of a function', '/functions/endless', { arguments: [1] }],
  ] as const) {
    it(`ends: ${name}`, async () => {
      await untilBusy(0);
      const leaving = new AbortController();
      const answer = fetch(server.address + model + path, {
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

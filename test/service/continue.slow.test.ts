/** Continuing fits over HTTP, in addition to the tests in test/doors for all entry points. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ofOneProcess } from '../support/cluster.js';
import { TestServer } from './harness.js';

const PROGRAM = `data { int N; vector[N] y; }
transformed data { real shift = normal_rng(0, 1); }
parameters { vector[N] theta; real mu; real<lower=0> tau; }
model { mu ~ normal(shift, 5); tau ~ lognormal(0, 1); theta ~ normal(mu, tau); y ~ normal(theta, 0.5); }
generated quantities { real z = normal_rng(mu, 1); }
`;
const DATA = { N: 3, y: [1, 2, 4] };

function functionOf(name: string): string {
  return `${name.startsWith('low_rank') ? 'leapfrog' : 'stan'}::services::sample::hmc_nuts_${name}`;
}

describe('a continued fit', () => {
  let server: TestServer;
  let model: string;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 60_000, workerMemory: 1024 });
    model = await server.model(PROGRAM);
  });
  after(() => server.remove());

  const usual = { function: functionOf('diag_e_adapt'), data: DATA, random_seed: 5, num_warmup: 200 };

  async function ended(request: object) {
    const started = await server.post(`${model}/fits`, { ...usual, ...request });
    assert.equal(started.status, 201, started.text);
    return (await server.finished(started.json.name)).json.result;
  }

  async function fit(request: object): Promise<string> {
    const result = await ended(request);
    assert.equal(result.code, undefined, result.message);
    return result.name;
  }

  /** The numbers of a chain's draws and diagnostics, line by line. */
  async function numbersOf(name: string, chain?: number): Promise<string[]> {
    const lines = (await server.get(`/v1/${name}`)).text.trim().split('\n');
    return lines.filter((line) => {
      const { chain: own, topic, values } = JSON.parse(line);
      return own === chain && (topic === 'sample' || topic === 'diagnostic') && !Array.isArray(values);
    });
  }

  it('has the draws of a longer run, for a sampler that does not adapt', async () => {
    const request = { function: functionOf('diag_e'), num_chains: 2, stepsize: 0.3 };
    const whole = await fit({ ...request, num_samples: 90 });
    const first = await fit({ ...request, num_samples: 40 });
    const rest = await fit({ ...request, num_chains: 1, num_samples: 50, continue: first });
    for (const chain of [1, 2]) {
      const parts = await Promise.all([first, rest].map((each) => numbersOf(each, chain)));
      assert.deepEqual(parts.flat(), await numbersOf(whole, chain));
    }
  });

  it('requires an existing fit of the No-U-Turn sampler', async () => {
    const first = await fit({ num_samples: 5 });
    const optimum = await fit({ function: 'stan::services::optimize::lbfgs', num_warmup: undefined });
    const fixed = await fit({ function: 'stan::services::sample::hmc_static_diag_e_adapt', num_samples: 5 });
    for (const other of [optimum, fixed]) {
      const refused = await server.post(`${model}/fits`, { ...usual, continue: other });
      assert.match(refused.json.details[0].message, /cannot be continued/);
    }
    await server.delete(`/v1/${first}`);
    const gone = await server.post(`${model}/fits`, { ...usual, continue: first });
    assert.deepEqual(gone.json.details, [
      { field: '/continue', message: `names the fit ${first}, which does not exist` },
    ]);
  });
});

describe('a fit that depends on an earlier one', { skip: ofOneProcess.folder }, () => {
  it('runs again after a restart, and fails with the reason if the earlier one has been deleted', async (context) => {
    const limits = { requestTimeout: 60_000, workerMemory: 1024 };
    const first = await TestServer.start(limits);
    let latest = first;
    context.after(() => latest.remove());
    const model = await first.model(PROGRAM);
    const request = { function: functionOf('diag_e_adapt'), data: DATA, random_seed: 5, num_warmup: 200 };
    const start = async (server: TestServer, rest: object): Promise<string> =>
      (await server.post(`${model}/fits`, { ...request, refresh: 0, ...rest })).json.name;
    const fit = async (server: TestServer, rest: object): Promise<string> =>
      (await server.finished(await start(server, rest))).json.result.name;
    const kept = await fit(first, { num_samples: 5 });
    const deleted = await fit(first, { num_samples: 6 });
    const again = await start(first, { continue: kept, num_samples: 20_000 });
    const lost = await start(first, { continue: deleted, num_samples: 20_000 });
    await first.running(again);
    await first.delete(`/v1/${deleted}`);
    await first.stop(0);

    latest = await TestServer.start({ ...limits, store: first.store });
    const { message } = (await latest.finished(lost)).json.result;
    assert.ok(message.includes(`names the fit ${deleted}, which does not exist`), message);
    const { name } = (await latest.finished(again)).json.result;
    const whole = await fit(latest, { num_samples: 20_005 });
    const csv = async (path: string, query: string) =>
      (await latest.get(`/v1/${path}?format=csv&${query}`)).text.split('\n').filter((line) => /^-?\d/.test(line));
    assert.deepEqual(await csv(name, 'first=19990'), await csv(whole, 'first=19995'));
  });
});

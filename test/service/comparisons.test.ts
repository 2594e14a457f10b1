/** Comparison of fits over HTTP, and with the client. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '../../src/client/index.js';
import { TestServer } from './harness.js';

const LINE = `data { int N; int K; matrix[N, K] x; vector[N] y; }
parameters { real alpha; vector[K] beta; real<lower=0> sigma; }
model { alpha ~ normal(0, 5); beta ~ normal(0, 5); sigma ~ exponential(1); y ~ normal(alpha + x * beta, sigma); }
`;
const Y = [1.1, 2.3, 2.8, 4.1, 5.2, 20];
const DATA = { N: 6, K: 1, x: [[1], [2], [3], [4], [5], [6]], y: Y };
/** The same observations with another design. */
const CURVE = { ...DATA, K: 2, x: DATA.x.map(([x = 0]) => [x, x * x]) };
const WITH_TERMS = `${LINE}generated quantities {
  vector[N] ll;
  vector[2] never = [log(0), 1]';
  for (n in 1:N) ll[n] = normal_lpdf(y[n] | alpha + x[n] * beta, sigma);
}
`;

describe('POST /v1/compare', () => {
  let server: TestServer;
  let client: Client;
  let line: string;
  let curve: string;
  let own: string;

  async function fitted(program: string, data: object): Promise<string> {
    const request = { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', num_samples: 200, num_chains: 2 };
    const started = await server.post(`${await server.model(program)}/fits`, { ...request, data, random_seed: 1 });
    const { result } = (await server.finished(started.json.name)).json;
    assert.equal(result.code, undefined, result.message);
    return result.name;
  }

  before(async () => {
    server = await TestServer.start({ requestTimeout: 30_000 });
    client = new Client(server.address);
    [line, curve, own] = [await fitted(LINE, DATA), await fitted(LINE, CURVE), await fitted(WITH_TERMS, DATA)];
  });
  after(() => server.remove());

  it('names the variable of the fit whose log likelihoods are not finite', async () => {
    const fits = [{ name: line }, { name: own, variable: 'never' }];
    const { json, status } = await server.post('/v1/compare', { data: DATA, fits });
    assert.equal(status, 400);
    assert.equal(json.details[0].field, '/fits/1/variable');
    assert.match(json.details[0].message, /never\[1\] is -Infinity in 400 of 400 draws/);
  });

  it('returns the estimates of each fit and their differences, the best first', async () => {
    const fits = [{ name: line }, { name: curve, data: CURVE }];
    const { models, observations, text, ...rest } = await client.compare(fits, { data: DATA });
    const loos = [await client.fit(line).loo({ data: DATA }), await client.fit(curve).loo({ data: CURVE })];
    assert.equal(observations, 6);
    assert.deepEqual(
      models.map(({ elpd_loo }) => elpd_loo),
      loos.map(({ elpd_loo }) => elpd_loo).toSorted((a, b) => b - a),
    );
    for (const model of models) {
      const loo = loos.find(({ name }) => name === model.name);
      assert.ok(loo !== undefined);
      for (const field of [
        'se_elpd_loo',
        'mcse_elpd_loo',
        'p_loo',
        'se_p_loo',
        'looic',
        'se_looic',
        'ok',
        'text',
      ] as const)
        assert.deepEqual(model[field], loo[field], field);
    }
    const [best, other] = models;
    assert.deepEqual([best?.elpd_diff, best?.se_diff, best?.p_worse], [0, 0, Number.NaN]);
    // Loo's definitions: the sum of the differences of each observation, and its standard error.
    const terms = (name: string | undefined) => loos.find((loo) => loo.name === name)?.observations ?? [];
    const differences = terms(other?.name).map(({ elpd_loo }, n) => elpd_loo - (terms(best?.name)[n]?.elpd_loo ?? 0));
    const mean = differences.reduce((sum, each) => sum + each, 0) / 6;
    const squares = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0);
    assert.ok(Math.abs((other?.elpd_diff ?? 0) - 6 * mean) < 1e-12);
    assert.ok(Math.abs((other?.se_diff ?? 0) - Math.sqrt((6 * squares) / 5)) < 1e-12);
    assert.ok(Math.abs(models.reduce((sum, { stacking }) => sum + stacking, 0) - 1) < 1e-9);
    assert.match(text, /There are 6 observations: below 100, the standard errors are too small\./);
    assert.ok(rest.statements.some(({ key }) => key === 'fewObservations'));
  });

  it('warns about fits with a high Pareto k', async () => {
    const { models, text } = await client.compare([{ name: line }, { name: curve, data: CURVE }], { data: DATA });
    const wrong = models.filter(({ ok }) => !ok);
    assert.ok(wrong.length > 0);
    for (const { name } of wrong) assert.ok(text.includes(`${name}: Pareto k is above 0.6`), text);
  });

  it('takes moment matching and the variable of log likelihoods for each fit', async () => {
    const matched = await client.fit(line).loo({ data: DATA, moment_match: true });
    const { models } = await client.compare([
      { name: line, data: DATA, moment_match: true },
      { name: own, variable: 'll' },
    ]);
    const estimates = new Map(models.map(({ elpd_loo, name }) => [name, elpd_loo]));
    assert.equal(estimates.get(line), matched.elpd_loo);
    assert.equal(estimates.get(own), (await client.fit(own).loo({ variables: ['ll'] })).elpd_loo);
  });

  it('names the fit that does not exist, before it computes anything', async () => {
    const missing = line.replace(/[^/]+$/, 'missing');
    const { json, status } = await server.post('/v1/compare', { fits: [{ name: line }, { name: missing }] });
    assert.deepEqual([status, json.message], [404, `Fit ${missing} not found.`]);
  });

  it('names invalid fields', async () => {
    const refused = async (fits: unknown, data?: unknown) => {
      const { json, status } = await server.post('/v1/compare', { fits, ...(data !== undefined && { data }) });
      assert.equal(status, 400);
      return json.details.map(({ field, message }: { field: string; message: string }) => `${field} ${message}`).join();
    };
    assert.match(await refused([{ name: line }]), /^\/fits must .*2/);
    assert.match(
      await refused([{ name: line }, { name: 'fits/x' }]),
      /^\/fits\/1\/name must be the name of a fit, models/,
    );
    assert.match(
      await refused([{ name: line }, { name: line }]),
      /^\/fits\/1\/name names the same fit as \/fits\/0\/name/,
    );
    assert.match(await refused([{ name: line, data: [1] }, { name: curve }]), /^\/fits\/0\/data must be an object/);
    assert.match(await refused([{ name: line, folds: 3 }, { name: curve }]), /^\/fits\/0\/folds /);
    assert.match(
      await refused([{ name: own, variable: 'lp' }, { name: line }], DATA),
      /^\/fits\/0\/variable names lp, which the fit lacks/,
    );
    assert.match(
      await refused([{ name: own, refits: own.replace(/models\/[^/]+/, 'models/other') }, { name: line }], DATA),
      /^\/fits\/0\/refits must name a fit of kfold of this model/,
    );
    assert.match(
      await refused([{ name: own, variable: 'll', moment_match: true }, { name: line }], DATA),
      /^\/fits\/0\/variable cannot be combined/,
    );
  });

  it('names the fit with invalid data', async () => {
    const fits = [{ name: line, data: DATA }, { name: curve }];
    const { json, status } = await server.post('/v1/compare', { fits });
    assert.equal(status, 400);
    assert.ok(json.message.startsWith(`${curve}: `) && json.message.includes('variable name=N'), json.message);
  });

  it('distinguishes integers and reals in the data of a fit', async () => {
    const body = `{"fits": [{"name": "${line}", "data": ${JSON.stringify({ ...DATA, N: 0 }).replace('"N":0', '"N":6.0')}}, {"name": "${curve}"}]}`;
    const response = await fetch(`${server.address}/v1/compare`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { message }: { message: string } = JSON.parse(await response.text());
    assert.equal(response.status, 400);
    assert.match(message, /int variable contained non-int values.*N/s);
  });

  it('refuses fits of different observations', async () => {
    const edited = await fitted(LINE, { ...DATA, y: Y.toReversed() });
    const fits = [{ name: line }, { name: edited, data: { ...DATA, y: Y.toReversed() } }];
    const { json, status } = await server.post('/v1/compare', { fits, data: DATA });
    const message = `Number 1 of y is 1.1 in ${line}, and 20 in ${edited}. A comparison requires the same values of the outcomes in the same order.`;
    assert.deepEqual([status, json.message], [400, message]);
  });
});

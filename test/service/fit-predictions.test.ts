/** Assessments of predictions by the service, over a real socket and with the client. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { concludeLeavingOut, leaveOut } from '../../src/fits/cross-validation.js';
import { mean, quantiles, standardDeviation } from '../../src/inference/diagnostics/moments.js';
import { TestServer } from './harness.js';

const REGRESSION = `
data { int N; vector[N] x; array[N] real y; }
parameters { real alpha; real beta; real<lower=0> sigma; }
model { alpha ~ normal(0, 5); beta ~ normal(0, 5); sigma ~ exponential(1); y ~ normal(alpha + beta * x, sigma); }
generated quantities {
  vector[N] log_lik;
  array[N] real y_rep = normal_rng(alpha + beta * x, sigma);
  vector[2] never = [log(0), 1]';
  for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | alpha + beta * x[n], sigma);
}
`;
const DATA = { N: 6, x: [1, 2, 3, 4, 5, 6], y: [1.1, 2.3, 2.8, 4.1, 5.2, 5.8] };

describe('predictive performance of a model', () => {
  let server: TestServer;
  let fit: string;
  let chains: ReadonlyMap<string, readonly Float64Array[]>;

  before(async () => {
    server = await TestServer.start({ requestTimeout: 30_000 });
    const started = await server.post(`${await server.model(REGRESSION)}/fits`, {
      function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
      data: DATA,
      random_seed: 1,
      num_chains: 2,
      num_samples: 300,
      save_warmup: true,
    });
    fit = `/v1/${(await server.finished(started.json.name)).json.result.name}`;
    const messages = (await server.get(`${fit}?warmup=false&nonfinite=string`)).text.trimEnd().split('\n');
    const draws = messages
      .map((line): { topic: string; chain: number; values: Record<string, number> } => JSON.parse(line))
      .filter(({ topic, values }) => topic === 'sample' && 'log_lik.1' in values);
    chains = new Map(
      Object.keys(draws[0].values).map((name) => [
        name,
        [1, 2].map((chain) =>
          Float64Array.from(
            draws.filter((draw) => draw.chain === chain),
            ({ values }) => values[name],
          ),
        ),
      ]),
    );
  });
  after(() => server.remove());

  const column = (name: string) => chains.get(name) ?? assert.fail(name);
  const pooled = (name: string) => Float64Array.from(column(name).flatMap((chain) => [...chain]));
  const numbered = (name: string) => DATA.x.map((_, n) => `${name}.${n + 1}`);

  test('leave-one-out cross-validation uses the draws after warmup', async () => {
    const left = leaveOut(numbered('log_lik').map((name) => ({ name, chains: column(name) })));
    assert.ok('observations' in left);
    const expected = concludeLeavingOut(left.observations, 600);
    const { json } = await server.get(`${fit}/loo`);
    assert.equal(json.elpd_loo, expected.elpd.estimate);
    assert.equal(json.se_elpd_loo, expected.elpd.standardError);
    assert.equal(json.p_loo, expected.effectiveParameters.estimate);
    assert.equal(json.looic, -2 * expected.elpd.estimate);
    assert.equal(json.k_threshold, expected.greatestK);
    assert.equal(json.text, expected.message);
    assert.equal(json.draws, 300);
    assert.deepEqual(
      json.observations.map(({ name, pareto_k }: { name: string; pareto_k: number }) => [name, pareto_k]),
      expected.observations.map(({ name, paretoK }) => [name, paretoK]),
    );
    const one = await server.get(`${fit}/loo?chain=2&last=200`);
    assert.deepEqual([one.json.chains, one.json.draws], [[2], 200]);
  });

  test('leave-one-out cross-validation of missing or non-finite values is rejected with a message', async () => {
    const missing = await server.get(`${fit}/loo?variables=log_likelihood`);
    assert.equal(missing.status, 400);
    assert.match(missing.json.message, /names log_likelihood, which the fit lacks; it has .*log_lik/);
    const started = await server.post(
      `${await server.model('parameters { real x; } model { x ~ normal(0, 1); }')}/fits`,
      {
        function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
        random_seed: 1,
        num_samples: 10,
      },
    );
    const without = (await server.finished(started.json.name)).json.result.name;
    const derivable = await server.get(`/v1/${without}/loo`);
    assert.equal(derivable.status, 400);
    assert.match(derivable.json.message, /the fit has no log_lik: name the variable .*, or POST the data to this path/);
    const infinite = await server.get(`${fit}/loo?variables=never`);
    assert.equal(infinite.status, 400);
    assert.match(infinite.json.message, /never\[1\] is -Infinity in 600 of 600 draws/);
    assert.equal(infinite.json.details[0].field, '/variables');
    const posted = await server.post(`${fit}/loo`, { data: DATA, variable: 'never' });
    assert.deepEqual([posted.status, posted.json.details[0].field], [400, '/variable']);
  });

  test('leave-one-out cross-validation rejects the name of refits of another model', async () => {
    for (const refits of ['nothing', fit.slice('/v1/'.length).replace(/models\/[^/]+/, 'models/other')]) {
      const { json, status } = await server.post(`${fit}/loo`, { data: DATA, refits });
      assert.deepEqual(
        [status, json.details],
        [400, [{ field: '/refits', message: 'must name a fit of kfold of this model' }]],
      );
    }
  });

  test('simulations are compared with the data', async () => {
    const { json, status } = await server.post(`${fit}/predictive`, { data: DATA });
    assert.equal(status, 200, JSON.stringify(json));
    const [{ observations, observed, simulated, statistics }] = json.variables;
    assert.deepEqual([observed, simulated, observations.length], ['y', 'y_rep', 6]);
    const draws = pooled('y_rep.2');
    const [q5, q25, q50, q75, q95] = quantiles(draws, [0.05, 0.25, 0.5, 0.75, 0.95]);
    const rank = draws.filter((value) => value < DATA.y[1]).length / 600;
    assert.deepEqual(observations[1], { name: 'y_rep.2', q5, q25, q50, q75, q95, observed: DATA.y[1], rank });

    const sets = Array.from({ length: 600 }, (_, draw) => numbered('y_rep').map((name) => pooled(name)[draw]));
    const checks = {
      mean: mean,
      sd: standardDeviation,
      min: (values: readonly number[]) => Math.min(...values),
      max: (values: readonly number[]) => Math.max(...values),
    };
    for (const [name, of] of Object.entries(checks)) {
      const found = statistics.find((each: { name: string }) => each.name === name);
      const values = Float64Array.from(sets, of);
      assert.ok(Math.abs(found.q50 - quantiles(values, [0.5])[0]) < 1e-12, name);
      assert.ok(Math.abs(found.observed - of(DATA.y)) < 1e-12, name);
      assert.equal(found.share_at_least, values.filter((value) => value >= of(DATA.y)).length / 600, name);
    }
  });

  test('simulations alone are described without data', async () => {
    const { json } = await server.get(`${fit}/predictive`);
    const [{ observations, observed, simulated, statistics }] = json.variables;
    assert.deepEqual([json.variables.length, simulated, observed], [1, 'y_rep', undefined]);
    assert.deepEqual(Object.keys(statistics[0]), ['name', 'q5', 'q50', 'q95']);
    assert.equal(observations[5].q50, quantiles(pooled('y_rep.6'), [0.5])[0]);
    const chosen = await server.get(`${fit}/predictive?variables=log_lik`);
    assert.equal(chosen.json.variables[0].simulated, 'log_lik');
  });

  test('data without simulations are rejected with a message', async () => {
    const { json, status } = await server.post(`${fit}/predictive`, { data: { z: [1, 2, 3, 4, 5, 6], y: [1, 2] } });
    assert.equal(status, 400);
    assert.match(json.message, /data.*has no variable that the fit simulates/);
  });

  describe('for a program without log_lik and y_rep', () => {
    const PLAIN = REGRESSION.slice(0, REGRESSION.indexOf('generated quantities'));
    let plain: string;
    let names: { readonly model: string; readonly fit: string };

    before(async () => {
      const model = await server.model(PLAIN);
      const started = await server.post(`${model}/fits`, {
        function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
        data: DATA,
        random_seed: 1,
        num_chains: 2,
        num_samples: 200,
        save_warmup: true,
      });
      const { name } = (await server.finished(started.json.name)).json.result;
      names = { model, fit: name };
      plain = `/v1/${name}`;
    });

    test('is estimated from log likelihoods that are derived from the program', async () => {
      const generated = await server.post(`${await server.model(REGRESSION)}/fits`, {
        function: 'stan::services::standalone_generate',
        data: DATA,
        fitted_params: names.fit,
      });
      const own = (await server.finished(generated.json.name)).json.result.name;
      for (const query of ['', '?chain=2&first=11&last=150']) {
        const expected = (await server.get(`/v1/${own}/loo${query}`)).json;
        const { json, status } = await server.post(`${plain}/loo${query}`, { data: DATA });
        assert.equal(status, 200, JSON.stringify(json));
        assert.equal(json.name, names.fit);
        assert.deepEqual([json.draws, json.chains], [expected.draws, expected.chains]);
        for (const key of ['elpd_loo', 'se_elpd_loo', 'p_loo', 'looic']) {
          assert.ok(Math.abs(json[key] - expected[key]) < 1e-10, `${key}: ${json[key]}, not ${expected[key]}`);
        }
        assert.deepEqual(
          json.observations.map(({ name }: { name: string }) => name),
          DATA.y.map((_, n) => `y.${n + 1}`),
        );
      }
    });

    test('uses log_lik if the draws contain it', async () => {
      const [own, derived] = [await server.get(`${fit}/loo`), await server.post(`${fit}/loo`, { data: DATA })];
      assert.deepEqual(derived.json, own.json);
    });

    test('is compared with replicated data that are derived from the program', async () => {
      const { json, status } = await server.post(`${plain}/predictive`, { data: DATA, random_seed: 3 });
      assert.equal(status, 200, JSON.stringify(json));
      const [{ observations, observed, simulated }] = json.variables;
      assert.deepEqual([observed, simulated, observations.length], ['y', 'y_rep', 6]);
      for (const each of observations) {
        assert.ok(each.q5 < each.observed && each.observed < each.q95, JSON.stringify(each));
        assert.ok(each.q95 - each.q5 < 4);
      }
      const again = await server.post(`${plain}/predictive`, { data: DATA, random_seed: 3 });
      assert.deepEqual(again.json, json);
    });

    test('is rejected with the statement whose observations are ambiguous', async () => {
      const model = await server.model(
        PLAIN.replace('y ~ normal(alpha + beta * x, sigma)', 'target += -sum(square(to_vector(y) - alpha))'),
      );
      const started = await server.post(`${model}/fits`, {
        function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
        data: DATA,
        random_seed: 1,
        num_samples: 20,
        num_warmup: 20,
      });
      const { name } = (await server.finished(started.json.name)).json.result;
      const { json, status } = await server.post(`/v1/${name}/loo`, { data: DATA });
      assert.equal(status, 400);
      assert.match(
        json.message,
        /line 4, column 75 .*cannot be derived from this statement: it adds an expression of data/s,
      );
    });

    test('is rejected with the name of a fit that does not contain refits', async () => {
      const { json, status } = await server.post(`${plain}/loo`, { data: DATA, refits: names.fit });
      assert.equal(status, 400);
      assert.match(json.message, /^This fit is not a result of cross-validation with refits/);
    });

    test('is rejected for data of other sizes', async () => {
      const { json, status } = await server.post(`${plain}/loo`, { data: { ...DATA, N: 7 } });
      assert.equal(status, 400);
      assert.match(json.message, /mismatch in dimension/);
    });
  });
});

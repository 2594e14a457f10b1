/** Cross-validation with refits. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { variance } from '../../src/inference/diagnostics/moments.js';
import { CompileError, close, compile, RequestError, RunError } from '../../src/node/library/index.js';

const NORMAL = `data { int N; vector[N] y; }
parameters { real mu; }
model { mu ~ normal(0, 10); y ~ normal(mu, 1); }`;
const y = [0.3, -0.8, 1.1, 0.4, -0.2, 0.9, 9];
const DATA = { N: y.length, y };
const SAMPLER = { num_warmup: 300, num_samples: 1500, random_seed: 3 };

function logNormal(x: number, mean: number, scale: number): number {
  return -0.5 * Math.log(2 * Math.PI) - Math.log(scale) - 0.5 * ((x - mean) / scale) ** 2;
}

/** The log density of an observation, given all others except `held`, with a normal prior of scale 10 for the mean and unit noise. */
function predictive(held: readonly number[], place: number): number {
  const others = y.filter((_, each) => !held.includes(each));
  const precision = others.length + 1 / 100;
  const mean = others.reduce((sum, value) => sum + value, 0) / precision;
  return logNormal(y[place], mean, Math.sqrt(1 + 1 / precision));
}

/** Standardized Monte Carlo errors are approximately standard normal: fewer than one in a million exceed 5. */
const MOST_ERRORS = 5;

describe('cross-validation with refits', () => {
  after(() => close());

  it('leaves out each observation of a conjugate model, with the estimates of the closed form', async () => {
    const model = await compile(NORMAL);
    const found = await model.kfold({ ...SAMPLER, data: DATA, folds: y.length });
    assert.equal(found.ok, true, found.message);
    assert.equal(found.refits.length, y.length);
    assert.deepEqual(
      found.observations.map(({ name }) => name),
      y.map((_, place) => `y[${place + 1}]`),
    );
    for (const { elpd, mcse, name } of found.observations) {
      const place = Number(/\d+/.exec(name)?.[0]) - 1;
      const expected = predictive([place], place);
      assert.ok(mcse > 0 && mcse < 1, `${name}: ${mcse}`);
      assert.ok(Math.abs(elpd - expected) < MOST_ERRORS * mcse, `${name}: ${elpd} ± ${mcse}, not ${expected}`);
    }
    const elpds = found.observations.map(({ elpd }) => elpd);
    const sum = elpds.reduce((total, elpd) => total + elpd, 0);
    assert.ok(Math.abs(found.elpd.estimate - sum) < 1e-12);
    assert.ok(Math.abs(found.elpd.standardError - Math.sqrt(y.length * variance(Float64Array.from(elpds)))) < 1e-12);
    assert.equal(found.kfoldic.estimate, -2 * found.elpd.estimate);
  });

  it('replaces the estimates of observations with a high Pareto k in leave-one-out cross-validation', async () => {
    const model = await compile(NORMAL);
    const fit = await model.sample({ ...SAMPLER, data: DATA, num_chains: 4 }).result();
    const weighted = await model.loo(fit, DATA);
    assert.deepEqual(
      weighted.unreliable.map((place) => weighted.observations[place].name),
      ['y[7]'],
    );
    const exact = await model.loo(fit, DATA, { exact: SAMPLER });
    assert.equal(exact.ok, true, exact.message);
    assert.match(exact.message, /1 of 7 observations was left out by refits: y\[7\]/);
    assert.deepEqual(exact.observations.slice(0, 6), weighted.observations.slice(0, 6));
    const last = exact.observations[6];
    assert.ok(Math.abs(last.elpd - predictive([6], 6)) < MOST_ERRORS * last.mcse, `${last.elpd} ± ${last.mcse}`);
    const before = weighted.observations[6];
    const whole = before.elpd + before.effectiveParameters;
    assert.ok(Math.abs(last.elpd + last.effectiveParameters - whole) < 1e-10);
    // A refit does not depend on other refits.
    const both = await model.kfold({
      ...SAMPLER,
      num_chains: 4,
      data: DATA,
      warm_start: fit,
      observations: ['y[2]', 'y[7]'],
    });
    assert.equal(both.observations[1].elpd, last.elpd);
  });

  it('leaves out groups of a data variable, with the posterior of the program on the other rows', async () => {
    const program = `data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; array[N] int k; }
      parameters { real a; real b; vector[J] u; real<lower=0> s; }
      model { a ~ normal(0, 1); b ~ normal(0, 1); s ~ normal(0, 1); u ~ normal(0, s); k ~ poisson_log(a + b * x + u[g]); }
      generated quantities { vector[N] log_lik; for (n in 1:N) log_lik[n] = poisson_log_lpmf(k[n] | a + b * x[n] + u[g[n]]); }`;
    const data = {
      N: 8,
      J: 3,
      g: [1, 1, 2, 2, 3, 3, 1, 2],
      x: [-1, 0.5, 0, 1, -0.5, 0.2, 0.8, -0.3],
      k: [0, 2, 1, 4, 1, 3, 2, 0],
      group: [1, 2, 1, 2, 1, 2, 1, 2],
    };
    const model = await compile(program);
    const settings = { ...SAMPLER, delta: 0.95 };
    const found = await model.kfold({ ...settings, data, groups: 'group' });
    assert.deepEqual(
      found.refits.map(({ fold, observations }) => [fold, observations]),
      [1, 2].map((fold) => [fold, 4]),
    );
    for (const fold of [1, 2]) {
      const kept = [...data.group.keys()].filter((place) => data.group[place] !== fold);
      const rows = (values: readonly number[]) => kept.map((place) => values[place]);
      const others = { J: 3, N: kept.length, g: rows(data.g), x: rows(data.x), k: rows(data.k) };
      const fit = await model.sample({ ...settings, random_seed: 8, num_chains: 4, data: others }).result();
      const whole = await model.generate({ fitted_params: fit, data, random_seed: 1 }).result();
      for (const { elpd, fold: own, mcse, name } of found.observations) {
        if (own !== fold) continue;
        const draws = whole.column(name.replace('k', 'log_lik')).flatMap((chain) => [...chain]);
        const likelihoods = Float64Array.from(draws, Math.exp);
        const expected = Math.log(likelihoods.reduce((sum, value) => sum + value, 0) / draws.length);
        // Both estimates have about the same error.
        const most = MOST_ERRORS * Math.SQRT2 * mcse;
        assert.ok(Math.abs(elpd - expected) < most, `${name}: ${elpd} ± ${mcse}, not ${expected}`);
      }
    }
  });

  it('names elements of several outcomes, without elements that are not outcomes', async () => {
    const model = await compile(`data { int N; array[2, N] int k; real z; vector[N] y; }
      parameters { real mu; }
      model { mu ~ normal(0, 1); for (i in 1:2) k[i] ~ poisson_log(mu); z ~ normal(mu, 1); y[2:N] ~ normal(mu, 1); }`);
    const data = {
      N: 3,
      z: 0.3,
      y: [0.1, 0.2, 0.3],
      k: [
        [1, 0, 2],
        [0, 1, 1],
      ],
    };
    const short = { ...SAMPLER, num_warmup: 100, num_samples: 50, num_chains: 1 };
    const found = await model.kfold({ ...short, data, folds: 3 });
    assert.deepEqual(
      found.observations.map(({ name }) => name),
      ['k[1,1]', 'k[1,2]', 'k[1,3]', 'k[2,1]', 'k[2,2]', 'k[2,3]', 'z', 'y[2]', 'y[3]'],
    );
    assert.deepEqual(
      found.refits.map(({ observations }) => observations),
      [3, 3, 3],
    );
    const one = await model.kfold({ ...short, data, observations: ['k[2,1]', 'z'] });
    assert.deepEqual(
      one.observations.map(({ name }) => name),
      ['k[2,1]', 'z'],
    );
  });

  it('is refused with the reason', async () => {
    const model = await compile(NORMAL);
    const run = (fields: object) => model.kfold({ data: DATA, ...fields });
    await assert.rejects(
      run({ folds: 8 }),
      (error) => error instanceof RunError && /at most the number of observations, 7/.test(error.message),
    );
    await assert.rejects(run({ observations: ['y[8]'] }), /\/observations names y\[8\], which is not an observation/);
    await assert.rejects(run({ groups: 'g' }), /\/groups names g, which is not a variable of the data/);
    await assert.rejects(run({ groups: 'N' }), /\/groups names N, which has 1 elements: there is no group for y\[2\]/);
    for (const fields of [
      { folds: 1 },
      { folds: 2, groups: 'g' },
      { chain: 2 },
      { num_chains: 0 },
      { observations: [] },
    ]) {
      await assert.rejects(run(fields), RequestError);
    }
    const joint = await compile(
      'data { vector[2] y; } parameters { real mu; } model { mu ~ std_normal(); y ~ multi_normal(rep_vector(mu, 2), identity_matrix(2)); }',
    );
    await assert.rejects(joint.kfold({ data: { y: [1, 2] } }), (error) => {
      assert.ok(error instanceof CompileError);
      assert.match(
        error.message,
        /The posterior without an observation cannot be derived from this statement: it is a joint density/,
      );
      return true;
    });
  });
});

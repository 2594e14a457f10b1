/** Draws from the prior, and simulation-based calibration. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { mean, standardDeviation } from '../../src/inference/diagnostics/moments.js';
import { CompileError, close, compile, RunError } from '../../src/node/library/index.js';

const PROGRAM = `data { int N; vector[N] x; array[N] int k; }
parameters { real a; vector[2] b; }
model { a ~ normal(1, 0.5); b ~ normal(0, 1); k ~ poisson_log(a + b[1] * x); }`;
const DATA = { N: 5, x: [-1, -0.5, 0, 0.5, 1], k: [0, 0, 0, 0, 0] };
const SHORT = { data: DATA, random_seed: 1, simulations: 40, num_warmup: 200, num_samples: 200 };

describe('the prior of a program', () => {
  after(() => close());

  it('is sampled without the statements that condition on data', async () => {
    const model = await compile(PROGRAM);
    const fit = await model.prior({ data: DATA, random_seed: 1, num_chains: 2 }).result();
    const a = Float64Array.from(fit.column('a').flatMap((chain) => [...chain]));
    assert.ok(Math.abs(mean(a) - 1) < 0.06 && Math.abs(standardDeviation(a) - 0.5) < 0.06);
    const replicated = await model.predict({ fitted_params: fit, data: DATA, random_seed: 1 }).result();
    const middle = Float64Array.from(replicated.column('k_rep[3]').flatMap((chain) => [...chain]));
    assert.ok(Math.abs(mean(middle) - Math.exp(1 + 0.125)) < 0.35);
  });

  for (const [what, program, reason] of [
    ['a parameter without a prior', PROGRAM.replace('a ~ normal(1, 0.5);', ''), /line 2, column 18.*a has no prior/s],
    [
      'densities of data and parameters in one statement',
      PROGRAM.replace('k ~ poisson_log(a + b[1] * x)', 'target += normal_lpdf(a | 0, 1) + poisson_lpmf(k | 1)'),
      /it adds both densities of data and densities of parameters/,
    ],
  ] as const) {
    it(`is rejected for ${what}`, async () => {
      const model = await compile(program);
      await assert.rejects(model.prior({ data: DATA }).result(), (error) => {
        assert.ok(error instanceof CompileError);
        assert.match(error.message, reason);
        return true;
      });
    });
  }
});

describe('simulation-based calibration', () => {
  after(() => close());

  it('reports uniform ranks if effects and their scale form a funnel in the prior', async () => {
    const model = await compile(`data { int J; vector[J] y; vector<lower=0>[J] s; }
parameters { real mu; real<lower=0> tau; vector[J] theta; }
model { mu ~ normal(0, 5); tau ~ lognormal(0, 1); theta ~ normal(mu, tau); y ~ normal(theta, s); }`);
    const data = { J: 8, y: new Array<number>(8).fill(0), s: [15, 10, 16, 11, 9, 11, 10, 18] };
    const sizes = { simulations: 200, num_warmup: 300, num_samples: 300 };
    const found = await model.sbc({ data, random_seed: 1, reparameterize: 'auto', ...sizes });
    assert.equal(found.ok, true, found.message);
  });

  it('reports uniform ranks for a correct sampler, and the same ranks for the same seed', async () => {
    const model = await compile(PROGRAM);
    const found = await model.sbc(SHORT);
    assert.deepEqual(
      found.quantities.map(({ name }) => name),
      ['a', 'b[1]', 'b[2]'],
    );
    assert.equal(found.greatestRank, 100);
    assert.equal(found.ok, true, found.message);
    for (const { differences, ranks } of found.quantities) {
      assert.equal(ranks.length, 40);
      assert.ok(ranks.every((rank) => Number.isInteger(rank) && rank >= 0 && rank <= 100));
      assert.equal(differences.length, found.band.length);
    }
    const again = await model.sbc(SHORT);
    assert.deepEqual(again.quantities, found.quantities);
  });

  it('reports non-uniform ranks for a sampler that does not reach the posterior', async () => {
    const model = await compile(PROGRAM);
    const stuck = { num_warmup: 0, adapt_engaged: false, stepsize: 1e-3, max_depth: 1, init_radius: 0 };
    const { message, ok } = await model.sbc({ ...SHORT, ...stuck });
    assert.equal(ok, false);
    assert.match(message, /The ranks of \d of 3 quantities are not uniform: .*p = /);
  });

  it('is rejected if draws of the prior are not reliable', async () => {
    const model = await compile(
      'data { int N; vector[N] y; } parameters { real a; } model { target += -0.01 * log1p(square(a)); y ~ normal(a, 1); }',
    );
    await assert.rejects(model.sbc({ data: { N: 1, y: [0] }, random_seed: 1, simulations: 10 }), (error) => {
      assert.ok(error instanceof RunError);
      assert.match(error.message, /the chains that draw from the prior distribution do not agree/);
      return true;
    });
  });

  it('simulates each outcome from earlier ones, whatever outcomes are given, without a warning about many chains', async () => {
    const model = await compile(`data { int T; vector[T] y; }
parameters { real mu; real<lower=-1, upper=1> phi; }
model {
  mu ~ normal(0, 1);
  phi ~ normal(0.7, 0.1);
  y[1] ~ normal(mu, 0.5);
  for (t in 2:T) y[t] ~ normal(mu + phi * (y[t - 1] - mu), 0.5);
}`);
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const sbc = (y: readonly number[]) =>
      model.sbc({ data: { T: 12, y }, random_seed: 1, simulations: 176, num_warmup: 200, num_samples: 200 });
    const found = await sbc(Array.from({ length: 12 }, () => 5));
    process.off('warning', note);
    // If the outcomes depended on the given ones rather than on the simulated ones, ranks of mu would be far from uniform.
    assert.equal(found.ok, true, found.message);
    const again = await sbc(Array.from({ length: 12 }, (_, t) => -t));
    assert.deepEqual(again.quantities, found.quantities);
    assert.deepEqual(warnings, []);
  });

  it('is rejected if outcomes depend on each other in a cycle', async () => {
    const model = await compile(`data { vector[2] y; }
parameters { real a; }
model { a ~ normal(0, 1); y[1] ~ normal(a + y[2], 1); y[2] ~ normal(a + y[1], 1); }`);
    await assert.rejects(model.sbc({ data: { y: [0, 0] }, random_seed: 1, simulations: 10 }), (error) => {
      assert.ok(error instanceof RunError);
      assert.match(error.message, /outcomes depend on each other in a cycle/);
      return true;
    });
  });
});

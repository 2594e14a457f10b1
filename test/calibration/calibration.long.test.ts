import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { algorithms } from '../../src/inference/algorithms/registry.js';
import { createRng } from '../../src/inference/random/random-stream.js';
import type { Rng } from '../../src/inference/random/rng.js';
import { compileForChains, runChain } from '../support/chain.js';

const SIMULATIONS = 240;
/** Number of draws kept per chain, after thinning that makes them nearly independent; ranks go from 0 to this number. */
const DRAWS = 63;
const THINNING = 10;
const BINS = 16;
/** A chi-squared variable with 15 degrees of freedom exceeds this with probability 1e-5. */
const LIMIT = 50.5;

/** Groups with centered effects, a parameterization that is hard to sample. */
const GROUPS = `
      data { int J; vector[J] y; vector[J] s; }
      parameters { vector[J] theta; real mu; real<lower=0> tau; }
      model {
        mu ~ normal(1, 2);
        tau ~ lognormal(0, 1);
        theta ~ normal(mu, tau);
        y ~ normal(theta, s);
      }`;
const NOISE = [0.1, 0.5, 1, 3, 10];

/** A program with a simulator of its prior: parameters in the order of the constrained names, and data from them. */
interface Model {
  readonly name: string;
  readonly program: string;
  simulate(rng: Rng): { readonly parameters: readonly number[]; readonly data: object };
}

const models: readonly Model[] = [
  {
    name: 'a normal sample',
    program: `
      data { int N; vector[N] y; }
      parameters { real mu; real<lower=0> sigma; }
      model {
        mu ~ normal(1, 2);
        sigma ~ lognormal(0, 0.5);
        y ~ normal(mu, sigma);
      }`,
    simulate: (rng) => {
      const mu = 1 + 2 * rng.normal();
      const sigma = Math.exp(0.5 * rng.normal());
      return { parameters: [mu, sigma], data: { N: 8, y: Array.from({ length: 8 }, () => mu + sigma * rng.normal()) } };
    },
  },
  {
    name: 'a logistic regression',
    program: `
      data { int N; matrix[N, 2] x; array[N] int<lower=0, upper=1> y; }
      parameters { real alpha; vector[2] beta; }
      model {
        alpha ~ std_normal();
        beta ~ normal(0, 1.5);
        y ~ bernoulli_logit(alpha + x * beta);
      }`,
    simulate: (rng) => {
      const alpha = rng.normal();
      const beta = [1.5 * rng.normal(), 1.5 * rng.normal()];
      const x = Array.from({ length: 20 }, () => [rng.normal(), rng.normal()]);
      const y = x.map((row) => {
        const logit = alpha + row[0] * beta[0] + row[1] * beta[1];
        return rng.uniform() < 1 / (1 + Math.exp(-logit)) ? 1 : 0;
      });
      return { parameters: [alpha, ...beta], data: { N: 20, x, y } };
    },
  },
  {
    name: 'shares of three kinds',
    program: `
      data { array[3] int n; }
      parameters { simplex[3] p; }
      model { p ~ dirichlet(rep_vector(1, 3)); n ~ multinomial(p); }`,
    simulate: (rng) => {
      const weights = Array.from({ length: 3 }, () => -Math.log(1 - rng.uniform()));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const p = weights.map((weight) => weight / total);
      const n = [0, 0, 0];
      for (let i = 0; i < 15; i++) {
        const u = rng.uniform();
        n[u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2] += 1;
      }
      return { parameters: p, data: { n } };
    },
  },
];

const groups: Model = {
  name: 'centered groups in coordinates that are learned',
  program: GROUPS,
  simulate: (rng) => {
    const mu = 1 + 2 * rng.normal();
    const tau = Math.exp(rng.normal());
    const theta = NOISE.map(() => mu + tau * rng.normal());
    const y = theta.map((effect, j) => effect + NOISE[j] * rng.normal());
    return { parameters: [...theta, mu, tau], data: { J: NOISE.length, y, s: NOISE } };
  },
};

/**
 * Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman, arXiv 1804.06788): among draws of the
 * posterior of data simulated from a draw of the prior, that draw's rank is uniform.
 */
for (const { arguments: taken, name: sampler, drawColumns } of algorithms.filter(({ name }) =>
  /^hmc_.*_adapt$/.test(name),
)) {
  describe(sampler, () => {
    const learnsCoordinates = taken.some(({ name }) => name === 'reparameterize');
    for (const each of learnsCoordinates ? [...models, groups] : models) {
      it(`is calibrated on ${each.name}`, () => {
        const { program, simulate } = each;
        const reparameterizes = each === groups;
        const compiled = compileForChains(program, { reparameterizes });
        assert.ok(compiled !== undefined);
        const rng = createRng(20, 1);
        const counts: number[][] = [];
        for (let simulation = 0; simulation < SIMULATIONS; simulation++) {
          const { data, parameters } = simulate(rng);
          const model = compiled.instantiate(JSON.stringify(data), simulation);
          const given = {
            num_warmup: 300,
            num_samples: DRAWS * THINNING,
            num_thin: THINNING,
            refresh: 0,
            ...(reparameterizes && { reparameterize: 'auto' }),
            ...(sampler.includes('static') ? { int_time: 1.5, stepsize_jitter: 0.3 } : {}),
          };
          const { draws } = runChain(sampler, given, model, simulation + 1);
          assert.equal(draws.length, DRAWS);
          parameters.forEach((value, index) => {
            const rank = draws.filter((draw) => draw[drawColumns.length + index] < value).length;
            counts[index] ??= new Array(BINS).fill(0);
            counts[index][Math.floor((rank * BINS) / (DRAWS + 1))] += 1;
          });
        }
        const expected = SIMULATIONS / BINS;
        counts.forEach((bins, index) => {
          const distance = bins.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
          assert.ok(distance < LIMIT, `parameter ${index}: ${distance.toFixed(1)}, ranks ${bins.join(' ')}`);
        });
      });
    }
  });
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CorpusModel, corpus } from '../bench/corpus.js';
import { leapfrog } from '../bench/efficiency/leapfrog.js';
import { readJson } from '../conformance/engine.js';
import { modelsFolder } from '../reference/stan.js';
import { compare, type Posterior } from './compare.js';

const SAMPLERS = {
  'the Fisher diagonal metric': leapfrog('hmc_nuts_diag_e_adapt', { adapt_metric: 'fisher' }),
  'the low-rank metric': leapfrog('hmc_nuts_low_rank_adapt'),
  'learned coordinates': leapfrog('hmc_nuts_low_rank_adapt', { reparameterize: 'auto' }),
  'the recommended sampler': leapfrog('recommended'),
};

const MODELS =
  /^(ar_k_process|beta_regression_proportions|change_point_disasters|cjs_capture_recapture|covariance_inverse_wishart|dirichlet_multinomial_tuple_data|eight_schools_noncentered|gamma_duration_regression|garch_1_1|gaussian_mixture_ordered)$/;

/** The posterior of `eight_schools_noncentered` in centered coordinates, which learned coordinates replace. */
const CENTERED = `data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] theta; }
model {
  mu ~ normal(0, 10);
  tau ~ normal(0, 10);
  theta ~ normal(mu, tau);
  y ~ normal(theta, sigma);
}`;

function agree(run: (typeof SAMPLERS)[keyof typeof SAMPLERS], item: CorpusModel, only = /^/): void {
  const reference = readJson<Posterior>(`${modelsFolder()}/${item.name}/posterior.json`);
  const found = run(item, 1);
  assert.ok('draws' in found, 'failure' in found ? found.failure : '');
  const kept = <T>(values: readonly T[]): T[] => values.filter((_, k) => only.test(reference.names[k]));
  const expected = {
    names: kept(reference.names),
    mean: kept(reference.mean),
    sd: kept(reference.sd),
    mcse_mean: kept(reference.mcse_mean),
    mcse_sd: kept(reference.mcse_sd),
  };
  assert.ok(expected.names.length > 0);
  assert.deepEqual(compare(found.draws, expected).failures, []);
}

/** Compares means and standard deviations of four chains, with a fixed seed, with those of long runs of real Stan. */
for (const [sampler, run] of Object.entries(SAMPLERS)) {
  describe(`${sampler} agrees with real Stan on`, () => {
    for (const item of corpus(modelsFolder(), MODELS)) it(item.name, () => agree(run, item));
  });
}

describe('centered groups agree with the non-centered program in real Stan with', () => {
  const [item] = corpus(modelsFolder(), /^eight_schools_noncentered$/);
  for (const sampler of ['learned coordinates', 'the recommended sampler'] as const) {
    it(sampler, () => agree(SAMPLERS[sampler], { ...item, text: CENTERED }, /^(mu|tau|theta\.\d)$/));
  }
});

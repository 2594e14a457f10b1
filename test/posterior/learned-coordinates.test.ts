import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../../src/inference/random/random-stream.js';
import { compileForChains, runChain } from '../support/chain.js';

const GROUPS = 30;
const OBSERVATIONS = 10;
const PROGRAM = `data { int J; int n; array[J, n] int y; }
parameters { real mu; real<lower=0> tau; vector[J] theta; }
model {
  mu ~ normal(0, 2);
  tau ~ normal(0, 1);
  theta ~ normal(mu, tau);
  for (j in 1:J) y[j] ~ poisson_log(theta[j]);
}`;

function counts(): readonly (readonly number[])[] {
  const rng = createRng(1, 1);
  return Array.from({ length: GROUPS }, () => {
    const rate = Math.exp(1 + 0.7 * rng.normal());
    return Array.from({ length: OBSERVATIONS }, () => Math.max(0, Math.round(rate + Math.sqrt(rate) * rng.normal())));
  });
}

describe('learned coordinates', () => {
  it('do not raise delta if no region is narrow', () => {
    const program = compileForChains(PROGRAM, { reparameterizes: true });
    assert.ok(program);
    const data = JSON.stringify({ J: GROUPS, n: OBSERVATIONS, y: counts() });
    for (const chain of [1, 2, 3, 4]) {
      const settings = { reparameterize: 'auto', num_warmup: 300, num_samples: 10 };
      const { lines } = runChain('hmc_nuts_low_rank_adapt', settings, program.instantiate(data, 1), 1, chain);
      assert.deepEqual(
        lines.filter((line) => line.includes('delta')),
        [],
      );
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Convergence, findings, type SamplerReport } from '../inference/diagnostics/findings.js';
import { remediesFor } from './remedies.js';

const USUAL = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const TEMPERED = 'leapfrog::services::sample::tempered';
const RECOMMENDED = 'leapfrog::services::sample::recommended';

const chain = (divergences: number): SamplerReport => ({
  chain: 1,
  draws: 1000,
  divergences,
  treedepthHits: 0,
  energyFraction: 0.9,
});
const quantity = (ess: number): Convergence => ({
  name: 'mu',
  rhat: 1,
  essBulk: ess,
  essTail: ess,
  variation: 'within chains',
});
const good = findings([chain(0)], [quantity(900)], 10);
const divergent = findings([chain(20)], [quantity(900)], 10);
const short = findings([chain(0)], [quantity(20)], 10);

const kinds = (...given: Parameters<typeof remediesFor>) => remediesFor(...given).map(({ kind }) => kind);

describe('remedies', () => {
  it('exist for problems only', () => assert.deepEqual(kinds(USUAL, {}, good), []));

  it('for divergences are other coordinates, the recommended sampler and shorter steps', () => {
    assert.deepEqual(remediesFor(USUAL, { random_seed: 3, stepsize: 2 }, divergent), [
      {
        kind: 'reparameterize',
        functionName: USUAL,
        arguments: { random_seed: 3, stepsize: 2, reparameterize: 'auto' },
      },
      { kind: 'recommended', functionName: RECOMMENDED, arguments: { random_seed: 3 } },
      { kind: 'delta', functionName: USUAL, arguments: { random_seed: 3, stepsize: 2, delta: 0.95 } },
    ]);
  });

  it('for chains that have converged to different values begin with parallel tempering', () => {
    const separated = findings([chain(0), chain(0)], [{ ...quantity(9), rhat: 1.6, isSeparated: true }], 10);
    const [first] = remediesFor(USUAL, { random_seed: 3, stepsize: 2 }, separated);
    assert.deepEqual(first, { kind: 'tempered', functionName: TEMPERED, arguments: { random_seed: 3 } });
    assert.ok(!kinds(TEMPERED, {}, separated).includes('tempered'));
  });

  it('for few effective draws include more iterations', () => {
    const longer = remediesFor(USUAL, { num_samples: 100 }, short).find(({ kind }) => kind === 'longer');
    assert.deepEqual(longer?.arguments, { num_samples: 400, num_warmup: 2000 });
  });

  it('are not repeated', () => {
    assert.deepEqual(kinds(USUAL, { reparameterize: 'auto', delta: 0.99 }, divergent), ['recommended']);
    assert.deepEqual(kinds(RECOMMENDED, { delta: 0.95 }, divergent), ['delta']);
  });

  it('do not exist for functions without draws of chains', () =>
    assert.deepEqual(kinds('stan::services::optimize::lbfgs', {}, divergent), []));
});

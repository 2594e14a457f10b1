import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PlannedRequest, planRun } from './plan.js';

const large = ' '.repeat(1 << 16);

function planOf(given: Partial<PlannedRequest>) {
  return planRun({ function: 'hmc_nuts_diag_e_adapt', arguments: {}, data: large, chains: 4, ...given });
}

describe('the plan of a run', () => {
  it('binds data once for several chains or blocks, and in a separate step if they are large', () => {
    assert.deepEqual(planOf({}), { bindsOnce: true, sharesData: true });
    const share = (given: Partial<PlannedRequest>) => planOf(given).sharesData;
    assert.deepEqual([{ data: '{}' }, { chains: 1 }, { chains: 1, keeps: true as const }].map(share), [
      false,
      false,
      true,
    ]);
  });

  it('leaves binding to chains with another seed or other data', () => {
    for (const given of [{ inputs: { continue: 'f' } }, { isStudy: true }]) {
      const { bindsOnce, sharesData } = planOf(given);
      assert.deepEqual([bindsOnce, sharesData], [false, false]);
    }
  });

  it('has the options of a module that the function or its arguments require', () => {
    const optionsOf = (given: Partial<PlannedRequest>) => planOf(given).module;
    assert.deepEqual(optionsOf({ arguments: { reparameterize: 'auto' } }), { reparameterizes: true });
    assert.deepEqual(optionsOf({ arguments: { threads_per_chain: 2 } }), { slices: true });
    assert.deepEqual(optionsOf({ function: 'stan::services::optimize::newton' }), { secondDerivatives: true });
  });
});

describe('the blocks of a run', () => {
  const blocksOf = (given: Partial<PlannedRequest>) => planOf(given).blocks;

  it('are absent without a rule and without draws to keep', () => {
    assert.equal(blocksOf({ arguments: { num_samples: 1000 } }), undefined);
  });

  it('have num_samples iterations with a rule', () => {
    const until = { rhat: 1.01, max_iterations: 2500 };
    assert.deepEqual(blocksOf({ arguments: { num_samples: 1000 }, keeps: true, until }), {
      size: 1000,
      limit: 2500,
      until,
    });
  });

  it('are ten of a long run whose draws are kept, of at least 100 iterations, and multiples of num_thin', () => {
    const sizeOf = (num_samples: number, num_thin?: number) =>
      blocksOf({ arguments: { num_samples, ...(num_thin && { num_thin }) }, keeps: true });
    assert.deepEqual(sizeOf(100_000), { size: 10_000, limit: 100_000 });
    assert.deepEqual(sizeOf(1000), { size: 100, limit: 1000 });
    assert.deepEqual(sizeOf(10, 3), { size: 102, limit: 10 });
    assert.deepEqual(sizeOf(10_000, 7), { size: 1001, limit: 10_000 });
  });
});

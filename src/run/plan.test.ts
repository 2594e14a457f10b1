import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blockPlan } from './plan.js';

describe('the blocks of a run', () => {
  it('are absent without a rule and without draws to keep', () => {
    assert.equal(blockPlan({ arguments: { num_samples: 1000 } }), undefined);
  });

  it('have num_samples iterations with a rule', () => {
    const until = { rhat: 1.01, max_iterations: 2500 };
    assert.deepEqual(blockPlan({ arguments: { num_samples: 1000 }, keeps: true, until }), {
      size: 1000,
      limit: 2500,
      until,
    });
  });

  it('are ten of a long run whose draws are kept, of at least 100 iterations, and multiples of num_thin', () => {
    const sizeOf = (num_samples: number, num_thin?: number) =>
      blockPlan({ arguments: { num_samples, ...(num_thin && { num_thin }) }, keeps: true });
    assert.deepEqual(sizeOf(100_000), { size: 10_000, limit: 100_000 });
    assert.deepEqual(sizeOf(1000), { size: 100, limit: 1000 });
    assert.deepEqual(sizeOf(10, 3), { size: 102, limit: 10 });
    assert.deepEqual(sizeOf(10_000, 7), { size: 1001, limit: 10_000 });
  });
});

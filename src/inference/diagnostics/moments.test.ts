import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { weightedQuantiles } from './moments.js';

describe('quantiles of weighted values', () => {
  it('interpolate between the shares of the weights', () => {
    // The values 1, 2 and 3 have shares of 0.25, 0.5 and 0.25, which sum to 0.25, 0.75 and 1.
    const found = weightedQuantiles(Float64Array.of(3, 1, 2), Float64Array.of(1, 1, 2), [0, 0.25, 0.5, 0.75, 0.875, 1]);
    assert.deepEqual(found, [1, 1, 1.5, 2, 2.5, 3]);
  });

  it('are infinite among equal infinite values, and NaN with NaN', () => {
    const infinite = Number.POSITIVE_INFINITY;
    assert.deepEqual(weightedQuantiles(Float64Array.of(infinite, infinite), Float64Array.of(1, 1), [0.9]), [infinite]);
    assert.deepEqual(weightedQuantiles(Float64Array.of(1, Number.NaN), Float64Array.of(1, 1), [0.5]), [Number.NaN]);
  });
});

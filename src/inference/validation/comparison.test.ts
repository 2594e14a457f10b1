import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Compared, cautions } from './comparison.js';

/** Models with these differences from the best model. */
function models(...differences: readonly number[]): readonly Compared[] {
  return differences.map((difference, k) => ({
    name: `model ${k + 1}`,
    elpd: -50 + difference,
    difference,
    standardError: 1,
    probabilityWorse: 0.5,
    stacking: 0.5,
    pseudoBmaPlus: 0.5,
  }));
}

describe('a comparison of models warns', () => {
  it('of nothing if observations are many and differences large', () => {
    assert.deepEqual(cautions(models(0, -4, -12), 100), []);
  });

  it('about standard errors that are too small below a hundred observations', () => {
    assert.deepEqual(cautions(models(0, -12), 99), [
      'There are 99 observations: below 100, the standard errors are too small.',
    ]);
  });

  it('about models that are close to the best one, by name, but not about the best one', () => {
    assert.deepEqual(cautions(models(0, -0.5, -3.9, -4), 500), [
      'model 2, model 3: differences below 4 are small, and their errors are not normal.',
    ]);
  });
});

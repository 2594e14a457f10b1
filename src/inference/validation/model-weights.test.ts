import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { pseudoBmaWeights, stackingWeights } from './model-weights.js';

/**
 * The derivatives of the mean logarithm of the averaged densities. At its maximum, they are 1 for positive weights and at most 1 for the
 * others.
 */
function derivatives(pointwise: readonly (readonly number[])[], weights: readonly number[]): number[] {
  const rows = pointwise[0].map((_, n) => {
    const largest = Math.max(...pointwise.map((model) => model[n]));
    return pointwise.map((model) => Math.exp(model[n] - largest));
  });
  return weights.map((_, k) => {
    const ratios = rows.map((row) => row[k] / row.reduce((sum, density, j) => sum + density * weights[j], 0));
    return ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  });
}

describe('stacking', () => {
  it('maximizes the score of random models: no weight can be increased with profit', () => {
    const rng = createRng(5, 1);
    for (let trial = 0; trial < 300; trial++) {
      const models = 1 + Math.floor(rng.uniform() * 8);
      const observations = 1 + Math.floor(rng.uniform() * 40);
      const spread = 10 ** (3 * rng.uniform() - 1.5);
      const pointwise = Array.from({ length: models }, () => {
        const offset = rng.normal() * rng.uniform();
        return Array.from({ length: observations }, () => offset + spread * rng.normal());
      });
      const weights = stackingWeights(pointwise);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      assert.ok(Math.abs(total - 1) < 1e-7, `trial ${trial}: the sum is ${total}`);
      assert.ok(weights.every((weight) => weight >= 0));
      const largest = Math.max(...derivatives(pointwise, weights));
      assert.ok(largest <= 1 + 1e-7, `trial ${trial}: a derivative is ${largest}`);
    }
  });

  it('gives all weight to a model that is better everywhere', () => {
    const [best, ...others] = stackingWeights([
      [-1, -2, -1],
      [-1.5, -2.1, -3],
      [-900, -2000, -1.1],
    ]);
    assert.deepEqual(others, [0, 0]);
    assert.ok(Math.abs(best - 1) < 1e-8);
  });

  it('divides the weight equally among models with the same predictions', () => {
    const same = [-1, -2.5, -0.3];
    const [a, b, c] = stackingWeights([same, same, same]);
    assert.ok(Math.abs(a - 1 / 3) < 1e-9 && Math.abs(b - a) < 1e-12 && Math.abs(c - a) < 1e-12, `${a} ${b} ${c}`);
  });

  it('finds the mixture of two models that predict different halves', () => {
    const [a, b] = stackingWeights([
      [0, 0, -800, -800],
      [-800, -800, 0, 0],
    ]);
    assert.ok(Math.abs(a - 0.5) < 1e-9 && Math.abs(b - 0.5) < 1e-9, `${a} ${b}`);
  });
});

it('the weights of a single model are 1', () => {
  assert.deepEqual(stackingWeights([[-1, -2]]), [1]);
  assert.deepEqual(
    pseudoBmaWeights([[-1, -2]]).map((weight) => Number(weight.toFixed(12))),
    [1],
  );
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { resample, smoothWeights } from './pareto-smoothing.js';

describe('Pareto-smoothed weights', () => {
  /** Logarithms of ratios whose tail is a generalized Pareto distribution with this shape. */
  const ratios = (shape: number, count: number) => {
    const rng = createRng(7, 1);
    return Float64Array.from({ length: count }, () => -shape * Math.log(1 - rng.uniform()));
  };

  it('estimate the shape of the tail', () => {
    for (const shape of [0.2, 0.5, 0.9, 1.5]) {
      const { paretoK } = smoothWeights(ratios(shape, 100_000));
      assert.ok(Math.abs(paretoK - shape) < 0.12, `${paretoK} is not ${shape}`);
    }
  });

  it('keep all weights outside the tail, and their order', () => {
    const logRatios = ratios(0.7, 2000);
    const { weights } = smoothWeights(logRatios);
    const order = [...logRatios.keys()].sort((a, b) => logRatios[a] - logRatios[b]);
    const largest = logRatios[order[order.length - 1]];
    const tailLength = Math.floor(3 * Math.sqrt(2000));
    order.forEach((index, rank) => {
      if (rank < 2000 - tailLength) assert.equal(weights[index], Math.exp(logRatios[index] - largest));
      if (rank > 0) assert.ok(weights[index] >= weights[order[rank - 1]]);
    });
    assert.ok(weights.every((weight) => weight <= 1));
  });

  it('are unchanged if there is no tail', () => {
    const { weights, paretoK } = smoothWeights(Float64Array.of(0, -1, Number.NEGATIVE_INFINITY));
    assert.deepEqual([...weights], [1, Math.exp(-1), 0]);
    assert.ok(Number.isNaN(paretoK));
    assert.ok(Number.isNaN(smoothWeights(new Float64Array(100)).paretoK));
  });
});

it('draws are resampled in proportion to their weights', () => {
  const counts = [0, 0, 0, 0];
  for (const index of resample(Float64Array.of(1, 0, 3, 6), 100_000, createRng(3, 1))) counts[index] += 1;
  [0.1, 0, 0.3, 0.6].forEach((share, index) => {
    assert.ok(Math.abs(counts[index] / 100_000 - share) <= 4 * Math.sqrt((share * (1 - share)) / 100_000));
  });
});

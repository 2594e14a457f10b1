import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorsPlot, observedAgainstMeanPlot } from './predictive-means.js';

const SIZE = { width: 400, height: 260 };
/** Observations whose simulations are 0 to 10, 10 to 20 and 20 to 30. */
const predicted = {
  name: 'y',
  observed: Float64Array.of(4, 25, 25),
  simulated: Array.from({ length: 11 }, (_, draw) => Float64Array.of(draw, 10 + draw, 20 + draw)),
};

describe('observations against mean predictions', () => {
  it('are counted above the line of equality', () => {
    const { description, table } = observedAgainstMeanPlot(predicted, SIZE);
    assert.match(description, /: 1 of 3 are above/);
    assert.deepEqual(table().rows, [
      [1, 4, 5],
      [2, 25, 15],
      [3, 25, 25],
    ]);
  });

  it('have errors, which are counted outside of the 90 % intervals', () => {
    const { description, marks } = errorsPlot(predicted, SIZE);
    assert.match(description, /\b1 of 3\b/);
    const dots = marks.find(({ kind }) => kind === 'dots');
    assert.ok(dots?.kind === 'dots');
    const heights = [1, 3, 5].map((place) => dots.points[place]);
    assert.ok(heights[0] > heights[2] && heights[2] > heights[1], 'the errors are -1, 10 and 0');
  });

  it('list errors with their intervals', () => {
    // The 5 % and 95 % quantiles of 0 to 10 are 0.5 and 9.5.
    assert.deepEqual(errorsPlot(predicted, SIZE).table().rows, [
      [1, 5, -1, -4.5, 4.5],
      [2, 15, 10, -4.5, 4.5],
      [3, 25, 0, -4.5, 4.5],
    ]);
  });

  it('have mean errors in bins of predicted probability if the outcome is binary', () => {
    // Five observations with probability 1/4 and five with 3/4, the same in each simulation.
    const ones = (low: number, high: number) =>
      Float64Array.from([...Array.from({ length: 5 }, (_, k) => [k < low, k < high])].flat(), Number);
    const plot = errorsPlot(
      { name: 'y', observed: ones(1, 2), simulated: [ones(0, 5), ones(0, 5), ones(0, 5), ones(5, 0)] },
      SIZE,
    );
    // Means of the bins are 0, 0, 0 and 1, and 1, 1, 1 and 0: type-7 quantiles at 5 % and 95 % are 0 and 0.85, and 0.15 and 1.
    const rounded = plot.table().rows.map((row) => row.map((value) => Math.round(Number(value) * 1000) / 1000));
    assert.deepEqual(rounded, [
      [5, 0.25, -0.05, -0.25, 0.6],
      [5, 0.75, -0.35, -0.6, 0.25],
    ]);
    assert.match(plot.description, /in each of 2 bins .* 0 of 2 lie outside/);
  });
});

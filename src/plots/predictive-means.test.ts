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
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dataStatistics } from './predictive.js';
import { twoStatisticsPlot } from './two-statistics.js';

describe('two statistics', () => {
  it('are those of the data and of each simulation', () => {
    const predicted = {
      name: 'y',
      observed: Float64Array.of(1, 3),
      simulated: [Float64Array.of(2, 4), Float64Array.of(0, Number.NaN)],
    };
    const [, , least, greatest] = dataStatistics;
    const plot = twoStatisticsPlot(predicted, [least, greatest], { width: 400, height: 260 });
    assert.match(plot.description, /least value and the greatest value of y are 1 and 3 .* 1 simulations/);
    assert.deepEqual(plot.table().rows, [
      ['observed', 1, 3],
      [1, 2, 4],
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { looIntervalsPlot } from './loo-intervals.js';

describe('leave-one-out intervals', () => {
  const plot = looIntervalsPlot(
    {
      name: 'y',
      observed: Float64Array.of(1, 10, 4),
      quantiles: [
        [0, 1, 2, 3, 4],
        [2, 3, 4, 5, 6],
        [4, 5, 6, 7, 8],
      ],
    },
    { width: 400, height: 260 },
  );

  it('count the observations outside, but not at an end', () => {
    assert.match(plot.description, /predictions from all other observations; 1 of 3 lie outside .* about 0\.3 do/);
  });

  it('list each observation with its quantiles', () => {
    const { columns, rows } = plot.table();
    assert.deepEqual(columns, ['observation', 'observed', '5%', '25%', '50%', '75%', '95%']);
    assert.deepEqual(rows[1], [2, 10, 2, 3, 4, 5, 6]);
    assert.equal(plot.spotAt?.(plot.width / 2, 0)?.text, '2: 10, predicted 2 to 6');
  });
});

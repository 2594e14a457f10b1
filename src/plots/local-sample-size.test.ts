import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statisticsOf } from '../inference/diagnostics/draw-statistics.js';
import { createRng } from '../inference/random/random-stream.js';
import { localSampleSizePlot } from './local-sample-size.js';

const SIZE = { width: 360, height: 180 };
const rng = createRng(5, 1);

describe('effective sample sizes of quantiles and intervals', () => {
  const chains = [1, 2, 3, 4].map(() => Float64Array.from({ length: 400 }, () => rng.normal()));

  it('have the tail sample size at the quantiles that define it', () => {
    const { rows } = localSampleSizePlot({ name: 'x', chains }, SIZE).table();
    const quantileAt = (place: number) => Number(rows[place]?.[1]);
    const tail = statisticsOf(chains, ({ essTail }) => essTail);
    assert.equal(Math.min(quantileAt(0), quantileAt(18)), tail);
  });

  it('are small where one chain stays', () => {
    const stuck = chains.map((chain, k) => (k === 0 ? chain.map((value) => 10 + value / 100) : chain));
    const { rows } = localSampleSizePlot({ name: 'x', chains: stuck }, SIZE).table();
    const local = rows.map((row) => Number(row[2]));
    assert.ok(
      local.slice(15).every((value) => value < 40) && local.slice(0, 15).every((value) => value > 400),
      local.join(),
    );
  });

  it('are not defined for draws that do not vary', () => {
    const plot = localSampleSizePlot({ name: 'x', chains: [new Float64Array(50).fill(2)] }, SIZE);
    assert.match(plot.description, /not defined/);
  });
});

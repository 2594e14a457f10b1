import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { predictiveEcdfPlot } from './predictive-ecdf.js';

const observed = Float64Array.of(3, 1, 2, 2);

describe('ECDFs of data and simulations', () => {
  it('rise by the share of each value', () => {
    const plot = predictiveEcdfPlot({ name: 'y', observed, simulated: [observed] }, { width: 400, height: 200 });
    const own = plot.table().rows.filter(([curve]) => curve === 'y');
    assert.deepEqual(own, [
      ['y', 1, 0.25],
      ['y', 2, 0.5],
      ['y', 2, 0.75],
      ['y', 3, 1],
    ]);
  });

  it('begin at 0 and end at 1 on the axis, and omit far outliers', () => {
    const simulated = Array.from({ length: 40 }, (_, draw) => Float64Array.of(1, 2, 3, draw === 0 ? 1e6 : 2));
    const { marks } = predictiveEcdfPlot({ name: 'y', observed, simulated }, { width: 400, height: 200 });
    const lines = marks.flatMap((mark) => (mark.kind === 'line' ? [mark] : []));
    const own = lines.at(-1)?.points ?? [];
    const [bottom, top] = [own[1], own[own.length - 1]];
    assert.ok(bottom > top);
    const outlier = lines[0].points;
    assert.ok(Math.abs((outlier[outlier.length - 1] - bottom) / (top - bottom) - 0.75) < 1e-9);
    assert.ok(Array.from(own).every((value) => value >= 0 && value <= 400));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparedDensityPlot } from './compared-density.js';

const SIZE = { width: 400, height: 180 };

/** Quantiles of a half-Cauchy distribution of scale 5, as a prior of a standard deviation. */
const prior = Float64Array.from({ length: 1000 }, (_, k) => 5 * Math.tan((Math.PI / 2) * ((k + 0.5) / 1000)));
const posterior = Float64Array.from({ length: 1000 }, (_, k) => 2 + k / 500);

describe('densities of a heavy-tailed prior and its posterior', () => {
  const { description, marks, table } = comparedDensityPlot(
    'tau',
    [
      { name: 'Run 1', draws: posterior },
      { name: 'Run 2, prior', draws: prior },
    ],
    SIZE,
  );

  it('exclude outliers from the axis, and state their percentage', () => {
    const values = table().rows.map(([, value]) => Number(value));
    assert.ok(Math.max(...prior) > 3000 && Math.max(...values) < 100);
    const outside = prior.filter((value) => value > Math.max(...values)).length;
    assert.match(description, new RegExp(`The axis omits ${((100 * outside) / 2000).toPrecision(2)} % of the draws`));
  });

  it('show the posterior with visible width', () => {
    const [line] = marks.filter((mark) => mark.kind === 'line' && mark.dash === undefined && mark.ink === 'chain1');
    assert.ok(line?.kind === 'line');
    const places = Array.from(line.points).filter((_, index) => index % 2 === 0);
    assert.ok(Math.max(...places) - Math.min(...places) > 5);
  });
});

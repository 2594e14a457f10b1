import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Predicted } from './predictive.js';
import { predictiveByPlot } from './predictive-by.js';

const SIZE = { width: 400, height: 200 };

/** Twenty-one simulations, which add 0, 1, … 20 to the same values. */
function shifted(values: readonly number[], observed: readonly number[]): Predicted {
  return {
    name: 'y',
    observed: Float64Array.from(observed),
    simulated: Array.from({ length: 21 }, (_, shift) => Float64Array.from(values, (value) => value + shift)),
  };
}

describe('predictive checks by group', () => {
  it('show the means of groups in the order of their codes, next to those of the simulations', () => {
    const predicted = shifted([1, 10, 3, 20], [11, 100, 13, 120]);
    const plot = predictiveByPlot(predicted, { name: 'g', values: Float64Array.of(7, 2, 7, 2), areGroups: true }, SIZE);
    // Means of the simulations are 15 and 2, plus 0 to 20: 90 % intervals from 16 to 34 and from 3 to 21.
    assert.deepEqual(plot.table().rows, [
      [2, 2, 110, 16, 20, 25, 30, 34],
      [7, 2, 12, 3, 7, 12, 17, 21],
    ]);
    assert.match(plot.description, /in each of 2 groups of g .*; 1 of 2 lie outside the 90 % interval/);
    assert.deepEqual(
      plot.marks.flatMap((mark) =>
        mark.kind === 'text' && mark.anchor === 'middle' && /^\d$/.test(mark.text) ? [mark.text] : [],
      ),
      ['2', '7'],
    );
  });
});

describe('predictive checks against a covariate', () => {
  it('show few observations one by one', () => {
    const predicted = shifted([0, 0, 0], [1, 2, 30]);
    const plot = predictiveByPlot(
      predicted,
      { name: 'x', values: Float64Array.of(0.5, -1, 2), areGroups: false },
      SIZE,
    );
    assert.deepEqual(
      plot.table().rows.map(([value, count, observed]) => [value, count, observed]),
      [
        [0.5, 1, 1],
        [-1, 1, 2],
        [2, 1, 30],
      ],
    );
    assert.match(plot.description, /; 1 of 3 lie outside/);
  });

  it('show the means of bins for many observations or two values, with equal covariates in one bin', () => {
    const observed = Array.from({ length: 20 }, (_, k) => k % 2);
    const x = Float64Array.from({ length: 20 }, (_, k) => (k < 8 ? 1 : k));
    const { table } = predictiveByPlot(shifted(observed, observed), { name: 'x', values: x, areGroups: false }, SIZE);
    const rows = table().rows.map(([value, count, mean]) => [value, count, mean]);
    assert.deepEqual(rows, [
      [1, 8, 0.5],
      [8.5, 2, 0.5],
      [12, 5, 0.4],
      [17, 5, 0.6],
    ]);
  });
});

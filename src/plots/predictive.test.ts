/** Descriptions of predictive plots, compared with numbers computed by hand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paretoKPlot } from './pareto-k.js';
import {
  dataStatistics,
  type Predicted,
  predictiveDistributionPlot,
  predictiveIntervalsPlot,
  predictiveStatisticPlot,
} from './predictive.js';

const SIZE = { width: 400, height: 200 };

/** Four data sets of three observations: 1, 2, 3 and ten, twenty, thirty times as much. */
const simulated = [1, 10, 20, 30].map((factor) => Float64Array.of(factor, 2 * factor, 3 * factor));
const data = (...observed: readonly number[]): Predicted => ({
  name: 'y',
  observed: Float64Array.from(observed),
  simulated,
});

describe('the caption', () => {
  it('of densities distinguishes the data from the simulations', () => {
    const { description } = predictiveDistributionPlot(data(1.5, 2, 40), SIZE);
    assert.equal(
      description,
      'The density of y (thick) over those of 4 simulations (thin): if the model could have generated the data, the thick line lies among the thin ones.',
    );
  });

  it('of frequencies distinguishes bars from intervals', () => {
    const counts = {
      name: 'n',
      observed: Float64Array.of(0, 1),
      simulated: [Float64Array.of(1, 1), Float64Array.of(0, 2)],
    };
    assert.equal(
      predictiveDistributionPlot(counts, SIZE).description,
      'How often each value of n occurs (bars), with median and 90 % interval in the simulations (dots and lines).',
    );
  });

  it('of intervals counts the observations outside, excluding those at an end, and states the number expected from a correct model', () => {
    // The 90 % intervals are 1 to 19, 2 to 38, and 3 to 57.
    const even = Array.from({ length: 21 }, (_, factor) => Float64Array.of(factor, 2 * factor, 3 * factor));
    const outside = (...observed: readonly number[]) =>
      predictiveIntervalsPlot({ ...data(...observed), simulated: even }, SIZE).description;
    const sentence = (count: number) =>
      'Each observation of y with 50 % and 90 % intervals of its simulations; ' +
      `${count} of 3 lie outside the 90 % interval; if the model is right, about 0.3 do.`;
    assert.equal(outside(1, 38, 50), sentence(0));
    assert.equal(outside(0.9, 38, 58), sentence(2));
    assert.equal(outside(0, 0, 1000), sentence(3));
  });

  for (const [key, name, observed, value, share] of [
    ['mean', 'mean', [20, 20, 20], '20', '75'],
    ['mean', 'mean', [21, 21, 21], '21', '50'],
    ['sd', 'standard deviation', [9, 10, 11], '1', '100'],
    ['least', 'least value', [11, 50, 50], '11', '50'],
    ['greatest', 'greatest value', [0, 0, 91], '91', '0'],
  ] as const) {
    it(`of the ${name} states the percentage of simulations that are at least as large: ${value}, ${share} %`, () => {
      const statistic = dataStatistics.find((each) => each.key === key);
      assert.ok(statistic !== undefined);
      assert.equal(
        predictiveStatisticPlot(data(...observed), statistic, SIZE).description,
        `The ${name} of y is ${value}; ${share} % of the simulations have at least this value.`,
      );
    });
  }

  it('of Pareto k counts values above the limit, excluding values at the limit and unknown ones', () => {
    const names = ['a', 'b', 'c', 'd'];
    const { description } = paretoKPlot({ names, paretoK: [0.7, 0.71, Number.NaN, 1.2], greatest: 0.7 }, SIZE);
    assert.equal(
      description,
      'Pareto k of 4 observations, each left out once. For 2, k is above 0.7: their estimates are not reliable.',
    );
  });
});

/** Quantiles of the standard Cauchy distribution at the midpoints of `count` equal intervals of probability. */
const cauchy = (count: number) =>
  Float64Array.from({ length: count }, (_, k) => Math.tan(Math.PI * ((k + 0.5) / count - 0.5)));

describe('heavy-tailed simulations', () => {
  const simulated = Array.from({ length: 20 }, () => cauchy(500));
  const predicted: Predicted = { name: 'y', observed: Float64Array.of(-2, -1, 0, 0.5, 1, 3), simulated };

  it('leave the bulk of their densities visible, and the caption states the percentage outside the axis', () => {
    const { description, table } = predictiveDistributionPlot(predicted, SIZE);
    // Quartiles are -1 and 1, so that the axis ends at 11 and a share of its length; beyond 14.3 there are 4.4 %.
    assert.match(description, / The axis omits 4\.4 % of the simulated values\.$/);
    const curve = table().rows.filter(([name]) => name === 'simulation 1');
    const values = curve.map(([, value]) => Number(value));
    assert.ok(Math.min(...values) > -15 && Math.max(...values) < 15);
    const peak = Math.max(...curve.map(([, , density]) => Number(density)));
    assert.ok(Math.abs(peak - 1 / Math.PI) < 0.06, `${peak} is not near the density at 0`);
  });

  it('leave the bulk of a statistic visible, and the caption states the percentage outside the axis', () => {
    const statistic = { key: 'mean', of: (values: Float64Array) => values[0] } as const;
    const spread = [...cauchy(500)].map((value) => Float64Array.of(value));
    const plot = predictiveStatisticPlot(
      { name: 'y', observed: Float64Array.of(0), simulated: spread },
      statistic,
      SIZE,
    );
    assert.match(plot.description, / The axis omits 5\.6 % of the simulations\.$/);
    const heights = plot.marks.flatMap((mark) =>
      mark.kind === 'boxes' ? Array.from(mark.boxes).filter((_, k) => k % 4 === 3) : [],
    );
    assert.ok(heights.filter((height) => height > 0).length > 10);
  });
});

describe('predictive densities', () => {
  it('end where data and simulations end', () => {
    const positive = [0.1, 0.3, 2, 5].map((scale) =>
      Float64Array.from({ length: 40 }, (_, k) => scale * ((k % 20) + 0.01)),
    );
    const plot = predictiveDistributionPlot({ name: 'y', observed: positive[1], simulated: positive }, SIZE);
    const values = plot.table().rows.map(([, value]) => Number(value));
    assert.ok(Math.min(...values) >= 0.001 - 1e-9, `${Math.min(...values)}`);
  });
});

import { frame } from './frame.js';
import type { DataStatistic, Predicted } from './predictive.js';
import { extentOf, padded } from './scale.js';
import type { Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

/** Two statistics of each simulated data set, and of the data: together they can differ where each alone does not. */
export function twoStatisticsPlot(
  { name, observed, simulated }: Predicted,
  [across, up]: readonly [DataStatistic, DataStatistic],
  size: Size,
): Plot {
  const words = wordsOf(size);
  const sets = simulated.map((set) => [across.of(set), up.of(set)] as const).filter(([a, b]) => Number.isFinite(a + b));
  const own = [across.of(observed), up.of(observed)] as const;
  const labels = [across, up].map(({ key }) => words('statisticOf', { statistic: key, name }));
  const { x, y, marks } = frame(size, {
    x: padded(
      extentOf(
        [own[0]],
        sets.map(([a]) => a),
      ),
      0.06,
    ),
    y: padded(
      extentOf(
        [own[1]],
        sets.map(([, b]) => b),
      ),
      0.06,
    ),
    xLabel: labels[0],
    yLabel: labels[1],
  });
  const [left, top] = [x(own[0]), y(own[1])];
  return {
    ...size,
    title: words('twoStatisticsTitle', { name }),
    description: words('twoStatisticsAbout', {
      name,
      across: words('statistic', { statistic: across.key }),
      up: words('statistic', { statistic: up.key }),
      first: words.short(own[0]),
      second: words.short(own[1]),
      count: sets.length,
    }),
    legend: [
      { ink: 'observed', text: words('observed') },
      { ink: 'chain1', text: words('simulations') },
    ],
    marks: [
      ...marks,
      { kind: 'dots', points: sets.flatMap(([a, b]) => [x(a), y(b)]), ink: 'chain1', radius: 2, opacity: 0.45 },
      {
        kind: 'segments',
        ends: [left, y.range[0], left, y.range[1], x.range[0], top, x.range[1], top],
        ink: 'observed',
        width: 1,
        opacity: 0.5,
      },
      { kind: 'dots', points: [left, top], ink: 'observed', radius: 5 },
    ],
    table: () => ({
      columns: [words('simulation'), ...labels],
      rows: [[words('observed'), ...own], ...sets.map((set, k) => [k + 1, ...set])],
    }),
  };
}

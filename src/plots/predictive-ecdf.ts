import { frame } from './frame.js';
import type { Predicted } from './predictive.js';
import { type Domain, extentOf, padded, type Scale } from './scale.js';
import type { Mark, Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

/** Maximum number of simulations that are drawn. */
const CURVES = 50;

/** The empirical distribution function of the data over those of simulations. Unlike a density, it has no bandwidth. */
export function predictiveEcdfPlot({ name, observed, simulated }: Predicted, size: Size): Plot {
  const words = wordsOf(size);
  const step = Math.max(1, Math.floor(simulated.length / CURVES));
  const sets = simulated.filter((_, index) => index % step === 0).map((values) => values.toSorted());
  const own = observed.toSorted();
  const { x, y, marks } = frame(size, { x: padded(extentOf(own, middleOf(sets)), 0.1), y: [0, 1], xLabel: name });
  const curve = (sorted: Float64Array, look: Omit<Extract<Mark, { kind: 'line' }>, 'kind' | 'points'>): Mark => ({
    kind: 'line',
    points: stepsOf(sorted, x, y),
    ...look,
  });
  return {
    ...size,
    title: words('ecdfsTitle', { name }),
    description: words('ecdfsAbout', { name, count: sets.length }),
    legend: [
      { ink: 'observed', text: words('observed') },
      { ink: 'chain1', text: words('simulations') },
    ],
    marks: [
      ...marks,
      ...sets.map((sorted) => curve(sorted, { ink: 'chain1', width: 1, opacity: 0.3 })),
      curve(own, { ink: 'observed', width: 2 }),
    ],
    table: () => ({
      columns: [words('curve'), words('value'), words('share')],
      rows: [own, ...sets].flatMap((sorted, index) =>
        [...sorted].map((value, k) => [
          index === 0 ? name : words('simulationOf', { number: index }),
          value,
          (k + 1) / sorted.length,
        ]),
      ),
    }),
  };
}

/** Nearly all simulated values: far outliers of a few simulations would compress everything else. */
function middleOf(sets: readonly Float64Array[]): Domain {
  const ends = (share: number) =>
    Float64Array.from(sets, (sorted) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN).toSorted();
  const [low, high] = [ends(0.01), ends(0.99)];
  return [low[Math.floor(low.length / 2)], high[Math.floor(high.length / 2)]];
}

/** Horizontal and vertical segments of the function within the axis. */
function stepsOf(sorted: Float64Array, x: Scale, y: Scale): number[] {
  const [from, to] = x.domain;
  const points: number[] = [];
  let share = 0;
  for (const [k, value] of sorted.entries()) {
    const next = (k + 1) / sorted.length;
    if (value >= from && value <= to) {
      if (points.length === 0) points.push(x(from), y(share));
      points.push(x(value), y(share), x(value), y(next));
    }
    share = value <= to ? next : share;
  }
  points.push(x(to), y(share));
  return points;
}

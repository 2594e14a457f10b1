/** The data against the means of their simulations, and the differences of the two. */
import { quantiles } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import type { Predicted } from './predictive.js';
import { extentOf, padded } from './scale.js';
import type { Mark, Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

interface Row {
  readonly observed: number;
  /** The mean of the simulations. */
  readonly mean: number;
  /** The 90 % interval of the difference between observations like this one and their mean, by simulation. */
  readonly errors: readonly [low: number, high: number];
}

function rowsOf({ observed, simulated }: Predicted): readonly Row[] {
  return [...observed].map((value, k) => {
    const draws = Float64Array.from(simulated, (set) => set[k]);
    const mean = draws.reduce((sum, each) => sum + each, 0) / draws.length;
    const [low, high] = quantiles(draws, [0.05, 0.95]);
    return { observed: value, mean, errors: [low - mean, high - mean] };
  });
}

/** Each observation against the mean of its simulations, with the line on which both are equal. */
export function observedAgainstMeanPlot(predicted: Predicted, size: Size): Plot {
  const words = wordsOf(size);
  const { name } = predicted;
  const rows = rowsOf(predicted);
  const domain = padded(extentOf(...rows.map(({ mean, observed }) => [mean, observed])));
  const { x, y, marks } = frame(size, {
    x: domain,
    y: domain,
    xLabel: words('meanOfSimulations', { name }),
    yLabel: name,
  });
  const [from, to] = domain;
  return {
    ...size,
    title: words('observedAgainstMeanTitle', { name }),
    description: words('observedAgainstMeanAbout', {
      name,
      above: rows.filter(({ mean, observed }) => observed > mean).length,
      count: rows.length,
    }),
    marks: [
      ...marks,
      { kind: 'line', points: [x(from), y(from), x(to), y(to)], ink: 'muted', dash: '4 3' },
      dotsOf(rows.flatMap(({ mean, observed }) => [x(mean), y(observed)])),
    ],
    table: () => tableOf(rows, words('observation'), words('observed'), words('meanOfSimulations', { name })),
  };
}

/** The difference between each observation and the mean of its simulations against this mean, with 90 % intervals of the same in simulations. */
export function errorsPlot(predicted: Predicted, size: Size): Plot {
  const words = wordsOf(size);
  const { name } = predicted;
  const rows = rowsOf(predicted);
  const outside = rows.filter(({ errors: [low, high], mean, observed }) => {
    const error = observed - mean;
    return error < low || error > high;
  });
  const { x, y, marks } = frame(size, {
    x: padded(extentOf(rows.map(({ mean }) => mean))),
    y: padded(extentOf(...rows.map(({ errors, mean, observed }) => [observed - mean, ...errors]))),
    xLabel: words('meanOfSimulations', { name }),
    yLabel: words('errorOf', { name }),
  });
  return {
    ...size,
    title: words('errorsTitle', { name }),
    description: words('errorsAbout', {
      name,
      outside: outside.length,
      count: rows.length,
      expected: words.short(rows.length / 10, 2),
    }),
    marks: [
      ...marks,
      { kind: 'segments', ends: [x.range[0], y(0), x.range[1], y(0)], ink: 'muted', dash: '4 3' },
      {
        kind: 'segments',
        ends: rows.flatMap(({ errors: [low, high], mean }) => [x(mean), y(low), x(mean), y(high)]),
        ink: 'chain1',
        width: 1.5,
        opacity: 0.35,
      },
      dotsOf(rows.flatMap(({ mean, observed }) => [x(mean), y(observed - mean)])),
    ],
    table: () => tableOf(rows, words('observation'), words('observed'), words('meanOfSimulations', { name })),
  };
}

function dotsOf(points: readonly number[]): Mark {
  return { kind: 'dots', points, ink: 'observed', radius: points.length > 400 ? 1.6 : 2.6 };
}

function tableOf(rows: readonly Row[], ...columns: readonly string[]): ReturnType<Plot['table']> {
  return { columns, rows: rows.map(({ mean, observed }, k) => [k + 1, observed, mean]) };
}

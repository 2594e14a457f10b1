/** The data against the means of their simulations, and the differences of the two. */
import { frame } from './frame.js';
import { binsOf, meanOf } from './observation-bins.js';
import type { Predicted } from './predictive.js';
import { isBinary } from './reliability.js';
import { extentOf, padded } from './scale.js';
import type { Mark, Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

function singlesOf(predicted: Predicted) {
  return [...predicted.observed.keys()].map((index) => meanOf(predicted, [index]));
}

/** Each observation against the mean of its simulations, with the line on which both are equal. */
export function observedAgainstMeanPlot(predicted: Predicted, size: Size): Plot {
  const words = wordsOf(size);
  const { name } = predicted;
  const rows = singlesOf(predicted);
  const domain = padded(extentOf(...rows.map((row) => [row.predicted, row.observed])));
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
      above: rows.filter((row) => row.observed > row.predicted).length,
      count: rows.length,
    }),
    marks: [
      ...marks,
      { kind: 'line', points: [x(from), y(from), x(to), y(to)], ink: 'muted', dash: '4 3' },
      dotsOf(rows.flatMap((row) => [x(row.predicted), y(row.observed)])),
    ],
    table: () => ({
      columns: [words('observation'), words('observed'), words('meanOfSimulations', { name })],
      rows: rows.map((row, k) => [k + 1, row.observed, row.predicted]),
    }),
  };
}

/**
 * Differences between the data and the means of their simulations against these means, with 90 % intervals of the same in simulations: of each
 * observation, or for a binary outcome of the means in bins of predicted probability, since single errors have only two values.
 */
export function errorsPlot(predicted: Predicted, size: Size): Plot {
  const words = wordsOf(size);
  const { name } = predicted;
  const isBinned = isBinary(predicted);
  const singles = singlesOf(predicted);
  const rows = isBinned
    ? binsOf(Float64Array.from(singles, (row) => row.predicted)).map((members) => meanOf(predicted, members))
    : singles;
  const ends = rows.map(({ at, predicted: mean }) => [at[0] - mean, at[4] - mean]);
  const errors = rows.map((row) => row.observed - row.predicted);
  const xLabel = isBinned ? words('predictedProbability', { name }) : words('meanOfSimulations', { name });
  const yLabel = isBinned ? words('meanErrorOf', { name }) : words('errorOf', { name });
  const { x, y, marks } = frame(size, {
    x: padded(extentOf(rows.map((row) => row.predicted))),
    y: padded(extentOf(errors, ...ends)),
    xLabel,
    yLabel,
  });
  return {
    ...size,
    title: words('errorsTitle', { name }),
    description: words(isBinned ? 'binnedErrorsAbout' : 'errorsAbout', {
      name,
      outside: rows.filter(({ at, observed }) => observed < at[0] || observed > at[4]).length,
      count: rows.length,
      expected: words.short(rows.length / 10, 2),
    }),
    legend: [
      { ink: 'observed', text: words('observed') },
      { ink: 'chain1', text: words('interval90') },
    ],
    marks: [
      ...marks,
      { kind: 'segments', ends: [x.range[0], y(0), x.range[1], y(0)], ink: 'muted', dash: '4 3' },
      {
        kind: 'segments',
        ends: rows.flatMap((row, k) => [x(row.predicted), y(ends[k][0]), x(row.predicted), y(ends[k][1])]),
        ink: 'chain1',
        width: isBinned ? 2 : 1.5,
        opacity: isBinned ? 0.6 : 0.35,
      },
      dotsOf(rows.flatMap((row, k) => [x(row.predicted), y(errors[k])])),
    ],
    table: () => ({
      columns: [words(isBinned ? 'observations' : 'observation'), xLabel, yLabel, '5%', '95%'],
      rows: rows.map((row, k) => [isBinned ? row.count : k + 1, row.predicted, errors[k], ...ends[k]]),
    }),
  };
}

function dotsOf(points: readonly number[]): Mark {
  return { kind: 'dots', points, ink: 'observed', radius: points.length > 400 ? 1.6 : 2.6 };
}

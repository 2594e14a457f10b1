/** Posterior predictive checks of groups of observations, and of observations along a covariate. */
import type { Numerals } from '../base/numerals.js';
import { codeMarks } from './code-marks.js';
import { frame } from './frame.js';
import { binsOf, meanOf } from './observation-bins.js';
import type { Predicted } from './predictive.js';
import { extentOf, padded, type Scale } from './scale.js';
import type { Mark, Plot, Size } from './scene.js';
import { type PlotWords, wordsOf } from './words.js';

/** A data variable with one value for each observation. */
export interface Companion {
  readonly name: string;
  readonly values: Float64Array;
  /** Whether the values are codes of groups. */
  readonly areGroups: boolean;
  /** Labels of the codes, from 1. */
  readonly labels?: readonly string[];
}

/** An observation or the mean of several, with quantiles of the simulated values. */
interface Row {
  /** Its position on the horizontal axis. */
  readonly place: number;
  readonly label: string;
  /** The other variable in the table: a group, a value, or the mean of a bin. */
  readonly key: number | string;
  readonly count: number;
  readonly observed: number;
  readonly at: readonly number[];
}

/** The mean of the data in each group or along a covariate, with the means of the simulations. */
export function predictiveByPlot(predicted: Predicted, companion: Companion, size: Size): Plot {
  if (companion.areGroups) return groupsPlot(predicted, companion, size);
  return areSingle(predicted) ? covariatePlot(predicted, companion, size) : binsPlot(predicted, companion, size);
}

/** The mean of each group, in the order of the groups' codes. */
function groupsPlot(predicted: Predicted, { labels, name, values }: Companion, size: Size): Plot {
  const words = wordsOf(size);
  const codes = [...new Set(values)].sort((a, b) => a - b);
  const textOf = (code: number) => labels?.[code - 1] ?? words.short(code);
  const members = new Map(codes.map((code) => [code, [] as number[]]));
  for (const [index, code] of values.entries()) members.get(code)?.push(index);
  const rows = codes.map((code, k) => ({
    ...meanOf(predicted, members.get(code) ?? []),
    place: k + 1,
    label: `${name} ${textOf(code)}`,
    key: labels?.[code - 1] ?? code,
  }));
  const { x, y, marks } = frame(size, {
    x: [0.5, rows.length + 0.5],
    y: domainOf(rows),
    xTicks: false,
    xLabel: name,
    yLabel: words('meanOf', { name: predicted.name }),
  });
  return {
    ...size,
    title: words('byTitle', { name: predicted.name, other: name }),
    description: words('groupsAbout', { name: predicted.name, other: name, ...outsideOf(rows, words) }),
    marks: [...marks, ...codeMarks(codes.map(textOf), x, y), ...rowMarks(rows, x, y)],
    ...detailsOf(rows, name, x, y, words),
  };
}

/** Each observation at the value of the covariate. */
function covariatePlot(predicted: Predicted, { name, values }: Companion, size: Size): Plot {
  const words = wordsOf(size);
  const rows = [...values].map(
    (place, index): Row => ({
      ...meanOf(predicted, [index]),
      place,
      label: `${name} ${words.short(place)}`,
      key: place,
    }),
  );
  const { x, y, marks } = frame(size, {
    x: padded(extentOf(values)),
    y: domainOf(rows),
    xLabel: name,
    yLabel: predicted.name,
  });
  return {
    ...size,
    title: words('againstTitle', { name: predicted.name, other: name }),
    description: words('covariateAbout', { name: predicted.name, other: name, ...outsideOf(rows, words) }),
    marks: [...marks, ...rowMarks(rows, x, y)],
    ...detailsOf(rows, name, x, y, words),
  };
}

/** The mean of the observations in each bin of a covariate. */
function binsPlot(predicted: Predicted, { name, values }: Companion, size: Size): Plot {
  const words = wordsOf(size);
  const rows = binsOf(values).map((bin): Row => {
    const places = bin.map((index) => values[index]);
    const place = places.reduce((sum, value) => sum + value, 0) / places.length;
    const [first, last] = [places[0], places.at(-1) ?? place];
    return {
      ...meanOf(predicted, bin),
      place,
      label: `${name} ${first === last ? words.short(first) : words('range', { from: words.short(first), to: words.short(last) })}`,
      key: place,
    };
  });
  const { x, y, marks } = frame(size, {
    x: padded(extentOf(rows.map(({ place }) => place))),
    y: domainOf(rows),
    xLabel: name,
    yLabel: words('meanOf', { name: predicted.name }),
  });
  return {
    ...size,
    title: words('againstTitle', { name: predicted.name, other: name }),
    description: words('binsAbout', { name: predicted.name, other: name, ...outsideOf(rows, words) }),
    marks: [...marks, ...rowMarks(rows, x, y)],
    ...detailsOf(rows, name, x, y, words),
  };
}

/** Maximum number of observations that are shown separately. */
const MOST_SINGLE = 100;

/** Whether observations are shown separately; for two distinct values, means show more. */
function areSingle({ observed }: Predicted): boolean {
  return observed.length <= MOST_SINGLE && new Set(observed).size > 2;
}

function domainOf(rows: readonly Row[]) {
  return padded(
    extentOf(
      rows.map(({ observed }) => observed),
      ...rows.map(({ at }) => at),
    ),
  );
}

/** The number of observations outside the 90 % interval, and the number expected if the model is correct. */
function outsideOf(rows: readonly Row[], numerals: Numerals) {
  const outside = rows.filter(({ at, observed }) => observed < at[0] || observed > at[4]).length;
  return { outside, count: rows.length, expected: numerals.short(rows.length / 10, 2) };
}

/** Pixels between two neighbors. */
function gapOf(rows: readonly Row[], x: Scale): number {
  return Math.abs(x.range[1] - x.range[0]) / Math.max(1, rows.length);
}

function rowMarks(rows: readonly Row[], x: Scale, y: Scale): Mark[] {
  const gap = 0.6 * gapOf(rows, x);
  const between = (low: number, high: number) =>
    rows.flatMap(({ at, place }) => [x(place), y(at[low]), x(place), y(at[high])]);
  return [
    { kind: 'segments', ends: between(0, 4), ink: 'chain1', width: Math.min(2, gap), opacity: 0.6 },
    { kind: 'segments', ends: between(1, 3), ink: 'chain1', width: Math.min(6, gap), opacity: 0.6 },
    {
      kind: 'dots',
      points: rows.flatMap(({ observed, place }) => [x(place), y(observed)]),
      ink: 'observed',
      radius: Math.max(1.5, Math.min(3, gap)),
    },
  ];
}

function detailsOf(
  rows: readonly Row[],
  name: string,
  x: Scale,
  y: Scale,
  words: PlotWords,
): Pick<Plot, 'spotAt' | 'table'> {
  return {
    table: () => ({
      columns: [name, words('observations'), words('observed'), '5%', '25%', '50%', '75%', '95%'],
      rows: rows.map(({ at, count, key, observed }) => [key, count, observed, ...at]),
    }),
    spotAt: (px, py) => {
      const [nearest] = rows
        .map((row) => ({ row, distance: Math.hypot(x(row.place) - px, y(row.observed) - py) }))
        .sort((a, b) => a.distance - b.distance);
      if (nearest === undefined) return undefined;
      const { at, count, label, observed, place } = nearest.row;
      const values = { value: words.short(observed), from: words.short(at[0]), to: words.short(at[4]) };
      const text = words(count === 1 ? 'spotSimulated' : 'spotSimulatedMean', { name: label, count, ...values });
      return { x: x(place), y: y(observed), text };
    },
  };
}

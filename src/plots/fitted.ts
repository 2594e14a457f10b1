/** Fitted lines with bands over the data, in one panel or a panel for each group, and fitted values of categories. */
import type { Numerals } from '../base/numerals.js';
import { codeMarks } from './code-marks.js';
import { frame } from './frame.js';
import { extentOf, linear, padded, type Scale, ticksOf } from './scale.js';
import type { Ink, Mark, Plot, Size } from './scene.js';
import { type PlotWords, wordsOf } from './words.js';

/** The probabilities of the quantiles in `at`. */
export const FITTED_QUANTILES: readonly number[] = [0.05, 0.25, 0.5, 0.75, 0.95];

export interface FittedPanel {
  /** The group; empty if there is only one panel. */
  readonly label: string;
  /** The observations; those with NaN are not drawn. */
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  /** Quantiles of the expected outcome at each position of the grid. */
  readonly at: readonly (readonly number[])[];
}

export interface Fitted {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** What the line shows: `expected score`. */
  readonly expected: string;
  readonly grid: readonly number[];
  readonly panels: readonly FittedPanel[];
  /** Number of groups, of which at most `MOST_PANELS` have a panel. */
  readonly groups: number;
  /** Medians of the line over all groups, for comparison; undefined if panels are categories of the outcome. */
  readonly overall?: readonly number[];
  /** Whether lines and bands are simulations at the observations, instead of the expected outcome. */
  readonly arePredictions?: boolean;
  /** Whether the outcome is 0 or 1, so that observations are spread vertically. */
  readonly isBinary: boolean;
}

const INK: Ink = 'chain1';
/** Pixels. */
const PANEL = { width: 150, height: 128, gap: 10, title: 20 };
const SINGLE = 300;
const MARGIN = { bottom: 38, right: 14 };
const CHARACTER = 6.2;

function columnsFor({ panels }: Fitted, width: number): number {
  const most = Math.max(1, Math.floor((width - 44) / PANEL.width));
  const rows = Math.ceil(panels.length / most);
  return Math.ceil(panels.length / rows);
}

/** Height in pixels of the panels within a width. */
export function fittedHeight(fitted: Fitted, width: number): number {
  if (fitted.panels.length <= 1) return SINGLE;
  const rows = Math.ceil(fitted.panels.length / columnsFor(fitted, width));
  return rows * (PANEL.height + PANEL.title) + MARGIN.bottom;
}

/** Each line is the median of the expected outcome, with its 50 % and 90 % intervals as bands. */
export function fittedPlot(fitted: Fitted, size: Size): Plot {
  const words = wordsOf(size);
  const { expected, grid, groups, isBinary, overall, panels, title, xLabel, yLabel } = fitted;
  const domain = padded(extentOf(...panels.flatMap(({ at, y }) => [y, ...at])), isBinary ? 0.09 : 0.04);
  const columns = columnsFor(fitted, size.width);
  const rows = Math.ceil(panels.length / columns);
  const top = panels.length > 1 ? PANEL.title : 8;
  const cell = { height: (size.height - MARGIN.bottom) / rows };
  const yTicks = ticksOf(domain, Math.max(2, Math.floor((cell.height - top) / 50)));
  const left = 26 + CHARACTER * Math.max(...yTicks.map((value) => words.short(value).length));
  const width = (size.width - left - MARGIN.right) / columns;
  const scales = panels.map((_, place): readonly [Scale, Scale] => {
    const start = left + width * (place % columns);
    const above = cell.height * Math.floor(place / columns);
    const x = linear(padded(extentOf(grid), 0.03), [start, start + width - (columns > 1 ? PANEL.gap : 0)]);
    return [x, linear(domain, [above + cell.height - (rows > 1 ? 4 : 0), above + top])];
  });
  const xTicks = ticksOf(scales[0]?.[0].domain ?? [0, 1], Math.max(2, Math.floor(width / 46)));
  const marks = panels.flatMap((panel, place): Mark[] => {
    const [x, y] = scales[place];
    const isLeft = place % columns === 0;
    const isLow = place + columns >= panels.length;
    const line = overall?.flatMap((value, k) => [x(grid[k]), y(value)]);
    return [
      ...axesMarks(x, y, isLow ? xTicks : [], isLeft ? yTicks : [], yTicks, words),
      ...(panel.label === '' ? [] : [titleMark(panel.label, x, y)]),
      ...bandMarks(panel, grid, x, y),
      { kind: 'dots', points: dotsOf(panel, isBinary, x, y), ink: 'observed', ...dotStyle(panel.x.length) },
      ...(line === undefined ? [] : [{ kind: 'line', points: line, ink: 'muted', width: 1.5, dash: '4 3' } as const]),
      { kind: 'line', points: panel.at.flatMap((at, k) => [x(grid[k]), y(at[2])]), ink: INK, width: 2 },
    ];
  });
  return {
    ...size,
    title,
    description:
      fitted.arePredictions === true
        ? predictionsAbout(fitted, words)
        : words(
            panels.length <= 1 ? 'fittedAbout' : overall === undefined ? 'fittedCategoriesAbout' : 'fittedPanelsAbout',
            {
              name: expected,
              count: panels.length,
              hidden: groups - panels.length,
            },
          ),
    legend: [
      { ink: INK, text: words('fittedLine') },
      ...(overall === undefined ? [] : [{ ink: 'muted', dash: '4 3', text: words('fittedOverall') } as const]),
    ],
    marks: [...marks, ...labelMarks(xLabel, yLabel, left, size)],
    table: () => tableOf(fitted),
    spotAt: (px, py) => {
      const place = scales.findIndex(
        ([x, y]) => px >= x.range[0] && px <= x.range[1] && py <= y.range[0] + 4 && py >= y.range[1] - top,
      );
      const panel = panels[place];
      if (panel === undefined) return undefined;
      const [x, y] = scales[place];
      const nearest = grid.reduce(
        (best, value, k) => (Math.abs(x(value) - px) < Math.abs(x(grid[best]) - px) ? k : best),
        0,
      );
      const [low, , median, , high] = panel.at[nearest];
      const name = [panel.label, `${xLabel} ${words.short(grid[nearest], 3)}`].filter((part) => part !== '').join(', ');
      const values = { median: words.short(median), from: words.short(low), to: words.short(high) };
      return { x: x(grid[nearest]), y: y(median), text: words('spotInterval', { name, ...values }) };
    },
  };
}

function axesMarks(
  x: Scale,
  y: Scale,
  xTicks: readonly number[],
  yTicks: readonly number[],
  grid: readonly number[],
  numerals: Numerals,
): Mark[] {
  const [low] = y.range;
  const [from, to] = x.range;
  const text = (px: number, py: number, value: number, anchor: 'middle' | 'end'): Mark => ({
    kind: 'text',
    x: px,
    y: py,
    text: numerals.short(value),
    ink: 'muted',
    anchor,
    size: 11,
  });
  return [
    { kind: 'segments', ends: grid.flatMap((value) => [from, y(value), to, y(value)]), ink: 'grid' },
    { kind: 'segments', ends: [from, low, to, low], ink: 'muted', opacity: 0.6 },
    ...xTicks.map((value) => text(x(value), low + 16, value, 'middle')),
    ...yTicks.map((value) => text(from - 6, y(value) + 4, value, 'end')),
  ];
}

function titleMark(label: string, x: Scale, y: Scale): Mark {
  const room = Math.floor((x.range[1] - x.range[0]) / CHARACTER);
  const text = label.length > room ? `${label.slice(0, room - 1)}…` : label;
  return { kind: 'text', x: x.range[0], y: y.range[1] - 6, text, ink: 'text', size: 12 };
}

function labelMarks(xLabel: string, yLabel: string, left: number, { height, width }: Size): Mark[] {
  const middle = { x: (left + width - MARGIN.right) / 2, y: height - 4 };
  const beside = { x: 11, y: (height - MARGIN.bottom) / 2 };
  return [
    { kind: 'text', ...middle, text: xLabel, ink: 'muted', anchor: 'middle', size: 11 },
    { kind: 'text', ...beside, text: yLabel, ink: 'muted', anchor: 'middle', size: 11, turn: -90 },
  ];
}

/** The areas between the ends of both intervals. */
function bandMarks({ at }: FittedPanel, grid: readonly number[], x: Scale, y: Scale): Mark[] {
  const area = (low: number, high: number) => [
    ...at.flatMap((each, k) => [x(grid[k]), y(each[low])]),
    ...at.flatMap((_, k) => [x(grid[at.length - 1 - k]), y(at[at.length - 1 - k][high])]),
  ];
  return [
    { kind: 'area', points: area(0, 4), ink: INK, opacity: 0.16 },
    { kind: 'area', points: area(1, 3), ink: INK, opacity: 0.24 },
  ];
}

/** Smaller and fainter dots for more observations. */
function dotStyle(count: number) {
  return { radius: count > 300 ? 1.5 : count > 60 ? 2.2 : 2.8, opacity: Math.max(0.12, Math.min(0.75, 60 / count)) };
}

/** Share of the axis over which dots of equal values are spread. */
const SPREAD = 0.06;

function dotsOf({ x, y }: FittedPanel, isBinary: boolean, toX: Scale, toY: Scale): number[] {
  return Array.from(x, (value, k) =>
    Number.isNaN(value + y[k]) ? [] : [toX(value), toY(y[k] + (isBinary ? SPREAD * spread(k) : 0))],
  ).flat();
}

/** Evenly spread numbers between -1 and 1: fractional parts of multiples of the golden ratio. */
function spread(index: number): number {
  return 2 * ((index * 0.6180339887) % 1) - 1;
}

function predictionsAbout({ expected, panels }: Fitted, words: PlotWords): string {
  const outside = panels.flatMap(({ at, y }) =>
    at.map(([low, , , , high], place) => Number(y[place] < low || y[place] > high)),
  );
  const count = outside.reduce((sum, each) => sum + each, 0);
  return words('fittedPredictionsAbout', { name: expected, outside: count, count: outside.length });
}

function tableOf({ grid, panels, xLabel }: Fitted): ReturnType<Plot['table']> {
  const isSplit = panels.length > 1;
  return {
    columns: [...(isSplit ? [''] : []), xLabel, '5%', '25%', '50%', '75%', '95%'],
    rows: panels.flatMap(({ at, label }) => at.map((each, k) => [...(isSplit ? [label] : []), grid[k], ...each])),
  };
}

export interface FittedLevel {
  readonly label: string;
  readonly y: ArrayLike<number>;
  /** Quantiles of the expected outcome. */
  readonly at: readonly number[];
}

/** The expected outcome of categories or groups beside the observations of each. */
export function fittedLevelsPlot(
  { expected, isBinary, title, xLabel, yLabel }: Pick<Fitted, 'expected' | 'isBinary' | 'title' | 'xLabel' | 'yLabel'>,
  levels: readonly FittedLevel[],
  size: Size,
): Plot {
  const words = wordsOf(size);
  const values = extentOf(...levels.flatMap(({ at, y }) => [y, at]));
  const { marks, x, y } = frame(size, {
    x: [0.5, levels.length + 0.5],
    y: padded(values, isBinary ? 0.09 : 0.04),
    xTicks: false,
    xLabel,
    yLabel,
  });
  const step = x(2) - x(1);
  const dots = levels.flatMap((level, place) =>
    Array.from(level.y, (value, k) => [
      x(place + 1 + 0.28 * spread(k)),
      y(value + (isBinary ? SPREAD * spread(k * 7) : 0)),
    ]).flat(),
  );
  const between = (low: number, high: number) =>
    levels.flatMap(({ at }, place) => [x(place + 1), y(at[low]), x(place + 1), y(at[high])]);
  const medians = levels.flatMap(({ at }, place) => [x(place + 1), y(at[2])]);
  return {
    ...size,
    title,
    description: words('fittedLevelsAbout', { name: expected }),
    legend: [{ ink: INK, text: words('fittedLine') }],
    marks: [
      ...marks,
      ...codeMarks(
        levels.map(({ label }) => label),
        x,
        y,
      ),
      { kind: 'dots', points: dots, ink: 'observed', ...dotStyle(dots.length / 2) },
      { kind: 'segments', ends: between(0, 4), ink: INK, width: 2 },
      { kind: 'segments', ends: between(1, 3), ink: INK, width: Math.min(8, step / 3) },
      { kind: 'dots', points: medians, ink: 'surface', radius: 6 },
      { kind: 'dots', points: medians, ink: INK, radius: 4 },
    ],
    table: () => ({
      columns: [xLabel, '5%', '25%', '50%', '75%', '95%'],
      rows: levels.map(({ at, label }) => [label, ...at]),
    }),
    spotAt: (px) => {
      const level = levels[Math.round(x.invert(px)) - 1];
      if (level === undefined) return undefined;
      const [low, , median, , high] = level.at;
      const numbers = { median: words.short(median), from: words.short(low), to: words.short(high) };
      const place = levels.indexOf(level) + 1;
      return { x: x(place), y: y(median), text: words('spotInterval', { name: level.label, ...numbers }) };
    },
  };
}

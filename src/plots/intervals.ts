import { pool } from '../inference/diagnostics/chains.js';
import { quantiles } from '../inference/diagnostics/moments.js';
import { onCommonAxes } from './common-axes.js';
import { frame } from './frame.js';
import { type Domain, extentOf, padded } from './scale.js';
import { type Mark, type Plot, type Quantity, REFERENCE, type Size } from './scene.js';
import { wordsOf } from './words.js';

const PROBABILITIES = [0.05, 0.25, 0.5, 0.75, 0.95];
const ROW = 22;
/** Pixels of an axis with its margins. */
const AXIS = 40;
/** Pixels from an interval to that of another fit, below it. */
const BELOW = 6;

/** Height in pixels of the intervals of quantities. */
export function intervalsHeight(quantities: readonly Quantity[]): number {
  return AXIS * panelsOf(rowsOf(quantities)).length + ROW * quantities.length;
}

/** Height in pixels of `count` intervals on one axis. */
export function oneAxisHeight(count: number): number {
  return AXIS + ROW * count;
}

/** Median, 50 % and 90 % intervals of several quantities, one per row. Quantities of different scales have their own axes. */
export function intervalsPlot(quantities: readonly Quantity[], size: Size): Plot {
  return plotOf(panelsOf(rowsOf(quantities)), size);
}

/** Like `intervalsPlot`, on one axis. */
export function oneAxisIntervalsPlot(quantities: readonly Quantity[], size: Size): Plot {
  const rows = rowsOf(quantities);
  return plotOf([{ domain: extentOf(...rows.map(({ at }) => at)), items: rows }], size);
}

interface Row {
  readonly name: string;
  readonly at: readonly number[];
  /** The same quantity in another fit. */
  readonly other?: readonly number[];
}

function rowsOf(quantities: readonly Quantity[]): readonly Row[] {
  return quantities.map(({ name, chains, reference }) => ({
    name,
    at: quantiles(pool(chains), PROBABILITIES),
    ...(reference && { other: quantiles(reference.draws, PROBABILITIES) }),
  }));
}

function panelsOf(rows: readonly Row[]) {
  return onCommonAxes(rows, ({ at, other = [] }) => [...at, ...other]);
}

function plotOf(panels: ReturnType<typeof panelsOf>, size: Size): Plot {
  const words = wordsOf(size);
  const rows = panels.flatMap(({ items }) => items);
  const widest = Math.min(180, 12 + 7 * Math.max(...rows.map(({ name }) => name.length)));
  const height = (size.height - AXIS * panels.length) / rows.length;
  let end = 0;
  const drawn = panels.map(({ domain, items }) => {
    const top = end;
    end += AXIS + height * items.length;
    return drawnPanel(items, { domain, top, widest, size: { ...size, height: end } });
  });
  return {
    ...size,
    title: words('intervalsTitle'),
    description: words('intervalsAbout', {
      count: rows.length,
      medians: rows
        .slice(0, 4)
        .map(({ name, at }) => `${name} ${words.short(at[2])}`)
        .join(', '),
      more: Math.max(0, rows.length - 4),
    }),
    marks: drawn.flatMap(({ marks }) => marks),
    table: () => ({
      columns: [words('quantity'), '5%', '25%', '50%', '75%', '95%'],
      rows: rows.map(({ name, at }) => [name, ...at]),
    }),
    spotAt: (_, py) => {
      const panel = drawn.find(({ bottom }) => py < bottom);
      const row = panel?.rowAt(py);
      if (panel === undefined || row === undefined) return undefined;
      const [low, , median, , high] = row.at;
      const ends = { from: words.short(low), to: words.short(high) };
      const text = words('spotInterval', { name: row.name, median: words.short(median), ...ends });
      return { ...panel.placeOf(row), text };
    },
  };
}

interface PanelPlace {
  readonly domain: Domain;
  readonly top: number;
  /** Pixels left of the intervals, for the names. */
  readonly widest: number;
  /** The size of the plot up to the end of the panel. */
  readonly size: Size;
}

function drawnPanel(rows: readonly Row[], { domain, size, top, widest }: PanelPlace) {
  const { x, y, marks } = frame(size, {
    x: padded(domain),
    y: [rows.length, 0],
    yTicks: false,
    left: widest,
    top,
  });
  const center = (index: number) => y(index + 0.5);
  const lines = rows.map(({ at: [low, , , , high] }, index) => [x(low), center(index), x(high), center(index)]);
  const thick = rows.map(({ at: [, low, , high] }, index) => [x(low), center(index), x(high), center(index)]);
  const others = rows.flatMap(({ other }, index) => (other ? [{ at: other, level: center(index) + BELOW }] : []));
  const referenceMarks: readonly Mark[] = [
    {
      ...REFERENCE,
      kind: 'segments',
      ends: others.flatMap(({ at: [low, , , , high], level }) => [x(low), level, x(high), level]),
      width: 1.5,
    },
    {
      kind: 'dots',
      points: others.flatMap(({ at, level }) => [x(at[2]), level]),
      ink: REFERENCE.ink,
      radius: 2.5,
    },
  ];
  const medians = rows.flatMap(({ at }, index) => [x(at[2]), center(index)]);
  const names = rows.map(({ name }, index): Mark => {
    const place = { x: widest - 8, y: center(index) + 4 };
    return { kind: 'text', ...place, text: name, ink: 'text', anchor: 'end', size: 12 };
  });
  const [zero, from, to] = [x(0), y.range[1], y.range[0]];
  const isZeroInside = zero > x.range[0] && zero < x.range[1];
  const all: readonly Mark[] = [
    ...marks,
    {
      kind: 'segments',
      ends: isZeroInside ? [zero, from, zero, to] : [],
      ink: 'muted',
      dash: '3 3',
      opacity: 0.7,
    },
    ...names,
    ...(others.length > 0 ? referenceMarks : []),
    { kind: 'segments', ends: lines.flat(), ink: 'chain1', width: 1.5 },
    { kind: 'segments', ends: thick.flat(), ink: 'chain1', width: 5 },
    { kind: 'dots', points: medians, ink: 'surface', radius: 4 },
    { kind: 'dots', points: medians, ink: 'chain1', radius: 3 },
  ];
  return {
    marks: all,
    bottom: size.height,
    rowAt: (py: number): Row | undefined => rows[Math.floor(y.invert(py))],
    placeOf: (row: Row) => ({ x: x(row.at[2]), y: center(rows.indexOf(row)) }),
  };
}

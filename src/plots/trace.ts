import { quantiles } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import { isWithin } from './robust-range.js';
import { extentOf, padded, rangeIn, type Scale } from './scale.js';
import {
  chainInk,
  chainLegend,
  chainName,
  divergenceLegend,
  type Mark,
  type Plot,
  type Quantity,
  REFERENCE,
  referenceLegend,
  type Size,
} from './scene.js';
import { DRAW } from './selection.js';
import { type PlotWords, wordsOf } from './words.js';

export interface TraceOptions {
  /** Total number of draws of each chain, which is the width of the plot while chains run. */
  readonly expected?: number;
}

/** The median and the ends of the 90 % interval of another fit, whose draws have no counterparts in this one. */
const PROBABILITIES = [0.05, 0.5, 0.95];

/** The draws of each chain in order. A pixel column with several draws shows the least and the greatest of them. */
export function tracePlot(quantity: Quantity, size: Size, { expected = 0 }: TraceOptions = {}): Plot {
  const words = wordsOf(size);
  const { name, chains, divergent, reference } = quantity;
  const levels = reference === undefined ? [] : quantiles(reference.draws.filter(Number.isFinite), PROBABILITIES);
  const longest = Math.max(1, expected, ...chains.map(({ length }) => length));
  const { x, y, marks } = frame(size, {
    x: [1, Math.max(2, longest)],
    y: padded(extentOf(...chains, levels)),
    xLabel: words('draw'),
  });
  const lines = chains.flatMap((chain, index) =>
    chainLines(chain, x, y).map((points): Mark => {
      return { kind: 'line', points, ink: chainInk(index), width: 1, opacity: chains.length > 1 ? 0.8 : 1 };
    }),
  );
  const levelMark = (level: number): Mark => {
    return { kind: 'segments', ends: [x.range[0], y(level), x.range[1], y(level)], ...REFERENCE, width: 1.5 };
  };
  const places = (divergent ?? []).flatMap((flags) => [...indexesOf(flags)]);
  const [bottom] = y.range;
  const rug = places.flatMap((index) => [x(index + 1), bottom - 7, x(index + 1), bottom]);
  return {
    ...size,
    title: words('traceTitle', { name }),
    description: describe(quantity, words),
    legend: [...chainLegend(quantity, words), ...divergenceLegend(quantity, words), ...referenceLegend(quantity)],
    marks: [
      ...marks,
      ...lines,
      ...levels.map(levelMark),
      { kind: 'segments', ends: rug, ink: 'divergence', width: 1.5 },
    ],
    table: () => ({
      columns: [words('draw'), ...chains.map((_, index) => words('chainOf', { name: chainName(quantity, index) }))],
      rows: Array.from({ length: Math.max(0, ...chains.map(({ length }) => length)) }, (_, draw) => [
        draw + 1,
        ...chains.map((chain) => chain[draw] ?? Number.NaN),
      ]),
    }),
    spotAt: (px, py) => {
      const index = Math.round(x.invert(px)) - 1;
      const there = chains.flatMap((chain, k) =>
        index >= 0 && index < chain.length ? [{ k, value: chain[index] }] : [],
      );
      const [nearest] = there.sort((a, b) => Math.abs(y(a.value) - py) - Math.abs(y(b.value) - py));
      if (nearest === undefined) return undefined;
      const { k, value } = nearest;
      const text = words('spotDraw', { chain: chainName(quantity, k), draw: index + 1, value: words.short(value) });
      return { x: x(index + 1), y: y(value), text, draw: { chain: k, index } };
    },
    placeOf: ({ chain, index }) => {
      const value = chains[chain]?.[index];
      return value === undefined ? undefined : { x: x(index + 1), y: y(value) };
    },
    rangesIn: (corner, opposite) => [
      { name: DRAW, ...rangeIn(x, corner.x, opposite.x) },
      { name, ...rangeIn(y, corner.y, opposite.y) },
    ],
    marksOf: (selected) =>
      chains.map((chain, index): Mark => {
        const points: number[] = [];
        for (const [draw, value] of chain.entries()) {
          if (selected[index]?.[draw] === 1 && Number.isFinite(value)) points.push(x(draw + 1), y(value));
        }
        return { kind: 'dots', points, ink: chainInk(index), radius: 2 };
      }),
  };
}

function describe({ name, chains, divergent }: Quantity, words: PlotWords): string {
  const [low, high] = extentOf(...chains);
  const diverged = (divergent ?? []).reduce((sum, flags) => sum + [...indexesOf(flags)].length, 0);
  const range = { low: words.short(low), high: words.short(high) };
  return words('traceAbout', { chains: chains.length, name, ...range, divergent: diverged });
}

function* indexesOf(flags: ArrayLike<number>): Generator<number> {
  for (let i = 0; i < flags.length; i++) if (flags[i] !== 0) yield i;
}

/** The points of the lines between draws that are not finite or lie outside the axis. */
export function chainLines(draws: Float64Array, x: Scale, y: Scale): readonly number[][] {
  const isShown = (value: number) => isWithin(value, y.domain);
  const lines: number[][] = [];
  let isOpen = false;
  const add = (px: number, value: number) => {
    if (!isOpen) lines.push([]);
    isOpen = true;
    lines.at(-1)?.push(px, y(value));
  };
  if (draws.length <= 2 * (x.range[1] - x.range[0])) {
    for (const [index, value] of draws.entries()) {
      if (isShown(value)) add(x(index + 1), value);
      else isOpen = false;
    }
    return lines.map(visible);
  }
  for (let start = 0; start < draws.length; ) {
    const column = Math.floor(x(start + 1));
    let end = start;
    let low: number | undefined;
    let high: number | undefined;
    for (; end < draws.length && Math.floor(x(end + 1)) === column; end++) {
      if (!isShown(draws[end])) continue;
      if (low === undefined || draws[end] < draws[low]) low = end;
      if (high === undefined || draws[end] > draws[high]) high = end;
    }
    if (low === undefined || high === undefined) isOpen = false;
    else for (const index of low < high ? [low, high] : [high, low]) add(column, draws[index]);
    start = end;
  }
  return lines.map(visible);
}

/** A draw between two others that are not finite is shown as a short line. */
function visible(line: readonly number[]): number[] {
  const [px, py] = line;
  return line.length === 2 ? [px - 0.5, py, px + 0.5, py] : [...line];
}

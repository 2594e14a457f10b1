import { frame } from './frame.js';
import { extentOf, padded } from './scale.js';
import type { Plot, Size } from './scene.js';
import { type PLOT_WORDS, wordsOf } from './words.js';

/** An observation with the quantiles of its predictions at 0.05, 0.25, 0.5, 0.75 and 0.95. */
interface Row {
  readonly observed: number;
  readonly at: readonly number[];
}

type Key = keyof typeof PLOT_WORDS;

/** The observations in their order, with 50 % and 90 % intervals. */
export function observationIntervalsPlot(
  name: string,
  rows: readonly Row[],
  texts: { readonly title: Key; readonly about: Key; readonly spot: Key },
  size: Size,
): Plot {
  const words = wordsOf(size);
  const outside = rows.filter(({ at, observed }) => observed < at[0] || observed > at[4]).length;
  const { x, y, marks } = frame(size, {
    x: [0.5, rows.length + 0.5],
    y: padded(
      extentOf(
        rows.map(({ observed }) => observed),
        ...rows.map(({ at }) => at),
      ),
    ),
    xLabel: words('observation'),
    yLabel: name,
  });
  const gap = (x(2) - x(1)) * 0.6;
  const between = (low: number, high: number) =>
    rows.flatMap(({ at }, k) => [x(k + 1), y(at[low]), x(k + 1), y(at[high])]);
  return {
    ...size,
    title: words(texts.title, { name }),
    description: words(texts.about, {
      name,
      outside,
      count: rows.length,
      expected: words.short(rows.length / 10, 2),
    }),
    marks: [
      ...marks,
      { kind: 'segments', ends: between(0, 4), ink: 'chain1', width: Math.min(2, gap), opacity: 0.6 },
      { kind: 'segments', ends: between(1, 3), ink: 'chain1', width: Math.min(6, gap), opacity: 0.6 },
      {
        kind: 'dots',
        points: rows.flatMap(({ observed }, k) => [x(k + 1), y(observed)]),
        ink: 'observed',
        radius: Math.min(3, gap),
      },
    ],
    table: () => ({
      columns: [words('observation'), words('observed'), '5%', '25%', '50%', '75%', '95%'],
      rows: rows.map(({ at, observed }, k) => [k + 1, observed, ...at]),
    }),
    spotAt: (px) => {
      const k = Math.round(x.invert(px)) - 1;
      const row = rows[k];
      if (row === undefined) return undefined;
      const ends = { from: words.short(row.at[0]), to: words.short(row.at[4]) };
      const text = words(texts.spot, { name: k + 1, value: words.short(row.observed), ...ends });
      return { x: x(k + 1), y: y(row.observed), text };
    },
  };
}

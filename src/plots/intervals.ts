import { pool } from '../inference/diagnostics/chains.js';
import { quantiles } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import { extentOf, numberLabel, padded } from './scale.js';
import type { Mark, Plot, Quantity, Size } from './scene.js';
import { wordsOf } from './words.js';

const PROBABILITIES = [0.05, 0.25, 0.5, 0.75, 0.95];
const ROW = 22;

/** Height in pixels of the intervals of `count` quantities. */
export function intervalsHeight(count: number): number {
  return 40 + ROW * count;
}

/** Median, 50 % and 90 % intervals of several quantities, one per row. */
export function intervalsPlot(quantities: readonly Quantity[], size: Size): Plot {
  const words = wordsOf(size);
  const rows = quantities.map(({ name, chains }) => ({ name, at: quantiles(pool(chains), PROBABILITIES) }));
  const widest = Math.min(180, 12 + 7 * Math.max(...rows.map(({ name }) => name.length)));
  const { x, y, marks } = frame(size, {
    x: padded(extentOf(...rows.map(({ at }) => at))),
    y: [rows.length, 0],
    yTicks: false,
    left: widest,
  });
  const center = (index: number) => y(index + 0.5);
  const lines = rows.map(({ at: [low, , , , high] }, index) => [x(low), center(index), x(high), center(index)]);
  const thick = rows.map(({ at: [, low, , high] }, index) => [x(low), center(index), x(high), center(index)]);
  const names = rows.map(({ name }, index): Mark => {
    const place = { x: widest - 8, y: center(index) + 4 };
    return { kind: 'text', ...place, text: name, ink: 'text', anchor: 'end', size: 12 };
  });
  const [zero, top, bottom] = [x(0), y.range[0], y.range[1]];
  const isZeroInside = zero > x.range[0] && zero < x.range[1];
  return {
    ...size,
    title: words('intervalsTitle'),
    description: words('intervalsAbout', {
      count: rows.length,
      medians: rows
        .slice(0, 4)
        .map(({ name, at }) => `${name} ${numberLabel(at[2])}`)
        .join(', '),
      more: Math.max(0, rows.length - 4),
    }),
    marks: [
      ...marks,
      {
        kind: 'segments',
        ends: isZeroInside ? [zero, top, zero, bottom] : [],
        ink: 'muted',
        dash: '3 3',
        opacity: 0.7,
      },
      ...names,
      { kind: 'segments', ends: lines.flat(), ink: 'chain1', width: 1.5 },
      { kind: 'segments', ends: thick.flat(), ink: 'chain1', width: 5 },
      { kind: 'dots', points: rows.flatMap(({ at }, index) => [x(at[2]), center(index)]), ink: 'surface', radius: 4 },
      { kind: 'dots', points: rows.flatMap(({ at }, index) => [x(at[2]), center(index)]), ink: 'chain1', radius: 3 },
    ],
    table: () => ({
      columns: [words('quantity'), '5%', '25%', '50%', '75%', '95%'],
      rows: rows.map(({ name, at }) => [name, ...at]),
    }),
    spotAt: (_, py) => {
      const row = rows[Math.floor(y.invert(py))];
      if (row === undefined) return undefined;
      const [low, , median, , high] = row.at;
      const ends = { from: numberLabel(low), to: numberLabel(high) };
      const text = words('spotInterval', { name: row.name, median: numberLabel(median), ...ends });
      return { x: x(median), y: center(rows.indexOf(row)), text };
    },
  };
}

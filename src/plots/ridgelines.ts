import { pool } from '../inference/diagnostics/chains.js';
import { kernelDensity } from '../inference/diagnostics/kernel-density.js';
import { quantiles } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import { extentOf } from './scale.js';
import type { Mark, Plot, Quantity, Size } from './scene.js';
import { wordsOf } from './words.js';

const ROW = 24;
/** Number of rows that a curve covers. */
const OVERLAP = 1.4;

/** Height in pixels of the plot of `count` quantities. */
export function ridgelinesHeight(count: number): number {
  return 40 + ROW * (count + OVERLAP - 1);
}

/**
 * The densities of several quantities, one per row, on one axis. All have the same height, because narrow densities
 * would otherwise flatten wide ones. The thick line is the median.
 */
export function ridgelinesPlot(quantities: readonly Quantity[], size: Size): Plot {
  const words = wordsOf(size);
  const rows = quantities.map(({ chains, name }) => {
    const draws = pool(chains);
    return { name, estimate: kernelDensity(draws), median: quantiles(draws, [0.5])[0] };
  });
  const widest = Math.min(180, 12 + 7 * Math.max(...rows.map(({ name }) => name.length)));
  const { x, y, marks } = frame(size, {
    x: extentOf(...rows.map(({ estimate, median }) => estimate?.values ?? [median])),
    y: [rows.length, 1 - OVERLAP],
    yTicks: false,
    left: widest,
  });
  const curves = rows.flatMap(({ estimate, median, name }, index): Mark[] => {
    const base = index + 1;
    const label: Mark = {
      kind: 'text',
      x: widest - 8,
      y: y(base) - 3,
      text: name,
      ink: 'text',
      anchor: 'end',
      size: 12,
    };
    if (estimate === undefined) return [label];
    const { densities, values } = estimate;
    const [, highest] = extentOf(densities);
    const heightOf = (density: number) => (OVERLAP * density) / highest;
    const line = [...values].flatMap((value, k) => [x(value), y(base - heightOf(densities[k]))]);
    const at = values.findIndex((value) => value >= median);
    const [from, to] = [x(values[0]), x(values.at(-1) ?? 0)];
    return [
      // Each curve covers those behind it.
      { kind: 'area', points: [from, y(base), ...line, to, y(base)], ink: 'surface', opacity: 0.75 },
      { kind: 'area', points: [from, y(base), ...line, to, y(base)], ink: 'chain1', opacity: 0.3 },
      { kind: 'line', points: line, ink: 'chain1', width: 1.5 },
      {
        kind: 'segments',
        ends: [x(median), y(base), x(median), y(base - heightOf(densities[at] ?? 0))],
        ink: 'chain1',
        width: 2.5,
      },
      label,
    ];
  });
  return {
    ...size,
    title: words('ridgelinesTitle'),
    description: words('ridgelinesAbout', {
      count: rows.length,
      medians: rows
        .slice(0, 4)
        .map(({ median, name }) => `${name} ${words.short(median)}`)
        .join(', '),
      more: Math.max(0, rows.length - 4),
    }),
    marks: [...marks, ...curves],
    table: () => ({
      columns: [words('quantity'), words('value'), words('density')],
      rows: rows.flatMap(({ estimate, name }) =>
        estimate === undefined ? [] : [...estimate.values].map((value, k) => [name, value, estimate.densities[k]]),
      ),
    }),
    spotAt: (px, py) => {
      const row = rows[Math.max(0, Math.floor(y.invert(py)))];
      if (row === undefined) return undefined;
      return { x: px, y: y(rows.indexOf(row) + 1), text: `${row.name}: ${words.short(x.invert(px))}` };
    },
  };
}

import { pool } from '../inference/diagnostics/chains.js';
import { kernelDensity } from '../inference/diagnostics/kernel-density.js';
import { quantiles } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import { extentOf } from './scale.js';
import { type Mark, type Plot, type Quantity, REFERENCE, referenceLegend, type Size } from './scene.js';
import { wordsOf } from './words.js';

const ROW = 24;
/** Number of rows that a curve covers. */
const OVERLAP = 1.4;

type Density = NonNullable<ReturnType<typeof kernelDensity>>;

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
  const rows = quantities.map(({ chains, name, reference }) => {
    const draws = pool(chains);
    const other = reference && kernelDensity(reference.draws);
    return { name, estimate: kernelDensity(draws), other, reference, median: quantiles(draws, [0.5])[0] };
  });
  const widest = Math.min(180, 12 + 7 * Math.max(...rows.map(({ name }) => name.length)));
  const { x, y, marks } = frame(size, {
    x: extentOf(...rows.flatMap(({ estimate, median, other }) => [estimate?.values ?? [median], other?.values ?? []])),
    y: [rows.length, 1 - OVERLAP],
    yTicks: false,
    left: widest,
  });
  const outline = ({ densities, values }: Density, base: number) => {
    const [, highest] = extentOf(densities);
    return [...values].flatMap((value, k) => [x(value), y(base - (OVERLAP * densities[k]) / highest)]);
  };
  const curves = rows.flatMap(({ estimate, median, name, other }, index): Mark[] => {
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
    const others: Mark[] =
      other === undefined ? [] : [{ kind: 'line', points: outline(other, base), ...REFERENCE, width: 1.5 }];
    if (estimate === undefined) return [...others, label];
    const { densities, values } = estimate;
    const [, highest] = extentOf(densities);
    const heightOf = (density: number) => (OVERLAP * density) / highest;
    const line = outline(estimate, base);
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
      ...others,
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
    legend: rows.flatMap(referenceLegend).slice(0, 1),
    marks: [...marks, ...curves],
    table: () => ({
      columns: [words('quantity'), words('value'), words('density')],
      rows: rows.flatMap(({ estimate, name, other, reference }) => [
        ...pointsOf(name, estimate),
        ...pointsOf(`${name}, ${reference?.name}`, other),
      ]),
    }),
    spotAt: (px, py) => {
      const row = rows[Math.max(0, Math.floor(y.invert(py)))];
      if (row === undefined) return undefined;
      return { x: px, y: y(rows.indexOf(row) + 1), text: `${row.name}: ${words.short(x.invert(px))}` };
    },
  };
}

/** Rows of the table; none without a density. */
function pointsOf(name: string, estimate: Density | undefined): (string | number)[][] {
  return estimate === undefined ? [] : [...estimate.values].map((value, k) => [name, value, estimate.densities[k]]);
}

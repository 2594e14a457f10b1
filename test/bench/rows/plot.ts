import { ENGLISH_NUMERALS } from '../../../src/base/numerals.js';
import { frame } from '../../../src/plots/frame.js';
import type { LegendEntry, Mark } from '../../../src/plots/scene.js';
import { PAPER, svgText, titled } from '../../../src/plots/svg.js';
import type { RowsRow } from './rows.js';

const SIZE = { width: 640, height: 420 };
const LEFT = 70;

/** Time per gradient against the number of rows as an SVG document, both axes logarithmic. */
export function plotOf(rows: readonly RowsRow[]): string {
  const x = domainOf(rows.map((row) => row.rows));
  const y = domainOf(rows.map(({ gradient }) => gradient));
  const axes = frame(SIZE, { x, y, xLabel: 'rows', yLabel: 'gradient', left: LEFT, xTicks: false, yTicks: false });
  const [bottom] = axes.y.range;
  const marks: Mark[] = [...axes.marks];
  for (const power of powersIn(x)) {
    marks.push({ ...label(ENGLISH_NUMERALS.short(10 ** power)), x: axes.x(power), y: bottom + 16, anchor: 'middle' });
  }
  for (const power of powersIn(y)) {
    const at = axes.y(power);
    marks.push({ kind: 'segments', ends: [axes.x.range[0], at, axes.x.range[1], at], ink: 'grid' });
    marks.push({ ...label(timeText(10 ** power)), x: LEFT - 6, y: at + 4, anchor: 'end' });
  }
  const names = [...new Set(rows.map(({ name }) => name))];
  const legend = names.map((text, k): LegendEntry => {
    const colors = PAPER.chains.length;
    return { ink: `chain${(k % colors) + 1}`, text, ...(k >= colors && { dash: '5 3' }) };
  });
  for (const { dash, ink, text } of legend) {
    const points = rows
      .filter(({ name }) => name === text)
      .flatMap((row) => [axes.x(Math.log10(row.rows)), axes.y(Math.log10(row.gradient))]);
    marks.push({ kind: 'line', points, ink, width: 1.5, ...(dash !== undefined && { dash }) });
  }
  const description = 'Lines of types of models: flat where likelihoods become sums, otherwise rising with the rows.';
  const plot = { ...SIZE, title: 'Time of a gradient by rows of data', description, legend, marks };
  return svgText(titled({ ...plot, table: () => ({ columns: [], rows: [] }) }), PAPER);
}

type Label = Pick<Extract<Mark, { kind: 'text' }>, 'kind' | 'text' | 'ink' | 'size'>;

function label(text: string): Label {
  return { kind: 'text', text, ink: 'muted', size: 11 };
}

function domainOf(values: readonly number[]): readonly [number, number] {
  return [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
}

function powersIn([from, to]: readonly [number, number]): number[] {
  return Array.from({ length: to - from + 1 }, (_, k) => from + k);
}

function timeText(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${nanoseconds} ns`;
  return nanoseconds < 1e6 ? `${nanoseconds / 1e3} µs` : `${nanoseconds / 1e6} ms`;
}

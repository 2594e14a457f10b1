/** Tables as text: aligned, or CSV. */
import { streamText } from '../../inference/number-text.js';
import { visible } from '../../node/standard-streams.js';

/** Aligned rows: names are left-aligned, all other cells right-aligned. Control characters are made visible. */
export function alignedTable(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(visible));
  const widths = rows[0].map((_, column) => shown.reduce((most, row) => Math.max(most, row[column].length), 0));
  const line = ([name, ...cells]: readonly string[]) =>
    [name.padEnd(widths[0]), ...cells.map((cell, k) => cell.padStart(widths[k + 1]))].join('  ').trimEnd();
  return shown.map((row) => `${line(row)}\n`).join('');
}

export function csvTable(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(quoted).join(',')}\n`).join('');
}

/** A number with `digits` significant digits. A larger number has all digits of its integer part. */
export function cellText(value: number, digits: number): string {
  const isLarge = Math.abs(value) >= 10 ** digits && Math.abs(value) < 1e9;
  return isLarge ? value.toFixed(0) : streamText(value, digits);
}

/** A table of models in each format of the option `--format`. `cellsOf` returns the cells of a row, whose numbers `text` writes. */
export function modelTable<Row>(
  headings: readonly string[],
  rows: readonly Row[],
  cellsOf: (row: Row, text: (value: number) => string) => readonly string[],
  { digits, format }: { readonly digits: number; readonly format: string },
): string {
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  const written = (text: (value: number) => string) => rows.map((row) => cellsOf(row, text));
  return format === 'csv'
    ? csvTable([['name', ...headings], ...written((value) => streamText(value, 17))])
    : alignedTable([['', ...headings], ...written((value) => cellText(value, digits))]);
}

function quoted(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Tables as text: aligned, or CSV. */
import { streamText } from '../inference/number-text.js';
import { visible } from '../node/standard-streams.js';

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

function quoted(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

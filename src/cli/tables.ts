/** Tables as texts: aligned for people, or CSV. */
import { streamText } from '../inference/number-text.js';

/** Rows under each other: names at the left, all other cells at the right of their columns. */
export function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = ([name, ...cells]: readonly string[]) =>
    [name.padEnd(widths[0]), ...cells.map((cell, k) => cell.padStart(widths[k + 1]))].join('  ').trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

export function csvTable(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(quoted).join(',')}\n`).join('');
}

/** So many digits, but large numbers in full up to the units. */
export function cellText(value: number, digits: number): string {
  const isLarge = Math.abs(value) >= 10 ** digits && Math.abs(value) < 1e9;
  return isLarge ? value.toFixed(0) : streamText(value, digits);
}

function quoted(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

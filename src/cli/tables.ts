/** Tables as text: aligned for people, or CSV. */
import { streamText } from '../inference/number-text.js';
import { visible } from '../node/standard-streams.js';

/** Aligned rows: names on the left, all other cells right-aligned; control characters are made visible. */
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

/** A number with `digits` digits; large numbers in full up to the units. */
export function cellText(value: number, digits: number): string {
  const isLarge = Math.abs(value) >= 10 ** digits && Math.abs(value) < 1e9;
  return isLarge ? value.toFixed(0) : streamText(value, digits);
}

function quoted(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

import { countMissing, type MissingCode, type TableColumn } from './columns.js';

/** Numbers that stand for missing values, such as -99 or 999 in surveys. */

/** Numbers that surveys use: 9, 99, … and their neighbors 8 and 7, with both signs. */
const CODES: ReadonlySet<number> = new Set(
  [9, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 7777, 8888, 9997, 9998, 9999, 99999].flatMap((code) => [
    code,
    -code,
  ]),
);
/** Minimum number of different values besides the codes. */
const FEWEST_VALUES = 2;

/**
 * Codes among the values of a column, in ascending order. A code lies outside the other values: it is negative and
 * they are not, or its distance from them is at least their range.
 */
export function suspectedCodes(values: Float64Array): readonly MissingCode[] {
  const counts = new Map<number, number>();
  let least = Infinity;
  let greatest = -Infinity;
  const distinct = new Set<number>();
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    if (CODES.has(value)) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
      continue;
    }
    if (distinct.size < FEWEST_VALUES) distinct.add(value);
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  if (distinct.size < FEWEST_VALUES) return [];
  const range = greatest - least;
  const isOutside = (code: number) =>
    code < least ? least >= 0 || least - code >= range : code > greatest && code - greatest >= range;
  return [...counts]
    .filter(([code]) => isOutside(code))
    .map(([code, count]) => ({ code, count }))
    .sort((a, b) => a.code - b.code);
}

/** The column with the codes that it may contain, of which the `chosen` ones are missing values. */
export function withMissingCodes(column: TableColumn, chosen: readonly number[]): TableColumn {
  if ((column.kind !== 'integer' && column.kind !== 'real') || column.exact !== undefined) return column;
  const codes = suspectedCodes(column.values);
  if (codes.length === 0) return column;
  const values = column.values.map((value) => (chosen.includes(value) ? Number.NaN : value));
  return { ...column, codes, values, missing: countMissing(values) };
}

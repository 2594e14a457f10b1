/** Tables from data frames, whose columns have types. */
import { countMissing, orderedLevels, type TableColumn } from './columns.js';
import type { Table } from './table.js';

/** A column of numbers or of texts, whose levels have an order. `null` is a missing value. */
export type TypedColumn = { readonly name: string } & (
  | { readonly numbers: readonly (number | null)[] }
  | { readonly texts: readonly (string | null)[]; readonly levels?: readonly string[] }
);

export function tableOfColumns(columns: readonly TypedColumn[]): Table {
  const read = columns.map(columnOf);
  const rows = read[0]?.values.length ?? 0;
  return { name: 'data', columns: read, rows, omitted: [], decimalComma: undefined, dayFirst: undefined };
}

/** Levels without rows are removed. */
function columnOf(column: TypedColumn): TableColumn {
  if ('numbers' in column) {
    const values = Float64Array.from(column.numbers, (value) => value ?? Number.NaN);
    const areIntegers = values.every((value) => Number.isNaN(value) || Number.isSafeInteger(value));
    return withValues(column.name, areIntegers ? 'integer' : 'real', values, []);
  }
  const present = new Set(column.texts.filter((text) => text !== null));
  const levels = column.levels?.filter((level) => present.has(level)) ?? orderedLevels([...present]);
  const codes = new Map<string | null, number>(levels.map((level, place) => [level, place + 1]));
  return withValues(
    column.name,
    'text',
    Float64Array.from(column.texts, (text) => codes.get(text) ?? Number.NaN),
    levels,
  );
}

function withValues(
  name: string,
  kind: TableColumn['kind'],
  values: Float64Array,
  levels: readonly string[],
): TableColumn {
  return { name, kind, values, levels, head: [], missing: countMissing(values), unreadable: [], unreadableCount: 0 };
}

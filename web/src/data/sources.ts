/** What a variable of a program takes from a table. */
import type { TableColumn } from '#engine/tables/columns.js';
import { indicatorJson, valuesJson } from '#engine/tables/members.js';
import { asGroups, type Table } from '#engine/tables/table.js';

/** A column, its groups as codes, the indicator of one of its levels, the number of rows, or the number of levels of a column. */
export type Source =
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'groups'; readonly column: string }
  | { readonly kind: 'indicator'; readonly column: string; readonly level: string }
  | { readonly kind: 'rows' }
  | { readonly kind: 'levels'; readonly column: string };

/** The column whose values a source takes. */
export function columnOf(source: Source): string | undefined {
  return source.kind === 'rows' || source.kind === 'levels' ? undefined : source.column;
}

/** The JSON of a source; undefined if the column does not exist. */
export function sourceJson(table: Table, source: Source): string | undefined {
  if (source.kind === 'rows') return `${table.rows}`;
  const column = table.columns.find(({ name }) => name === source.column);
  if (column === undefined) return undefined;
  switch (source.kind) {
    case 'indicator':
      return indicatorJson(column, column.levels.indexOf(source.level) + 1);
    case 'groups':
      return valuesJson(asGroups(column));
    case 'column':
      return valuesJson(column);
    case 'levels':
      return `${numberOfLevels(column)}`;
  }
}

/** The labels of the codes of a source; undefined if it has no codes. */
export function sourceLabels(table: Table, source: Source): readonly string[] | undefined {
  if (source.kind !== 'groups') return undefined;
  const column = table.columns.find(({ name }) => name === source.column);
  return column && asGroups(column).levels;
}

/** For integer codes, the maximum, because indexes must cover it. */
function numberOfLevels(column: TableColumn): number {
  if (column.kind !== 'integer') return asGroups(column).levels.length;
  return column.values.filter((value) => !Number.isNaN(value)).reduce((most, value) => Math.max(most, value), 0);
}

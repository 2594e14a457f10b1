/** Tables without their values, for forms in another thread than the one that reads them. */
import type { TableColumn } from './columns.js';
import { asGroups, isGrouping, isUsable, type Table } from './table.js';

export interface ColumnOutline extends Omit<TableColumn, 'values' | 'exact'> {
  /** The first groups of a column of text or dates, in order. */
  readonly levels: readonly string[];
  readonly levelCount: number;
  /** Whether the column can be a grouping. */
  readonly isGrouping: boolean;
  /** Whether the column can be data of a program. */
  readonly isUsable: boolean;
  /** Whether its present values are two different ones. */
  readonly isBinary: boolean;
}

export interface TableOutline extends Omit<Table, 'columns'> {
  readonly columns: readonly ColumnOutline[];
}

/** Number of levels that are listed. */
const MOST_LEVELS = 100;

/** Its size depends on the number of columns, not of rows. */
export function outlineOf(table: Table): TableOutline {
  return { ...table, columns: table.columns.map(columnOutline) };
}

function columnOutline(column: TableColumn): ColumnOutline {
  const { values, exact: _, ...rest } = column;
  const { levels } = asGroups(column);
  return {
    ...rest,
    levels: levels.slice(0, MOST_LEVELS),
    levelCount: levels.length,
    isGrouping: isGrouping(column),
    isUsable: isUsable(column),
    isBinary: isBinary(values),
  };
}

function isBinary(values: Float64Array): boolean {
  const found = new Set<number>();
  for (const value of values) {
    if (!Number.isNaN(value)) found.add(value);
    if (found.size > 2) return false;
  }
  return found.size === 2;
}

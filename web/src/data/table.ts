/** Reads tables (CSV, tab-separated, or pasted from a spreadsheet). Their columns become data variables. */

import { parse } from 'papaparse';
import { t } from '../words/messages.js';

export interface Table {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly rows: number;
}

export interface TableColumn {
  readonly name: string;
  readonly cells: readonly string[];
  readonly kind: 'integer' | 'real' | 'text';
  /** Number of empty cells. */
  readonly missing: number;
}

const MISSING = /^(?:NA|NaN|null|\.|)$/i;
const INTEGER = /^[+-]?\d+$/;

/** Parses a table with a header line. Throws an `Error` if the text is not a table. */
export function readTable(text: string, name: string): Table {
  const { data, errors, meta } = parse<Record<string, string>>(text.trim(), {
    header: true,
    skipEmptyLines: 'greedy',
    transform: (cell) => cell.trim(),
    transformHeader: (heading) => heading.trim(),
  });
  const [wrong] = errors.filter(({ type }) => type !== 'Delimiter');
  if (wrong !== undefined) {
    throw new Error(t('data.rowDiffers', { row: (wrong.row ?? 0) + 1, reason: wrong.message.toLowerCase() }));
  }
  const names = meta.fields ?? [];
  if (names.length === 0 || data.length === 0) throw new Error(t('data.noRows'));
  const columns = names.map((column): TableColumn => {
    const cells = data.map((row) => row[column] ?? '');
    const there = cells.filter((cell) => !MISSING.test(cell));
    const isNumber = (cell: string) => cell !== '' && Number.isFinite(Number(cell));
    const kind = !there.every(isNumber) ? 'text' : there.every((cell) => INTEGER.test(cell)) ? 'integer' : 'real';
    return { name: column, cells, kind, missing: cells.length - there.length };
  });
  return { name, columns, rows: data.length };
}

/** The table without the rows that have an empty cell in one of these columns. */
export function completeRows(table: Table, names: readonly string[]): Table {
  const used = table.columns.filter(({ name }) => names.includes(name));
  const kept = Array.from({ length: table.rows }, (_, row) => row).filter((row) =>
    used.every(({ cells }) => !MISSING.test(cells[row] ?? '')),
  );
  const columns = table.columns.map((column) => {
    const cells = kept.map((row) => column.cells[row] ?? '');
    return { ...column, cells, missing: cells.filter((cell) => MISSING.test(cell)).length };
  });
  return { ...table, columns, rows: kept.length };
}

/** The distinct texts of a column in order. Their indexes, from 1, are the codes. */
export function levelsOf({ cells }: TableColumn): readonly string[] {
  const found = [...new Set(cells.filter((cell) => !MISSING.test(cell)))];
  return found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** A column as a JSON array: numbers unchanged, texts as the indexes of their levels. */
function columnJson(column: TableColumn): string {
  const levels = column.kind === 'text' ? levelsOf(column) : [];
  const cell = (text: string) => {
    if (MISSING.test(text)) return '"NaN"';
    if (column.kind === 'text') return `${levels.indexOf(text) + 1}`;
    // Integers may exceed the exact range of JavaScript numbers.
    return INTEGER.test(text) ? BigInt(text.replace('+', '')).toString() : Number(text).toString();
  };
  return `[${column.cells.map(cell).join(', ')}]`;
}

/** 1 in rows with the level, otherwise 0. With a decimal point, the data block declares a vector. */
export function indicatorJson({ cells }: TableColumn, level: string, one = '1', zero = '0'): string {
  return `[${cells.map((cell) => (cell === level ? one : MISSING.test(cell) ? '"NaN"' : zero)).join(', ')}]`;
}

/** The source of a variable: a column, the indicator of one of its levels, the number of rows, or the number of levels of a column. */
export type Source =
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'indicator'; readonly column: string; readonly level: string }
  | { readonly kind: 'rows' }
  | { readonly kind: 'levels'; readonly column: string };

/** The JSON of a source; undefined if the column does not exist. */
export function sourceJson(table: Table, source: Source): string | undefined {
  if (source.kind === 'rows') return `${table.rows}`;
  const column = table.columns.find(({ name }) => name === source.column);
  if (column === undefined) return undefined;
  if (source.kind === 'indicator') return indicatorJson(column, source.level);
  return source.kind === 'column' ? columnJson(column) : `${numberOfLevels(column)}`;
}

/** For integer codes, the maximum, because indexes must cover it. */
function numberOfLevels(column: TableColumn): number {
  const different = levelsOf(column);
  return column.kind === 'integer' ? Math.max(...different.map(Number)) : different.length;
}

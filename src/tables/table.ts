/** Reads tables as people have them: exports of spreadsheets, databases and statistical programs, in several languages. */
import { countMissing, type Evidence, markEvidence, orderEvidence, readColumn, type TableColumn } from './columns.js';
import { withMissingCodes } from './missing-codes.js';
import { type Rows, rowsOf, rowsOfRecords } from './rows.js';
import type { Split } from './separator.js';

export interface Table {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly rows: number;
  /** Totals and notes below the table, which are not read. */
  readonly omitted: readonly { readonly number: number; readonly text: string }[];
  /** The visible sheets of a workbook, and the one that is read. */
  readonly sheets?: { readonly names: readonly string[]; readonly current: string };
  /** Whether numbers have a decimal comma; undefined if no cell depends on it. */
  readonly decimalComma: boolean | undefined;
  /** Whether days precede months; undefined if no cell depends on it. */
  readonly dayFirst: boolean | undefined;
}

/** Decisions of a person, which replace those of the reader. */
export interface TableChoices {
  readonly decimalComma?: boolean;
  readonly dayFirst?: boolean;
  /** Columns to read as text. */
  readonly texts?: readonly string[];
  /** Numbers that stand for missing values. */
  readonly missingCodes?: readonly { readonly column: string; readonly code: number }[];
  /** Texts that replace cells, by the numbers of their rows in the file. */
  readonly fixes?: readonly { readonly column: string; readonly row: number; readonly text: string }[];
}

/** A table as cells, from which columns are read. */
export interface TableCells {
  readonly name: string;
  readonly headings: readonly string[];
  readonly columns: readonly (readonly string[])[];
  readonly rowNumbers: readonly number[];
  readonly omitted: Table['omitted'];
  readonly separator: string;
  /** Whether numbers have decimal points, because they are cells of a workbook. Texts may contain other numbers. */
  readonly areTyped?: boolean;
}

/** The cells of a table. Throws a `TableError` if the text is not a table. */
export function tableCells(text: string, name: string, split: Split): TableCells {
  return cellsOf(rowsOf(text, split), name);
}

/** The cells of a table whose numbers have decimal points. Throws a `TableError` if the records are not a table. */
export function recordCells(records: readonly (readonly string[])[], name: string): TableCells {
  return { ...cellsOf(rowsOfRecords(records, ','), name), areTyped: true };
}

function cellsOf({ headings, rows, omitted, separator }: Rows, name: string): TableCells {
  const columns = headings.map((_, index) => rows.map(({ cells }) => cells[index]));
  const rowNumbers = rows.map(({ number }) => number);
  // Columns without heading and cells: rows that begin or end with a separator.
  const used = headings.flatMap((heading, index) =>
    heading !== '' || columns[index].some((cell) => cell !== '') ? [index] : [],
  );
  return {
    name,
    headings: distinct(used.map((index) => headings[index] || (index === 0 ? 'row' : `column_${index + 1}`))),
    columns: used.map((index) => columns[index]),
    rowNumbers,
    omitted,
    separator,
  };
}

/** Reads the columns of a table. Cells that more than one notation could have are decided by all cells of their column, then by the other columns. */
export function readTable(source: TableCells, choices: TableChoices = {}): Table {
  const { name, headings, rowNumbers, omitted, separator, areTyped } = source;
  const columns = fixed(source, choices.fixes ?? []);
  const marks = columns.map(markEvidence);
  const orders = columns.map(orderEvidence).map(({ day, month, depends }) => ({ comma: day, point: month, depends }));
  const decimalComma = decided(marks, separator === ';');
  const dayFirst = decided(orders, decimalComma);
  const codesOfColumn = (heading: string) =>
    (choices.missingCodes ?? []).flatMap(({ code, column }) => (column === heading ? [code] : []));
  const read = headings.map((heading, index) => {
    const column = readColumn(
      { name: heading, cells: columns[index], rowNumbers },
      {
        mark: (choices.decimalComma ?? columnDecided(marks[index], decimalComma)) ? ',' : '.',
        isDayFirst: choices.dayFirst ?? columnDecided(orders[index], dayFirst),
      },
      choices.texts?.includes(heading),
    );
    return withMissingCodes(column, codesOfColumn(heading));
  });
  const depends = (evidence: readonly Evidence[], isKind: (column: TableColumn) => boolean) =>
    evidence.some((each, index) => each.depends && isKind(read[index]));
  return {
    name,
    columns: read,
    rows: rowNumbers.length,
    omitted,
    decimalComma:
      (areTyped !== true || columns.some(haveCommas)) && depends(marks, ({ kind }) => kind !== 'date')
        ? (choices.decimalComma ?? marks.some((each) => columnDecided(each, decimalComma) && each.depends))
        : undefined,
    dayFirst: depends(orders, ({ kind }) => kind === 'date') ? (choices.dayFirst ?? dayFirst) : undefined,
  };
}

function haveCommas(cells: readonly string[]): boolean {
  return cells.some((cell) => /\d,\d/.test(cell));
}

/** The notation of the columns that are unambiguous; `otherwise` if they differ or no column is. */
function decided(columns: readonly Evidence[], otherwise: boolean): boolean {
  const commas = columns.some(({ point, comma }) => comma > point);
  const points = columns.some(({ point, comma }) => point > comma);
  return commas === points ? otherwise : commas;
}

function columnDecided({ point, comma }: Evidence, otherwise: boolean): boolean {
  return point === comma ? otherwise : comma > point;
}

function fixed(
  { headings, columns, rowNumbers }: TableCells,
  fixes: NonNullable<TableChoices['fixes']>,
): TableCells['columns'] {
  return columns.map((cells, index) => {
    const own = new Map(fixes.flatMap(({ column, row, text }) => (column === headings[index] ? [[row, text]] : [])));
    return own.size === 0 ? cells : cells.map((cell, row) => own.get(rowNumbers[row]) ?? cell);
  });
}

/** The names with `_1`, `_2`, … after those that occurred before. */
function distinct(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let k = 1; taken.has(free) || (free !== name && names.includes(free)); k++) free = `${name}_${k}`;
    taken.add(free);
    return free;
  });
}

/** The table without the rows that have a missing value in one of these columns. Levels without rows are removed. */
export function completeRows(table: Table, names: readonly string[]): Table {
  const used = table.columns.filter(({ name }) => names.includes(name));
  const kept = new Uint32Array(table.rows);
  let rows = 0;
  for (let row = 0; row < table.rows; row++)
    if (used.every(({ values }) => !Number.isNaN(values[row]))) kept[rows++] = row;
  if (rows === table.rows) return table;
  const places = kept.subarray(0, rows);
  return { ...table, columns: table.columns.map((column) => rowsOfColumn(column, places)), rows };
}

/** The number of rows that `completeRows` leaves out. */
export function countIncomplete(table: Table, names: readonly string[]): number {
  const used = table.columns.filter(({ name, missing }) => names.includes(name) && missing > 0);
  let count = 0;
  for (let row = 0; row < table.rows; row++) if (used.some(({ values }) => Number.isNaN(values[row]))) count++;
  return count;
}

function rowsOfColumn(column: TableColumn, rows: Uint32Array): TableColumn {
  const values = Float64Array.from(rows, (row) => column.values[row]);
  const missing = countMissing(values);
  const exact = column.exact && { exact: [...rows].map((row) => column.exact?.[row] ?? '') };
  if (column.kind !== 'text') return { ...column, values, missing, ...exact };
  const { codes, distinct: used } = codesOf(values);
  return { ...column, values: codes, levels: used.map((code) => column.levels[code - 1]), missing };
}

/** The distinct values in order, and for each value its position among them, from 1. Missing values stay missing. */
function codesOf(values: Float64Array): { readonly codes: Float64Array; readonly distinct: readonly number[] } {
  const distinct = [...new Set(values.filter((value) => !Number.isNaN(value)))].sort((a, b) => a - b);
  const places = new Map(distinct.map((value, index) => [value, index + 1]));
  return { codes: values.map((value) => places.get(value) ?? Number.NaN), distinct };
}

/** Dates as groups: a column of text with a level for each date. Other columns are unchanged. */
export function asGroups(column: TableColumn): TableColumn {
  const { kind, origin } = column;
  if (kind !== 'date' || origin === undefined) return column;
  const start = Date.parse(origin);
  return withLevels(column, (day) => {
    const text = new Date(start + day * 86_400_000).toISOString();
    return Number.isInteger(day) ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ');
  });
}

/** Numbers and dates as categories: a column of text with a level for each value, in their order. A column of text is unchanged. */
export function asCategories(column: TableColumn): TableColumn {
  return column.kind === 'integer' || column.kind === 'real' ? withLevels(column, String) : asGroups(column);
}

function withLevels(column: TableColumn, label: (value: number) => string): TableColumn {
  const { codes, distinct } = codesOf(column.values);
  return { ...column, kind: 'text', values: codes, levels: distinct.map(label) };
}

/** Number of levels above which a column may be mostly distinct. */
const FEW_LEVELS = 12;

/** Whether a column of text can be a grouping: names, identifiers and comments, which differ in most rows, cannot. */
export function isGrouping(column: TableColumn): boolean {
  const { levels, values, missing } = asGroups(column);
  return levels.length > 0 && (levels.length <= FEW_LEVELS || levels.length <= (values.length - missing) / 2);
}

/** Whether a column can be data of a program. */
export function isUsable(column: TableColumn): boolean {
  return column.kind !== 'text' || isGrouping(column);
}

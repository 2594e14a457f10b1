/** Workbooks (`.xlsx`) as the texts of their cells. A library unpacks them. */
import { dateText } from './dates.js';
import { TableError } from './rows.js';
import { recordCells, type TableCells } from './table.js';

/** A sheet as the library `read-excel-file` returns it: cells are strings, numbers, booleans, dates in UTC, or null. */
export interface UnpackedSheet {
  readonly sheet: string;
  readonly data: readonly (readonly unknown[])[];
}

export interface Sheet {
  readonly name: string;
  /** The cells of each row. Dates are written as 2024-03-01, numbers with a decimal point. */
  readonly rows: () => readonly (readonly string[])[];
}

/** The libraries `read-excel-file` and `fflate`. */
export interface Unpacking {
  readonly readWorkbook: (content: ArrayBuffer) => Promise<readonly UnpackedSheet[]>;
  readonly unzipSync: (
    content: Uint8Array,
    options: { readonly filter: (file: { readonly name: string }) => boolean },
  ) => Readonly<Record<string, Uint8Array>>;
}

/** The visible sheets of a workbook. Rejects if the content is none. */
export async function sheetsIn(
  content: ArrayBuffer,
  { readWorkbook, unzipSync }: Unpacking,
): Promise<readonly Sheet[]> {
  const name = 'xl/workbook.xml';
  const contents = unzipSync(new Uint8Array(content), { filter: (file) => file.name === name })[name];
  return visibleSheets(await readWorkbook(content), new TextDecoder().decode(contents));
}

/** The first sheet that is a table, as cells. Throws a `TableError` if none is. */
export function firstTable(
  sheets: readonly Sheet[],
  file: string,
): { readonly sheet: string; readonly cells: TableCells } {
  for (const { name, rows } of sheets)
    try {
      return { sheet: name, cells: recordCells(rows(), file) };
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
    }
  throw new TableError({ kind: 'noRows' });
}

/** The visible sheets of a workbook, in order. `contents` is its file `xl/workbook.xml`, which states the hidden ones. */
export function visibleSheets(sheets: readonly UnpackedSheet[], contents: string): readonly Sheet[] {
  const hidden = Array.from(contents.matchAll(/<(?:\w+:)?sheet\s[^>]*>/g), ([tag]) =>
    /\sstate=["'](?:hidden|veryHidden)["']/.test(tag),
  );
  return sheets
    .filter((_, index) => hidden[index] !== true)
    .map(({ data, sheet }) => ({ name: sheet, rows: () => data.map((row) => row.map(cellText)) }));
}

function cellText(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value instanceof Date ? momentText(value) : String(value);
}

const DAY = 86_400_000;
/** Day 0 of workbooks, 1899-12-30, and the first day that they show as a date, in days from 1970-01-01. */
const DAY_0 = -25_569;
const FIRST_DATE = -25_567;

/** A date, with its time unless it is midnight; for a time without a date, the part of a day as a number. */
function momentText(moment: Date): string {
  const seconds = Math.round(moment.getTime() / 1000) * 1000;
  if (seconds < FIRST_DATE * DAY) return String(seconds / DAY - DAY_0);
  const day = Math.floor(seconds / DAY);
  const time = seconds - day * DAY;
  return time === 0 ? dateText(day) : `${dateText(day)} ${new Date(time).toISOString().slice(11, 19)}`;
}

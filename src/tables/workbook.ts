/** Workbooks (`.xlsx`) as the texts of their cells. A library unpacks them. */
import { dateText } from './dates.js';

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

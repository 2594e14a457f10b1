/** Reads the cells of a column as numbers, dates or texts. */
import { type DateReading, dateOf, dateText } from './dates.js';
import { isMissing, isMissingNumber } from './missing.js';

import { mostFrequent } from './most-frequent.js';
import { type DecimalMark, decimalMarkOf, numberOf, withoutSigns } from './numbers.js';

/** A number that may stand for missing values, and its number of cells. */
export interface MissingCode {
  readonly code: number;
  readonly count: number;
}

export interface TableColumn {
  readonly name: string;
  readonly kind: 'integer' | 'real' | 'date' | 'text';
  /** One value per row, NaN if it is missing: numbers; days since the first date; for a text, the index of its level, from 1. */
  readonly values: Float64Array;
  /** The distinct texts of a column in order; empty for numbers and dates. */
  readonly levels: readonly string[];
  /** The first cells as in the file. */
  readonly head: readonly string[];
  /** Number of missing values, with unreadable cells. */
  readonly missing: number;
  /** The first cells of a column of numbers or dates that are neither, nor codes for missing values. */
  readonly unreadable: readonly { readonly row: number; readonly cell: string }[];
  readonly unreadableCount: number;
  /** The sign that most of the numbers have: `%`, a currency or a unit. */
  readonly sign?: string;
  /** For dates: the first one. */
  readonly origin?: string;
  /** For numbers: those that may stand for missing values. They are values unless the user chooses otherwise. */
  readonly codes?: readonly MissingCode[];
  /** The digits of integers beyond the exact range of doubles, by row. */
  readonly exact?: readonly string[];
}

/** Decisions that hold for all columns of a table. */
export interface Notation {
  readonly mark: DecimalMark;
  readonly isDayFirst: boolean;
}

/** Cells of a column with the numbers of their rows in the file. */
export interface Cells {
  readonly name: string;
  readonly cells: readonly string[];
  readonly rowNumbers: readonly number[];
}

/** The number of cells for which each notation is the only possible one, and whether some cells depend on the notation. */
export interface Evidence {
  readonly point: number;
  readonly comma: number;
  readonly depends: boolean;
}

/** Number of cells at the head of a column that are shown. */
const HEAD = 4;
/** Number of unreadable cells that are listed. */
const LISTED = 20;
/** Share of the present cells that must be numbers (or dates) in a column of numbers. */
const SHARE = 0.9;
/** With one unreadable cell, this number of readable ones suffices. */
const ENOUGH = 4;

function isMostly(count: number, present: number): boolean {
  return count > 0 && (count > SHARE * present || (count >= ENOUGH && count >= present - 1));
}

/** What the cells of a column show about the decimal mark. */
export function markEvidence(cells: readonly string[]): Evidence {
  let point = 0;
  let comma = 0;
  let depends = false;
  for (const cell of cells) {
    const mark = decimalMarkOf(cell);
    if (mark === '.') point++;
    else if (mark === ',') comma++;
    if (mark !== undefined) {
      depends = true;
      continue;
    }
    if (!/[.,]/.test(cell)) continue;
    const { text } = withoutSigns(cell);
    const withPoint = numberOf(text, '.');
    const withComma = numberOf(text, ',');
    if (withPoint === undefined && withComma !== undefined) comma++;
    else if (withPoint !== undefined && withComma === undefined) point++;
    if (withPoint !== withComma) depends = true;
  }
  return { point, comma, depends };
}

/** Number of cells among which one must be a date in a column of dates. */
const LOOKED_AT = 200;

/** What the cells of a column show about the order of day and month, as for the decimal mark. */
export function orderEvidence(cells: readonly string[]): {
  readonly day: number;
  readonly month: number;
  readonly depends: boolean;
} {
  let day = 0;
  let month = 0;
  let depends = false;
  if (!cells.slice(0, LOOKED_AT).some((cell) => dateOf(cell) !== undefined)) return { day, month, depends };
  for (const cell of cells) {
    const date = dateOf(cell);
    if (date === undefined || date.dayFirst === date.monthFirst) continue;
    if (date.monthFirst === undefined) day++;
    else if (date.dayFirst === undefined) month++;
    depends = true;
  }
  return { day, month, depends };
}

/** Reads a column. `asText` makes it a column of text, whatever its cells are. */
export function readColumn(column: Cells, notation: Notation, asText = false): TableColumn {
  if (asText) return textColumn(column);
  return numberColumn(column, notation) ?? dateColumn(column, notation) ?? logicalColumn(column) ?? textColumn(column);
}

const LOGICAL = new Map([
  ['true', 1],
  ['false', 0],
  ['wahr', 1],
  ['falsch', 0],
  ['vrai', 1],
  ['faux', 0],
]);

/** TRUE and FALSE as 1 and 0. */
function logicalColumn(column: Cells): TableColumn | undefined {
  const values = new Float64Array(column.cells.length);
  for (const [row, cell] of column.cells.entries()) {
    const value = isMissing(cell) ? Number.NaN : LOGICAL.get(cell.toLowerCase());
    if (value === undefined) return undefined;
    values[row] = value;
  }
  return { ...described(column, values), kind: 'integer' };
}

function numberColumn(column: Cells, { mark }: Notation): TableColumn | undefined {
  const { cells } = column;
  const sign = mainSign(cells);
  const values = new Float64Array(cells.length).fill(Number.NaN);
  const unreadable: number[] = [];
  let numbers = 0;
  let areIntegers = true;
  let areExact = true;
  for (const [row, cell] of cells.entries()) {
    if (isMissingNumber(cell)) continue;
    const value = numberOf(cell, mark) ?? signedNumber(cell, mark, sign);
    if (value === undefined || !Number.isFinite(value)) {
      unreadable.push(row);
      if (unreadable.length > LOOKED_AT && numbers === 0) return undefined;
      continue;
    }
    values[row] = value;
    numbers++;
    if (!/^[+-]?\d+$/.test(cell)) areIntegers &&= Number.isInteger(value) && !cell.includes(mark);
    areExact &&= Number.isSafeInteger(value) || !Number.isInteger(value);
  }
  if (!isMostly(numbers, numbers + unreadable.length) || areCodes(cells)) return undefined;
  return {
    ...described(column, values, unreadable),
    kind: areIntegers ? 'integer' : 'real',
    ...(sign === '' ? {} : { sign }),
    ...(areExact || !areIntegers ? {} : { exact: cells.map((cell) => cell.replace(/^\+/, '')) }),
  };
}

function signedNumber(cell: string, mark: DecimalMark, main: string): number | undefined {
  const { text, sign, isCurrency } = withoutSigns(cell);
  return sign === '' || sign === main || isCurrency ? numberOf(text.trim(), mark) : undefined;
}

/** The sign of more than half of the present cells; empty if no sign is that frequent. Other percent signs and units make their cells unreadable. */
function mainSign(cells: readonly string[]): string {
  const found: string[] = [];
  let present = 0;
  for (const cell of cells) {
    if (isMissingNumber(cell)) continue;
    present++;
    const last = cell.charCodeAt(cell.length - 1);
    const first = cell.charCodeAt(0);
    if (last >= 48 && last <= 57 && ((first >= 48 && first <= 57) || first === 45)) continue;
    const { sign } = withoutSigns(cell);
    if (sign !== '') found.push(sign);
  }
  const [main = '', count = 0] = mostFrequent(found) ?? [];
  return count > present / 2 ? main : '';
}

/** Whether numerals have leading zeros, as codes of places and people do: `01067`. */
function areCodes(cells: readonly string[]): boolean {
  return cells.some((cell) => /^0\d+$/.test(cell)) && cells.every((cell) => isMissing(cell) || /^\d+$/.test(cell));
}

function dateColumn(column: Cells, { isDayFirst }: Notation): TableColumn | undefined {
  const values = new Float64Array(column.cells.length).fill(Number.NaN);
  const unreadable: number[] = [];
  let dates = 0;
  for (const [row, cell] of column.cells.entries()) {
    if (isMissingNumber(cell)) continue;
    const days = daysOf(dateOf(cell), isDayFirst);
    if (days === undefined) unreadable.push(row);
    else {
      values[row] = days;
      dates++;
    }
    // Most columns of text are recognized by their first cells.
    if (unreadable.length > LOOKED_AT && dates === 0) return undefined;
  }
  if (!isMostly(dates, dates + unreadable.length)) return undefined;
  const first = Math.floor(values.filter((days) => !Number.isNaN(days)).reduce((least, days) => Math.min(least, days)));
  return {
    ...described(
      column,
      // Whole seconds.
      values.map((days) => Math.round((days - first) * 86_400) / 86_400),
      unreadable,
    ),
    kind: 'date',
    origin: dateText(first),
  };
}

function daysOf(date: DateReading | undefined, isDayFirst: boolean): number | undefined {
  return isDayFirst ? date?.dayFirst : date?.monthFirst;
}

/** Levels in alphabetical order, with numbers in texts in their order. */
export function orderedLevels(levels: readonly string[]): readonly string[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  // The order of that many texts is never read, and sorting them takes seconds.
  return levels.length > MOST_SORTED ? levels : levels.toSorted(compare);
}

/** Number of levels above which they keep the order of the rows. */
const MOST_SORTED = 100_000;

function textColumn(column: Cells): TableColumn {
  const codes = new Map<string, number>();
  const values = Float64Array.from(column.cells, (cell) => {
    if (isMissing(cell)) return Number.NaN;
    const known = codes.get(cell);
    if (known !== undefined) return known;
    codes.set(cell, codes.size);
    return codes.size - 1;
  });
  const found = [...codes.keys()];
  const levels = orderedLevels(found);
  const places = new Map(levels.map((level, index) => [level, index + 1]));
  const indexes = found.map((level) => places.get(level) ?? 0);
  return {
    ...described(
      column,
      values.map((code) => indexes[code] ?? Number.NaN),
    ),
    kind: 'text',
    levels,
  };
}

/** The number of missing values. */
export function countMissing(values: Float64Array): number {
  return values.reduce((count, value) => count + Number(Number.isNaN(value)), 0);
}

function described(
  { name, cells, rowNumbers }: Cells,
  values: Float64Array,
  unreadable: readonly number[] = [],
): Omit<TableColumn, 'kind'> {
  return {
    name,
    values,
    levels: [],
    head: cells.slice(0, HEAD),
    missing: countMissing(values),
    unreadable: unreadable.slice(0, LISTED).map((row) => ({ row: rowNumbers[row], cell: cells[row] })),
    unreadableCount: unreadable.length,
  };
}

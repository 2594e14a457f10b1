/** Finds the header and the rows of a table among its records: titles above it, totals and notes below it. */
import { mostFrequent } from './most-frequent.js';
import { numberOf, withoutSigns } from './numbers.js';
import { type Split, separatorOf } from './separator.js';

type Cells = readonly string[];

/** A table as cells. Rows are numbered as in a spreadsheet, from 1, with all lines above the header. */
export interface Rows {
  readonly headings: readonly string[];
  readonly rows: readonly { readonly number: number; readonly cells: Cells }[];
  /** Totals and notes below the table. */
  readonly omitted: readonly { readonly number: number; readonly text: string }[];
  readonly separator: string;
}

/** A text that is not a table. */
export class TableError extends Error {
  readonly reason: TableFault;

  constructor(reason: TableFault) {
    super(faultText(reason));
    this.name = 'TableError';
    this.reason = reason;
  }
}

/** Why a text is not a table. Rows are numbered as in a spreadsheet. */
export type TableFault =
  | { readonly kind: 'noRows' }
  | { readonly kind: 'unclosedQuote'; readonly row: number }
  | { readonly kind: 'uneven'; readonly row: number; readonly found: number; readonly expected: number };

function faultText(fault: TableFault): string {
  if (fault.kind === 'noRows') return 'it has no rows below a header line';
  if (fault.kind === 'unclosedQuote') return `row ${fault.row} has a quote that is never closed`;
  return `row ${fault.row} has ${fault.found} cells instead of ${fault.expected}`;
}

const TOTAL =
  /^(?:grand |sub)?(?:total(?:s|e|es)?|sum|mean|average|summe|gesamt(?:summe|ergebnis)?|insgesamt|mittelwert|durchschnitt|somme|moyenne|suma|media|promedio|totaal|σ|ø)(?: g[eé]n[eé]ral)?\s*:?$/i;
const NOTE =
  /^(?:\*|source|quelle|note|hinweis|anmerkung|remarque|fuente|\(\d+ (?:rows?|zeilen?|records?)\)|\d+ rows? )/i;
/** Records among the first ones that are counted to find the number of columns. */
const COUNTED = 1000;

export function rowsOf(text: string, split: Split): Rows {
  const { separator, body, skipped } = separatorOf(text, split);
  const { records, unclosed } = split(body, separator);
  if (unclosed !== undefined) throw new TableError({ kind: 'unclosedQuote', row: unclosed + 1 + skipped });
  return rowsOfRecords(records, separator, skipped);
}

/** `skipped` is the number of lines before the first record. */
export function rowsOfRecords(records: readonly Cells[], separator: string, skipped = 0): Rows {
  const all = records.map((cells, index) => ({
    number: index + 1 + skipped,
    cells: cells.map((cell) => cell.trim()),
  }));
  const filled = all.filter(({ cells }) => countFilled(cells) > 0 && !isRule(cells));
  const width = usualLength(filled.slice(0, COUNTED));
  const start = Math.max(
    0,
    filled.findIndex(({ cells }) => isHeader(cells, width)),
  );
  const { headings, rows: below } = splitHeader(filled.slice(start), width);
  const { rows, omitted } = withoutFooters(below, headings.length);
  if (rows.length === 0) throw new TableError({ kind: 'noRows' });
  const uneven = rows.find(({ cells }) => trimmedLength(cells, headings.length) !== headings.length);
  if (uneven !== undefined)
    throw new TableError({
      kind: 'uneven',
      row: uneven.number,
      found: uneven.cells.length,
      expected: headings.length,
    });
  return { headings, rows, omitted, separator };
}

type Row = Rows['rows'][number];

/** The headings, and the rows below them. */
function splitHeader(
  [first, ...rows]: readonly Row[],
  width: number,
): { readonly headings: readonly string[]; readonly rows: readonly Row[] } {
  if (first === undefined || rows.length === 0) throw new TableError({ kind: 'noRows' });
  const { cells } = first;
  const last = cells.findLastIndex((cell) => cell !== '') + 1;
  // R leaves out the heading of the row names.
  if (cells.length === width - 1 && rows.every((row) => row.cells.length === width))
    return { headings: ['', ...cells], rows };
  if (cells.every((cell) => isNumber(cell)) && cells.length > 1)
    return { headings: cells.map((_, index) => `column_${index + 1}`), rows: [first, ...rows] };
  const [second, third] = rows;
  if (second !== undefined && third !== undefined && isMerged(cells, second.cells, third.cells))
    return { headings: mergedHeadings(cells, second.cells), rows: rows.slice(1) };
  const longest = Math.max(...rows.slice(0, COUNTED).map((row) => trimmedLength(row.cells, last)));
  const length = Math.max(last, Math.min(longest, cells.length));
  return { headings: cells.slice(0, length), rows };
}

function isNumber(cell: string): boolean {
  const { text } = withoutSigns(cell);
  return numberOf(text, '.') !== undefined || numberOf(text, ',') !== undefined;
}

/** Whether the first row consists of headings over several columns, and the second one of the headings below them. */
function isMerged(top: Cells, sub: Cells, data: Cells): boolean {
  const filled = countFilled(top);
  if (filled >= top.length - 1 || top[0] !== '' || sub.length !== top.length) return false;
  return sub.every((cell) => cell !== '' && !isNumber(cell)) && data.some((cell) => isNumber(cell));
}

function mergedHeadings(top: Cells, sub: Cells): readonly string[] {
  let over = '';
  return sub.map((heading, index) => {
    over = top[index] || over;
    return over === '' ? heading : `${over} ${heading}`;
  });
}

/** The rows without totals and notes at their end. */
function withoutFooters(rows: readonly Row[], width: number): Pick<Rows, 'rows' | 'omitted'> {
  const omitted: Rows['omitted'][number][] = [];
  let end = rows.length;
  for (; end > 0; end--) {
    const row = rows[end - 1];
    const isBelowBlank = end > 1 && row.number > rows[end - 2].number + 1;
    if (!isNote(row.cells, width, isBelowBlank) && !isTotal(rows, end - 1)) break;
    omitted.unshift({ number: row.number, text: row.cells.filter((cell) => cell !== '').join(' ') });
  }
  return { rows: rows.slice(0, end), omitted };
}

function isNote(cells: Cells, width: number, isBelowBlank: boolean): boolean {
  if (width < 2 || countFilled(cells) !== 1) return false;
  const text = cells.find((cell) => cell !== '') ?? '';
  return NOTE.test(text) || (isBelowBlank && !isNumber(text));
}

/** Whether a row has the label of a total, which no other row is. */
function isTotal(rows: readonly Row[], index: number): boolean {
  const label = rows[index].cells.findIndex((cell) => TOTAL.test(cell));
  const text = rows[index].cells[label];
  return label >= 0 && rows.every(({ cells }, other) => other === index || cells[label] !== text);
}

function countFilled(cells: Cells): number {
  let count = 0;
  for (const cell of cells) if (cell !== '') count++;
  return count;
}

/** Whether a record is a line between the header and the rows, as databases print it. */
function isRule(cells: Cells): boolean {
  return cells.some((cell) => /^[-+=:]{3,}$/.test(cell)) && cells.every((cell) => /^[-+=:|]*$/.test(cell));
}

function usualLength(rows: readonly Row[]): number {
  return mostFrequent(rows.map(({ cells }) => cells.length))?.[0] ?? 0;
}

/** Titles have a single cell with text. */
function isHeader(cells: Cells, width: number): boolean {
  return width < 2 || (cells.length >= width - 1 && countFilled(cells) > 1);
}

/** The length without empty cells beyond a width. */
function trimmedLength(cells: Cells, width: number): number {
  let length = cells.length;
  while (length > width && cells[length - 1] === '') length--;
  return length;
}

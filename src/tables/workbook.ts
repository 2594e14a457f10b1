/** Reads workbooks (`.xlsx`, Office Open XML: ECMA-376, part 1, section 18) as the texts of their cells. */
import { dateText } from './dates.js';
import { attributeIn, visitXml } from './xml.js';

/** The text of a file in a workbook by its path; undefined if it does not exist. */
export type WorkbookFiles = (path: string) => string | undefined;

export interface Sheet {
  readonly name: string;
  /** The cells of each row from the first one; blank rows are empty. Dates are written as 2024-03-01, numbers with a decimal point. */
  readonly rows: () => readonly (readonly string[])[];
}

/** The visible sheets of a workbook, in order; empty if the files are not those of a workbook. */
export function sheetsOf(files: WorkbookFiles): readonly Sheet[] {
  const contents = files('xl/workbook.xml') ?? '';
  const relations = targetsIn(files('xl/_rels/workbook.xml.rels') ?? '');
  const found: { readonly name: string; readonly path: string }[] = [];
  let startsIn1904 = false;
  visitXml(contents, {
    open: (name, attributes) => {
      if (name === 'workbookPr') startsIn1904 = /^(?:1|true)$/.test(attributeIn(attributes, 'date1904') ?? '');
      if (name !== 'sheet' || (attributeIn(attributes, 'state') ?? 'visible') !== 'visible') return;
      // `id` has a prefix, unlike the other attributes; `sheetId` is only a number.
      const path = relations.get(attributeIn(attributes, 'id') ?? '');
      if (path !== undefined) found.push({ name: attributeIn(attributes, 'name') ?? '', path });
    },
  });
  const look: Look = {
    texts: textsIn(files('xl/sharedStrings.xml') ?? ''),
    areDates: dateStyles(files('xl/styles.xml') ?? ''),
    startsIn1904,
  };
  return found.map(({ name, path }) => ({ name, rows: () => rowsIn(files(path) ?? '', look) }));
}

/** Paths of files by the ids of their relations. */
function targetsIn(document: string): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  visitXml(document, {
    open: (name, attributes) => {
      const target = attributeIn(attributes, 'Target');
      if (name !== 'Relationship' || target === undefined) return;
      targets.set(attributeIn(attributes, 'Id') ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target}`);
    },
  });
  return targets;
}

/** The shared texts. Parts with their own fonts are joined; phonetic hints are left out. */
function textsIn(document: string): readonly string[] {
  const texts: string[] = [];
  let parts = '';
  let isText = false;
  let isHint = false;
  visitXml(document, {
    open: (name) => {
      if (name === 'si') parts = '';
      if (name === 'rPh') isHint = true;
      isText = name === 't' && !isHint;
    },
    close: (name) => {
      if (name === 'si') texts.push(unescaped(parts));
      if (name === 'rPh') isHint = false;
      isText = false;
    },
    text: (text) => {
      if (isText) parts += text;
    },
  });
  return texts;
}

/** Excel writes control characters as `_x000D_`. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Ids of the built-in formats of dates (section 18.8.30). Those of times alone are not dates. */
const DATE_FORMATS: ReadonlySet<number> = new Set([
  14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58,
]);

/** Whether each style of cells is a date. */
function dateStyles(document: string): readonly boolean[] {
  const formats = new Map<number, boolean>();
  const styles: boolean[] = [];
  let isOfCells = false;
  visitXml(document, {
    open: (name, attributes) => {
      if (name === 'numFmt')
        formats.set(
          Number(attributeIn(attributes, 'numFmtId')),
          isDateFormat(attributeIn(attributes, 'formatCode') ?? ''),
        );
      if (name === 'cellXfs') isOfCells = true;
      if (name !== 'xf' || !isOfCells) return;
      const format = Number(attributeIn(attributes, 'numFmtId'));
      styles.push(formats.get(format) ?? DATE_FORMATS.has(format));
    },
    close: (name) => {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return styles;
}

/** Whether a format shows a day or a year. Texts in quotes, escaped characters, and colors and locales in brackets do not count. */
function isDateFormat(code: string): boolean {
  const [positive = ''] = code.split(';');
  return /[dy]/i.test(positive.replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, '').replace(/General/gi, ''));
}

/** The size of a sheet in Excel. */
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;
/** Width to which rows are filled with empty cells. */
const MOST_FILLED = 1000;

interface Look {
  readonly texts: readonly string[];
  readonly areDates: readonly boolean[];
  readonly startsIn1904: boolean;
}

function rowsIn(document: string, look: Look): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let column = -1;
  let type = 'n';
  let style = 0;
  let value = '';
  let isValue = false;
  let isHint = false;
  visitXml(document, {
    open: (name, attributes) => {
      switch (name) {
        case 'row': {
          const number = Number(attributeIn(attributes, 'r') ?? rows.length + 1);
          row = [];
          if (!(number > rows.length && number <= MOST_ROWS)) return;
          while (rows.length < number - 1) rows.push([]);
          rows.push(row);
          column = -1;
          return;
        }
        case 'c': {
          const place = attributeIn(attributes, 'r');
          column = place === undefined ? column + 1 : columnOf(place);
          type = attributeIn(attributes, 't') ?? 'n';
          style = Number(attributeIn(attributes, 's') ?? 0);
          value = '';
          return;
        }
        case 'rPh':
          isHint = true;
          return;
        default:
          isValue = name === 'v' || (name === 't' && !isHint);
      }
    },
    close: (name) => {
      isValue = false;
      if (name === 'rPh') isHint = false;
      if (name !== 'c' || value === '' || !(column >= 0 && column < MOST_COLUMNS)) return;
      while (row.length < column) row.push('');
      row[column] = cellText(value, type, look, look.areDates[style] ?? false);
    },
    text: (text) => {
      if (isValue) value += text;
    },
  });
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  for (const cells of rows) while (cells.length > 0 && cells.length < Math.min(width, MOST_FILLED)) cells.push('');
  return rows;
}

/** The index of the column of a cell: 27 for `AB3`. */
function columnOf(place: string): number {
  let column = 0;
  for (const letter of /^[A-Z]*/i.exec(place.toUpperCase())?.[0] ?? '')
    column = 26 * column + letter.charCodeAt(0) - 64;
  return column - 1;
}

function cellText(value: string, type: string, { startsIn1904, texts }: Look, isDate: boolean): string {
  switch (type) {
    case 's':
      return texts[Number(value)] ?? '';
    case 'str':
    case 'inlineStr':
      return unescaped(value);
    case 'b':
      return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
    case 'd':
      return value.replace(/T00:00:00(?:\.0+)?Z?$/, '');
    case 'n': {
      const number = Number(value);
      if (!Number.isFinite(number)) return value;
      return isDate ? dateOfSerial(number, startsIn1904) : `${number}`;
    }
    default:
      return value;
  }
}

const SECONDS = 86_400;
/** Days from 1970-01-01 to day 0 of both date systems (section 18.17.4.1). */
const DAY_0 = -25_569;
const DAY_0_IN_1904 = -24_107;
/** The 1900 system counts the day 1900-02-29, which did not exist. */
const LEAP_DAY = 60;

function dateOfSerial(serial: number, startsIn1904: boolean): string {
  const days = startsIn1904 ? serial + DAY_0_IN_1904 : serial + DAY_0 + (serial < LEAP_DAY ? 1 : 0);
  const seconds = Math.round(days * SECONDS);
  const day = Math.floor(seconds / SECONDS);
  const time = seconds - day * SECONDS;
  if (Math.abs(day) > 3_000_000) return `${serial}`;
  return time === 0 ? dateText(day) : `${dateText(day)} ${new Date(time * 1000).toISOString().slice(11, 19)}`;
}

/** The character between the cells of a table. */
import { mostFrequent } from './most-frequent.js';

/** The records of a text. Blank lines are records, so that indexes are row numbers of a spreadsheet. */
interface Records {
  readonly records: readonly (readonly string[])[];
  /** The index of a record with a quote that is never closed. */
  readonly unclosed: number | undefined;
}

/** Splits a text into records of cells, with quotes resolved. */
export type Split = (text: string, separator: string) => Records;

/** The function `parse` of the library Papa Parse. */
type Parse = (
  text: string,
  options: { readonly delimiter: string },
) => {
  readonly data: unknown[];
  readonly errors: readonly { readonly code: string; readonly row?: number }[];
};

/** Splits texts with Papa Parse. */
export function splitWith(parse: Parse): Split {
  return (text, delimiter) => {
    // Rows are arrays: as members of an object, columns such as __proto__ and constructor would be those of every object.
    const { data, errors } = parse(text, { delimiter });
    const records = data.map((row) => (Array.isArray(row) ? row : []));
    return { records, unclosed: errors.find(({ code }) => code === 'MissingQuotes')?.row };
  };
}

/** In the order in which they win a tie: commas and spaces also occur within cells. */
const SEPARATORS = ['\t', ';', '|', ',', ' '] as const;

/** Number of characters that are split to choose a separator. */
const HEAD = 1 << 16;

/** Excel's first line that names the separator, such as `sep=;`. */
const NAMED = /^sep=(.)\r?\n/i;

/** The separator of a table, and the text without a line that names it. */
export function separatorOf(
  text: string,
  split: Split,
): { readonly separator: string; readonly body: string; readonly skipped: number } {
  const named = NAMED.exec(text);
  if (named !== null) return { separator: named[1], body: text.slice(named[0].length), skipped: 1 };
  const head = text.length > HEAD ? text.slice(0, text.lastIndexOf('\n', HEAD)) : text;
  let best = { separator: ',', share: 0 };
  for (const separator of SEPARATORS) {
    const share = shareOf(split(head, separator).records, separator);
    if (share > best.share) best = { separator, share };
  }
  // Without a separator, commas are decimal marks.
  if (best.share === 0) best = { separator: ';', share: 0 };
  return { separator: best.separator, body: text, skipped: 0 };
}

/** Share of the records that have the most frequent number of cells; 0 if that number is 1, or if the separator is a decimal comma. */
function shareOf(records: Records['records'], separator: string): number {
  const filled = records.filter((record) => record.some((cell) => cell.trim() !== ''));
  const [width = 1, count = 0] = mostFrequent(filled.map(({ length }) => length)) ?? [];
  if (width < 2) return 0;
  const [first = [], ...others] = filled;
  if (separator === ',' && first.length === 1 && others.every(isDecimal)) return 0;
  // R writes tables with spaces, and leaves out the heading of the row names.
  if (separator === ' ' && (first.length !== width - 1 || count < filled.length - 1)) return 0;
  return count / filled.length;
}

function isDecimal(record: readonly string[]): boolean {
  return record.length < 2 || (record.length === 2 && /^[+-]?\d+$/.test(record[0]) && /^\d+$/.test(record[1]));
}

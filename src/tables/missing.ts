/** Codes of missing values in tables. */

/** Codes in columns of any type, in lower case: of R, spreadsheets in several languages, databases, Stata and SAS. */
const MISSING: ReadonlySet<string> = new Set([
  '',
  'na',
  'n/a',
  'n.a.',
  '<na>',
  'nan',
  'null',
  '(null)',
  '#null!',
  '\\n',
  '#n/a',
  '#nv',
  '#n/d',
  '#div/0!',
  '#value!',
  '#wert!',
  '#valeur!',
  '#ref!',
  '#bezug!',
  '#num!',
  '#zahl!',
  '#name?',
  '.',
  '?',
  '-',
  '--',
  '–',
  '—',
]);

/** Codes in columns of numbers and dates, where they cannot be a level. */
const MISSING_AMONG_NUMBERS: ReadonlySet<string> = new Set([
  'none',
  'nil',
  'missing',
  'unknown',
  'unbekannt',
  'fehlt',
  'k.a.',
  'k. a.',
  'keine angabe',
  'nd',
  'n.d.',
  'nsp',
  'nr',
]);

export function isMissing(cell: string): boolean {
  // Most cells are longer than every code or begin with a digit.
  const first = cell.charCodeAt(0);
  if (cell.length > 8 || (first >= 48 && first <= 57)) return false;
  return MISSING.has(cell.toLowerCase());
}

/** Whether a cell of a column of numbers or dates is a code for a missing value. Stata writes `.a` to `.z` for reasons. */
export function isMissingNumber(cell: string): boolean {
  return isMissing(cell) || MISSING_AMONG_NUMBERS.has(cell.toLowerCase()) || /^\.[a-z]$/.test(cell);
}

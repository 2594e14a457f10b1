/** Reads CSV files with draws of CmdStan and Leapfrog. */
import { END_OF_WARMUP } from '../inference/events.js';

/** The contents of a CSV file. */
export interface StanCsv {
  /** The comments before the names of the columns. */
  readonly head: readonly string[];
  readonly columns: readonly string[];
  /** Draws and the comments among them, in order. */
  readonly entries: readonly CsvEntry[];
}

/** The comment at the start of a chain in a file with several chains. */
const CHAIN_REMARK = /^chain \d+$/;

/** Index of the comment after the warmup draws, or -1. */
export function endOfWarmup(
  entries: readonly ({ readonly kind: string } | Extract<CsvEntry, { kind: 'remark' }>)[],
): number {
  return entries.findIndex((entry) => 'text' in entry && entry.text === END_OF_WARMUP);
}

/** The entries of each chain. */
export function csvChains(entries: readonly CsvEntry[]): CsvEntry[][] {
  const chains: CsvEntry[][] = [[]];
  for (const entry of entries) {
    const latest = chains[chains.length - 1];
    if (entry.kind !== 'remark' || !CHAIN_REMARK.test(entry.text)) latest.push(entry);
    else if (latest.length > 0) chains.push([]);
  }
  return chains;
}

/**
 * Reads the tree of arguments in the comments at the start, which CmdStan writes as `name = value`, indented by two spaces per level.
 * Returns values by path, such as `method.sample.num_samples`, without ` (Default)`.
 */
export function csvSettings(head: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const path: string[] = [];
  for (const line of head) {
    const [, indent, name, value] = /^# ?( *)(\w+)(?: = *(.*?)(?: *\(Default\))?)?$/.exec(line) ?? [];
    if (indent === undefined) continue;
    path.length = Math.floor(indent.length / 2);
    path.push(name);
    if (value !== undefined) values.set(path.join('.'), value);
  }
  return values;
}

/** The value of a setting at any level: the first whose path equals or ends with these names. */
export function csvSetting(settings: ReadonlyMap<string, string>, names: string): string | undefined {
  return [...settings].find(([path]) => path === names || path.endsWith(`.${names}`))?.[1];
}

export type CsvEntry =
  | { readonly kind: 'draw'; readonly values: Float64Array }
  /** A comment, without its `# `. */
  | { readonly kind: 'remark'; readonly text: string };

/** Reads the lines of a file. Throws an `Error` that names an invalid line. */
export function readStanCsv(lines: Iterable<string>): StanCsv {
  const head: string[] = [];
  const entries: CsvEntry[] = [];
  let columns: readonly string[] | undefined;
  let number = 0;
  let wrong: { readonly text: string; readonly isShort: boolean } | undefined;
  for (const line of lines) {
    number += 1;
    if (line === '') continue;
    if (wrong !== undefined) throw new Error(wrong.text);
    if (columns === undefined) {
      if (line.startsWith('#')) head.push(line);
      else columns = line.split(',');
    } else if (line.startsWith('#')) {
      entries.push({ kind: 'remark', text: line.replace(/^# ?/, '') });
    } else {
      const cells = line.split(',');
      if (cells.length === columns.length) {
        entries.push({ kind: 'draw', values: readRow(cells, number, columns) });
      } else {
        const text = `line ${number} has ${cells.length} values for ${columns.length} columns`;
        wrong = { text, isShort: cells.length < columns.length };
      }
    }
  }
  if (wrong !== undefined) throw new Error(wrong.isShort ? `${wrong.text}, ${TRUNCATED}` : wrong.text);
  if (columns === undefined) throw new Error('there is no header line with column names');
  return { head, columns, entries };
}

/** Appended to the error for a row with too few values at the end of a file. */
const TRUNCATED = 'and the file ends there: it is truncated, or its run has not ended';

const NON_FINITE: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
]);

function readRow(cells: readonly string[], number: number, columns: readonly string[]): Float64Array {
  return Float64Array.from(cells, (cell, column) => {
    const value = readCell(cell);
    if (value === undefined) {
      throw new Error(`line ${number} has "${cell}" for ${columns[column]}, which is not a number`);
    }
    return value;
  });
}

function readCell(text: string): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isNaN(value)) return value;
  const [, sign, name] = /^\s*([+-]?)(\w+)\s*$/.exec(text) ?? [];
  const known = NON_FINITE.get(name?.toLowerCase() ?? '');
  return known !== undefined && sign === '-' ? -known : known;
}

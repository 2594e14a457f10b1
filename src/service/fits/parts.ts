import type { RunPattern } from './layout.js';
import type { FitContents } from './reading.js';

/** In what form draws are sent. */
export type FitFormat = 'ndjson' | 'csv' | 'arrow';

/** A part of a fit that is sent: text, or a range of rows of a chain. */
export type FitPart =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'rows' } & Rows)
  /** What an Arrow stream begins with. */
  | { readonly kind: 'schema'; readonly metadata: Readonly<Record<string, string>> };

export interface Rows {
  /** The chain's id. */
  readonly chain: number;
  readonly pattern: RunPattern;
  /** The first draw and the first diagnostic, counted from 0 with those of warmup; what the pattern lacks does not matter. */
  readonly draw: number;
  readonly diagnostic: number;
  readonly count: number;
}

/** A piece of an answer, to be written by a worker. */
export interface PieceOfFit {
  /** The fit's folder. */
  readonly path: string;
  readonly format: FitFormat;
  /** Places of the columns that draws are to have; all of them when absent. */
  readonly columns?: readonly number[];
  /** Whether an Arrow table has a column with the chain. */
  readonly tellsChain: boolean;
  readonly parts: readonly FitPart[];
}

/** What an Arrow stream ends with. */
export const END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/** Keys of the columns in these places; of all columns when no places are named. */
export function columnNames(contents: FitContents, columns?: readonly number[]): readonly string[] {
  return columns === undefined ? contents.columns : columns.map((column) => contents.columns[column]);
}

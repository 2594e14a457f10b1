import type { FitContents } from './contents.js';
import type { RunPattern } from './layout.js';

/** The form in which draws are sent. */
export type FitFormat = 'ndjson' | 'csv' | 'arrow';

/** A part of a response: text, or a range of a chain's rows. */
export type FitPart =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'rows' } & Rows)
  /** Start of an Arrow stream. */
  | { readonly kind: 'schema'; readonly metadata: Readonly<Record<string, string>> };

export interface Rows {
  /** The chain's id. */
  readonly chain: number;
  readonly pattern: RunPattern;
  /** Index of the first draw and diagnostic, counted from 0 including warmup. Ignored for a table that the pattern does not contain. */
  readonly draw: number;
  readonly diagnostic: number;
  readonly count: number;
}

/** A piece of a response, to be rendered by a worker. */
export interface PieceOfFit {
  /** The fit's folder. */
  readonly path: string;
  readonly format: FitFormat;
  /** Indexes of the columns to send; absent for all. */
  readonly columns?: readonly number[];
  /** Whether an Arrow table has a column with the chain. */
  readonly hasChainColumn: boolean;
  readonly parts: readonly FitPart[];
}

/** End of an Arrow stream. */
export const END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/** Keys of the columns with these indexes, by default of all columns. */
export function columnNames(contents: FitContents, columns?: readonly number[]): readonly string[] {
  return columns === undefined ? contents.columns : columns.map((column) => contents.columns[column]);
}

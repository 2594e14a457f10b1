/** Draws in a file that stores numbers by column: Arrow tables and ArviZ's netCDF files. */

import type { SamplerState } from '../chain/sampler-state.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import type { LeadingRows } from '../inference/algorithms/algorithm.js';
import type { Origin } from './draw-origins.js';

export interface DrawsFile {
  /** Names with dots, as in CSV files. */
  readonly columns: readonly string[];
  /** The program's variables with their blocks, as far as the file contains them. */
  readonly outputs: readonly DeclaredOutput[];
  /** In ascending order of their ids. */
  readonly chains: readonly FileChain[];
  /** The run, as far as the file describes it. */
  readonly request: { readonly function: string | undefined; readonly arguments: Readonly<Record<string, unknown>> };
  /** Without the chain: see `FileChain.id`. */
  readonly origin: Origin;
  /** Messages about parts of the file that were not read. */
  readonly warnings: readonly string[];
  /** The metadata of a table of this program. */
  readonly record?: Readonly<Record<string, unknown>>;
}

export interface FileChain {
  readonly id: number;
  /** Rows with one number per column; warmup rows come first. */
  readonly values: Float64Array;
  /** Number of warmup rows. */
  readonly warmup: number;
  /** Leading rows that the file does not mark. */
  readonly leadingRows: LeadingRows | undefined;
  /** Rows of a sampler's diagnostics; absent if the file has none. */
  readonly diagnostics?: Float64Array;
  /** The final state of a sampler, which saved fits have. */
  readonly state?: SamplerState | undefined;
}

/** The rows of a chain. */
export function rowsOf({ values }: FileChain, columns: number): readonly Float64Array[] {
  const rows = columns === 0 ? 0 : values.length / columns;
  return Array.from({ length: rows }, (_, row) => values.subarray(row * columns, (row + 1) * columns));
}

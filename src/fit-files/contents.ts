import type { DeclaredOutput } from '../formats/program-blocks.js';
import type { ChainRecord } from './layout.js';

/** The contents of a fit, except its numbers. */
export interface FitContents {
  /** Its folder. */
  readonly path: string;
  /** Keys of a draw: those of the method, then those of the model's variables. */
  readonly columns: readonly string[];
  /** The program's variables with their blocks; empty if the fit does not contain them. */
  readonly outputs: readonly DeclaredOutput[];
  /** Keys of the draws' diagnostics; empty without diagnostics. */
  readonly diagnosticColumns: readonly string[];
  /** Sorted by id. */
  readonly chains: readonly ChainContents[];
}

export interface ChainContents {
  readonly id: number;
  /** Undefined in a fit with one chain, whose messages do not contain the id. */
  readonly chain: number | undefined;
  /** Number of rows before the draws (layout.ts). */
  readonly warmup: number;
  readonly draws: number;
  /** Number of diagnostics, including those of warmup. */
  readonly diagnostics: number;
  /** Checksums of the files. */
  readonly files: ChainRecord['files'];
}

export type ChainsOfFolder = Pick<FitContents, 'path' | 'chains'>;

export type TableFile = 'draws.arrow' | 'diagnostics.arrow';

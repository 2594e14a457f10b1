import type { Names } from '../ir/builder.js';
import type { Block, IrFunction, Variable } from '../ir/nodes.js';
import type { Decide } from './decisions.js';

/** The input of a pass besides its block. Analyses of the block are in `dataflow/cached.ts`. */
export interface PassContext {
  readonly names: Names;
  /** Variables that differ between evaluations with the same data: the position and the host's flags. */
  readonly inputs: readonly Variable[];
  /** Variables that are read after the block. */
  readonly results: readonly Variable[];
  /** Parameters of a called function, whose values come from the call. */
  readonly parameters: readonly Variable[];
  /** Functions that the block may call, as they were lowered. */
  readonly functions: readonly IrFunction[];
  /** Whether the globals that this block writes are written only by this block, and read only after they are written. */
  readonly writesGlobals: boolean;
  /** Labels that an `exit` may name although no statement of the block has them: a function's own. */
  readonly labels: readonly number[];
  /** Whether all checks are kept, including those that are proven to hold. */
  readonly keepsChecks: boolean;
  /**
   * Whether the program rounds a quotient to an integer, so that quotients must be computed as written. Computed once, because passes do
   * not change it.
   */
  readonly isQuotientStepped: (block: Block) => boolean;
  /** Records what the pass decides about a loop over rows of data. */
  readonly decide: Decide;
  /** Appends statements that depend on data alone to the block that runs once per data set. */
  readonly precompute: (block: Block) => void;
}

/** A transformation of IR. `passes.ts` lists all passes and which of them run on each part of a program. */
export interface Pass {
  /** Why no program can be compiled without the pass; undefined for passes that can be left out. */
  readonly required?: string;
  /** Returns a new block, or the same one if nothing changes, so that analyses of it stay valid. */
  readonly run: (block: Block, context: PassContext) => Block;
}

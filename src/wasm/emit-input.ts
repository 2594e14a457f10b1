/** The input of the code generator. */
import type { Block, IrFunction, IrProgram, Ref, SlicedWork } from '../ir/nodes.js';
import type { Span } from '../source/span.js';
import type { HessianSource, IntegrationLayout } from './artifact.js';

export interface EmitInput {
  readonly program: IrProgram;
  /** Computes the data-only values that `gradient` reads: runs once, after `prepare`. */
  readonly precompute: Block;
  /** The differentiated `logDensity`. */
  readonly gradient: Block;
  /** Only the value of `gradient`. */
  readonly value: Block;
  /** Every function that any of the blocks calls. */
  readonly functions: readonly IrFunction[];
  readonly hessian?: EmittedHessian;
  readonly profile?: EmittedProfile;
  /** The description of the integrated parameters in the artifact. */
  readonly integration?: IntegrationLayout;
  /** Estimates of the work of the log density with and without integrated parameters. */
  readonly integrationWork?: { readonly integrated: Block; readonly whole: Block };
  /** An estimate of the work of a log density in slices. */
  readonly work?: SlicedWork | null;
}

/** Parts of the log density, whose times are compared, if they were requested. */
export interface EmittedProfile {
  /** Gradients of no step, of the first step, of the first two steps, and so on, except that of all steps. */
  readonly prefixes: readonly Block[];
  readonly steps: readonly { readonly parts: readonly EmittedPart[] }[];
  /** Statements of the program that add to `target`. Some may not be in any step. */
  readonly statements: readonly Span[];
  /** The log density, which counts the executions of its blocks. */
  readonly counted: Block;
  readonly counts: Ref;
  readonly counters: number;
}

interface EmittedPart {
  readonly source: Span;
  readonly weight: number;
  readonly counter: number | null;
}

/** Second derivatives, if they were requested. */
export interface EmittedHessian {
  /** Description of the second derivatives in the artifact. */
  readonly source: HessianSource | undefined;
  /** The differentiated derivative of `logDensity` along a direction. */
  readonly product: { readonly block: Block; readonly direction: Ref } | null;
}

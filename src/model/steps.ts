/** Gradients of parts of the log density, of a model whose program was compiled with them. */
import type { StepSource } from '../wasm/artifact.js';

export interface ModelSteps {
  /** Statements of the program, in its order. */
  readonly sources: readonly StepSource[];
  readonly count: number;
  /** Sets the position of the gradients and counts the executions of their code. Throws like `Model.logDensityGradient`. */
  start(position: Float64Array): void;
  /** Evaluates the gradient of the first `count` steps some number of times. */
  repeat(count: number, times: number): void;
  /**
   * What each step computes: for statements of the program, by their index, executions in one evaluation of the log density, and estimated operations
   * in all of these.
   */
  parts(): readonly (readonly StepShare[])[];
}

export interface StepShare {
  readonly source: number;
  readonly executions: number;
  readonly operations: number;
}

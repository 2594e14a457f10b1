/** Gradients of parts of the log density, for a model that was compiled with them. */
import type { StepSource } from '../wasm/artifact.js';

export interface ModelSteps {
  /** Statements of the program, in its order. */
  readonly sources: readonly StepSource[];
  readonly count: number;
  /** Sets the position of the gradients and counts the executions of their code. Throws like `Model.logDensityGradient`. */
  start(position: Float64Array): void;
  /** Evaluates the gradient of the first `count` steps `times` times. */
  repeat(count: number, times: number): void;
  /**
   * The work of each step: for statements of the program, by index, the number of executions in one evaluation of the log density, and
   * their estimated total number of operations.
   */
  parts(): readonly (readonly StepShare[])[];
}

export interface StepShare {
  readonly source: number;
  readonly executions: number;
  readonly operations: number;
}

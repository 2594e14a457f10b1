/** Gradients of parts of the log density, for a model that was compiled with them. */
import type { StepSource, StepsLayout } from '../wasm/artifact.js';
import type { Instance } from './instance.js';

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

/**
 * `reserve` allocates memory permanently; `evaluate` computes the log density in the form of `flags`, with its gradient, at a position that
 * later evaluations use.
 */
export function openSteps(
  { counters, sources, steps }: StepsLayout,
  instance: Instance,
  reserve: (bytes: number) => number,
  evaluate: (position: Float64Array) => void,
  flags: number,
): ModelSteps {
  const counts = reserve(Math.max(8, 4 * counters));
  instance.functions.steps?.bindCounts(counts, counters);
  const executions = (): Int32Array => new Int32Array(instance.memory.buffer, counts, counters);
  return {
    sources,
    count: steps.length,
    start: (position) => {
      evaluate(position);
      executions().fill(0);
      instance.countExecutions(flags);
    },
    repeat: (count, times) => instance.repeatGradient(count, times, flags),
    parts: () => {
      const found = executions();
      return steps.map((parts) =>
        parts.map(({ counter, source, weight }) => {
          const executions = counter === null ? 1 : found[counter];
          return { source, executions, operations: weight * executions };
        }),
      );
    },
  };
}

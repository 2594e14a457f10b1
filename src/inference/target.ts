/**
 * Why a target could not be evaluated at a position. A `rejection` condemns the point alone (`reject`, an argument
 * outside a density's domain), and a sampler continues; an `error` condemns the program (an index out of range,
 * sizes that do not match, `fatal_error`), and the run ends.
 */
export interface Failure {
  readonly kind: 'rejection' | 'error';
  readonly message: string;
}

/**
 * A log density over the unconstrained space R^dimension, the Jacobians of the constraining transforms included.
 *
 * Evaluation never throws for a bad point and allocates nothing: it returns NaN and leaves the reason in `failure`.
 * Buffers belong to the caller and have `dimension` elements.
 */
export interface LogDensity {
  readonly dimension: number;
  /** Log density up to a constant; writes its gradient. After a failure the gradient's content is unspecified. */
  logDensityGradient(position: Float64Array, gradient: Float64Array): number;
  /**
   * Writes the second derivatives of the log density, row by row, symmetric; false where they cannot be had. Printed text is not
   * reported again. Absent where only gradients are to be had.
   */
  hessian?(position: Float64Array, hessian: Float64Array): boolean;
  /** Log density with every constant kept: what an initial value is first judged by. */
  logDensity(position: Float64Array): number;
  /** Why the latest evaluation returned NaN; undefined when it merely computed NaN. Meaningful after NaN alone. */
  readonly failure: Failure | undefined;
  /** Text that the program printed since this was last called, `''` as a rule. */
  takePrinted(): string;
  /** The same density for code that runs in its memory; absent if it has none or its output must be collected after each evaluation. */
  readonly resident?: ResidentDensity;
}

/**
 * A log density with its gradient as a WebAssembly function with memory. It throws where an evaluation fails or needs more memory:
 * `logDensityGradient` has to be called at the same position then, which reports the failure or makes room and answers.
 */
export interface ResidentDensity {
  readonly memory: WebAssembly.Memory;
  /** To be called with `flags`: the log density at the doubles at `position`; writes its gradient to those at `gradient`. */
  readonly evaluate: (flags: number) => number;
  readonly flags: number;
  /** Both addresses may change when memory is reserved and in `logDensityGradient`. */
  readonly position: number;
  readonly gradient: number;
  /** The address of `bytes` bytes that belong to the caller permanently: zeros, at a multiple of 16. */
  reserve(bytes: number): number;
  /** Adds the number of calls of `evaluate`. */
  count(evaluations: number): void;
}

/** Turns positions into draws: parameters, transformed parameters and generated quantities on the constrained scale. */
interface DrawWriter {
  /** How many values `writeDraw` writes. */
  readonly drawLength: number;
  /** Where among them the generated quantities begin, which are the last. */
  readonly generatedFrom: number;
  /**
   * Writes the draw at `position` to `draw` from element `offset` on. On failure the values that were not reached are
   * NaN. Random numbers of generated quantities are the writer's own, fixed by seed and chain when it is made.
   */
  writeDraw(position: Float64Array, draw: Float64Array, offset: number): Failure | undefined;
}

/** Draws of an earlier run, as positions. */
export interface DrawSource {
  readonly count: number;
  /** Writes the position of a draw, counted from 0. */
  read(index: number, position: Float64Array): Failure | undefined;
}

/** What an algorithm runs on. */
export interface Target extends LogDensity, DrawWriter {
  /** The same density without the Jacobians of the transforms: its mode is that of the constrained parameters. */
  readonly withoutJacobian: LogDensity;
}

/** Initial values given by the user for some or all parameters. */
export interface InitialValues {
  /** `all` when no parameter is left to chance; a target without parameters counts as `all`. */
  readonly given: 'none' | 'some' | 'all';
  /** Overwrites the given parameters' elements of `position`, a random unconstrained point on entry. Not called for `none`. */
  apply(position: Float64Array): Failure | undefined;
}

/** No initial values: everything is drawn at random. */
export const noInitialValues: InitialValues = { given: 'none', apply: () => undefined };

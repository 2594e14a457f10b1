/**
 * Why a target could not be evaluated at a position. A `rejection` concerns the point alone (`reject`, an argument outside a density's
 * domain), and a sampler continues; an `error` concerns the program (an index out of range, sizes that do not match, `fatal_error`), and
 * the run ends.
 */
export interface Failure {
  readonly kind: 'rejection' | 'error';
  readonly message: string;
}

/**
 * A log density over the unconstrained space R^dimension, including the Jacobians of the constraining transforms.
 *
 * Evaluation never throws for a bad point and allocates nothing: it returns NaN and leaves the reason in `failure`. Buffers belong to the
 * caller and have `dimension` elements.
 */
export interface LogDensity {
  readonly dimension: number;
  /** Log density up to a constant; writes its gradient. After a failure the gradient's content is unspecified. */
  logDensityGradient(position: Float64Array, gradient: Float64Array): number;
  /**
   * Writes the second derivatives of the log density, row by row, symmetric; returns false if they do not exist. Printed text is not
   * reported again. Absent for densities with gradients only.
   */
  hessian?(position: Float64Array, hessian: Float64Array): boolean;
  /** Log density with all constants, by which an initial value is first judged. */
  logDensity(position: Float64Array): number;
  /** Why the latest evaluation returned NaN; undefined if it merely computed NaN. Only meaningful after NaN. */
  readonly failure: Failure | undefined;
  /** Text that the program printed since the last call, usually `''`. */
  takePrinted(): string;
  /**
   * The same density for code that runs in its memory; absent if it has no such memory or its output must be collected after each
   * evaluation.
   */
  readonly resident?: ResidentDensity;
}

/**
 * A log density with its gradient as a WebAssembly function with memory. It throws if an evaluation fails or needs more memory.
 * `logDensityGradient` must then be called at the same position: it reports the failure, or extends the memory and returns the result.
 */
export interface ResidentDensity {
  readonly memory: WebAssembly.Memory;
  /** Called with `flags`: returns the log density at the doubles at `position`, and writes its gradient to those at `gradient`. */
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
  /** The number of values that `writeDraw` writes. */
  readonly drawLength: number;
  /** The index of the first generated quantity; they are the last values. */
  readonly generatedFrom: number;
  /**
   * Writes the draw at `position` to `draw` from element `offset` on. On failure the remaining values are NaN. Random numbers of generated
   * quantities come from the writer's own stream, which seed and chain determine.
   */
  writeDraw(position: Float64Array, draw: Float64Array, offset: number): Failure | undefined;
}

/** Draws of an earlier run, as positions. */
export interface DrawSource {
  readonly count: number;
  /** Writes the position of a draw, counted from 0. */
  read(index: number, position: Float64Array): Failure | undefined;
}

/**
 * Coordinates of some parameters, with a place λ and a reference scale τ₀ for each: centered coordinates at λ = 1, non-centered ones at 0. A parameter
 * with location μ and scale τ is μ + r (z - λ μ) at the coordinate z, where r = (τ / τ₀)^(1 - λ).
 */
export interface Centering {
  /** Indexes of the elements in the position. */
  readonly elements: Int32Array;
  /** Sets a place and the logarithm of a reference scale for each element: log density and draws at a position change with them. */
  setPlaces(places: Float64Array): void;
  /** Writes three numbers for each element at a position: a location, a scale, and the log derivative of its coordinate in the program. */
  readOrigins(position: Float64Array, origins: Float64Array): Failure | undefined;
  /** Variables with and without such coordinates, for the log. */
  report(): readonly string[];
}

/** A log density to sample or optimize. */
export interface Target extends LogDensity, DrawWriter {
  /** Absent if the coordinates of all parameters are fixed. */
  readonly centering?: Centering;
  /** The same density without the Jacobians of the transforms: its mode is that of the constrained parameters. */
  readonly withoutJacobian: LogDensity;
}

/** Initial values given by the user for some or all parameters. */
export interface InitialValues {
  /** `all` if no parameter is chosen at random; a target without parameters counts as `all`. */
  readonly given: 'none' | 'some' | 'all';
  /** Overwrites the given parameters' elements of `position`, a random unconstrained point on entry. Not called for `none`. */
  apply(position: Float64Array): Failure | undefined;
}

/** No initial values: all parameters are drawn at random. */
export const noInitialValues: InitialValues = { given: 'none', apply: () => undefined };

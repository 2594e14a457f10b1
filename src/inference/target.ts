/**
 * The reason why a target could not be evaluated at a position. A `rejection` concerns only the point (`reject`, an argument outside the
 * domain of a density), and a sampler continues. An `error` concerns the program (an index out of range, a size mismatch, `fatal_error`),
 * and the run ends.
 */
export interface Failure {
  readonly kind: 'rejection' | 'error';
  readonly message: string;
}

/**
 * A log density over the unconstrained space R^dimension, including the Jacobians of the constraining transforms.
 *
 * Evaluation allocates nothing, and does not throw for a bad point, but returns NaN and sets `failure`. The caller provides buffers of
 * `dimension` elements.
 */
export interface LogDensity {
  readonly dimension: number;
  /** Returns the log density up to a constant, and writes its gradient. After a failure, the contents of `gradient` are unspecified. */
  logDensityGradient(position: Float64Array, gradient: Float64Array): number;
  /**
   * Writes the Hessian of the log density, a symmetric row-major matrix. Returns false if it does not exist. Does not report output of the
   * program. Absent for densities with gradients only.
   */
  hessian?(position: Float64Array, hessian: Float64Array): boolean;
  /** Log density with all constants, with which initial values are checked first. */
  logDensity(position: Float64Array): number;
  /** The reason why the latest evaluation returned NaN; undefined if NaN is the computed value. Only meaningful after NaN. */
  readonly failure: Failure | undefined;
  /** Text that the program printed since the last call, usually `''`. */
  takePrinted(): string;
  /**
   * The same density for code that runs in its memory. Absent if it has no such memory, or if its output must be collected after each
   * evaluation.
   */
  readonly resident?: ResidentDensity;
}

/**
 * A log density with its gradient, as a WebAssembly function with memory. The function throws if an evaluation fails or needs more memory.
 * Then `logDensityGradient` must be called at the same position: it reports the failure, or grows the memory and returns the result.
 */
export interface ResidentDensity {
  readonly memory: WebAssembly.Memory;
  /**
   * Must be called with `flags`. Returns the log density at the position stored at address `position`, and writes its gradient to address
   * `gradient`.
   */
  readonly evaluate: (flags: number) => number;
  readonly flags: number;
  /** The addresses may change in `reserve` and in `logDensityGradient`. */
  readonly position: number;
  readonly gradient: number;
  /** Allocates `bytes` zeroed bytes permanently for the caller, and returns their address, a multiple of 16. */
  reserve(bytes: number): number;
  /** Adds to the count of calls of `evaluate`. */
  count(evaluations: number): void;
}

/** Transforms positions to draws: parameters, transformed parameters and generated quantities on the constrained scale. */
interface DrawWriter {
  /** The number of values that `writeDraw` writes. */
  readonly drawLength: number;
  /** The index of the first generated quantity. Generated quantities are the last values. */
  readonly generatedFrom: number;
  /**
   * Writes the draw at `position` to `draw` from element `offset` on. On failure the remaining values are NaN. Random numbers of generated
   * quantities come from a separate stream, which seed and chain determine.
   */
  writeDraw(position: Float64Array, draw: Float64Array, offset: number): Failure | undefined;
}

/** Draws of an earlier run, as positions. */
export interface DrawSource {
  readonly count: number;
  /** Writes the position of the draw with a zero-based index. */
  read(index: number, position: Float64Array): Failure | undefined;
}

/**
 * Partially centered coordinates of some parameters. Each element has a place λ and a reference scale τ₀. Its coordinate is centered for λ
 * = 1 and non-centered for λ = 0. A parameter with location μ and scale τ is μ + r (z - λ μ) at the coordinate z, where r = (τ / τ₀)^(1 -
 * λ).
 */
export interface Centering {
  /** Indexes of the elements in the position. */
  readonly elements: Int32Array;
  /** Sets a place and the logarithm of a reference scale for each element. This changes the log density and the draw at a position. */
  setPlaces(places: Float64Array): void;
  /** Writes three numbers for each element at a position: a location, a scale, and the log derivative of its coordinate in the program. */
  readOrigins(position: Float64Array, origins: Float64Array): Failure | undefined;
  /** Lines for the log about the variables with and without such coordinates. */
  report(): readonly string[];
}

/** Parameters that are integrated out: draws contain them, but positions do not. */
export interface Integration {
  /** The log density of the latest draw minus that of its position. */
  excess(): number;
  /** Lines for the log about the parameters. */
  report(): readonly string[];
}

/** A log density to sample or optimize. */
export interface Target extends LogDensity, DrawWriter {
  /** Absent if the coordinates of all parameters are fixed. */
  readonly centering?: Centering;
  /** Absent unless parameters were to be integrated out. */
  readonly integration?: Integration;
  /** The same density without the Jacobians of the transforms. Its mode is the mode of the constrained parameters. */
  readonly withoutJacobian: LogDensity;
}

/** Initial values given by the user for some or all parameters. */
export interface InitialValues {
  /** `all` if no parameter is initialized at random, which includes targets without parameters. */
  readonly given: 'none' | 'some' | 'all';
  /** Overwrites the elements of `position`, a random unconstrained point, that belong to the given parameters. Not called for `none`. */
  apply(position: Float64Array): Failure | undefined;
}

/** No initial values: all parameters are initialized at random. */
export const noInitialValues: InitialValues = { given: 'none', apply: () => undefined };

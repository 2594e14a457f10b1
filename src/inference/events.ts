export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The progress of a run. `text` is Stan's progress line; `iteration` is between 1 and `total`. */
export interface Progress {
  readonly iteration: number;
  readonly total: number;
  readonly text: string;
}

/** Stan's first line about the result of adaptation. In files, it separates draws of warmup from later draws. */
export const END_OF_WARMUP = 'Adaptation terminated';

/** The result of adaptation, and Stan's lines about it. */
export interface Adaptation {
  readonly stepSize: number;
  readonly inverseMetric: Float64Array;
  /** The places of partially centered coordinates. */
  readonly places?: Float64Array;
  readonly text: readonly string[];
}

/**
 * Receives the events of a running algorithm, in order. The algorithm reuses arrays after the call, so the sink must copy or serialize them
 * immediately.
 */
export interface EventSink {
  log(level: LogLevel, text: string): void;
  progress(progress: Progress): void;
  /**
   * The end of an iteration of a sampler, with its number and that of all iterations, including warmup. In warmup of
   * samplers that adapt, also the log density of the chain's position.
   */
  iteration(iteration: number, total: number, logDensity?: number): void;
  /** The accepted initial point, unconstrained. */
  initialization(position: Float64Array): void;
  adaptation(adaptation: Adaptation): void;
  /** Lines about the duration of a run. Stan writes them to the log and among draws and diagnostics. */
  elapsed(lines: readonly string[]): void;
  /** A line of text among the draws. */
  remark(text: string): void;
  /** A saved draw: the algorithm's `drawColumns`, followed by the constrained values. */
  draw(values: Float64Array): void;
  /** The internal state of the sampler at the same draw, in the order of the algorithm's `diagnosticColumns`. */
  diagnostic(values: Float64Array): void;
}

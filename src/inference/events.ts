export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The progress of a run: `text` is Stan's line about it, `iteration` counts from 1 to at most `total`. */
export interface Progress {
  readonly iteration: number;
  readonly total: number;
  readonly text: string;
}

/** The result of adaptation, and Stan's lines about it. */
export interface Adaptation {
  readonly stepSize: number;
  readonly inverseMetric: Float64Array;
  /** The places of partially centered coordinates. */
  readonly places?: Float64Array;
  readonly text: readonly string[];
}

/**
 * Receives an algorithm's events, in order, while it runs. Arrays are the algorithm's own and change after the
 * call: copy or serialize them at once.
 */
export interface EventSink {
  log(level: LogLevel, text: string): void;
  progress(progress: Progress): void;
  /** The accepted initial point, unconstrained. */
  initialization(position: Float64Array): void;
  adaptation(adaptation: Adaptation): void;
  /** Lines on the time that a sampler took. Stan writes them to the log and among draws and diagnostics. */
  elapsed(lines: readonly string[]): void;
  /** A line of text among the draws. */
  remark(text: string): void;
  /** One saved draw: the algorithm's `drawColumns`, then the constrained values. */
  draw(values: Float64Array): void;
  /** The sampler's internal state at the same draw, in the order of the algorithm's `diagnosticColumns`. */
  diagnostic(values: Float64Array): void;
}

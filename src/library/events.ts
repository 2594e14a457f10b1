/** Events of a run. */

import type { AdaptedSettings, RunProgress } from '../chain/request.js';
import type { ChainEnd, SamplerState } from '../chain/sampler-state.js';
import type { LogLevel } from '../inference/events.js';

/**
 * The state of a chain after the draws that have been sent. `names` are the names of the unconstrained parameters,
 * which only the first state of a run contains.
 */
interface Checkpoint {
  readonly kind: 'checkpoint';
  readonly chain: number;
  readonly end: ChainEnd;
  readonly names?: readonly string[];
}

/** Messages of a thread about a chain. */
export type SentEvent = RunEvent | Checkpoint;

/** An event of a chain. Draws and diagnostics come in batches, row by row. */
export type RunEvent = { readonly chain: number } & (
  | {
      /** The data have been read. */
      readonly kind: 'start';
      /** Names of a draw's numbers: those of the function, then those of the model. */
      readonly columns: readonly string[];
      /** Names of a diagnostic's numbers. */
      readonly diagnosticColumns: readonly string[];
      /** Rows that precede the draws, other than draws of warmup: the first row, or all but the last one. */
      readonly leadingRows?: 'first' | 'all but the last';
    }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly text: string }
  | { readonly kind: 'progress'; readonly progress: RunProgress }
  /** The accepted initial point, unconstrained. */
  | { readonly kind: 'initialization'; readonly position: Float64Array }
  /** The log density after each iteration of warmup since the last such event, whether or not draws of warmup are saved. */
  | { readonly kind: 'warmup'; readonly logDensities: Float64Array }
  /** The result of warmup. Earlier draws are draws of warmup. */
  | {
      readonly kind: 'adaptation';
      readonly stepSize: number;
      readonly inverseMetric: Float64Array;
      /** The index of each adapted coordinate, and the logarithm of its reference scale. */
      readonly places?: Float64Array;
      readonly text: readonly string[];
    }
  /** A line of text among the draws. */
  | { readonly kind: 'remark'; readonly text: string }
  /** `values` has `count` rows with one number per column. */
  | { readonly kind: 'draws'; readonly count: number; readonly values: Float64Array }
  | { readonly kind: 'diagnostics'; readonly count: number; readonly values: Float64Array }
  /** The chain has ended. `adapted` contains the sampler's step size and metric, in the form of its arguments. */
  | { readonly kind: 'end'; readonly adapted?: AdaptedSettings; readonly state?: SamplerState }
);

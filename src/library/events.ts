/** Events of a run. */
import type { LogLevel } from '../inference/events.js';
import type { AdaptedSettings, RunProgress } from '../run/request.js';
import type { ChainEnd, SamplerState } from '../run/sampler-state.js';

/** Where a chain is after the draws that have been sent. `names` are those of the unconstrained parameters; the first one of a run contains them. */
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
      /** Names of a draw's numbers: the function's own, then the model's. */
      readonly columns: readonly string[];
      /** Names of a diagnostic's numbers. */
      readonly diagnosticColumns: readonly string[];
      /** Rows that precede the draws, other than those of warmup: the first row, or all but the last one. */
      readonly leadingRows?: 'first' | 'all but the last';
    }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly text: string }
  | { readonly kind: 'progress'; readonly progress: RunProgress }
  /** The accepted initial point, unconstrained. */
  | { readonly kind: 'initialization'; readonly position: Float64Array }
  /** The result of warmup: draws before it are those of warmup. */
  | {
      readonly kind: 'adaptation';
      readonly stepSize: number;
      readonly inverseMetric: Float64Array;
      /** The place of each learned coordinate and the logarithm of its reference scale. */
      readonly places?: Float64Array;
      readonly text: readonly string[];
    }
  /** A line of text among the draws. */
  | { readonly kind: 'remark'; readonly text: string }
  /** `values` has `count` rows with one number per column. */
  | { readonly kind: 'draws'; readonly count: number; readonly values: Float64Array }
  | { readonly kind: 'diagnostics'; readonly count: number; readonly values: Float64Array }
  /** The chain has ended; `adapted` has the sampler's step size and metric as its arguments take them. */
  | { readonly kind: 'end'; readonly adapted?: AdaptedSettings; readonly state?: SamplerState }
);

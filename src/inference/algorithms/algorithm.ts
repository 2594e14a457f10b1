import type { EventSink } from '../events.js';
import type { Rng } from '../random/rng.js';
import type { DrawSource, InitialValues, Target } from '../target.js';
import type { Argument, Input, Settings } from './arguments.js';

/** The inputs of one chain. */
export interface Chain {
  readonly target: Target;
  readonly initial: InitialValues;
  /**
   * Initial values of the chain whose ID is larger by `index`, for algorithms with several starting points; `initialAt(0)` is `initial`.
   */
  readonly initialAt: (index: number) => InitialValues;
  readonly rng: Rng;
  /** Whether step size and metric come from an earlier adaptation, so that no initial step size is searched. */
  readonly isAdapted?: boolean;
  /** Initial places of partially centered coordinates, from an earlier adaptation. */
  readonly places?: readonly number[];
  /** The end of an earlier run of the same chain, from which the chain continues without warmup. */
  readonly continued?: Continuation;
  /** For a run in blocks: the block of iterations after warmup to run. The other blocks are separate runs. */
  readonly block?: IterationBlock;
  /** Returns a random stream of the same seed; stream 0 restarts the stream of `rng`. */
  readonly stream: (index: number) => Rng;
  /** A mode from an earlier run, for algorithms that require one. */
  readonly mode?: InitialValues;
  /** Draws from an earlier run, for algorithms that require them. */
  readonly fittedParameters?: DrawSource;
  readonly sink: EventSink;
  /** Receives details of algorithms that report them, if requested. */
  readonly detail?: (record: DetailRecord) => void;
  /** Called in every iteration, and frequently during long iterations; true ends the run. */
  readonly interrupt: () => boolean;
  /** Called before each iteration after warmup, for samplers that can be continued. `end` returns the state of the chain. */
  readonly rest?: (end: () => Continuation | undefined) => void;
  /** Seconds since a fixed time. */
  readonly clock: () => number;
}

/** A block of iterations of one run. Progress and thinning refer to the whole run; times are returned, not logged. */
export interface IterationBlock {
  /** Maximum number of iterations after warmup in all blocks. */
  readonly limit: number;
  /** Iterations after warmup in earlier blocks. */
  readonly done: number;
}

/** Seconds that a run took. */
export interface Seconds {
  readonly warmup: number;
  readonly sampling: number;
}

/** The state of a chain between two iterations after warmup. Together with the arguments, it determines all further iterations. */
export interface Continuation {
  readonly position: Float64Array;
  /** The log density at the position, without constants. A different value indicates that the density has changed. */
  readonly logDensity: number;
  /** Iterations after warmup so far, on which thinning depends. */
  readonly iterations: number;
  /** State of the chain's generator. */
  readonly random: Int32Array;
  /** Further state of algorithms with `hasFurtherState`. */
  readonly further?: Float64Array;
}

/** Internal details of an algorithm, as an ordered list of members. Matrices are arrays of rows. */
export interface DetailRecord {
  /** Distinguishes records of the same type; absent if there is only one. */
  readonly name?: string;
  readonly members: Readonly<Record<string, Detail>>;
}
export type Detail =
  | string
  | boolean
  | { readonly integer: number }
  | { readonly real: number }
  | { readonly vector: Float64Array }
  | { readonly rows: readonly Float64Array[] };

/** The result of a run. The message of a failure has also been logged. `end` is the final state of a chain that can be continued. */
export type Outcome =
  /** `differing` is the number of elements of the gradient that differ from finite differences, for algorithms that compare these. */
  | {
      readonly status: 'completed';
      readonly differing?: number;
      readonly end?: Continuation;
      readonly seconds?: Seconds;
    }
  | { readonly status: 'interrupted'; readonly end?: Continuation; readonly seconds?: Seconds }
  | { readonly status: 'failed'; readonly message: string };

export type { Input } from './arguments.js';

/** Shapes of metrics, as in the names of the functions. */
export type MetricName = 'unit_e' | 'diag_e' | 'dense_e' | 'low_rank';

/** Rows in CmdStan's output that are not draws and precede the draws: the first row, or all rows except the last. */
export type LeadingRows = 'first' | 'all but the last';

/** A row of the registry: everything that generic code requires to offer an algorithm. */
export interface Algorithm {
  readonly name: string;
  /** Full name in Stan's services namespace. */
  readonly functionName: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** Inputs other than arguments: initial values, a mode, draws. */
  readonly inputs: readonly Input[];
  /** Whether it uses second derivatives of densities. */
  readonly takesHessian?: true;
  /** Whether its metric suits coefficients of regressions without effects so well that integrating them out does not pay. */
  readonly samplesCoefficients?: true;
  /** Maximum number of matrices, with a row and a column per unconstrained parameter, that it keeps in memory at once; 0 if absent. */
  readonly matrices?: number;
  /** The shape of the metric, for samplers that have one. */
  readonly metric?: MetricName;
  /** Whether the state of a chain is more than a position, a step size and a metric. */
  readonly hasFurtherState?: true;
  /** Whether draws contain all variables of the program, or only its generated quantities. */
  readonly draws: 'all' | 'generated quantities';
  /** Names of the columns before the constrained values in each draw. */
  readonly drawColumns: readonly string[];
  /** Rows before the draws other than warmup draws; absent if there are no such rows. */
  readonly leadingRows?: LeadingRows;
  /** Names of the columns of a diagnostic event. */
  diagnosticColumns(unconstrainedNames: readonly string[]): string[];
  run(settings: Settings, chain: Chain): Outcome;
}

/** The failure of a chain that is continued with another program or other data. */
export const OTHER_DENSITY =
  'The fit cannot be continued, because the log density at its last position differs. Program and data must be those of the fit.';

/** Ends a run with a message, which is logged. */
export function failed({ sink }: Chain, message: string): Outcome {
  sink.log('error', message);
  return { status: 'failed', message };
}

import type { EventSink } from '../events.js';
import type { Rng } from '../random/rng.js';
import type { DrawSource, InitialValues, Target } from '../target.js';
import type { Argument, Input, Settings } from './arguments.js';

/** What one chain runs on. */
export interface Chain {
  readonly target: Target;
  readonly initial: InitialValues;
  /** Initial values of the chain whose id is larger by `index`, for algorithms that start at several points; at 0 they are `initial`. */
  readonly initialAt: (index: number) => InitialValues;
  readonly rng: Rng;
  /** Whether step size and metric are those of an earlier adaptation: then no step size is searched for at the start. */
  readonly isAdapted?: boolean;
  /** Where an earlier run of the same chain ended: the chain continues there, without warmup. */
  readonly continued?: Continuation;
  /** The block of iterations after warmup that runs, of a run in blocks; the others follow in runs of their own. */
  readonly block?: IterationBlock;
  /** Random numbers of another stream of the same seed; stream 0 is `rng`'s own, begun anew. */
  readonly stream: (index: number) => Rng;
  /** A mode found before, for algorithms that take one. */
  readonly mode?: InitialValues;
  /** Draws made before, for algorithms that take them. */
  readonly fittedParameters?: DrawSource;
  readonly sink: EventSink;
  /** Receives details of the few algorithms that have some, if requested. */
  readonly detail?: (record: DetailRecord) => void;
  /** Asked at every iteration and often enough within one; true ends the run. */
  readonly interrupt: () => boolean;
  /** Seconds since any fixed moment. */
  readonly clock: () => number;
}

/** A block of iterations of one run. Progress and thinning are those of the whole run; times are returned rather than logged. */
export interface IterationBlock {
  /** Iterations after warmup in all blocks at most. */
  readonly limit: number;
}

/** Seconds that a run took. */
export interface Seconds {
  readonly warmup: number;
  readonly sampling: number;
}

/** A chain between two iterations after warmup, with all that further iterations depend on beside arguments. */
export interface Continuation {
  readonly position: Float64Array;
  /** That of the position, without constants: another value means another density. */
  readonly logDensity: number;
  /** Iterations after warmup so far, on which thinning depends. */
  readonly iterations: number;
  /** State of the chain's generator. */
  readonly random: Int32Array;
}

/** What an algorithm knows inside: its members in order, matrices by their rows. */
export interface DetailRecord {
  /** Among others of its kind; absent where there is but one. */
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

/** How a run ended. The message of a failure has also been logged. `end` is where a chain that can be continued has ended. */
export type Outcome =
  /** `differing` is the number of elements of a gradient that differ from finite differences, where these are compared. */
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

/** Rows of a chain that precede its draws and are none, as CmdStan writes them: the first row, or all but the last one. */
export type LeadingRows = 'first' | 'all but the last';

/** One row of the registry: everything that others need to offer an algorithm without knowing it. */
export interface Algorithm {
  readonly name: string;
  /** Full name in Stan's services namespace. */
  readonly functionName: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** What it takes beside arguments: initial values, a mode, draws. */
  readonly inputs: readonly Input[];
  /** Whether it asks densities for their second derivatives. */
  readonly takesHessian?: true;
  /** How many matrices with a row and a column for each unconstrained parameter it holds at a time; 0 if absent. */
  readonly matrices?: number;
  /** The shape of the metric, for samplers that have one. */
  readonly metric?: MetricName;
  /** Whether draws hold everything that the program declares or its generated quantities alone. */
  readonly draws: 'all' | 'generated quantities';
  /** Names of the columns before the constrained values in each draw. */
  readonly drawColumns: readonly string[];
  /** Rows before the draws, other than those of warmup; absent for none. */
  readonly leadingRows?: LeadingRows;
  /** Names of what a diagnostic event holds. */
  diagnosticColumns(unconstrainedNames: readonly string[]): string[];
  run(settings: Settings, chain: Chain): Outcome;
}

/** Ends a run with a message, which is logged. */
export function failed({ sink }: Chain, message: string): Outcome {
  sink.log('error', message);
  return { status: 'failed', message };
}

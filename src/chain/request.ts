/** A request to run a function, and its results. */

import type { DerivedKind } from '../derive/derived-names.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import type { DetailRecord, Input, IterationBlock, LeadingRows, Seconds } from '../inference/algorithms/algorithm.js';
import type { ArgumentProblem, ArgumentValue } from '../inference/algorithms/arguments.js';
import type { ChainEstimate } from '../inference/diagnostics/running-estimates.js';
import type { EventSink } from '../inference/events.js';
import type { BoundData } from '../model/bind.js';
import type { FailureDetail } from '../model/failure-detail.js';
import type { HeldOut } from '../requests/refit-request.js';
import type { ProgramSource } from './compiler.js';
import type { CompiledModel, MemoryLimits, ProfileTime } from './model-host.js';
import type { ChainEnd, SamplerState } from './sampler-state.js';

/** A draw, with the numbers of `columns`, and its diagnostic, with the numbers of `diagnosticColumns`. */
export interface SavedDraw {
  readonly values: Float64Array;
  readonly diagnostic: Float64Array | undefined;
}

/** A chain among stored draws. */
export interface StoredChain {
  readonly id: number;
  /** The ID in messages; undefined if there is only one chain. */
  readonly chain: number | undefined;
  /** Number of draws after warmup. */
  readonly draws: number;
}

/** Stored draws of an earlier run. */
export interface StoredDraws {
  /** Keys of a draw: the function's own columns, followed by the model's variables. */
  readonly columns: readonly string[];
  /** Keys of the diagnostics of draws; empty if draws have none. */
  readonly diagnosticColumns: readonly string[];
  readonly chains: readonly StoredChain[];
  /** The draws of a chain after warmup, in order, starting with the zero-based index `from`. */
  read(id: number, from?: number): Generator<SavedDraw>;
  /** The adapted state of the sampler of a chain; undefined if unknown. */
  state(id: number): SamplerState | undefined;
}

/** The origin of an input: values, as JSON text, or draws; `open` returns undefined if they no longer exist. */
export type RunInput =
  /** `further` are the values of the other chains, if they differ. */
  | { readonly kind: 'values'; readonly text: string; readonly further?: readonly string[] }
  | { readonly kind: 'draws'; readonly name: string; readonly open: () => StoredDraws | undefined };

export type RunInputs = Readonly<Partial<Record<Input, RunInput>>>;

/** The model and inputs of a run. */
interface RunGround {
  readonly model: CompiledModel;
  /** The source of the model, for functions that must compile it again. */
  readonly source?: ProgramSource;
  /** How the program of the model is derived from `source`, if it is a derived program. */
  readonly derived?: DerivedKind;
  readonly inputs: RunInputs;
  /** Names of the variables to save in draws; all if absent. */
  readonly save?: readonly string[];
  readonly limits: MemoryLimits;
}

/** Simulation-based calibration with a sampler: data sets are simulated from the prior, and each chain fits its share of them. */
export interface CalibrationShare {
  readonly simulations: number;
  /** Number of chains that divide the simulations. */
  readonly chains: number;
  /** The programs for the prior and for replicated data, derived from the model's. */
  readonly prior: CompiledModel;
  readonly replicated: CompiledModel;
}

/**
 * Cross-validation with refits by a sampler. The model can leave out observations, and each chain of the run refits its share of the folds.
 */
export interface RefitShare {
  readonly held: HeldOut;
  /** Number of chains of the run that divide the refits. */
  readonly chains: number;
  /** Number of Markov chains of each refit. */
  readonly chainsOfRefit: number;
}

/** Inputs to be checked before a run. */
export interface InputsRequest extends RunGround {
  readonly functionName: string;
  /** JSON text. */
  readonly data: string;
  /** Whether to check the data. Otherwise they are only checked if an input depends on them, because transformed data may take long. */
  readonly checksData: boolean;
  /** If given, also binds the data with this seed. */
  readonly bindingSeed?: number;
  /** The quantities of the rule for stopping. */
  readonly quantities?: readonly string[];
  /** Called before `bytes` bytes of bound data are copied. If it returns false, they are not copied. */
  readonly mayCopy?: (bytes: number) => boolean;
}

export type InputsCheck =
  | {
      readonly kind: 'inputs';
      /** Errors by field. */
      readonly problems: readonly ArgumentProblem[];
      /** Number of chains of given draws; 1 without given draws. */
      readonly chains: number;
      /** The bound data, if binding was requested and they can be copied. */
      readonly bound?: BoundData;
    }
  | Refusal;

/** One chain of a function. */
export interface RunRequest extends RunGround {
  /** JSON text, or data that were bound to `model` with `seed`. */
  readonly data: string | BoundData;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly seed: number;
  /** The ID of the chain. */
  readonly chain: number;
  /** The block of iterations to run, for a run that stops when it is precise enough. */
  readonly block?: RunBlock;
  /** The zero-based index of the chain among the chains with the same inputs. */
  readonly index: number;
  /** Maximum number of threads for the chain, by default 1. Results do not depend on it. */
  readonly cores?: number;
  /** If given, the chain fits simulated data, and its draws are ranks of parameters (`calibration.ts`). */
  readonly calibration?: CalibrationShare;
  /** If given, the chain refits the program without observations, and its draws are estimates for these (`refit-share.ts`). */
  readonly refits?: RefitShare;
  /** Called in every iteration, and frequently during long iterations; true ends the run. */
  readonly interrupt?: () => boolean;
  /**
   * Called before each iteration after warmup, for samplers that can be continued. `end` returns the state of the chain; `names` are the
   * names of the unconstrained parameters.
   */
  readonly rest?: (end: () => ChainEnd | undefined, names: readonly string[]) => void;
  /** Called at the end with the times of the program's `profile` blocks. If absent, the times are logged. */
  readonly profiled?: (profiles: readonly ProfileTime[]) => void;
  /** Called with details of algorithms that report them. */
  readonly detail?: (record: DetailRecord) => void;
  /** Called periodically with the progress of the chain. */
  readonly report?: (progress: RunProgress) => void;
}

/** A block of iterations after warmup: `num_samples` of them, fewer in the last block. */
export interface RunBlock extends IterationBlock {
  /** The state, progress and times at the end of the previous block; absent for the first block, which includes warmup. */
  readonly from?: SamplerState;
  readonly before?: Pick<RunProgress, 'draws' | 'gradients' | 'divergences' | 'treedepth_hits'>;
  readonly seconds?: Seconds;
}

/** Names of the columns of draws and diagnostics. */
export interface RunColumns {
  readonly drawNames: readonly string[];
  readonly diagnosticNames: readonly string[];
  /** The program's variables with their blocks; absent if the draws are not values of variables. */
  readonly outputs?: readonly DeclaredOutput[];
  /** Rows before the draws, other than those of warmup; absent for none. */
  readonly leadingRows?: LeadingRows;
}

/** The destination of a run's events. */
export interface RunSink {
  /** Called once, after the data have been read. Returns the receiver of events. */
  open(columns: RunColumns): EventSink;
}

export type RunOutcome =
  /** `differing`: see `Outcome` of `inference/algorithms/algorithm.ts`. */
  | {
      readonly kind: 'finished';
      readonly adaptation?: AdaptedSettings;
      readonly state?: SamplerState;
      readonly differing?: number;
      /** Times of this block and all before it. */
      readonly seconds?: Seconds;
    }
  /** The chain was interrupted. `state` is the state from which it can be continued; absent before the end of warmup. */
  | { readonly kind: 'interrupted'; readonly state?: SamplerState; readonly seconds?: Seconds }
  | Refusal;

/** The program, its data, the point or an input is invalid; `message` states the error. */
export interface Refused {
  readonly kind: 'refused';
  readonly message: string;
  readonly detail: FailureDetail;
}

/** The reason why a request was refused. */
export type Refusal =
  | Refused
  /** The memory budget is exhausted. */
  | { readonly kind: 'shortage' };

/** Step size and metric of a sampler after warmup, in the form of its arguments. Omits a unit metric. */
export interface AdaptedSettings {
  readonly stepsize: number;
  readonly inv_metric?: number[] | number[][];
}

/** The progress of a chain, with the names of the HTTP interface. */
export interface RunProgress {
  /** Number of saved draws. */
  readonly draws: number;
  /** Number of evaluated gradients. */
  readonly gradients: number;
  /** Number of divergences among the draws. */
  readonly divergences?: number;
  /** Number of draws whose transitions reached the maximum tree depth. */
  readonly treedepth_hits?: number;
  /** E-BFMI of the draws after warmup or, for a run in blocks, of the draws of the current block. */
  readonly e_bfmi?: number;
  /** Estimates of the first non-constant quantities, from the same draws as `e_bfmi`. */
  readonly estimates?: readonly ChainEstimate[];
  readonly step_size?: number;
  readonly iteration?: number;
  readonly iterations?: number;
  /** Stan's progress line. */
  readonly progress?: string;
  /** Estimated seconds until the end of the run. */
  readonly seconds_left?: number;
}

/** A request to run a function, and its results. */
import type { DetailRecord, Input, IterationBlock, LeadingRows, Seconds } from '../inference/algorithms/algorithm.js';
import type { ArgumentProblem, ArgumentValue } from '../inference/algorithms/arguments.js';
import type { ChainEstimate } from '../inference/diagnostics/running-estimates.js';
import type { EventSink } from '../inference/events.js';
import type { BoundData } from '../model/bind.js';
import type { DerivedKind, ProgramSource } from './engine.js';
import type { CompiledModel, MemoryLimits, ProfileTime } from './model-host.js';
import type { HeldOut } from './refit-request.js';
import type { ChainEnd, SamplerState } from './sampler-state.js';

/** A draw with the numbers of `columns`, and the diagnostic that came with it, with those of `diagnosticColumns`. */
export interface SavedDraw {
  readonly values: Float64Array;
  readonly diagnostic: Float64Array | undefined;
}

/** A chain among stored draws. */
export interface StoredChain {
  readonly id: number;
  /** The id in its messages; undefined if there is only one chain. */
  readonly chain: number | undefined;
  /** Number of draws after warmup. */
  readonly draws: number;
}

/** Draws of an earlier run, wherever they are stored. */
export interface StoredDraws {
  /** Keys of a draw: the function's own, then those of the model's variables. */
  readonly columns: readonly string[];
  /** Keys of the diagnostics that come with draws; empty if draws have none. */
  readonly diagnosticColumns: readonly string[];
  readonly chains: readonly StoredChain[];
  /** The draws of a chain after warmup, in order, from the given one on, counted from 0. */
  read(id: number, from?: number): Generator<SavedDraw>;
  /** The state that the sampler of a chain has adapted; undefined if unknown. */
  state(id: number): SamplerState | undefined;
}

/** The origin of an input: values, as JSON text, or draws; `open` returns undefined if they no longer exist. */
export type RunInput =
  /** `further` are those of the other chains, if they have their own. */
  | { readonly kind: 'values'; readonly text: string; readonly further?: readonly string[] }
  | { readonly kind: 'draws'; readonly name: string; readonly open: () => StoredDraws | undefined };

export type RunInputs = Readonly<Partial<Record<Input, RunInput>>>;

/** The model and inputs of a run. */
interface RunGround {
  readonly model: CompiledModel;
  /** The model's program, for functions that need more than its module. */
  readonly source?: ProgramSource;
  /** The program that is derived from `source`, if the model is that of a derived one. */
  readonly derived?: DerivedKind;
  readonly inputs: RunInputs;
  /** Names of the variables that draws keep; all of them when absent. */
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

/** Cross-validation with refits by a sampler: the model can leave out observations, and each chain of the run refits its share of the folds. */
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
  /** Whether the data are also checked; otherwise only if an input depends on them, because transformed data may take long. */
  readonly checksData: boolean;
  /** If given, the data are also bound, with this seed. */
  readonly bindingSeed?: number;
  /** Called before bound data of `bytes` are copied; if it returns false, they are not. */
  readonly mayCopy?: (bytes: number) => boolean;
}

export type InputsCheck =
  | {
      readonly kind: 'inputs';
      /** Errors by field. */
      readonly problems: readonly ArgumentProblem[];
      /** Number of chains of given draws; 1 without given draws. */
      readonly chains: number;
      /** The data, if they were to be bound and can be copied. */
      readonly bound?: BoundData;
    }
  | Refusal;

/** One chain of a function. */
export interface RunRequest extends RunGround {
  /** JSON text, or data that were bound to `model` with `seed`. */
  readonly data: string | BoundData;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly seed: number;
  /** The chain's id. */
  readonly chain: number;
  /** A block of the chain's iterations, of a run that stops when it is precise enough. */
  readonly block?: RunBlock;
  /** The chain's index among those that run on the same inputs, from 0. */
  readonly index: number;
  /** Maximum number of threads for the chain, 1 if absent: results do not depend on it. */
  readonly cores?: number;
  /** If given, the chain fits simulated data, and its draws are ranks of parameters (`calibration.ts`). */
  readonly calibration?: CalibrationShare;
  /** If given, the chain refits the program without observations, and its draws are estimates for these (`refit-share.ts`). */
  readonly refits?: RefitShare;
  /** Called at every iteration and often enough within one; true ends the run. */
  readonly interrupt?: () => boolean;
  /**
   * Called before each iteration after warmup of a sampler that can be continued. `end` returns where the chain is then, `names` are those of the
   * unconstrained parameters.
   */
  readonly rest?: (end: () => ChainEnd | undefined, names: readonly string[]) => void;
  /** Called at the end with the times of the program's `profile` blocks; without it, they are logged. */
  readonly profiled?: (profiles: readonly ProfileTime[]) => void;
  /** Called with details of algorithms that report them. */
  readonly detail?: (record: DetailRecord) => void;
  /** Called from time to time with the chain's progress. */
  readonly report?: (progress: RunProgress) => void;
}

/** A block of iterations after warmup: `num_samples` of them, fewer in the last block. */
export interface RunBlock extends IterationBlock {
  /** The state in which the previous block ended, and the progress until then; absent for the first block, which includes warmup. */
  readonly from?: SamplerState;
  readonly before?: Pick<RunProgress, 'draws' | 'gradients' | 'divergences' | 'treedepth_hits'>;
}

/** Names of the columns of draws and diagnostics. */
export interface RunColumns {
  readonly drawNames: readonly string[];
  readonly diagnosticNames: readonly string[];
  /** Rows before the draws, other than those of warmup; absent for none. */
  readonly leadingRows?: LeadingRows;
}

/** The destination of a run's events. */
export interface RunSink {
  /** Called once, when the data have been read; returns the receiver of events. */
  open(columns: RunColumns): EventSink;
}

export type RunOutcome =
  /** `differing`: see `Outcome` of `inference/algorithms/algorithm.ts`. */
  | {
      readonly kind: 'finished';
      readonly adaptation?: AdaptedSettings;
      readonly state?: SamplerState;
      readonly differing?: number;
      /** Times of a block. */
      readonly seconds?: Seconds;
    }
  /** The chain was interrupted; `state` is where it can be continued, absent before the end of warmup. */
  | { readonly kind: 'interrupted'; readonly state?: SamplerState; readonly seconds?: Seconds }
  | Refusal;

/** Why a request was refused. */
export type Refusal =
  /** The error is in the program, its data or the point, or an input does not fit the model; `message` explains it. */
  | { readonly kind: 'refused'; readonly message: string; readonly input?: Input }
  /** The memory budget is exhausted. */
  | { readonly kind: 'shortage' };

/** A sampler's step size and metric after warmup, in the form of its arguments; a unit metric is left out. */
export interface AdaptedSettings {
  readonly stepsize: number;
  readonly inv_metric?: number[] | number[][];
}

/** The progress of a chain, under the interface's names. */
export interface RunProgress {
  /** Number of saved draws. */
  readonly draws: number;
  /** Gradients evaluated. */
  readonly gradients: number;
  /** Number of divergences among the draws. */
  readonly divergences?: number;
  /** Transitions to those draws at the maximum tree depth. */
  readonly treedepth_hits?: number;
  /** Fraction of missing information of the draws after warmup; of a run in blocks, of those of the current block. */
  readonly e_bfmi?: number;
  /** Estimates of the first quantities that vary, from the same draws as `e_bfmi`. */
  readonly estimates?: readonly ChainEstimate[];
  readonly step_size?: number;
  readonly iteration?: number;
  readonly iterations?: number;
  /** Stan's line about it. */
  readonly progress?: string;
  /** An estimate. */
  readonly seconds_left?: number;
}

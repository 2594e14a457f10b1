/** What follows from the request of a run alone, so that every process makes the same plan. */

import type { CompilationOptions } from '../chain/compiler.js';
import { moduleOptions } from '../chain/own-module.js';
import type { Input } from '../inference/algorithms/algorithm.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import { iterationLimit, type Until } from '../requests/until.js';

/** The request of a run, as far as its plan depends on it. */
export interface PlannedRequest {
  /** Full or short name. */
  readonly function: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly inputs?: Readonly<Partial<Record<Input, unknown>>> | undefined;
  /** JSON text; absent for none. */
  readonly data?: string | undefined;
  /** Number of chains, if it is known before the inputs are read; 1 by default. */
  readonly chains?: number | undefined;
  /** The rule for stopping. */
  readonly until?: Until | undefined;
  /** Whether a cancelled run keeps its draws. */
  readonly keeps?: true | undefined;
  /** Whether each chain fits several data sets: those of a calibration, or those of a cross-validation with refits. */
  readonly isStudy?: boolean;
}

export interface RunPlan {
  /** Compile options of a module for this run; absent if the stored module suffices. */
  readonly module?: CompilationOptions;
  /**
   * Whether chains can start from data that one thread has bound to the module of the run. Chains with the seed of an earlier run, or with
   * several data sets, bind their data themselves.
   */
  readonly bindsOnce: boolean;
  /** Whether binding the data in a separate step saves time, because they are large and several chains or blocks use them. */
  readonly sharesData: boolean;
  /** Absent if the chains run as a whole. */
  readonly blocks?: BlockPlan;
}

/** All but the last block of a chain have `size` iterations after warmup, and together at most `limit`. */
export interface BlockPlan {
  readonly size: number;
  readonly limit: number;
  /**
   * The rule for stopping. Absent for a run of `limit` iterations, which has blocks only because it keeps them if it is
   * cancelled.
   */
  readonly until?: Until;
}

/** Number of characters of data above which binding them once saves more time than it costs. */
const LEAST_SHARED = 1 << 16;

export function planRun(request: PlannedRequest): RunPlan {
  const { chains = 1, data = '', inputs = {}, isStudy = false } = request;
  const module = moduleOptions(request.function, request.arguments);
  const blocks = blockPlan(request);
  const bindsOnce = inputs.continue === undefined && !isStudy;
  const hasSeveralRuns = chains > 1 || blocks !== undefined;
  return {
    ...(module && { module }),
    bindsOnce,
    sharesData: bindsOnce && hasSeveralRuns && data.length >= LEAST_SHARED,
    ...(blocks && { blocks }),
  };
}

/**
 * Number of blocks of a run without a rule, and minimum number of iterations of a block. Each block stores the draws so
 * far.
 */
const KEPT_BLOCKS = 10;
const LEAST_KEPT = 100;

function blockPlan({ arguments: settings, keeps, until }: PlannedRequest): BlockPlan | undefined {
  const samples = Number(settings.num_samples);
  if (until !== undefined) return { size: samples, limit: iterationLimit(until, settings), until };
  if (keeps === undefined) return undefined;
  const { num_thin = 1 } = settings;
  const thin = Number(num_thin);
  const wanted = Math.max(LEAST_KEPT, samples / KEPT_BLOCKS);
  return { size: Math.ceil(wanted / thin) * thin, limit: samples };
}

/** Number of processors for each of several chains that run concurrently. */
export function coresPerChain(processors: number, chains: number): number {
  return Math.max(1, Math.floor(processors / chains));
}

/** What follows from the request of a run alone, so that every process makes the same plan. */
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import { iterationLimit, type Until } from './until.js';

/** The request of a run, as far as its plan depends on it. */
export interface PlannedRequest {
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  /** The rule for stopping. */
  readonly until?: Until | undefined;
  /** Whether a cancelled run keeps its draws. */
  readonly keeps?: true | undefined;
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

/**
 * Number of blocks of a run without a rule, and minimum number of iterations of a block. Each block stores the draws so
 * far.
 */
const KEPT_BLOCKS = 10;
const LEAST_KEPT = 100;

/** The blocks of a run; undefined if its chains run as a whole. */
export function blockPlan({ arguments: settings, keeps, until }: PlannedRequest): BlockPlan | undefined {
  const samples = Number(settings.num_samples);
  if (until !== undefined) return { size: samples, limit: iterationLimit(until, settings), until };
  if (keeps === undefined) return undefined;
  const { num_thin = 1 } = settings;
  const thin = Number(num_thin);
  const wanted = Math.max(LEAST_KEPT, samples / KEPT_BLOCKS);
  return { size: Math.ceil(wanted / thin) * thin, limit: samples };
}

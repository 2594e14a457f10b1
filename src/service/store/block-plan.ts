/** The blocks in which an operation runs its chains. */
import { iterationLimit, type Until } from '../../run/until.js';
import type { OperationRecord } from './operation-record.js';

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

/** The blocks of an operation; undefined if its chains run as a whole. The plan depends on the request alone. */
export function blockPlan({
  arguments: settings,
  keeps,
  until,
}: Pick<OperationRecord, 'arguments' | 'keeps' | 'until'>): BlockPlan | undefined {
  const samples = Number(settings.num_samples);
  if (until !== undefined) return { size: samples, limit: iterationLimit(until, settings), until };
  if (keeps === undefined) return undefined;
  const { num_thin = 1 } = settings;
  const wanted = Math.max(LEAST_KEPT, samples / KEPT_BLOCKS);
  return { size: Math.ceil(wanted / Number(num_thin)) * Number(num_thin), limit: samples };
}

/** The blocks in which an operation runs its chains. */
import { iterationLimit, type Until } from '../../run/until.js';
import type { KeptResource } from '../schemas/operations.js';
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

/** The draws of the first blocks of all chains, which a cancelled operation keeps. */
export function keptAfter(record: OperationRecord, blocks: number): KeptResource {
  const { arguments: settings, chains } = record;
  const plan = blockPlan(record);
  const iterations = plan === undefined ? 0 : Math.min(plan.limit, blocks * plan.size);
  return { iterations, draws: chains.length * Math.ceil(iterations / thinOf(settings)) };
}

function thinOf({ num_thin = 1 }: OperationRecord['arguments']): number {
  return Number(num_thin);
}

/** The blocks of an operation; undefined if its chains run as a whole. The plan depends on the request alone. */
export function blockPlan({
  arguments: settings,
  keeps,
  until,
}: Pick<OperationRecord, 'arguments' | 'keeps' | 'until'>): BlockPlan | undefined {
  const samples = Number(settings.num_samples);
  if (until !== undefined) return { size: samples, limit: iterationLimit(until, settings), until };
  if (keeps === undefined) return undefined;
  const thin = thinOf(settings);
  const wanted = Math.max(LEAST_KEPT, samples / KEPT_BLOCKS);
  return { size: Math.ceil(wanted / thin) * thin, limit: samples };
}

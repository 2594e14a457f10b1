import { blockPlan } from '../../run/plan.js';
import type { KeptResource } from '../schemas/operations.js';
import type { OperationRecord } from './operation-record.js';

/** The draws of the first blocks of all chains, which a cancelled operation keeps. */
export function keptAfter(record: OperationRecord, blocks: number): KeptResource {
  const { num_thin = 1 } = record.arguments;
  const plan = blockPlan(record);
  const iterations = plan === undefined ? 0 : Math.min(plan.limit, blocks * plan.size);
  return { iterations, draws: record.chains.length * Math.ceil(iterations / Number(num_thin)) };
}

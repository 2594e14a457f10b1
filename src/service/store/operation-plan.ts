import { planRun, type RunPlan } from '../../fits/plan.js';
import type { KeptResource } from '../schemas/operations.js';
import type { OperationRecord } from './operation-record.js';

/** The plan of an operation's run. */
export function planOf(record: OperationRecord): RunPlan {
  const { chains, refits, simulations } = record;
  return planRun({ ...record, chains: chains.length, isStudy: simulations !== undefined || refits !== undefined });
}

/** The draws of the first blocks of all chains, which a cancelled operation keeps. */
export function keptAfter(record: OperationRecord, count: number): KeptResource {
  const { num_thin = 1 } = record.arguments;
  const { blocks } = planOf(record);
  const iterations = blocks === undefined ? 0 : Math.min(blocks.limit, count * blocks.size);
  return { iterations, draws: record.chains.length * Math.ceil(iterations / Number(num_thin)) };
}

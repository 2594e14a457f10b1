/** Operations as clients see them. Workers also list them, without loading the library that checks records. */
import type { OperationResource } from '../schemas.js';
import type { ChainRecord, OperationRecord } from './operation-record.js';

/** An operation in a list. Keys are in the list's order. */
export interface ListedOperation {
  readonly id: string;
  readonly key: string;
  /** Absent if its record contains it. */
  readonly resource?: OperationResource;
}

/** Groups follow each other in the order of their names; within one, `order` counts. */
export function listedAs(group: string, order: number, id: string, resource?: OperationResource): ListedOperation {
  return { id, key: `${group}:${String(order).padStart(16, '0')}:${id}`, ...(resource !== undefined && { resource }) };
}

/** An operation that has not ended in a list: those that run come first, and then those that wait. */
export function listedUnfinished(record: OperationRecord, place: number | undefined, order: number): ListedOperation {
  return listedAs(stateOf(record) === 'waiting' ? 'b' : 'a', order, record.id, listedOperation(record, place));
}

/** Sorts operations by the time of their request, in the same way in all processes. */
export function placeOf({ created }: OperationRecord): number {
  return Date.parse(created) * PLACES_PER_MILLISECOND;
}

/** Operations that one process can tell apart which were asked for in the same millisecond. */
const PLACES_PER_MILLISECOND = 1000;

export function fitName(record: OperationRecord): string {
  return `models/${record.modelId}/fits/${record.id}`;
}

/** An operation waits until one of its chains has begun. */
export function stateOf({ chains, ended }: OperationRecord): 'waiting' | 'running' | 'done' {
  if (ended !== undefined) return 'done';
  return chains.every(({ state }) => state === undefined || state === 'waiting') ? 'waiting' : 'running';
}

/** An operation as clients see it. `place` is that of a waiting one in the queue, from 1. */
export function operationResource(record: OperationRecord, place?: number): OperationResource {
  const { id, chains, ended, error } = record;
  const progress = furthestBehind(chains)?.progress;
  const adaptation = chains.flatMap(({ chain, adaptation }) =>
    adaptation === undefined ? [] : [{ chain, ...adaptation }],
  );
  const metadata = {
    fit: { name: fitName(record) },
    function: record.function,
    random_seed: record.seed,
    ...(progress === undefined ? {} : { progress }),
    state: stateOf(record),
    ...(place !== undefined && { place }),
    chains: chains.map(({ adaptation: _, ...chain }) => chain),
    ...(adaptation.length > 0 && { adaptation }),
    created: record.created,
    ...(ended === undefined ? {} : { ended }),
  };
  const operation = { name: `operations/${id}`, done: ended !== undefined, metadata };
  return ended === undefined ? operation : { ...operation, result: error ?? { name: fitName(record) } };
}

/** An operation in a list, without what may be long. */
export function listedOperation(record: OperationRecord, place?: number): OperationResource {
  return operationResource({ ...record, chains: record.chains.map(({ adaptation: _, ...chain }) => chain) }, place);
}

/** Of the chains that have reported, the one with the fewest iterations. */
function furthestBehind(chains: readonly ChainRecord[]): ChainRecord | undefined {
  const reported = chains.filter((chain) => chain.iteration !== undefined);
  return reported.sort((a, b) => (a.iteration ?? 0) - (b.iteration ?? 0))[0];
}

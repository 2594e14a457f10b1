/**
 * Operations as clients receive them. In a separate module, so that workers can list operations without loading the
 * library that validates records.
 */
import { combinedEstimates } from '../../inference/diagnostics/running-estimates.js';
import type { KeptResource, OperationResource } from '../schemas/operations.js';
import { fitNameIn } from './ledger.js';
import { keptAfter } from './operation-plan.js';
import type { ChainRecord, OperationRecord } from './operation-record.js';

/** Maximum number of quantities with running estimates. */
const MOST_ESTIMATES = 5;

/** An operation in a list. Keys are in the list's order. */
export interface ListedOperation {
  readonly id: string;
  readonly key: string;
  /** Absent if the operation's record contains it. */
  readonly resource?: OperationResource;
}

/** Groups are sorted by name, and their members by `order`. */
export function listedAs(group: string, order: number, id: string, resource?: OperationResource): ListedOperation {
  return { id, key: `${group}:${String(order).padStart(16, '0')}:${id}`, ...(resource !== undefined && { resource }) };
}

/** An unfinished operation in a list: running operations come first, then waiting ones. */
export function listedUnfinished(record: OperationRecord, place: number | undefined, order: number): ListedOperation {
  return listedAs(stateOf(record) === 'waiting' ? 'b' : 'a', order, record.id, listedOperation(record, place));
}

/** Sort key of an operation by the time of its request, the same in all processes. */
export function placeOf({ created }: OperationRecord): number {
  return Date.parse(created) * PLACES_PER_MILLISECOND;
}

/** Number of operations per millisecond whose order one process can distinguish. */
const PLACES_PER_MILLISECOND = 1000;

export function fitName({ id, modelId }: OperationRecord): string {
  return fitNameIn(modelId, id);
}

/** The name of a fit in an input's JSON text; undefined if the text contains values. */
export function fitNameOf(text: string): string | undefined {
  return text.startsWith('"') ? JSON.parse(text) : undefined;
}

/** Names of the fit that an operation makes and of the fits that it reads. */
export function fitsUsedBy({ id, inputs = {}, modelId }: Pick<OperationRecord, 'id' | 'inputs' | 'modelId'>): string[] {
  return [fitNameIn(modelId, id), ...Object.values(inputs).flatMap((text) => fitNameOf(text) ?? [])];
}

/** The state of an operation. It waits until one of its chains has started. */
export function stateOf({ chains, ended }: OperationRecord): 'waiting' | 'running' | 'done' {
  if (ended !== undefined) return 'done';
  return chains.every(({ state }) => state === undefined || state === 'waiting') ? 'waiting' : 'running';
}

/** An operation as clients receive it. `place` is the position of a waiting one in the queue, from 1. */
export function operationResource(record: OperationRecord, place?: number): OperationResource {
  const { id, chains, ended, error } = record;
  const progress = furthestBehind(chains)?.progress;
  const adaptation = chains.flatMap(({ chain, adaptation }) =>
    adaptation === undefined ? [] : [{ chain, ...adaptation }],
  );
  const [shortfall] = chains.flatMap((chain) => chain.shortfall ?? []);
  const running = ended === undefined ? chains.map((chain) => chain.estimates ?? []) : [];
  const estimates = combinedEstimates(running, MOST_ESTIMATES);
  const kept = keptOf(record);
  const metadata = {
    fit: { name: fitName(record) },
    function: record.function,
    random_seed: record.seed,
    ...(progress === undefined ? {} : { progress }),
    state: stateOf(record),
    ...(place !== undefined && { place }),
    ...(record.prior && { prior: record.prior }),
    ...(record.simulations !== undefined && { simulations: record.simulations }),
    ...(record.refits !== undefined && { refits: record.refits.held }),
    chains: chains.map(({ adaptation: _, blocks: __, estimates: ___, shortfall: ____, ...chain }) => chain),
    ...(adaptation.length > 0 && { adaptation }),
    ...(estimates.length > 0 && { estimates }),
    ...(shortfall !== undefined && ended === undefined && { shortfall }),
    ...(record.stopped !== undefined && { stopped: record.stopped }),
    ...(kept !== undefined && { kept }),
    created: record.created,
    ...(ended === undefined ? {} : { ended }),
  };
  const operation = { name: `operations/${id}`, done: ended !== undefined, metadata };
  return ended === undefined ? operation : { ...operation, result: error ?? { name: fitName(record) } };
}

/** What a cancellation has kept, or would keep now; undefined if the operation keeps nothing or has not been cancelled. */
function keptOf(record: OperationRecord): KeptResource | undefined {
  const { chains, ended, kept, keeps } = record;
  if (keeps === undefined || ended !== undefined) return kept;
  return keptAfter(record, Math.min(...chains.map(({ blocks = 0 }) => blocks)));
}

/** An operation in a list, without fields that can be long. */
export function listedOperation(record: OperationRecord, place?: number): OperationResource {
  return operationResource(
    { ...record, chains: record.chains.map(({ adaptation: _, estimates: __, ...chain }) => chain) },
    place,
  );
}

/** The chain with the fewest iterations among those that have reported progress. */
function furthestBehind(chains: readonly ChainRecord[]): ChainRecord | undefined {
  const reported = chains.filter((chain) => chain.iteration !== undefined);
  return reported.sort((a, b) => (a.iteration ?? 0) - (b.iteration ?? 0))[0];
}

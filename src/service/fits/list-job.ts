/** Records of the store as entries of lists, read by a worker: there may be ten thousand. */
import { readFileSync } from 'node:fs';
import type { OperationRecord } from '../jobs/operation-record.js';
import { listedOperation } from '../jobs/operation-resource.js';
import type { FitResource } from '../schemas.js';
import { unsealed } from '../store/checksums.js';
import { modelName } from '../store/ledger.js';

/** A record's file, and the bytes of the fit whose it is. */
export interface RecordFile {
  readonly path: string;
  readonly bytes?: number;
}

export interface ListJob {
  readonly kind: 'list';
  readonly of: 'fits' | 'operations';
  readonly records: readonly RecordFile[];
}

/** The entry's JSON; undefined for what is not there any more. */
export type ListedEntry = string | 'damaged' | undefined;

export interface ListedEntries {
  readonly kind: 'listed';
  readonly entries: readonly ListedEntry[];
}

export function listEntries({ of, records }: ListJob): ListedEntries {
  return { kind: 'listed', entries: records.map((record) => entryOf(of, record)) };
}

function entryOf(of: ListJob['of'], { path, bytes = 0 }: RecordFile): ListedEntry {
  const file = readIfThere(path);
  if (file === undefined) return undefined;
  const text = unsealed(file)?.toString();
  if (text === undefined) return 'damaged';
  // What is sealed is a record of this version.
  const record: OperationRecord = JSON.parse(text);
  return JSON.stringify(of === 'fits' ? fitResource(record, bytes) : listedOperation(record));
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function fitResource(record: OperationRecord, bytes: number): FitResource {
  const { created, ended, id, modelId, seed } = record;
  return {
    name: `${modelName(modelId)}/fits/${id}`,
    function: record.function,
    arguments: { ...record.arguments, ...(record.save && { save: record.save }) },
    random_seed: seed,
    chains: record.chains.map(({ chain }) => chain),
    created,
    ...(ended !== undefined && { ended }),
    bytes,
  };
}

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

/** Entries one after the other, as JSON with commas between them, or a record that is damaged. */
export type ListedPart = Uint8Array<ArrayBuffer> | DamagedRecord;

export interface DamagedRecord {
  readonly path: string;
}

/** In the order of the records. What is not there any more is left out. */
export interface ListedParts {
  readonly kind: 'listed';
  readonly parts: readonly ListedPart[];
}

export function listRecords({ of, records }: ListJob): ListedParts {
  const parts: ListedPart[] = [];
  let entries: string[] = [];
  const endPart = () => {
    if (entries.length > 0) parts.push(new TextEncoder().encode(entries.join()));
    entries = [];
  };
  for (const { path, bytes = 0 } of records) {
    const file = readIfThere(path);
    if (file === undefined) continue;
    const text = unsealed(file)?.toString();
    if (text === undefined) {
      endPart();
      parts.push({ path });
      continue;
    }
    // What is sealed is a record of this version.
    const record: OperationRecord = JSON.parse(text);
    entries.push(JSON.stringify(of === 'fits' ? fitResource(record, bytes) : listedOperation(record)));
  }
  endPart();
  return { kind: 'listed', parts };
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

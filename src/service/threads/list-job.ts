/** Renders records of the store as list entries, in a worker because there can be ten thousand. */
import { readFileSync } from 'node:fs';
import { unsealed } from '../../fit-files/checksums.js';
import type { FitResource } from '../schemas/fits.js';
import { modelName } from '../store/ledger.js';
import type { OperationRecord } from '../store/operation-record.js';
import { listedOperation } from '../store/operation-resource.js';
import type { RecordSource } from '../store/store.js';

/** A record, and the size of its fit in bytes. */
export interface ListedRecord {
  readonly source: RecordSource;
  readonly bytes?: number;
}

export interface ListJob {
  readonly kind: 'list';
  readonly of: 'fits' | 'operations';
  readonly records: readonly ListedRecord[];
}

/** Entries as JSON, separated by commas, or the first damaged record. */
export type ListedPart = Uint8Array<ArrayBuffer> | DamagedRecord;

interface DamagedRecord {
  readonly path: string;
}

/** In the order of the records. Records that no longer exist are omitted. */
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
  for (const { source, bytes = 0 } of records) {
    const text = 'text' in source ? source.text : readIfThere(source.path);
    if (text === undefined) continue;
    if (typeof text !== 'string') {
      endPart();
      parts.push(text);
      continue;
    }
    // The seal guarantees a valid record.
    const record: OperationRecord = JSON.parse(text);
    entries.push(JSON.stringify(of === 'fits' ? fitResource(record, bytes) : listedOperation(record)));
  }
  endPart();
  return { kind: 'listed', parts };
}

/** The content of a sealed file; undefined if it does not exist. */
function readIfThere(path: string): string | DamagedRecord | undefined {
  try {
    return unsealed(readFileSync(path))?.toString() ?? { path };
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
    arguments: {
      ...record.arguments,
      ...(record.save && { save: record.save }),
      ...(record.until && { until: record.until }),
    },
    random_seed: seed,
    ...(record.prior && { prior: record.prior }),
    ...(record.simulations !== undefined && { simulations: record.simulations }),
    ...(record.refits !== undefined && { refits: record.refits.held }),
    chains: record.chains.map(({ chain }) => chain),
    ...(record.stopped && { stopped: record.stopped }),
    created,
    ...(ended !== undefined && { ended }),
    bytes,
  };
}

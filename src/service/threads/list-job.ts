/** Renders records of the store as list entries, in a worker because there can be ten thousand. */
import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DamagedFile, unsealed } from '../../fit-files/checksums.js';
import { readStoredFile } from '../../fit-files/descriptors.js';
import { ownerOf } from '../../fit-files/layout.js';
import { readContents, verifyFit } from '../../fit-files/reading.js';
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

/** A damaged record, or a damaged file of its fit. */
export type DamagedRecord = Pick<DamagedFile, 'path' | 'flaw'>;

/** In the order of the records. */
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
    const text = 'text' in source ? source.text : textOf(source, of, bytes);
    if (typeof text !== 'string') {
      endPart();
      parts.push(text);
      continue;
    }
    // The seal guarantees a valid record.
    const record: OperationRecord = JSON.parse(text);
    if (of === 'operations' && 'path' in source && basename(source.path) !== `${record.id}.json`) {
      endPart();
      parts.push({ path: source.path, flaw: 'foreign' });
      continue;
    }
    entries.push(JSON.stringify(of === 'fits' ? fitResource(record, bytes) : listedOperation(record)));
  }
  endPart();
  return { kind: 'listed', parts };
}

/** The content of a sealed file. For fits, also checks the other files. */
function textOf(
  { isSuspect, path }: Extract<RecordSource, { path: string }>,
  of: ListJob['of'],
  bytes: number,
): string | DamagedRecord {
  try {
    const folder = dirname(path);
    const text = unsealed(readStoredFile(path), ownerOf(folder))?.toString();
    if (text === undefined) throw new DamagedFile(path);
    if (of === 'fits') {
      if (isSuspect) verifyFit(folder);
      else if (!hasBytes(folder, bytes)) readContents(folder);
    }
    return text;
  } catch (error) {
    if (error instanceof DamagedFile) return { path: error.path, flaw: error.flaw };
    throw error;
  }
}

/** Whether a folder contains readable files of this total size. */
function hasBytes(folder: string, bytes: number): boolean {
  let found = 0;
  for (const name of readdirSync(folder)) {
    const file = lstatSync(join(folder, name));
    if (file.isFile() && (file.mode & OWNER_READS) !== 0) found += file.size;
  }
  return found === bytes;
}

const OWNER_READS = 0o400;

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

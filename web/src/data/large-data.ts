/** Data that are too large for the page's own thread and for an editor. */
import { type Remote, wrap } from 'comlink';
import type { DataMember } from '#engine/derive/data-block.js';
import type { DataReader } from './data-worker.js';
import { type Scanned, scanData } from './scanning-data.js';
import type { VariableSummary } from './variable-summaries.js';

/** Characters above which data are shown as a table of variables, and read in a worker. */
const LARGE = 200_000;

let reader: Remote<DataReader> | undefined;

function dataReader(): Remote<DataReader> {
  reader ??= wrap<DataReader>(new Worker(new URL('./data-worker.ts', import.meta.url), { type: 'module' }));
  return reader;
}

export function isLarge(data: string): boolean {
  return data.length > LARGE;
}

/** Scans data, in a worker if they are large. */
export function scanned(data: string): Scanned | Promise<Scanned> {
  return isLarge(data) ? dataReader().scanData(data) : scanData(data);
}

/** The variables of data, for a data block; undefined if the text is not data. */
export function membersIn(data: string): Promise<readonly DataMember[] | undefined> {
  return dataReader().membersIn(data);
}

/** Rejects if the text is not JSON. */
export function summarized(data: string): Promise<readonly VariableSummary[]> {
  return dataReader().summarizeData(data);
}

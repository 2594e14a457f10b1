/** Reads draws of finished fits. Synchronous, for worker threads. */
import { join } from 'node:path';
import type { SavedDraw, StoredDraws } from '../chain/request.js';
import { CheckedFile } from './checked-file.js';
import { DamagedFile } from './checksums.js';
import type { ChainContents, ChainsOfFolder, FitContents, TableFile } from './contents.js';
import { withStoredFile } from './descriptors.js';
import {
  type ChainRecord,
  chainFile,
  FIT_RECORD,
  readChainRecord,
  readChainRecords,
  readState,
  SUMMED_FILES,
  type SummedFile,
} from './layout.js';
import { LatestBatch, readColumns, readTableContents, type TableContents } from './table-reader.js';

/**
 * Reads the contents of a fit; undefined if its folder does not exist. Throws `DamagedFile` if a file is missing, has
 * another size or cannot be read, or if a checksum does not match. Does not read the draws and the messages.
 */
export function readContents(path: string): FitContents | undefined {
  try {
    const chains = readChainRecords(path).map(contentsOf);
    const [first] = chains;
    if (first === undefined) return undefined;
    const table = (file: TableFile) => withTable({ path, chains }, first.id, file, readTableContents);
    const { names: columns, outputs } = table('draws.arrow');
    for (const chain of chains)
      for (const file of SUMMED_FILES) withSummedFile({ path, chains }, chain.id, file, () => {});
    const hasDiagnostics = chains.some(({ diagnostics }) => diagnostics > 0);
    return {
      path,
      columns,
      outputs,
      diagnosticColumns: hasDiagnostics ? table('diagnostics.arrow').names : [],
      chains,
    };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * One chain of a folder in which other chains may be incomplete; undefined if it does not exist. Throws `DamagedFile`
 * if the checksum of its record does not match.
 */
export function readChain(path: string, id: number): (ChainsOfFolder & { readonly chain: ChainContents }) | undefined {
  const record = readChainRecord(path, id);
  if (record === undefined) return undefined;
  const chain = contentsOf(record);
  return { path, chains: [chain], chain };
}

function contentsOf({ id, tagged, warmup, draws, diagnostics, files }: ChainRecord): ChainContents {
  return { id, chain: tagged ? id : undefined, warmup, draws: draws - warmup, diagnostics, files };
}

/** Reads a table of a chain. */
export function withTable<Result>(
  fit: ChainsOfFolder,
  id: number,
  file: TableFile,
  read: (table: CheckedFile, path: string) => Result,
): Result {
  return withSummedFile(fit, id, file, read);
}

function withSummedFile<Result>(
  { path, chains }: ChainsOfFolder,
  id: number,
  file: SummedFile,
  read: (checked: CheckedFile, path: string) => Result,
): Result {
  const sums = chains.find((chain) => chain.id === id)?.files[file];
  if (sums === undefined) throw new Error(`the fit in ${path} has no chain ${id}`);
  const stored = chainFile(path, id, file);
  return withStoredFile(stored, (descriptor) => read(new CheckedFile(descriptor, stored, sums), stored), sums.bytes);
}

/** Verifies every checksum of a fit. Throws `DamagedFile`. */
export function verifyFit(path: string): void {
  const contents = readContents(path);
  if (contents === undefined) throw new DamagedFile(join(path, FIT_RECORD), 'missing');
  for (const { id } of contents.chains) {
    for (const file of SUMMED_FILES) withSummedFile(contents, id, file, (checked) => checked.verify());
    readState(path, id);
  }
}

/** The draws of a fit as inputs of a run; undefined if its folder does not exist. */
export function openStoredDraws(path: string): StoredDraws | undefined {
  const contents = readContents(path);
  if (contents === undefined) return undefined;
  const { chains, columns, diagnosticColumns } = contents;
  const find = (id: number): ChainContents => {
    const chain = chains.find((each) => each.id === id);
    if (chain === undefined) throw new Error(`the fit in ${path} has no chain ${id}`);
    return chain;
  };
  return {
    columns,
    diagnosticColumns,
    chains,
    read: (id, from) => readDraws(contents, find(id), from),
    state: (id) => readState(path, id),
  };
}

/** A chain's draws after warmup, in order, starting with the given index (from 0). */
export function* readDraws(contents: FitContents, chain: ChainContents, from = 0): Generator<SavedDraw> {
  const hasDiagnostics = chain.diagnostics === chain.warmup + chain.draws;
  const start = chain.warmup + from;
  const end = chain.warmup + chain.draws;
  const draws = new TableRows(contents, chain.id, 'draws.arrow');
  const diagnostics = new TableRows(contents, chain.id, 'diagnostics.arrow');
  for (let row = start; row < end; row++) {
    yield { values: draws.read(row, end), diagnostic: hasDiagnostics ? diagnostics.read(row, end) : undefined };
  }
}

/**
 * `count` rows of a chain, starting with row `from`, which may be a draw of warmup. Each row has one number per column.
 */
export function readRows(
  path: string,
  range: { readonly chain: number; readonly from: number; readonly count: number },
): Float64Array {
  const contents = readContents(path);
  if (contents === undefined) throw new Error(`there is no fit in ${path}`);
  const table = new TableRows(contents, range.chain, 'draws.arrow');
  const width = contents.columns.length;
  const rows = new Float64Array(range.count * width);
  for (let k = 0; k < range.count; k++) rows.set(table.read(range.from + k, range.from + range.count), k * width);
  return rows;
}

const ROWS_AT_ONCE = 64;

/** The rows of a table, read in small batches. */
export class TableRows {
  private readonly fit: ChainsOfFolder;
  private readonly chain: number;
  private readonly file: TableFile;
  private readonly contents: TableContents;
  private readonly latest = new LatestBatch();
  private values: Float64Array = new Float64Array();
  private from = 0;
  private to = 0;

  constructor(fit: ChainsOfFolder, chain: number, file: TableFile) {
    this.fit = fit;
    this.chain = chain;
    this.file = file;
    this.contents = withTable(fit, chain, file, readTableContents);
  }

  /** Returns a row. May also read the following rows, up to but excluding `end`. */
  read(row: number, end: number): Float64Array {
    const columns = this.contents.names;
    if (row < this.from || row >= this.to) {
      this.from = row;
      this.to = Math.min(end, row + ROWS_AT_ONCE);
      const all = [...columns.keys()];
      this.values = new Float64Array(columns.length * (this.to - this.from));
      withTable(this.fit, this.chain, this.file, (table) =>
        readColumns(table, this.contents, all, row, this.values, this.latest),
      );
    }
    const rows = this.to - this.from;
    return Float64Array.from(columns, (_, column) => this.values[column * rows + row - this.from]);
  }
}

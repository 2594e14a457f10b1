/** Files with fits: saved ones, which are Arrow tables, and CSV files of CmdStan. */
import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { File as Hdf5File } from 'jsfive';
import { batchHeader, FILE_OPENING, fileEnding, paddedLength, schemaMessage, tableSchema } from '../fit-files/arrow.js';
import { writeFully } from '../fit-files/descriptors.js';
import { UnwritableFile } from '../fit-files/unwritable-file.js';
import { arrowDraws, CHAIN_COLUMN, DIAGNOSTIC_PREFIX } from '../fits/arrow-draws.js';
import { arvizDraws, HDF5_SIGNATURE } from '../fits/arviz-draws.js';
import { areDiagnostics } from '../formats/csv-draws.js';
import { csvSettings } from '../formats/stan-csv.js';
import { columnFile, csvFile, type FoundChains, importedContents, importRemarks } from '../library/imported-draws.js';
import { type FitChain, type FitContents, RequestError } from '../library/public.js';
import { type SavedOrigin, savedFitText } from '../library/saved-fit.js';
import { HIGHEST_INPUT_LIMIT, readInput, readText, UnreadableFile } from '../node/input-files.js';

/** Rows of a batch. */
const BATCH_ROWS = 1 << 12;

export interface ReadFit {
  readonly contents: FitContents;
  readonly origin: SavedOrigin;
  readonly warnings: readonly string[];
}

const UNKNOWN: SavedOrigin = { source: undefined, data: undefined, isWhole: true };

/** Writes a fit to a file, which is replaced when all of it is written. */
export function saveFit(path: string, contents: FitContents, origin: SavedOrigin): void {
  const unfinished = `${path}.unfinished`;
  try {
    const descriptor = openSync(unfinished, 'w');
    try {
      for (const piece of fitPieces(contents, origin)) writeFully(descriptor, piece);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw UnwritableFile.of(path, error);
  }
}

function* fitPieces(contents: FitContents, origin: SavedOrigin): Generator<Uint8Array> {
  const { chains, columns, diagnosticColumns } = contents;
  const hasDiagnostics =
    diagnosticColumns.length > 0 &&
    chains.every(({ diagnostics, values }) => {
      return diagnostics.length * columns.length === values.length * diagnosticColumns.length;
    });
  const names = [...columns, ...(hasDiagnostics ? diagnosticColumns.map((name) => DIAGNOSTIC_PREFIX + name) : [])];
  const doubles = names.map((name) => ({ name, kind: 'double' as const }));
  const metadata = { leapfrog: savedFitText(contents, origin) };
  const schema = tableSchema([{ name: CHAIN_COLUMN, kind: 'integer' }, ...doubles], metadata);
  const opening = [FILE_OPENING, schemaMessage(schema)];
  yield* opening;
  let offset = opening.reduce((sum, { length }) => sum + length, 0);
  const places = [];
  for (const chain of chains) {
    for (let first = 0; first < chain.warmup + chain.draws; first += BATCH_ROWS) {
      const rows = Math.min(BATCH_ROWS, chain.warmup + chain.draws - first);
      const header = batchHeader(rows, [4 * rows, ...new Array<number>(names.length).fill(8 * rows)]);
      const body = batchOf(chain, first, rows, columns.length, hasDiagnostics ? diagnosticColumns.length : 0);
      yield header;
      yield body;
      places.push({ offset, headerLength: header.length, bodyLength: body.length });
      offset += header.length + body.length;
    }
  }
  yield fileEnding(schema, places);
}

/** Rows of a chain, column by column, after the column with its id. */
function batchOf(
  { diagnostics, id, values }: FitChain,
  first: number,
  rows: number,
  width: number,
  diagnosticWidth: number,
): Uint8Array {
  const start = paddedLength(4 * rows);
  const bytes = new Uint8Array(start + 8 * rows * (width + diagnosticWidth));
  new Int32Array(bytes.buffer, 0, rows).fill(id);
  const columns = new Float64Array(bytes.buffer, start);
  for (let row = 0; row < rows; row++) {
    const from = (first + row) * width;
    for (let column = 0; column < width; column++) columns[column * rows + row] = values[from + column];
    const beside = (first + row) * diagnosticWidth;
    for (let column = 0; column < diagnosticWidth; column++)
      columns[(width + column) * rows + row] = diagnostics[beside + column];
  }
  return bytes;
}

/** Reads a saved fit, another Arrow file with draws, or a netCDF file of ArviZ. */
export function loadFit(path: string): ReadFit {
  const bytes = readInput(path, { limit: HIGHEST_INPUT_LIMIT });
  const startsWith = (signature: ArrayLike<number>) =>
    Array.from(signature).every((byte, index) => bytes[index] === byte);
  const isNetCdf = startsWith(HDF5_SIGNATURE);
  if (!isNetCdf && !startsWith(FILE_OPENING.subarray(0, 6))) {
    const message = 'is not a saved fit, which is an Arrow or netCDF file; from_csv reads CSV files';
    throw new RequestError([{ field: path, message }]);
  }
  const found = readingDraws(path, () => {
    const draws = isNetCdf
      ? arvizDraws(new Hdf5File(new Uint8Array(bytes).buffer, path))
      : arrowDraws(tableFromIPC(bytes));
    return columnFile(path, draws);
  });
  const created = statSync(path).mtime.toISOString();
  const contents = importedContents([found], created);
  return { contents, origin: found.saved ?? UNKNOWN, warnings: importRemarks([found]) };
}

/** Reads the chains of one fit from CSV files, or from those of a folder. */
export function readCsvFit(given: readonly string[]): ReadFit {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const paths = given.flatMap((path) => (isFolder(path) ? csvFilesIn(path) : [path]));
  const found: FoundChains[] = [];
  for (const path of paths) {
    const first = found.flatMap(({ chains }) => chains).length + 1;
    const read = readingDraws(path, () => csvFile(path, readText(path), first));
    if (found.length > 0 && read.columns.join() !== found[0].columns.join())
      throw new RequestError([{ field: path, message: `has other columns than ${found[0].path}` }]);
    found.push(read);
  }
  if (found.length === 0)
    throw new RequestError([{ field: given.join(', '), message: 'contains no CSV files with draws' }]);
  const contents = importedContents(found, statSync(paths[0]).mtime.toISOString());
  return { contents, origin: UNKNOWN, warnings: importRemarks(found) };
}

/** The CSV files with draws in a folder, in the order of the numbers in their names. */
function csvFilesIn(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  const sorted = names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return sorted.map((name) => join(folder, name)).filter(hasDraws);
}

/** Whether a file has Stan's comments or columns, and no diagnostics. */
function hasDraws(path: string): boolean {
  const lines = readText(path).split(/\r?\n/, 400);
  const head = lines.filter((line) => line.startsWith('#'));
  const columns = lines.find((line) => line !== '' && !line.startsWith('#'))?.split(',') ?? [];
  return (columns.includes('lp__') || csvSettings(head).has('method')) && !areDiagnostics(head, columns);
}

function readingDraws<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UnreadableFile) throw error;
    throw new RequestError([{ field: path, message: `cannot be read as draws: ${error.message}` }]);
  }
}

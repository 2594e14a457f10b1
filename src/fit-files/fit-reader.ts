import { join } from 'node:path';
import { DamagedFile } from './checksums.js';
import type { FitContents, TableFile } from './contents.js';
import { FIT_RECORD } from './layout.js';
import { readContents, withTable } from './reading.js';
import { LatestBatch, readColumns, readTableContents, type TableContents } from './table-reader.js';

/** Number of fits for which the footers of tables are cached. */
const REMEMBERED = 4;

interface KnownFit {
  readonly contents: FitContents;
  readonly tables: Map<string, TableContents>;
}

/**
 * Reads columns of finished fits in a worker that receives many requests for few fits. The path of a folder is never
 * used for another fit.
 */
export class FitReader {
  /** One buffer per table, because a draw and its diagnostic are requested together. */
  private readonly latest = { 'draws.arrow': new LatestBatch(), 'diagnostics.arrow': new LatestBatch() };
  private readonly known = new Map<string, KnownFit>();

  /** Like `contents`, but reads them again, so that files that are missing since the last time are found. */
  open(path: string): FitContents {
    this.known.delete(path);
    return this.contents(path);
  }

  /** Throws `DamagedFile` if the folder does not exist. */
  contents(path: string): FitContents {
    return this.find(path).contents;
  }

  /** A range of rows of some columns, as one array per column. */
  columns(
    path: string,
    chain: number,
    file: TableFile,
    rows: { readonly from: number; readonly count: number },
    columns: readonly number[],
  ): Float64Array<ArrayBuffer> {
    const values = new Float64Array(columns.length * rows.count);
    this.fill(values, path, chain, file, rows.from, columns);
    return values;
  }

  /** Fills `target` with a range of rows of some columns, by default of all, one column after the other. */
  fill(
    target: Float64Array,
    path: string,
    chain: number,
    file: TableFile,
    from: number,
    columns?: readonly number[],
  ): void {
    const { contents, tables } = this.find(path);
    withTable(contents, chain, file, (checked, key) => {
      const table = tables.get(key) ?? readTableContents(checked);
      tables.set(key, table);
      readColumns(checked, table, columns ?? [...table.names.keys()], from, target, this.latest[file]);
    });
  }

  private find(path: string): KnownFit {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    const contents = readContents(path);
    if (contents === undefined) throw new DamagedFile(join(path, FIT_RECORD), 'missing');
    const found = { contents, tables: new Map<string, TableContents>() };
    this.known.set(path, found);
    const [oldest] = this.known.keys();
    if (this.known.size > REMEMBERED && oldest !== undefined) this.known.delete(oldest);
    return found;
  }
}

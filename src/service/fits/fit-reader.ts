import { statSync } from 'node:fs';
import { join } from 'node:path';
import { withFile } from './descriptors.js';
import { chainFile, FIT_RECORD } from './layout.js';
import { type FitContents, readContents } from './reading.js';
import { readColumns, readTableContents, type TableContents } from './table-reader.js';

/** Fits whose tables' footers are remembered. */
const REMEMBERED = 4;

type TableFile = 'draws.arrow' | 'diagnostics.arrow';

interface KnownFit {
  /** When and as what the fit was written: a fit may go and come again. */
  readonly mark: string;
  readonly contents: FitContents;
  readonly tables: Map<string, TableContents>;
}

/** Reads columns of finished fits in a worker that is asked for many pieces of few fits. */
export class FitReader {
  private readonly known = new Map<string, KnownFit>();

  /** Throws when there is no such fit. */
  contents(path: string): FitContents {
    return this.find(path).contents;
  }

  /** So many rows of some columns, a stretch for each column; of all columns when none are named. */
  columns(
    path: string,
    chain: number,
    file: TableFile,
    rows: { readonly from: number; readonly count: number },
    columns?: readonly number[],
  ): Float64Array {
    const { tables } = this.find(path);
    const key = chainFile(path, chain, file);
    return withFile(key, (descriptor) => {
      const table = tables.get(key) ?? readTableContents(descriptor);
      tables.set(key, table);
      const wanted = columns ?? [...table.names.keys()];
      return readColumns(descriptor, table, wanted, rows.from, rows.from + rows.count);
    });
  }

  private find(path: string): KnownFit {
    const { ino, birthtimeMs } = statSync(join(path, FIT_RECORD));
    const mark = `${ino} ${birthtimeMs}`;
    const known = this.known.get(path);
    if (known?.mark === mark) return known;
    const contents = readContents(path);
    if (contents === undefined) throw new Error(`there is no fit in ${path}`);
    const found = { mark, contents, tables: new Map<string, TableContents>() };
    this.known.delete(path);
    this.known.set(path, found);
    const [oldest] = this.known.keys();
    if (this.known.size > REMEMBERED && oldest !== undefined) this.known.delete(oldest);
    return found;
  }
}

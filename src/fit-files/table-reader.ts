import { type DeclaredOutput, readOutputs } from '../formats/program-blocks.js';
import { type BatchPlace, footerLength, readFooter, TRAILER_BYTES } from './arrow.js';
import type { CheckedFile } from './checked-file.js';

const METADATA = 'leapfrog';

/** The metadata of a table with draws. */
export function tableMetadata(outputs: readonly DeclaredOutput[] = []): Readonly<Record<string, string>> {
  return outputs.length === 0 ? {} : { [METADATA]: JSON.stringify({ outputs }) };
}

/** Contents of the footer of a table. */
export interface TableContents {
  readonly names: readonly string[];
  /** The program's variables with their blocks; empty if the table does not contain them. */
  readonly outputs: readonly DeclaredOutput[];
  readonly rows: number;
  /** Positions of the batches, in rows and in bytes. */
  readonly batches: readonly { readonly firstRow: number; readonly rows: number; readonly bodyOffset: number }[];
}

/** Reads the footer of a file that `TableWriter` has written. */
export function readTableContents(file: CheckedFile): TableContents {
  const { bytes: size } = file;
  const trailer = new Uint8Array(TRAILER_BYTES);
  file.read(trailer, size - TRAILER_BYTES);
  const footer = new Uint8Array(footerLength(trailer));
  file.read(footer, size - TRAILER_BYTES - footer.length);
  const { metadata, names, places } = readFooter(footer);
  let rows = 0;
  const batches = places.map(({ offset, headerLength, bodyLength }: BatchPlace) => {
    const batch = {
      firstRow: rows,
      rows: bodyLength / (8 * Math.max(1, names.length)),
      bodyOffset: offset + headerLength,
    };
    rows += batch.rows;
    return batch;
  });
  return { names, outputs: outputsIn(metadata.get(METADATA)), rows, batches };
}

function outputsIn(text: string | undefined): readonly DeclaredOutput[] {
  return text === undefined ? [] : readOutputs(JSON.parse(text).outputs);
}

/** If at least half of the columns are selected, rows are read whole instead of column by column. */
const SHARE_READ_WHOLE = 0.5;

/** Cache: the batch that was last read whole. Its memory is reused for the next batch. */
export class LatestBatch {
  private table: TableContents | undefined;
  private offset = -1;
  private values = new Float64Array();

  read(file: CheckedFile, table: TableContents, offset: number, length: number): Float64Array {
    if (this.table === table && this.offset === offset) return this.values;
    this.table = undefined;
    if (this.values.length < length) this.values = new Float64Array(length);
    file.read(bytesOf(this.values.subarray(0, length)), offset);
    this.table = table;
    this.offset = offset;
    return this.values;
  }
}

/**
 * Reads rows of some columns, starting with row `from`, into `target`: one column after the other. The length of `target`
 * determines the number of rows. Other columns are not read from disk, unless most columns are selected.
 */
export function readColumns(
  file: CheckedFile,
  table: TableContents,
  columns: readonly number[],
  from: number,
  target: Float64Array,
  latest: LatestBatch,
): void {
  if (columns.length === 0) return;
  const count = target.length / columns.length;
  const readsWhole = columns.length > SHARE_READ_WHOLE * table.names.length;
  for (const batch of table.batches) {
    const first = Math.max(from, batch.firstRow);
    const rows = Math.min(from + count, batch.firstRow + batch.rows) - first;
    if (rows <= 0) continue;
    const within = first - batch.firstRow;
    const length = table.names.length * batch.rows;
    const whole = readsWhole ? latest.read(file, table, batch.bodyOffset, length) : undefined;
    let start = first - from;
    for (const column of columns) {
      const place = column * batch.rows + within;
      if (whole === undefined) {
        file.read(bytesOf(target.subarray(start, start + rows)), batch.bodyOffset + 8 * place);
      } else {
        for (let row = 0; row < rows; row++) target[start + row] = whole[place + row];
      }
      start += count;
    }
  }
}

function bytesOf(values: Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

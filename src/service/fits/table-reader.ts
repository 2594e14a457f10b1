import { fstatSync } from 'node:fs';
import { type BatchPlace, footerLength, readFooter, TRAILER_BYTES } from './arrow.js';
import { readFully } from './descriptors.js';

/** What the footer of a table says. */
export interface TableContents {
  readonly names: readonly string[];
  readonly rows: number;
  /** Where the batches begin, in rows and in bytes. */
  readonly batches: readonly { readonly firstRow: number; readonly rows: number; readonly bodyOffset: number }[];
}

/** Reads the footer of what `TableWriter` wrote. */
export function readTableContents(descriptor: number): TableContents {
  const { size } = fstatSync(descriptor);
  const trailer = new Uint8Array(TRAILER_BYTES);
  readFully(descriptor, trailer, size - TRAILER_BYTES);
  const footer = new Uint8Array(footerLength(trailer));
  readFully(descriptor, footer, size - TRAILER_BYTES - footer.length);
  const { names, places } = readFooter(footer);
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
  return { names, rows, batches };
}

/** Rows of a batch from which every second column or more is wanted are read whole rather than column by column. */
const SHARE_READ_WHOLE = 0.5;

/**
 * Reads rows from `from` to before `to` of some columns: a stretch for each column, one after the other. Nothing but the
 * columns that are wanted is read from the disk, unless they are most of them.
 */
export function readColumns(
  descriptor: number,
  contents: TableContents,
  columns: readonly number[],
  from: number,
  to: number,
): Float64Array {
  const count = to - from;
  const result = new Float64Array(columns.length * count);
  const readsWhole = columns.length > SHARE_READ_WHOLE * contents.names.length;
  for (const batch of contents.batches) {
    const first = Math.max(from, batch.firstRow);
    const rows = Math.min(to, batch.firstRow + batch.rows) - first;
    if (rows <= 0) continue;
    const within = first - batch.firstRow;
    const whole = readsWhole ? new Float64Array(contents.names.length * batch.rows) : undefined;
    if (whole !== undefined) readFully(descriptor, bytesOf(whole), batch.bodyOffset);
    for (const [k, column] of columns.entries()) {
      const place = column * batch.rows + within;
      const target = result.subarray(k * count + first - from, k * count + first - from + rows);
      if (whole !== undefined) target.set(whole.subarray(place, place + rows));
      else readFully(descriptor, bytesOf(target), batch.bodyOffset + 8 * place);
    }
  }
  return result;
}

function bytesOf(values: Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

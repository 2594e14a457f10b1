import {
  type BatchPlace,
  batchHeader,
  type ColumnType,
  FILE_OPENING,
  fileEnding,
  schemaMessage,
  tableSchema,
} from './arrow.js';
import { type FileSums, SummingWriter } from './checked-file.js';

/**
 * Target bytes of a batch. Batches with many columns are larger, because very short columns are slow to read one by
 * one.
 */
const BATCH_BYTES = 1 << 20;
const LEAST_ROWS = 128;
const MOST_ROWS = 1 << 16;
const MOST_BATCH_BYTES = 1 << 25;

/** Writes rows of doubles as an Arrow file, in batches. */
export class TableWriter {
  private readonly file: SummingWriter;
  private readonly types: readonly ColumnType[];
  private readonly columns: number;
  private readonly batchRows: number;
  /** The current batch, column by column. */
  private readonly batch: Float64Array;
  private readonly fullHeader: Uint8Array;
  private readonly places: BatchPlace[] = [];
  private filled = 0;
  private position = 0;

  constructor(descriptor: number, names: readonly string[]) {
    this.file = new SummingWriter(descriptor);
    this.types = names.map((name) => ({ name, kind: 'double' }));
    this.columns = names.length;
    this.batchRows = rowsOfBatch(names.length);
    this.batch = new Float64Array(this.columns * this.batchRows);
    this.fullHeader = this.header(this.batchRows);
    this.write(FILE_OPENING);
    this.write(schemaMessage(tableSchema(this.types)));
  }

  append(row: Float64Array): void {
    const { batch, batchRows, columns } = this;
    for (let k = 0, place = this.filled; k < columns; k++, place += batchRows) batch[place] = row[k];
    this.filled += 1;
    if (this.filled === batchRows) this.writeBatch();
  }

  /** Writes the last batch and the footer with its metadata. Returns the checksums of the file. */
  end(metadata: Readonly<Record<string, string>> = {}): FileSums {
    if (this.filled > 0) this.writeBatch();
    this.write(fileEnding(tableSchema(this.types, metadata), this.places));
    return this.file.end();
  }

  private writeBatch(): void {
    const { batch, batchRows, columns, filled } = this;
    const isFull = filled === batchRows;
    for (let k = 1; !isFull && k < columns; k++) {
      batch.copyWithin(k * filled, k * batchRows, k * batchRows + filled);
    }
    const header = isFull ? this.fullHeader : this.header(filled);
    const body = new Uint8Array(batch.buffer, 0, 8 * columns * filled);
    this.places.push({ offset: this.position, headerLength: header.length, bodyLength: body.length });
    this.write(header);
    this.write(body);
    this.filled = 0;
  }

  private header(rows: number): Uint8Array {
    return batchHeader(rows, new Array<number>(this.columns).fill(8 * rows));
  }

  private write(bytes: Uint8Array): void {
    this.file.write(bytes);
    this.position += bytes.length;
  }
}

function rowsOfBatch(columns: number): number {
  const rowBytes = 8 * Math.max(1, columns);
  const wanted = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.floor(BATCH_BYTES / rowBytes)));
  return Math.max(1, Math.min(wanted, Math.floor(MOST_BATCH_BYTES / rowBytes)));
}

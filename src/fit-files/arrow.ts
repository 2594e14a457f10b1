/**
 * Numeric tables in the Arrow IPC format (arrow.apache.org/docs/format/Columnar.html): the messages of a stream, and the footer that
 * turns a stream into a file. Columns contain no nulls, and every buffer is padded to 8 bytes, so a batch of 64-bit columns is the
 * concatenation of the columns.
 */
import { FileBlock, Footer } from 'apache-arrow/ipc/metadata/file';
import { BufferRegion, FieldNode, Message, RecordBatch } from 'apache-arrow/ipc/metadata/message';
import { Field, Schema } from 'apache-arrow/schema';
import { Float64, Int32 } from 'apache-arrow/type';
import { END_OF_STREAM } from './parts.js';

/** Position of a batch in a file: its message's header, followed by the columns. */
export interface BatchPlace {
  readonly offset: number;
  readonly headerLength: number;
  readonly bodyLength: number;
}

const MAGIC = new TextEncoder().encode('ARROW1');
export const FILE_OPENING = Uint8Array.of(...MAGIC, 0, 0);
const FIELD_KIND = { double: new Float64(), integer: new Int32() };

/** A column's name and element type: doubles, or 32-bit integers. */
export interface ColumnType {
  readonly name: string;
  readonly kind: keyof typeof FIELD_KIND;
}

export function tableSchema(columns: readonly ColumnType[], metadata: Readonly<Record<string, string>> = {}): Schema {
  const fields = columns.map(({ name, kind }) => new Field(name, FIELD_KIND[kind], false));
  return new Schema(fields, new Map(Object.entries(metadata)));
}

export function schemaMessage(schema: Schema): Uint8Array<ArrayBuffer> {
  return framed(Message.encode(Message.from(schema)));
}

/** The header of a batch. The columns follow in order, each padded to a multiple of 8 bytes. */
export function batchHeader(rows: number, columnBytes: readonly number[]): Uint8Array<ArrayBuffer> {
  const buffers: BufferRegion[] = [];
  let offset = 0;
  for (const bytes of columnBytes) {
    buffers.push(new BufferRegion(offset, 0), new BufferRegion(offset, bytes));
    offset += paddedLength(bytes);
  }
  const nodes = columnBytes.map(() => new FieldNode(rows, 0));
  return framed(Message.encode(Message.from(new RecordBatch(rows, nodes, buffers, null), offset)));
}

/** The footer of a file with batches at these positions. */
export function fileEnding(schema: Schema, places: readonly BatchPlace[]): Uint8Array {
  const blocks = places.map((place) => new FileBlock(place.headerLength, place.bodyLength, place.offset));
  const footer = Footer.encode(new Footer(schema, undefined, blocks, []));
  return Buffer.concat([END_OF_STREAM, footer, new Uint8Array(Int32Array.of(footer.length).buffer), MAGIC]);
}

/** The last bytes of a file, which contain the length of the preceding footer. */
export const TRAILER_BYTES = 4 + MAGIC.length;

/** Length of the footer before the trailer. Throws if this is not the end of an Arrow file. */
export function footerLength(trailer: Uint8Array): number {
  if (!MAGIC.every((byte, k) => trailer[4 + k] === byte)) throw new Error('the file is not an Arrow file');
  return new DataView(trailer.buffer, trailer.byteOffset).getInt32(0, true);
}

export function readFooter(footer: Uint8Array): {
  readonly names: string[];
  readonly places: BatchPlace[];
  readonly metadata: ReadonlyMap<string, string>;
} {
  const decoded = Footer.decode(footer);
  const places = Array.from(decoded.recordBatches(), ({ offset, metaDataLength, bodyLength }) => ({
    offset,
    headerLength: metaDataLength,
    bodyLength,
  }));
  return { names: decoded.schema.fields.map(({ name }) => name), places, metadata: decoded.schema.metadata };
}

export function paddedLength(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** A message's header with its continuation marker and length, padded. */
function framed(header: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = paddedLength(header.length);
  const framed = new Uint8Array(8 + length);
  const view = new DataView(framed.buffer);
  view.setInt32(0, -1, true);
  view.setInt32(4, length, true);
  framed.set(header, 8);
  return framed;
}

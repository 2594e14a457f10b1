/** Renders pieces of fits as the bytes that clients receive. For worker threads. */

import { ALL_DIGITS, csvNumber, csvTexts } from '../formats/csv.js';
import { numberTexts, styledMessage } from '../formats/message-sink.js';
import { type NonFinite, numberText } from '../formats/numbers.js';
import { MOST_DIGITS, type RowLayout, type RowWriter } from '../formats/row-writer.js';
import { batchHeader, paddedLength, schemaMessage, tableSchema } from './arrow.js';
import type { FitReader } from './fit-reader.js';
import type { RunPattern } from './layout.js';
import { columnNames, type FitPart, type PieceOfFit, type Rows } from './parts.js';

/** The column of an Arrow table with the chain. */
const CHAIN_COLUMN = 'chain__';

/** Cache of the most recently used objects, which the next piece usually requires again. */
class Latest<Value> {
  private made: { readonly key: string; readonly value: Value } | undefined;

  get(key: string, make: () => Value): Value {
    if (this.made?.key !== key) this.made = { key, value: make() };
    return this.made.value;
  }
}

/** Renders one piece at a time. */
export class Renderer {
  private readonly reader: FitReader;
  private readonly writer: RowWriter;
  /** Formats of rows. */
  private readonly layouts = new Latest<RowLayout>();
  /** Headers of batches of tables. */
  private readonly headers = new Latest<Uint8Array>();

  constructor(reader: FitReader, writer: RowWriter) {
    this.reader = reader;
    this.writer = writer;
  }

  render(piece: PieceOfFit, style: NonFinite): Uint8Array<ArrayBuffer> {
    return joined(
      piece.parts.map((part) => {
        if (piece.format === 'arrow') return this.tablePart(piece, part);
        if (part.kind === 'rows') return this.rows(piece, part, style);
        return part.kind === 'text' ? new TextEncoder().encode(messagesIn(part.text, style)) : new Uint8Array();
      }),
    );
  }

  private rows(piece: PieceOfFit, rows: Rows, style: NonFinite): Uint8Array<ArrayBuffer> {
    const { path, columns } = piece;
    const { chain, count, diagnostic, draw, pattern } = rows;
    const width = pattern === 'd' ? 0 : (columns?.length ?? this.reader.contents(path).columns.length);
    return this.writer.write(this.layout(piece, rows, style), count, (numbers) => {
      const draws = numbers.subarray(0, width * count);
      const diagnostics = numbers.subarray(width * count);
      if (pattern !== 'd') this.reader.fill(draws, path, chain, 'draws.arrow', draw, columns);
      if (pattern !== 's') this.reader.fill(diagnostics, path, chain, 'diagnostics.arrow', diagnostic);
    });
  }

  private tablePart({ path, columns, hasChainColumn }: PieceOfFit, part: FitPart): Uint8Array<ArrayBuffer> {
    const contents = this.reader.contents(path);
    if (part.kind === 'schema') {
      const doubles = columnNames(contents, columns).map((name) => ({ name, kind: 'double' as const }));
      const fields = hasChainColumn ? [{ name: CHAIN_COLUMN, kind: 'integer' as const }, ...doubles] : doubles;
      return schemaMessage(tableSchema(fields, part.metadata));
    }
    if (part.kind === 'text') return new Uint8Array();
    const { chain, count, draw } = part;
    const width = columns?.length ?? contents.columns.length;
    const header = this.header(count, width, hasChainColumn);
    const idBytes = hasChainColumn ? paddedLength(4 * count) : 0;
    const batch = new Uint8Array(header.length + idBytes + 8 * width * count);
    batch.set(header);
    new Int32Array(batch.buffer, header.length, idBytes / 4).fill(chain);
    const values = new Float64Array(batch.buffer, header.length + idBytes, width * count);
    this.reader.fill(values, path, chain, 'draws.arrow', draw, columns);
    return batch;
  }

  private header(rows: number, width: number, hasChainColumn: boolean): Uint8Array {
    return this.headers.get(`${rows} ${width} ${hasChainColumn}`, () => {
      const lengths = new Array<number>(width).fill(8 * rows);
      return batchHeader(rows, hasChainColumn ? [4 * rows, ...lengths] : lengths);
    });
  }

  private layout(piece: PieceOfFit, { chain, pattern }: Rows, style: NonFinite): RowLayout {
    const { path, format, columns } = piece;
    const key = JSON.stringify([path, format, columns, chain, pattern, style]);
    return this.layouts.get(key, () => layoutOf(this.reader, piece, chain, pattern, style));
  }
}

/** Stored messages in a style. They are stored with non-finite numbers as strings. */
function messagesIn(text: string, style: NonFinite): string {
  return style === 'string' ? text : text.replace(/^.*\n/gm, (message) => styledMessage(message, style));
}

function layoutOf(
  reader: FitReader,
  { path, format, columns }: PieceOfFit,
  id: number,
  pattern: RunPattern,
  style: NonFinite,
): RowLayout {
  const contents = reader.contents(path);
  const names = columnNames(contents, columns);
  if (format === 'csv') return exactCsvLayout(names);
  const chain = contents.chains.find((each) => each.id === id)?.chain;
  const draw = numberTexts('sample', names, chain);
  const diagnostic = numberTexts('diagnostic', contents.diagnosticColumns, chain);
  const texts = { s: draw, d: diagnostic, sd: sideBySide(draw, diagnostic) };
  return { texts: texts[pattern], ...wordsOf((value) => numberText(value, style)) };
}

type Words = Omit<RowLayout, 'texts'>;

const CSV_WORDS = wordsOf(csvNumber);

/** The layout of CSV rows whose numbers have the fewest digits that round-trip. */
function exactCsvLayout(names: readonly string[]): RowLayout {
  return { texts: csvTexts(names), ...CSV_WORDS };
}

/** The layout of CSV rows; undefined if `RowWriter` does not support the number of digits. */
export function csvLayout(names: readonly string[], digits: number = ALL_DIGITS): RowLayout | undefined {
  const layout = exactCsvLayout(names);
  if (digits >= ALL_DIGITS) return layout;
  if (digits > MOST_DIGITS) return undefined;
  return { ...layout, rounding: { digits, textOf: (value) => csvNumber(value, digits) } };
}

/** Representation of non-finite numbers. */
export function wordsOf(textOf: (value: number) => string): Words {
  return {
    notANumber: textOf(Number.NaN),
    infinity: textOf(Number.POSITIVE_INFINITY),
    negativeInfinity: textOf(Number.NEGATIVE_INFINITY),
  };
}

/** Text of draws with diagnostics. The rows of a draw and its diagnostic are concatenated. */
export function sideBySide(left: readonly string[], right: readonly string[]): string[] {
  const last = left.length - 1;
  return [...left.slice(0, last), left[last] + right[0], ...right.slice(1)];
}

function joined(pieces: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  if (pieces.length === 1) return pieces[0];
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

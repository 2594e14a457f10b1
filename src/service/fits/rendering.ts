/** Pieces of fits as the bytes that are sent. For worker threads. */
import { MessageSink } from '../../messages/message-sink.js';
import type { NonFinite } from '../../messages/numbers.js';
import { restyleNonFinite } from '../../messages/numbers.js';
import { batchHeader, paddedLength, schemaMessage, tableSchema } from './arrow.js';
import { csvRow } from './csv.js';
import type { FitReader } from './fit-reader.js';
import type { FitPart, PieceOfFit, Rows } from './parts.js';

/** The column of an Arrow table that tells the chain. */
const CHAIN_COLUMN = 'chain__';

export function renderPiece(reader: FitReader, piece: PieceOfFit, style: NonFinite): Uint8Array<ArrayBuffer> {
  if (piece.format === 'arrow') return joined(piece.parts.flatMap((part) => arrowPart(reader, piece, part)));
  const text = piece.parts.map((part) =>
    part.kind === 'rows' ? textOfRows(reader, piece, part, style) : textOf(part, style),
  );
  return new TextEncoder().encode(text.join(''));
}

function textOf(part: FitPart, style: NonFinite): string {
  return part.kind === 'text' ? restyleNonFinite(part.text, style) : '';
}

function textOfRows(reader: FitReader, piece: PieceOfFit, rows: Rows, style: NonFinite): string {
  const { path, format, columns } = piece;
  const contents = reader.contents(path);
  const { count, chain: id, pattern } = rows;
  const draws =
    pattern === 'd' ? undefined : reader.columns(path, id, 'draws.arrow', { from: rows.draw, count }, columns);
  const width = columns?.length ?? contents.columns.length;
  if (format === 'csv') return draws === undefined ? '' : csvOf(draws, count, width);

  const diagnostics =
    pattern === 's' ? undefined : reader.columns(path, id, 'diagnostics.arrow', { from: rows.diagnostic, count });
  const chain = contents.chains.find((each) => each.id === id)?.chain;
  let text = '';
  const drawNames = columns === undefined ? contents.columns : columns.map((column) => contents.columns[column]);
  const options = { drawNames, diagnosticNames: contents.diagnosticColumns, nonFinite: style };
  const sink = new MessageSink(chain === undefined ? options : { ...options, chain }, (line) => {
    text += line;
  });
  const draw = new Float64Array(width);
  const diagnostic = new Float64Array(contents.diagnosticColumns.length);
  for (let row = 0; row < count; row++) {
    if (draws !== undefined) sink.draw(pick(draws, count, row, draw));
    if (diagnostics !== undefined) sink.diagnostic(pick(diagnostics, count, row, diagnostic));
  }
  return text;
}

function csvOf(draws: Float64Array, count: number, width: number): string {
  const row = new Float64Array(width);
  let text = '';
  for (let k = 0; k < count; k++) text += csvRow(pick(draws, count, k, row));
  return text;
}

/** One row of a stretch for each column. */
function pick(values: Float64Array, count: number, row: number, target: Float64Array): Float64Array {
  for (let column = 0, place = row; column < target.length; column++, place += count) target[column] = values[place];
  return target;
}

function arrowPart(reader: FitReader, piece: PieceOfFit, part: FitPart): Uint8Array[] {
  const { path, columns, tellsChain } = piece;
  const contents = reader.contents(path);
  if (part.kind === 'schema') {
    const names = columns === undefined ? contents.columns : columns.map((column) => contents.columns[column]);
    const doubles = names.map((name) => ({ name, kind: 'double' as const }));
    const fields = tellsChain ? [{ name: CHAIN_COLUMN, kind: 'integer' as const }, ...doubles] : doubles;
    return [schemaMessage(tableSchema(fields, part.metadata))];
  }
  if (part.kind === 'text') return [];
  const { chain, count } = part;
  const width = columns?.length ?? contents.columns.length;
  const draws = reader.columns(path, chain, 'draws.arrow', { from: part.draw, count }, columns);
  const lengths = new Array<number>(width).fill(8 * count);
  const body = new Uint8Array(draws.buffer, draws.byteOffset, draws.byteLength);
  if (!tellsChain) return [batchHeader(count, lengths), body];
  const ids = new Int32Array(paddedLength(4 * count) / 4).fill(chain);
  return [batchHeader(count, [4 * count, ...lengths]), new Uint8Array(ids.buffer), body];
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

/** Streams finished fits piece by piece. Workers render the pieces. */
import { Readable } from 'node:stream';
import { END_OF_STREAM, type FitFormat, type FitPart } from '../../fit-files/parts.js';
import type { FitContents } from '../../fit-files/reading.js';
import type { NonFinite } from '../../messages/numbers.js';
import { piecesOf } from '../fits/pieces.js';
import { discard } from '../threads/garbage.js';
import type { Requests } from '../threads/requests.js';
import type { FitSelection } from '../threads/selection.js';

/** Number of pieces rendered ahead. */
const PIECES_AHEAD = 1;

/** Options for sending a finished fit. */
export interface Sending {
  readonly contents: FitContents;
  readonly selection: FitSelection;
  readonly format: FitFormat;
  readonly style: NonFinite;
  /** The parts before the draws. */
  readonly opening: readonly FitPart[];
}

/** Streams a finished fit. Calls `release` when it has been sent or when its client has disconnected. */
export function sendFit(requests: Requests, sending: Sending, release: () => void): Readable {
  const stream = Readable.from(rendered(requests, sending), { objectMode: false, highWaterMark: 1 });
  return stream.once('error', (error) => requests.noted(error)).once('close', release);
}

async function* rendered(requests: Requests, sending: Sending): AsyncGenerator<Uint8Array> {
  const { contents, selection, format, style, opening } = sending;
  const { columns } = selection;
  const hasChainColumn = contents.chains.length > 1;
  const of = { path: contents.path, format, hasChainColumn, ...(columns !== undefined && { columns }) };
  const pending: Promise<Uint8Array>[] = [];
  for await (const parts of piecesOf(contents, selection, format, opening)) {
    const job = { kind: 'render', piece: { ...of, parts }, style } as const;
    const piece = requests.perform('Reading the fit', job, 'rendered').then(({ bytes }) => bytes);
    piece.catch(() => undefined);
    pending.push(piece);
    if (pending.length > PIECES_AHEAD) yield* take(pending);
  }
  while (pending.length > 0) yield* take(pending);
  if (format === 'arrow') yield END_OF_STREAM;
}

async function* take(pending: Promise<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  const piece = await pending.shift();
  if (piece === undefined || piece.length === 0) return;
  yield piece;
  discard(piece.length);
}

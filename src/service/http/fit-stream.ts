/** Streams finished fits piece by piece. Workers render the pieces. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FitContents } from '../../fit-files/contents.js';
import { END_OF_STREAM, type FitFormat, type FitPart } from '../../fit-files/parts.js';
import type { NonFinite } from '../../formats/numbers.js';
import { piecesOf } from '../fits/pieces.js';
import { discard } from '../threads/garbage.js';
import type { Requests } from '../threads/requests.js';
import type { FitSelection } from '../threads/selection.js';
import type { ByteRange } from './ranges.js';

/** Number of pieces rendered ahead. */
const PIECES_AHEAD = 1;
/** Maximum number of responses for which the positions of pieces are kept. */
const MOST_KEPT = 200;

/** Options for sending a finished fit. */
export interface Sending {
  readonly contents: FitContents;
  readonly selection: FitSelection;
  readonly format: FitFormat;
  readonly style: NonFinite;
  /** The parts before the draws. */
  readonly opening: readonly FitPart[];
}

/**
 * The strong entity tag of a fit in a format: a hash of everything that determines the bytes, which are the checksums
 * of the fit's files, its request, the selection, and the version of the renderer.
 */
export function tagOfFit({ contents, format, opening, selection, style }: Sending, record: object, version: string) {
  const { path: _, ...stored } = contents;
  const chains = selection.chains.map(({ chain, from, to }) => [chain.id, from, to]);
  const { columns = 'all', isRange } = selection;
  const parts = [version, record, stored, format, style, opening, chains, columns, isRange];
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}"`;
}

/** Streams finished fits and parts of them. */
export class FitStreams {
  private readonly requests: Requests;
  /** Positions of the pieces of a response and its length, by its entity tag, in order of use. */
  private readonly starts = new Map<string, Promise<readonly number[]>>();

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /** Streams a fit. Calls `release` when it has been sent or when its client has disconnected. */
  send(sending: Sending, release: () => void, range?: ByteRange, starts?: readonly number[]): Readable {
    const bytes =
      range === undefined || starts === undefined
        ? this.rendered(sending)
        : cut(
            this.rendered(sending, (piece) => overlaps(starts, piece, range)),
            range,
            starts,
          );
    const stream = Readable.from(withoutEmpty(bytes), { objectMode: false, highWaterMark: 1 });
    return stream.once('error', (error) => this.requests.noted(error)).once('close', release);
  }

  /** The position of each piece, and the length. Renders the fit unless they are known. Stops at `signal`. */
  async startsOf(sending: Sending, tag: string, signal: AbortSignal): Promise<readonly number[]> {
    const known = this.starts.get(tag) ?? this.measure(sending, signal);
    this.starts.delete(tag);
    this.starts.set(tag, known);
    for (const oldest of this.starts.keys()) {
      if (this.starts.size <= MOST_KEPT) break;
      this.starts.delete(oldest);
    }
    try {
      return await known;
    } catch (error) {
      if (this.starts.get(tag) === known) this.starts.delete(tag);
      throw error;
    }
  }

  private async measure(sending: Sending, signal: AbortSignal): Promise<readonly number[]> {
    const starts = [0];
    for await (const { length } of this.rendered(sending)) {
      signal.throwIfAborted();
      starts.push(starts[starts.length - 1] + length);
    }
    return starts;
  }

  /** The bytes of the wanted pieces, by their index. */
  private async *rendered(
    { contents, selection, format, style, opening }: Sending,
    wanted: (piece: number) => boolean = () => true,
  ): AsyncGenerator<Uint8Array> {
    const { columns } = selection;
    const hasChainColumn = contents.chains.length > 1;
    const of = { path: contents.path, format, hasChainColumn, ...(columns !== undefined && { columns }) };
    const pending: Promise<Uint8Array>[] = [];
    let count = 0;
    for await (const parts of piecesOf(contents, selection, format, opening)) {
      if (!wanted(count++)) continue;
      const job = { kind: 'render', piece: { ...of, parts }, style } as const;
      const piece = this.requests.perform('Reading the fit', job, 'rendered').then(({ bytes }) => bytes);
      piece.catch(() => undefined);
      pending.push(piece);
      if (pending.length > PIECES_AHEAD) yield* take(pending);
    }
    while (pending.length > 0) yield* take(pending);
    if (format === 'arrow' && wanted(count)) yield END_OF_STREAM;
  }
}

/** Whether the piece contains bytes of the range. `starts` are the positions of the pieces and of the end. */
function overlaps(starts: readonly number[], piece: number, { from, to }: ByteRange): boolean {
  return starts[piece] < to && starts[piece + 1] > from;
}

/** The bytes of a range, from the pieces that overlap it. */
async function* cut(
  pieces: AsyncIterable<Uint8Array>,
  range: ByteRange,
  starts: readonly number[],
): AsyncGenerator<Uint8Array> {
  let [start] = starts.filter((_, piece) => overlaps(starts, piece, range));
  for await (const bytes of pieces) {
    yield bytes.subarray(Math.max(0, range.from - start), range.to - start);
    start += bytes.length;
  }
}

async function* withoutEmpty(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of pieces) if (bytes.length > 0) yield bytes;
}

async function* take(pending: Promise<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  const piece = await pending.shift();
  if (piece === undefined) return;
  yield piece;
  discard(piece.length);
}

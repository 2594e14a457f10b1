/** Fits as they are sent: a piece at a time, written by workers or, while a fit is being made, from its journals. */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { MessageSink } from '../messages/message-sink.js';
import { type NonFinite, restyleNonFinite } from '../messages/numbers.js';
import { problems } from './errors.js';
import { END_OF_STREAM } from './fits/arrow.js';
import { JournalParser, type JournalRecord } from './fits/journal.js';
import { FIT_RECORD } from './fits/layout.js';
import type { FitFormat, FitPart } from './fits/parts.js';
import { piecesOf } from './fits/pieces.js';
import type { FitContents } from './fits/reading.js';
import { chainProblem, type FitSelection, wantedColumns } from './fits/selection.js';
import { discard } from './garbage.js';
import type { Requests } from './jobs/requests.js';
import { namesIn, unlessMissing } from './store/files.js';

/** Pieces that are written ahead of what has been sent. */
const PIECES_AHEAD = 1;
const POLL_MILLISECONDS = 100;

/** How a finished fit is to be sent. */
export interface Sending {
  readonly contents: FitContents;
  readonly selection: FitSelection;
  readonly format: FitFormat;
  readonly style: NonFinite;
  /** What stands before the draws. */
  readonly opening: readonly FitPart[];
}

/** A finished fit. `release` is called when it has been sent, or nobody wants it any more. */
export function sendFit(requests: Requests, sending: Sending, release: () => void): Readable {
  const stream = Readable.from(rendered(requests, sending), { objectMode: false, highWaterMark: 1 });
  return stream.once('close', release);
}

async function* rendered(requests: Requests, sending: Sending): AsyncGenerator<Uint8Array> {
  const { contents, selection, format, style, opening } = sending;
  const { columns } = selection;
  const tellsChain = contents.chains.length > 1;
  const of = { path: contents.path, format, tellsChain, ...(columns !== undefined && { columns }) };
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

/** What becomes of a fit: `given up` when its operation has failed, was cancelled or is left to the next server. */
export type Making = 'going on' | 'finished' | 'given up';

/** What is sent of a fit that is being made, if not all: one chain, or columns that a list names as in `wantedColumns`. */
export interface Following {
  readonly chain?: number;
  readonly variables?: string;
}

/**
 * A fit that is being made, in the folder: its messages as they come, for as long as `making` says that it goes on. The stream
 * of one that is given up fails, so that no client takes a part for the whole. Undefined when it is not being made. Throws
 * when it has not got what is wanted, which of variables is known when a chain has begun.
 */
export async function followFit(
  folder: string,
  style: NonFinite,
  making: () => Making,
  following: Following = {},
): Promise<Readable | undefined> {
  const journals = await openJournals(folder, making, following.chain);
  if (journals === undefined) return undefined;
  const pieces = growing(journals, style, making, following);
  if (following.variables !== undefined) await pieces.next();
  return Readable.from(pieces, { objectMode: false });
}

/** The journals of the chains; undefined when the fit is made before they could all be opened. */
async function openJournals(
  folder: string,
  making: () => Making,
  chain: number | undefined,
): Promise<readonly FileHandle[] | undefined> {
  const isWanted = (name: string) => chainsIn([name]).some((id) => chain === undefined || id === chain);
  for (; making() === 'going on'; await pause(POLL_MILLISECONDS)) {
    const names = namesIn(folder);
    const wanted = names.filter(isWanted);
    const isBegun = names.length > 0 && !names.includes(FIT_RECORD);
    if (isBegun && wanted.length === 0) throw problems.invalidRequest([chainProblem(chainsIn(names))]);
    const opened = await Promise.all(wanted.map((name) => unlessMissing(open(join(folder, name), 'r'))));
    const files = opened.filter((file) => file !== undefined);
    // Journals go one after the other once the fit has its record: those that were listed before are all.
    const isWhole = files.length === opened.length && isBegun && !namesIn(folder).includes(FIT_RECORD);
    if (isWhole) return files;
    for (const file of files) await file.close();
  }
  return undefined;
}

/** The chains whose journals are among some files. */
function chainsIn(names: readonly string[]): number[] {
  const matches = names.map((name) => /^chain-(\d+)\.journal$/.exec(name)).filter((match) => match !== null);
  return matches.map(([, id]) => Number(id)).sort((a, b) => a - b);
}

/** Pieces of the messages, the first of each chain an empty one once its columns are known. */
async function* growing(
  journals: readonly FileHandle[],
  style: NonFinite,
  making: () => Making,
  following: Following,
): AsyncGenerator<string> {
  const readers = journals.map((file) => new JournalReader(file, style, following));
  try {
    for (;;) {
      const state = making();
      for (const reader of readers) yield* reader.read();
      if (state === 'finished') return;
      if (state === 'given up') throw new Error('the fit that was followed was given up');
      await pause(POLL_MILLISECONDS);
    }
  } finally {
    for (const file of journals) await file.close();
  }
}

/** Reads what has come to a journal as message lines. */
class JournalReader {
  private readonly file: FileHandle;
  private readonly style: NonFinite;
  private readonly following: Following;
  private readonly parser = new JournalParser();
  private text = '';
  private sink: MessageSink | undefined;
  /** Where in a draw the wanted numbers are; all of them when undefined. */
  private places: readonly number[] | undefined;

  constructor(file: FileHandle, style: NonFinite, following: Following) {
    this.file = file;
    this.style = style;
    this.following = following;
  }

  async *read(): AsyncGenerator<string> {
    for (;;) {
      const { bytesRead } = await this.file.read(this.parser.space());
      if (bytesRead === 0) return;
      const hasBegun = this.sink !== undefined;
      for (const record of this.parser.take(bytesRead)) this.add(record);
      if (!hasBegun && this.sink !== undefined) yield '';
      const { text } = this;
      this.text = '';
      if (text !== '') yield text;
    }
  }

  private add(record: JournalRecord): void {
    switch (record.kind) {
      case 'header':
        this.begin(record.header);
        break;
      case 'line':
        this.text += restyleNonFinite(record.line, this.style);
        break;
      case 'draw':
        this.sink?.draw(this.places ? Float64Array.from(this.places, (place) => record.values[place]) : record.values);
        break;
      case 'diagnostic':
        if (this.places === undefined) this.sink?.diagnostic(record.values);
        break;
    }
  }

  private begin(header: Extract<JournalRecord, { kind: 'header' }>['header']): void {
    const { variables } = this.following;
    const found = variables === undefined ? undefined : wantedColumns(variables, header.drawNames);
    if (found !== undefined && 'problem' in found) throw problems.invalidRequest([found.problem]);
    this.places = found?.places;
    const drawNames = this.places?.map((place) => header.drawNames[place]) ?? header.drawNames;
    this.sink = new MessageSink({ ...header, drawNames, nonFinite: this.style }, (line) => {
      this.text += line;
    });
  }
}

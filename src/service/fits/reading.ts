/** Draws of finished fits, read again: the one place that knows how a fit lies on disk. Synchronous, for worker threads. */
import { closeSync, openSync, readSync } from 'node:fs';
import { nonFiniteNumber } from '../../model/json.js';

/** What a fit holds, without its numbers. */
export interface FitContents {
  readonly path: string;
  /** Keys of a draw: the function's own, then those of the model's variables. None when there are no draws. */
  readonly columns: readonly string[];
  /** Keys of the diagnostics that come with draws; none when draws have none. */
  readonly diagnosticColumns: readonly string[];
  /** In the order of their ids. */
  readonly chains: readonly ChainContents[];
}

export interface ChainContents {
  /** Undefined in a fit of one chain, whose messages do not tell it. */
  readonly chain: number | undefined;
  /** Saved draws of warmup, which precede the others. */
  readonly warmup: number;
  readonly draws: number;
}

/** A draw with the numbers of `columns`, and the diagnostic that came with it, with those of `diagnosticColumns`. */
export interface SavedDraw {
  readonly values: Float64Array;
  readonly diagnostic: Float64Array | undefined;
}

/** Reads what a fit holds; undefined when there is no such file. */
export function readContents(path: string): FitContents | undefined {
  const counts = new Map<number | undefined, { warmup: number; draws: number }>();
  const lastTopic = new Map<number | undefined, string>();
  let columns: readonly string[] = [];
  let diagnosticColumns: readonly string[] = [];
  try {
    for (const { topic, text, chain } of messages(path)) {
      const count = counts.get(chain) ?? { warmup: 0, draws: 0 };
      if (topic === 'draw') {
        if (columns.length === 0) columns = Object.keys(valuesOf(text));
        counts.set(chain, { ...count, draws: count.draws + 1 });
      } else if (topic === 'diagnostic') {
        if (diagnosticColumns.length === 0 && lastTopic.get(chain) === 'draw') {
          diagnosticColumns = Object.keys(valuesOf(text));
        }
      } else if (text.startsWith(END_OF_WARMUP, VALUES_AT)) {
        counts.set(chain, { warmup: count.draws, draws: 0 });
      }
      lastTopic.set(chain, topic);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const chains = [...counts].map(([chain, count]) => ({ chain, ...count }));
  return { path, columns, diagnosticColumns, chains: chains.sort((a, b) => (a.chain ?? 0) - (b.chain ?? 0)) };
}

/** The draws of one chain after warmup, in order, from the given one on, counted from 0. */
export function* readDraws(contents: FitContents, chain: ChainContents, from = 0): Generator<SavedDraw> {
  const { columns, diagnosticColumns } = contents;
  let toSkip = chain.warmup + from;
  let pending: Float64Array | undefined;
  for (const { topic, text, chain: id } of messages(contents.path)) {
    if (id !== chain.chain) continue;
    if (pending !== undefined) {
      const diagnostic = topic === 'diagnostic' ? numbersOf(text, diagnosticColumns) : undefined;
      yield { values: pending, diagnostic };
      pending = undefined;
    }
    if (topic !== 'draw') continue;
    if (toSkip > 0) toSkip -= 1;
    else pending = numbersOf(text, columns);
  }
  if (pending !== undefined) yield { values: pending, diagnostic: undefined };
}

interface Message {
  readonly topic: 'draw' | 'diagnostic' | 'remark';
  readonly text: string;
  readonly chain: number | undefined;
}

const PIECE_BYTES = 1 << 18;
const NEWLINE = 0x0a;
const SAMPLE = '{"version":1,"topic":"sample","values":';
const DIAGNOSTIC = '{"version":1,"topic":"diagnostic","values":';
const VALUES_AT = SAMPLE.length;
const END_OF_WARMUP = '["Adaptation terminated"]';

/** The messages of a fit but those of its log, a piece of the file at a time. */
function* messages(path: string): Generator<Message> {
  for (const text of lines(path)) {
    const isSample = text.startsWith(SAMPLE);
    if (!isSample && !text.startsWith(DIAGNOSTIC)) continue;
    const topic = !isSample ? 'diagnostic' : text[VALUES_AT] === '{' ? 'draw' : 'remark';
    const tag = /[}\]],"chain":(\d+)\}$/.exec(text.slice(-24));
    yield { topic, text, chain: tag === null ? undefined : Number(tag[1]) };
  }
}

function* lines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    let rest: Uint8Array = new Uint8Array();
    for (;;) {
      const length = readSync(file, piece);
      if (length === 0) return;
      const bytes = Buffer.concat([rest, piece.subarray(0, length)]);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        yield bytes.toString('utf8', start, end);
        start = end + 1;
      }
      rest = bytes.subarray(start);
    }
  } finally {
    closeSync(file);
  }
}

function valuesOf(text: string): Record<string, number | string> {
  return JSON.parse(text).values;
}

function numbersOf(text: string, names: readonly string[]): Float64Array {
  const values = valuesOf(text);
  return Float64Array.from(names, (name) => {
    const value = values[name];
    return typeof value === 'number' ? value : (nonFiniteNumber(value) ?? Number.NaN);
  });
}

/**
 * The events of a running chain: records in a growing file. A record is its kind, its length in bytes, that
 * length with every bit inverted, and a checksum, 32 bits each, and then the content, padded with zeros to a multiple of 8 bytes.
 * The first one is the header.
 */
import { closeSync, openSync } from 'node:fs';
import { Patience } from '../../run/patience.js';
import type { RunColumns } from '../../run/request.js';
import { DamagedFile } from '../store/checksums.js';
import { writeFully } from './descriptors.js';

/** How the messages of a chain are to be written. */
export interface JournalHeader extends RunColumns {
  /** What messages are tagged with; absent when they are not. */
  readonly chain?: number;
}

export type JournalRecord =
  | { readonly kind: 'header'; readonly header: JournalHeader }
  /** A message line with its newline. */
  | { readonly kind: 'line'; readonly line: string }
  /** Numbers are valid until the next record is read. */
  | { readonly kind: 'draw' | 'diagnostic'; readonly values: Float64Array };

const KINDS = ['header', 'line', 'draw', 'diagnostic'] as const;
const HEADER_BYTES = 16;
const BUFFER_BYTES = 1 << 18;
/** Milliseconds after which records are written though they are few. */
const PATIENCE = 100;

export class JournalWriter {
  private readonly descriptor: number;
  private readonly buffer = new ArrayBuffer(BUFFER_BYTES);
  private readonly bytes = new Uint8Array(this.buffer);
  private readonly words = new Int32Array(this.buffer);
  private readonly doubles = new Float64Array(this.buffer);
  private filled = 0;
  private readonly patience = new Patience(PATIENCE);

  /** Appends to a file. */
  constructor(path: string, header: JournalHeader) {
    this.descriptor = openSync(path, 'a', 0o600);
    this.addText('header', JSON.stringify(header));
  }

  addLine(line: string): void {
    this.addText('line', line);
  }

  addNumbers(kind: 'draw' | 'diagnostic', values: Float64Array): void {
    const content = 8 * values.length;
    const length = paddedRecord(content);
    if (length > BUFFER_BYTES) {
      this.add(kind, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      return;
    }
    if (this.filled + length > BUFFER_BYTES) this.write();
    const { doubles, filled, words } = this;
    const start = (filled + HEADER_BYTES) / 8;
    for (let k = 0; k < values.length; k++) doubles[start + k] = values[k];
    setHeader(words, filled / 4, KINDS.indexOf(kind), content);
    this.filled = filled + length;
    if (this.patience.isOver()) this.write();
  }

  /** Writes what has been added, however little it is. */
  flush(): void {
    if (this.filled > 0) this.write();
  }

  close(): void {
    try {
      this.write();
    } finally {
      closeSync(this.descriptor);
    }
  }

  private addText(kind: 'header' | 'line', text: string): void {
    this.add(kind, Buffer.from(text));
  }

  private add(kind: (typeof KINDS)[number], content: Uint8Array): void {
    const length = paddedRecord(content.length);
    if (this.filled + length > BUFFER_BYTES) this.write();
    const target =
      length > BUFFER_BYTES ? new Uint8Array(length) : this.bytes.subarray(this.filled, this.filled + length);
    target.fill(0, length - 8);
    target.set(content, HEADER_BYTES);
    const words = new Int32Array(target.buffer, target.byteOffset, length / 4);
    setHeader(words, 0, KINDS.indexOf(kind), content.length);
    if (length > BUFFER_BYTES) writeFully(this.descriptor, target);
    else this.filled += length;
    if (this.patience.isOver()) this.write();
  }

  private write(): void {
    const { filled } = this;
    this.filled = 0;
    this.patience.begin();
    writeFully(this.descriptor, this.bytes.subarray(0, filled));
  }
}

/** Writes the header of a record whose content is behind it. */
function setHeader(words: Int32Array, at: number, kind: number, length: number): void {
  words[at] = kind;
  words[at + 1] = length;
  words[at + 2] = ~length;
  words[at + 3] = sumOf(words, at, kind, length);
}

/**
 * The checksum of the record at a word. It finds every change within one word, and all but one in 2³² of the others. For the few
 * numbers of a draw it takes a tenth of the time of a call of zlib's CRC-32.
 */
function sumOf(words: Int32Array, at: number, kind: number, length: number): number {
  const end = at + paddedRecord(length) / 4;
  let even = kind;
  let odd = ~kind;
  for (let k = at + HEADER_BYTES / 4; k < end; k += 2) {
    even = mixed(even, words[k]);
    odd = mixed(odd, words[k + 1]);
  }
  return mixed(even, odd);
}

/** The multiplier is odd, so that sums differ where one of the two words does: it is 2³² over the golden ratio. */
function mixed(sum: number, word: number): number {
  return Math.imul(((sum << 13) | (sum >>> 19)) ^ word, 0x9e3779b1);
}

/**
 * Takes the bytes of a journal in pieces and gives its records as soon as they are whole. Throws `DamagedFile` for one that is not
 * as it was written.
 */
export class JournalParser {
  private path: string;
  private bytes = new Uint8Array(2 * BUFFER_BYTES);
  private start = 0;
  private end = 0;
  /** Bytes of the records that were given since the beginning. */
  taken = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Throws when the journal, of which no more will come, ends within a record. */
  finish(): void {
    if (this.end > this.start) throw new DamagedFile(this.path);
  }

  /** Begins anew, with another journal. */
  clear(path: string): void {
    this.path = path;
    this.start = 0;
    this.end = 0;
    this.taken = 0;
  }

  /** Memory for the next bytes of the file; `take` receives their number. */
  space(): Uint8Array {
    this.bytes.copyWithin(0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
    if (this.bytes.length - this.end < BUFFER_BYTES) {
      const larger = new Uint8Array(2 * this.bytes.length);
      larger.set(this.bytes.subarray(0, this.end));
      this.bytes = larger;
    }
    return this.bytes.subarray(this.end);
  }

  /** The records that are whole now. */
  *take(count: number): Generator<JournalRecord> {
    this.end += count;
    for (let found = this.next(); found !== undefined; found = this.next()) {
      this.check(found);
      yield recordOf(KINDS[found.kind], this.bytes, found.start, found.length);
    }
  }

  /** The lines among the records that are whole now. Numbers are passed over. */
  *takeLines(count: number): Generator<string> {
    this.end += count;
    for (let found = this.next(); found !== undefined; found = this.next()) {
      if (KINDS[found.kind] !== 'line') continue;
      this.check(found);
      yield textOf(this.bytes, found.start, found.length);
    }
  }

  /** Where the content of the next record is, when it is whole. */
  private next(): FoundRecord | undefined {
    if (this.end - this.start < HEADER_BYTES) return undefined;
    const [kind, length, inverted, sum] = new Int32Array(this.bytes.buffer, this.start, HEADER_BYTES / 4);
    if (length !== ~inverted) throw new DamagedFile(this.path);
    const record = paddedRecord(length);
    if (this.end - this.start < record) return undefined;
    const start = this.start + HEADER_BYTES;
    this.start += record;
    this.taken += record;
    return { kind, start, length, sum };
  }

  private check({ kind, length, start, sum }: FoundRecord): void {
    const words = new Int32Array(this.bytes.buffer, start - HEADER_BYTES, paddedRecord(length) / 4);
    if (KINDS[kind] === undefined || sumOf(words, 0, kind, length) !== sum) throw new DamagedFile(this.path);
  }
}

/** Where a record's content is, and the fields of its header. */
interface FoundRecord {
  /** Index among `KINDS`. */
  readonly kind: number;
  readonly start: number;
  readonly length: number;
  readonly sum: number;
}

function recordOf(kind: (typeof KINDS)[number], bytes: Uint8Array, start: number, length: number): JournalRecord {
  if (kind === 'draw' || kind === 'diagnostic') {
    return { kind, values: new Float64Array(bytes.buffer, start, length / 8) };
  }
  const text = textOf(bytes, start, length);
  return kind === 'line' ? { kind, line: text } : { kind, header: JSON.parse(text) };
}

function textOf(bytes: Uint8Array, start: number, length: number): string {
  return Buffer.from(bytes.buffer, start, length).toString();
}

function paddedRecord(length: number): number {
  return HEADER_BYTES + Math.ceil(length / 8) * 8;
}

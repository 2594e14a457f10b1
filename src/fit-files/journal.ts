/**
 * The events of a running chain, as records in a growing file. A record consists of its kind, its length in bytes, the
 * bitwise complement of that length and a checksum (32 bits each), followed by its content, padded with zeros to a
 * multiple of 8 bytes. The first record is the header.
 */
import { closeSync, openSync } from 'node:fs';
import { Patience } from '../chain/patience.js';
import type { RunColumns } from '../chain/request.js';
import { DamagedFile } from './checksums.js';
import { writeFully } from './descriptors.js';

/** Options for writing the messages of a chain. */
export interface JournalHeader extends RunColumns {
  /** Tag of all messages, if any. */
  readonly chain?: number;
}

export type JournalRecord =
  | { readonly kind: 'header'; readonly header: JournalHeader }
  /** The end of warmup; its text follows as lines. */
  | { readonly kind: 'adaptation' }
  /** A message line with its newline. */
  | { readonly kind: 'line'; readonly line: string }
  /** Numbers are valid until the next record is read. */
  | { readonly kind: NumbersKind; readonly values: Float64Array };

export type NumbersKind = 'draw' | 'diagnostic' | 'initialization';

const KINDS = ['header', 'line', 'draw', 'diagnostic', 'adaptation', 'initialization'] as const;
const HEADER_BYTES = 16;
const BUFFER_BYTES = 1 << 18;
/** Milliseconds after which pending records are written even if the buffer is not full. */
const PATIENCE = 100;

/** Writes the records after the header. */
export type Recorder = Pick<JournalWriter, 'addAdaptation' | 'addLine' | 'addNumbers'>;

/** Writes a record after the header. */
export function addRecord(to: Recorder, record: Exclude<JournalRecord, { kind: 'header' }>): void {
  if (record.kind === 'adaptation') to.addAdaptation();
  else if (record.kind === 'line') to.addLine(record.line);
  else to.addNumbers(record.kind, record.values);
}

export class JournalWriter {
  private readonly descriptor: number;
  private readonly buffer = new ArrayBuffer(BUFFER_BYTES);
  private readonly bytes = new Uint8Array(this.buffer);
  private readonly words = new Int32Array(this.buffer);
  private readonly doubles = new Float64Array(this.buffer);
  private filled = 0;
  private readonly patience = new Patience(PATIENCE);

  /** Appends to a file, and begins an empty file with a header. */
  constructor(path: string, header: JournalHeader | undefined) {
    this.descriptor = openSync(path, 'a', 0o600);
    if (header !== undefined) this.addText('header', JSON.stringify(header));
  }

  addLine(line: string): void {
    this.addText('line', line);
  }

  addAdaptation(): void {
    this.add('adaptation', new Uint8Array());
  }

  addNumbers(kind: NumbersKind, values: Float64Array): void {
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

  /** Writes all pending records. */
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

/** Writes the header of a record whose content follows it. */
function setHeader(words: Int32Array, at: number, kind: number, length: number): void {
  words[at] = kind;
  words[at + 1] = length;
  words[at + 2] = ~length;
  words[at + 3] = sumOf(words, at, kind, length);
}

/**
 * The checksum of the record that starts at a word. It detects every change within one word, and all but one in 2³² of
 * the other changes. For the few numbers of a draw, it is ten times as fast as a call of zlib's CRC-32.
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

/** The multiplier (2³² divided by the golden ratio) is odd, so the result differs if exactly one of the two words differs. */
function mixed(sum: number, word: number): number {
  return Math.imul(((sum << 13) | (sum >>> 19)) ^ word, 0x9e3779b1);
}

/**
 * Parses a journal that arrives in pieces, and returns each record when it is complete. Throws `DamagedFile` if a
 * checksum does not match.
 */
export class JournalParser {
  private path: string;
  private bytes = new Uint8Array(2 * BUFFER_BYTES);
  private start = 0;
  private end = 0;
  /** Total bytes of the records returned so far. */
  taken = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Call it at the end of the journal. Throws if the journal ends within a record. */
  finish(): void {
    if (this.end > this.start) throw new DamagedFile(this.path);
  }

  /** Resets the parser for another journal. */
  clear(path: string): void {
    this.path = path;
    this.start = 0;
    this.end = 0;
    this.taken = 0;
  }

  /** Buffer for the next bytes of the file. Pass their number to `take`. */
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

  /** The records that are now complete. */
  *take(count: number): Generator<JournalRecord> {
    this.end += count;
    for (let found = this.next(); found !== undefined; found = this.next()) {
      this.check(found);
      yield recordOf(KINDS[found.kind], this.bytes, found.start, found.length);
    }
  }

  /** The lines of text among the records that are now complete. Skips numbers. */
  *takeLines(count: number): Generator<string> {
    this.end += count;
    for (let found = this.next(); found !== undefined; found = this.next()) {
      if (KINDS[found.kind] !== 'line') continue;
      this.check(found);
      yield textOf(this.bytes, found.start, found.length);
    }
  }

  /** Position of the next record's content, if the record is complete. */
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

/** Position of a record's content, and the fields of its header. */
interface FoundRecord {
  /** Index in `KINDS`. */
  readonly kind: number;
  readonly start: number;
  readonly length: number;
  readonly sum: number;
}

function recordOf(kind: (typeof KINDS)[number], bytes: Uint8Array, start: number, length: number): JournalRecord {
  if (kind === 'draw' || kind === 'diagnostic' || kind === 'initialization') {
    return { kind, values: new Float64Array(bytes.buffer, start, length / 8) };
  }
  if (kind === 'adaptation') return { kind };
  const text = textOf(bytes, start, length);
  return kind === 'line' ? { kind, line: text } : { kind, header: JSON.parse(text) };
}

function textOf(bytes: Uint8Array, start: number, length: number): string {
  return Buffer.from(bytes.buffer, start, length).toString();
}

function paddedRecord(length: number): number {
  return HEADER_BYTES + Math.ceil(length / 8) * 8;
}

/**
 * Files that are read in parts. The CRC-32 of each block is stored in another file. It detects any two wrong bits in a
 * block, all errors within 32 adjacent bits, and all but one in 2³² of the other errors.
 */
import { promises } from 'node:fs';
import { crc32 } from 'node:zlib';
import { asDamage, DamagedFile } from './checksums.js';
import { READ_ONLY, readFully, writeFully } from './descriptors.js';

const BLOCK_BYTES = 1 << 14;
const BLOCKS_AT_ONCE = 4;
const VERIFIED_AT_ONCE = 64 * BLOCK_BYTES;

/** A file's length, and the checksum of each block. */
export interface FileSums {
  readonly bytes: number;
  readonly sums: Uint32Array;
}

/** Checksums as JSON: 32-bit little-endian integers in base64. */
export interface WrittenSums {
  readonly bytes: number;
  readonly crc32: string;
}

export function writeSums({ bytes, sums }: FileSums): WrittenSums {
  const text = Buffer.alloc(4 * sums.length);
  for (const [block, sum] of sums.entries()) text.writeUInt32LE(sum, 4 * block);
  return { bytes, crc32: text.toString('base64') };
}

export function readSums({ bytes, crc32: text }: WrittenSums): FileSums {
  const buffer = Buffer.from(text, 'base64');
  return { bytes, sums: Uint32Array.from({ length: buffer.length / 4 }, (_, block) => buffer.readUInt32LE(4 * block)) };
}

/** Writes to a descriptor and computes the checksums. */
export class SummingWriter {
  private readonly descriptor: number;
  private readonly sums: number[] = [];
  private bytes = 0;
  private sum = 0;

  constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  write(bytes: Uint8Array): void {
    writeFully(this.descriptor, bytes);
    for (let done = 0; done < bytes.length; ) {
      const count = Math.min(bytes.length - done, BLOCK_BYTES - (this.bytes % BLOCK_BYTES));
      this.sum = crc32(bytes.subarray(done, done + count), this.sum);
      this.bytes += count;
      done += count;
      if (this.bytes % BLOCK_BYTES === 0) this.endBlock();
    }
  }

  end(): FileSums {
    if (this.bytes % BLOCK_BYTES !== 0) this.endBlock();
    return { bytes: this.bytes, sums: Uint32Array.from(this.sums) };
  }

  private endBlock(): void {
    this.sums.push(this.sum);
    this.sum = 0;
  }
}

/** Reads and verifies parts of a file; for worker threads. */
export class CheckedFile {
  private readonly descriptor: number;
  private readonly path: string;
  private readonly expected: FileSums;
  /**
   * The last block of which only a part was read. Allocated on first use, because most files are read in whole blocks.
   */
  private block: Uint8Array | undefined;
  private held = -1;

  constructor(descriptor: number, path: string, expected: FileSums) {
    this.descriptor = descriptor;
    this.path = path;
    this.expected = expected;
  }

  get bytes(): number {
    return this.expected.bytes;
  }

  /** Fills the array with bytes from a position. Throws `DamagedFile` if the checksum of a block that contains them does not match. */
  read(target: Uint8Array, position: number): void {
    for (let done = 0; done < target.length; ) {
      const block = Math.floor((position + done) / BLOCK_BYTES);
      const within = position + done - block * BLOCK_BYTES;
      const whole = within === 0 ? Math.floor((target.length - done) / BLOCK_BYTES) : 0;
      done += whole > 0 ? this.readBlocks(target, done, block, whole) : this.readPart(target, done, block, within);
    }
  }

  /** Reads the whole file. Throws `DamagedFile` if a checksum does not match. */
  verify(): void {
    const bytes = new Uint8Array(Math.min(VERIFIED_AT_ONCE, this.bytes));
    for (let position = 0; position < this.bytes; position += bytes.length)
      this.read(bytes.subarray(0, this.bytes - position), position);
  }

  private readBlocks(target: Uint8Array, start: number, block: number, count: number): number {
    const bytes = target.subarray(start, start + count * BLOCK_BYTES);
    this.fill(bytes, block);
    return bytes.length;
  }

  private readPart(target: Uint8Array, start: number, block: number, within: number): number {
    const length = Math.min(BLOCK_BYTES, this.bytes - block * BLOCK_BYTES);
    if (within >= length) throw new DamagedFile(this.path);
    this.block ??= new Uint8Array(Math.min(BLOCK_BYTES, this.bytes));
    const held = this.block.subarray(0, length);
    if (this.held !== block) {
      this.held = -1;
      this.fill(held, block);
      this.held = block;
    }
    const part = held.subarray(within, within + target.length - start);
    target.set(part, start);
    return part.length;
  }

  private fill(bytes: Uint8Array, block: number): void {
    try {
      readFully(this.descriptor, bytes, block * BLOCK_BYTES);
    } catch {
      throw new DamagedFile(this.path);
    }
    check(bytes, block, this.expected, this.path);
  }
}

/** The lines of a text, read lazily. Throws `DamagedFile` before a line in a damaged block. */
export async function* checkedLines(path: string, expected: FileSums): AsyncGenerator<string> {
  const file = await promises.open(path, READ_ONLY).catch((error) => {
    throw asDamage(path, error);
  });
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let start = 0; start < expected.bytes; ) {
      const length = Math.min(BLOCKS_AT_ONCE * BLOCK_BYTES, expected.bytes - start);
      const bytes = Buffer.allocUnsafe(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await file.read(bytes, done, length - done, start + done).catch((error) => {
          throw asDamage(path, error);
        });
        if (bytesRead === 0) throw new DamagedFile(path);
        done += bytesRead;
      }
      check(bytes, start / BLOCK_BYTES, expected, path);
      start += length;
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    await file.close();
  }
}

function check(bytes: Uint8Array, first: number, { sums }: FileSums, path: string): void {
  for (let start = 0, block = first; start < bytes.length; start += BLOCK_BYTES, block++) {
    if (crc32(bytes.subarray(start, start + BLOCK_BYTES)) !== sums[block]) throw new DamagedFile(path);
  }
}

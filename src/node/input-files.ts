/** Reads whole files, pipes and standard input as bytes, within the limit for each input. */
import { constants, isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { isatty } from 'node:tty';
import { withDefaultSignals } from './signals.js';
import { isSystemError, systemReason } from './system-errors.js';

/** The user's file cannot be read or is not text. The message is for the user. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The environment variable with the limit of an input, in MiB. The flag `--max-input` sets it, and threads inherit it. */
export const INPUT_LIMIT = 'LEAPFROG_MAX_INPUT';
/** The default limit in MiB: the maximum length of a JavaScript string. */
export const DEFAULT_INPUT_LIMIT = 512;
/** The highest limit in MiB: the maximum length of a buffer in Node. */
export const HIGHEST_INPUT_LIMIT = 4096;

const MEBIBYTE = 2 ** 20;

/** Options for reading a file. */
export interface InputOptions {
  /** The file's name in messages; by default its path. */
  readonly name?: string;
  /** Whether to reject pipes and terminals, which may block the reader or can be read only once. */
  readonly regular?: boolean;
  /** MiB; by default `LEAPFROG_MAX_INPUT`. */
  readonly limit?: number;
}

/**
 * The bytes of a file, a pipe, a terminal, or a file descriptor. Throws `UnreadableFile` if the system denies access,
 * if the input is larger than `LEAPFROG_MAX_INPUT` MiB, and for folders and devices, which may be endless.
 */
export function readInput(path: string | number, options: InputOptions = {}): Buffer {
  const ahead = readAhead.get(path);
  if (ahead !== undefined) return ahead;
  const { name = String(path), regular = false } = options;
  const limit = (options.limit ?? inputLimit()) * MEBIBYTE;
  try {
    const stats = typeof path === 'number' ? fstatSync(path) : statSync(path);
    if (regular) refuseIrregular(stats, name);
    const read = () => {
      const descriptor = typeof path === 'number' ? path : openSync(path, 'r');
      try {
        return readWithin(descriptor, limit, name);
      } finally {
        if (descriptor !== path) closeSync(descriptor);
      }
    };
    return mayBlock(stats) ? withDefaultSignals(read) : read();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new UnreadableFile(`${name} cannot be read: ${systemReason(error)}`, { cause: error });
  }
}

/** Contents of pipes and terminals by path, or 0 for standard input. */
export type Pipes = ReadonlyMap<string | number, Uint8Array>;

/** Pipes that have been read. They can be read only once. */
const readAhead = new Map<string | number, Buffer>();

/**
 * Reads those of the inputs that are pipes or terminals (`-` is standard input), so that `readInput` returns their
 * contents later and repeatedly. A command calls it before it creates anything that a signal would leave behind.
 */
export function readPipes(paths: readonly string[]): Pipes {
  const found = new Map<string | number, Buffer>();
  for (const path of new Set(paths)) {
    const input = path === '-' ? 0 : path;
    if (isPipe(input)) found.set(input, readInput(input, input === 0 ? { name: 'standard input' } : {}));
  }
  usePipes(found);
  return found;
}

/** False also if the input is missing. */
function isPipe(input: string | 0): boolean {
  try {
    return mayBlock(input === 0 ? fstatSync(0) : statSync(input));
  } catch {
    return false;
  }
}

/** Makes contents that another thread has read available to `readInput`. */
export function usePipes(contents: Pipes): void {
  for (const [path, bytes] of contents) readAhead.set(path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}

/** Whether opening, reading or writing may wait for another process or a person. */
export function mayBlock(stats: Stats): boolean {
  return !stats.isFile() && !stats.isDirectory();
}

/** The text of a file, read like `readInput`. Also throws `UnreadableFile` for bytes that are not UTF-8. */
export function readText(path: string | number, options: InputOptions = {}): string {
  const { name = String(path) } = options;
  const bytes = readInput(path, options);
  if (!isUtf8(bytes)) throw new UnreadableFile(`${name} is not valid UTF-8 (line ${foreignLine(bytes)})`);
  return textOf(bytes, name);
}

/** Bytes as text; invalid UTF-8 becomes U+FFFD. Throws `UnreadableFile` above the maximum length of a string. */
export function textOf(bytes: Buffer, name: string): string {
  if (bytes.length > constants.MAX_STRING_LENGTH) {
    throw new UnreadableFile(
      `${name} has ${bytes.length} bytes; the maximum for text is ${constants.MAX_STRING_LENGTH}`,
    );
  }
  return bytes.toString('utf8');
}

/** The limit of an input in MiB. */
export function inputLimit(): number {
  const text = process.env[INPUT_LIMIT] ?? '';
  if (text === '') return DEFAULT_INPUT_LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= HIGHEST_INPUT_LIMIT) return limit;
  throw new UnreadableFile(
    `${INPUT_LIMIT} is ${JSON.stringify(text)}, but must be an integer from 1 to ${HIGHEST_INPUT_LIMIT} (MiB)`,
  );
}

const SMALLEST_SPACE = 1 << 16;

function readWithin(descriptor: number, limit: number, name: string): Buffer {
  const stats = fstatSync(descriptor);
  refuseDevice(descriptor, stats, name);
  if (stats.size > limit) throw tooLarge(name, limit);
  let space = Buffer.allocUnsafe(Math.min(limit, stats.isFile() && stats.size > 0 ? stats.size : SMALLEST_SPACE));
  let length = 0;
  for (;;) {
    if (length === space.length) {
      // Most files end here. Trying to read one more byte avoids the allocation of a larger buffer.
      const next = Buffer.allocUnsafe(1);
      if (readSome(descriptor, next, 0) === 0) return space;
      if (length === limit) throw tooLarge(name, limit);
      const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(SMALLEST_SPACE, 2 * length)));
      space.copy(larger);
      larger[length++] = next[0];
      space = larger;
    }
    const count = readSome(descriptor, space, length);
    if (count === 0) return space.subarray(0, length);
    length += count;
  }
}

/** Milliseconds between two attempts to read a non-blocking pipe or terminal that has no data yet. */
const RETRY = 10;

function readSome(descriptor: number, space: Buffer, offset: number): number {
  for (;;) {
    try {
      return offset === space.length ? 0 : readSync(descriptor, space, offset, space.length - offset, null);
    } catch (error) {
      if (!isSystemError(error) || !('code' in error) || error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY);
    }
  }
}

function tooLarge(name: string, limit: number): UnreadableFile {
  const size = limit / MEBIBYTE;
  return new UnreadableFile(
    `${name} is larger than ${size} MiB, the maximum size of an input. Raise it with --max-input or ${INPUT_LIMIT} (MiB).`,
  );
}

function refuseIrregular(stats: Stats, name: string): void {
  if (!stats.isFile() && !stats.isDirectory()) throw new UnreadableFile(`${name} is not a regular file`);
}

/** Throws for devices other than terminals and the null device, which may be endless. */
function refuseDevice(descriptor: number, stats: Stats, name: string): void {
  const isDevice = stats.isCharacterDevice() && !isatty(descriptor) && stats.rdev !== nullDevice();
  if (isDevice || stats.isBlockDevice()) throw new UnreadableFile(`${name} is a device, not a file or pipe`);
}

function nullDevice(): number | undefined {
  return statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

const NEWLINE = 10;

/** Number of the first line that is not UTF-8, from 1. */
function foreignLine(bytes: Buffer): number {
  for (let line = 1, start = 0; ; line++) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

/** Synchronous reading and writing through file descriptors, for worker threads. */
import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { asDamage, DamagedFile } from './checksums.js';

/**
 * Flags with which opening neither waits for the writer of a pipe nor follows a symbolic link. Windows has neither
 * flag.
 */
export const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Writes all bytes, if necessary with several system calls. */
export function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

/** Fills the array with bytes from a position. Throws if the file is too short. */
export function readFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(descriptor, bytes, done, bytes.length - done, position + done);
    if (count === 0) throw new Error('the file is truncated');
    done += count;
  }
}

/**
 * Creates a file that only its owner can read, and passes its descriptor to `write`. `durably`: flushes the file to
 * disk before this returns.
 */
export function writeNewFile<Result>(path: string, durably: boolean, write: (descriptor: number) => Result): Result {
  const descriptor = openSync(path, 'w', 0o600);
  try {
    const result = write(descriptor);
    if (durably) fsyncSync(descriptor);
    return result;
  } finally {
    closeSync(descriptor);
  }
}

export function withFile<Result>(path: string, read: (descriptor: number) => Result): Result {
  const descriptor = openSync(path, 'r');
  try {
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a file that must exist, of `bytes` bytes if given. Throws `DamagedFile` if it is missing, not a file, of another
 * size or unreadable.
 */
export function withStoredFile<Result>(
  path: string,
  read: (descriptor: number) => Result,
  bytes: number | undefined = undefined,
): Result {
  const descriptor = openStored(path);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new DamagedFile(path, 'type');
    if (bytes !== undefined && found.size !== bytes) throw new DamagedFile(path);
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openStored(path: string): number {
  try {
    return openSync(path, READ_ONLY);
  } catch (error) {
    throw asDamage(path, error);
  }
}

/** The content of a file that must exist. Throws `DamagedFile` like `withStoredFile`. */
export function readStoredFile(path: string): Buffer {
  return withStoredFile(path, (descriptor) => readFileSync(descriptor));
}

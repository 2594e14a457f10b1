/** Synchronous reading and writing through file descriptors, for worker threads. */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

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

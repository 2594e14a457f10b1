/** Synchronous reading and writing at descriptors, for worker threads. */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

/** Writes all of the bytes, however many the system takes at a time. */
export function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

/** Fills the bytes from a place in the file. Throws when the file ends before. */
export function readFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(descriptor, bytes, done, bytes.length - done, position + done);
    if (count === 0) throw new Error('the file ends too early');
    done += count;
  }
}

/** Has an action write a new file that only its owner may read; `durably`: it is on the disk when this returns. */
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

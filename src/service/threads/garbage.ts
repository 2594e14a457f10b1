/**
 * Early garbage collection of bytes that have been sent.
 *
 * V8 counts the bytes of young buffers, but collects the buffers only after 32 MiB
 * (`Heap::AllocateExternalBackingStore`). A large download allocates that amount several times a second, although only
 * a few buffers are in flight. With earlier collections, the allocator reuses memory that is still in the processor's
 * cache: the server needs less memory, and the download takes less time (docs/reliability.md).
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bytes between two collections. Far more than a download has in flight, because buffers that survive two collections
 * are freed only by a full one.
 */
const BYTES_BETWEEN_COLLECTIONS = 1 << 22;

let collector: NodeJS.GCFunction | undefined;

/** V8's function `gc`, obtained on first use, because most processes never need it. */
function collect(type: 'major' | 'minor'): void {
  collector ??= exposedCollector();
  collector({ type });
}

/**
 * Maximum number of attempts to obtain it. An attempt fails only if another thread resets the flag in the same
 * microsecond.
 */
const ATTEMPTS = 100;

/** The flag applies to all threads and is reset, as `setV8Flags` explains. If another thread has reset it too early, it is set again. */
function exposedCollector(): NodeJS.GCFunction {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    setFlagsFromString('--expose-gc');
    const found: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
    if (found !== undefined) return found;
  }
  throw new Error('V8 does not expose its function gc');
}

/** Runs a full collection, for example to free the memory of dropped models. */
export function collectAll(): void {
  collect('major');
}

let bytes = 0;

/** Reports that `count` bytes were sent and are no longer used. Collects young objects at intervals. */
export function discard(count: number): void {
  bytes += count;
  if (bytes < BYTES_BETWEEN_COLLECTIONS) return;
  bytes = 0;
  collect('minor');
}

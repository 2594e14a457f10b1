/**
 * Frees the memory of sent bytes early.
 *
 * V8 counts the bytes behind young buffers, but collects them only after 32 MiB (`Heap::AllocateExternalBackingStore`). A large
 * download allocates that much several times a second, although only a few buffers are in flight. With earlier collections, the
 * allocator reuses memory that is still in the processor's cache: the server needs less memory, and the download less time
 * (docs/reliability.md).
 */
import { runInNewContext } from 'node:vm';
import { setV8Flags } from '../node/v8-flags.js';

/** Far more than a download has in flight, because buffers that survive two collections are freed only by a full one. */
const BYTES_BETWEEN_COLLECTIONS = 1 << 22;

// The flag is not reset: it applies to all threads, and another one may be executing this code.
setV8Flags();
const collect: NodeJS.GCFunction = runInNewContext('gc');

/** Runs a full collection, for example to free the memory of dropped models. */
export function collectAll(): void {
  collect();
}

let bytes = 0;

/** Reports that `count` bytes were sent and are no longer used. Collects young objects at intervals. */
export function discard(count: number): void {
  bytes += count;
  if (bytes < BYTES_BETWEEN_COLLECTIONS) return;
  bytes = 0;
  collect({ type: 'minor' });
}

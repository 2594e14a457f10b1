/**
 * Collects the bytes of what has been sent.
 *
 * V8 counts the bytes behind young buffers, but lets 32 MiB of them come together before it collects for their sake
 * (`Heap::AllocateExternalBackingStore`). A large download makes that much several times a second, out of a few buffers in
 * flight. When they are collected sooner, the allocator hands out memory again that the processor still has in its cache: the
 * server takes less memory and the download less time (docs/reliability.md).
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Far more than a download has in flight: buffers that outlive two collections are kept until a full one. */
const BYTES_BETWEEN_COLLECTIONS = 1 << 22;

// It stays so: flags are those of all threads, and another one may be at this very place.
setFlagsFromString('--expose-gc');
const collect: NodeJS.GCFunction = runInNewContext('gc');

/** Collects everything that nothing leads to, such as the memory of models that were dropped. */
export function collectAll(): void {
  collect();
}

let bytes = 0;

/** Reports that `count` bytes were sent and will not be used again; from time to time this collects young objects. */
export function discard(count: number): void {
  bytes += count;
  if (bytes < BYTES_BETWEEN_COLLECTIONS) return;
  bytes = 0;
  collect({ type: 'minor' });
}

import { MemoryQueue } from './queue/memory-queue.js';
import type { Queue } from './queue/queue.js';
import { DiskStore } from './store/disk-store.js';
import type { Store } from './store/store.js';

/** Where processes of a service meet. */
export interface NatsOptions {
  /** Addresses, `host:port` or URLs. */
  readonly servers: readonly string[];
  /** Begins the name of everything that the service has there. */
  readonly prefix: string;
  /** A file with credentials, if some are needed. */
  readonly credentials: string | undefined;
  /** Files with certificates: of who signed those of the servers, and of this process with its key. With them, TLS is required. */
  readonly tls?: { readonly authority?: string; readonly certificate?: string; readonly key?: string };
  /** Number of servers that store each thing; by default all, but at most three. */
  readonly replicas?: number;
  /** Milliseconds without renewal after which another process takes over a process's work. */
  readonly leaseTime: number;
}

export interface PairOptions {
  /** Folder of models and fits, where no other process shares them. */
  readonly store: string;
  /** Bytes that they may take. */
  readonly cacheSize: number;
  /** Where they are shared, if they are. */
  readonly nats?: NatsOptions;
}

/** A store and the queue that belongs to it. */
export interface Pair {
  readonly store: Store;
  readonly queue: Queue;
  /** Milliseconds after which operations of processes that have gone are looked for; undefined where there are no others. */
  readonly adoptionInterval: number | undefined;
  /** Call it when the queue has been closed and nothing uses the store any more. */
  close(): Promise<void>;
}

export async function openPair({ store: folder, cacheSize, nats }: PairOptions): Promise<Pair> {
  if (nats !== undefined) {
    const { openNatsPair } = await import('./nats/nats-pair.js');
    return openNatsPair(nats, cacheSize);
  }
  const store = await DiskStore.open(folder, cacheSize);
  return { store, queue: new MemoryQueue(), adoptionInterval: undefined, close: () => store.close() };
}

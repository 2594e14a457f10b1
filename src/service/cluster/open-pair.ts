import { MemoryQueue } from '../queue/memory-queue.js';
import { DiskStore } from '../store/disk-store.js';
import type { NatsOptions, Pair } from './pair.js';

export interface PairOptions {
  /** Folder of models and fits, if no other process shares them. */
  readonly store: string;
  /** Maximum bytes of models and fits. */
  readonly cacheSize: number;
  /** The NATS servers that share them, if any. */
  readonly nats?: NatsOptions;
}

/** `onWait` is called if it waits for NATS servers that are starting. */
export async function openPair(
  { store: folder, cacheSize, nats }: PairOptions,
  onWait?: (message: string) => void,
): Promise<Pair> {
  if (nats !== undefined) {
    const { openNatsPair } = await import('./nats-pair.js');
    return openNatsPair(nats, cacheSize, onWait);
  }
  const store = await DiskStore.open(folder, cacheSize);
  return { store, queue: new MemoryQueue(), adoptionInterval: undefined, close: () => store.close() };
}

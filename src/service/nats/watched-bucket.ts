import { setTimeout as pause } from 'node:timers/promises';
import { type KV, type KvWatchEntry, KvWatchInclude } from '@nats-io/kv';
import type { QueuedIterator } from '@nats-io/transport-node';
import { deferred } from '../queue/deferred.js';
import { LostStore } from '../store/store.js';
import { inNats, tryFor } from './away.js';
import type { BucketName, Cluster } from './cluster.js';
import { MARKER } from './marker.js';
import { eraseMessage } from './values.js';

/** What is stored under a key, as far as this process knows. */
export interface WatchedEntry {
  readonly key: string;
  readonly revision: number;
  readonly text: string;
  /** When it was written, in milliseconds since 1970. */
  readonly written: number;
  /** When this process has heard of it, on the clock of `performance.now`. */
  heard: number;
}

/** Milliseconds in which one hears what has been written. */
const HEARING_TIME = 5000;
/** Milliseconds in which one hears of everything that is there at the beginning. */
const OPENING_TIME = 60_000;
/** Milliseconds after which it is tried again to listen. */
const PAUSE = 500;
/** So many times in a lease it is looked whether one still hears what others say. */
const CHECKS = 3;
/** Milliseconds after which everybody has heard that a key was removed, and how many such keys are cleared away at a time. */
const TOMBSTONE_TIME = 600_000;
const CLEARED_AT_ONCE = 200;

/**
 * A bucket of small values in memory, as it is told of each change.
 */
export class WatchedBucket {
  private readonly cluster: Cluster;
  private readonly bucket: BucketName;
  private readonly kv: KV;
  private readonly keysOnly: boolean;
  private readonly entries = new Map<string, WatchedEntry>();
  private readonly listeners = new Set<(key: string) => void>();
  private readonly checking: NodeJS.Timeout;
  /** The latest revision that has been heard of. */
  private revision = 0;
  private waiting = deferred<void>();
  private watching: QueuedIterator<KvWatchEntry> | undefined;
  /** Keys of which something was told since one listens, for those who listen anew. */
  private readonly seen = new Set<string>();
  /** What NATS keeps of keys that were removed. */
  private readonly tombstones = new Map<string, { readonly revision: number; readonly since: number }>();
  private isClosed = false;

  private constructor(cluster: Cluster, bucket: BucketName, keysOnly: boolean) {
    this.cluster = cluster;
    this.bucket = bucket;
    this.kv = cluster.buckets[bucket];
    this.keysOnly = keysOnly;
    this.checking = setInterval(() => void this.check(), cluster.leaseTime / CHECKS).unref();
  }

  /** Knows everything that is there; with `keysOnly` no text. Throws `LostStore` when NATS does not tell it in time. */
  static async open(cluster: Cluster, bucket: BucketName, keysOnly = false): Promise<WatchedBucket> {
    const watched = new WatchedBucket(cluster, bucket, keysOnly);
    try {
      await watched.begin();
      return watched;
    } catch (error) {
      watched.close();
      throw error;
    }
  }

  get(key: string): WatchedEntry | undefined {
    return this.entries.get(key);
  }

  all(): IterableIterator<WatchedEntry> {
    return this.entries.values();
  }

  /** Calls back with each key whose value is another one than before or gone. */
  onChange(listener: (key: string) => void): void {
    this.listeners.add(listener);
  }

  /** Waits until everything is known that was there when this was called. */
  async catchUp(time = HEARING_TIME): Promise<void> {
    const revision = await this.cluster.markers.write(this.bucket);
    const end = performance.now() + time;
    while (this.revision < revision) {
      const left = end - performance.now();
      if (left <= 0 || this.isClosed) throw new LostStore('NATS does not tell what changes');
      await Promise.race([this.waiting.promise, pause(left, undefined, { ref: false })]);
    }
  }

  /** Counts everything as heard of now: for a while nobody could say anything. */
  refresh(): void {
    for (const entry of this.entries.values()) entry.heard = performance.now();
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.checking);
    this.watching?.stop();
    this.wake();
  }

  /** Listens anew when it hears nothing. */
  private async check(): Promise<void> {
    try {
      await this.catchUp();
      await this.clearAway();
    } catch {
      this.watching?.stop();
    }
  }

  /** Removes what NATS keeps of keys that were removed long ago. */
  private async clearAway(): Promise<void> {
    const before = performance.now() - TOMBSTONE_TIME;
    const old = [...this.tombstones].filter(([, { since }]) => since < before).slice(0, CLEARED_AT_ONCE);
    for (const [key, { revision }] of old) {
      await eraseMessage(this.cluster, this.bucket, revision);
      if (this.tombstones.get(key)?.revision === revision) this.tombstones.delete(key);
    }
  }

  /** Servers of NATS may be choosing who answers just now. */
  private begin(): Promise<void> {
    const end = performance.now() + OPENING_TIME;
    return tryFor(
      { time: OPENING_TIME, interval: PAUSE },
      (error) => error instanceof LostStore,
      async () => {
        if (this.watching === undefined) await this.watch();
        await this.catchUp(end - performance.now());
      },
    );
  }

  private async watch(): Promise<void> {
    const changes = await inNats(this.kv.watch({ include: KvWatchInclude.LastValue, headers_only: this.keysOnly }));
    this.watching = changes;
    if (this.isClosed) changes.stop();
    void this.listen(changes);
  }

  private async listen(changes: QueuedIterator<KvWatchEntry>): Promise<void> {
    for await (const change of changes) this.take(change);
    while (!this.isClosed) {
      try {
        const before = [...this.entries.keys()];
        this.seen.clear();
        await this.watch();
        await this.catchUp();
        // What was removed and forgotten meanwhile is not told.
        for (const key of before) if (!this.seen.has(key)) this.drop(key);
        return;
      } catch {
        await pause(PAUSE, undefined, { ref: false });
      }
    }
  }

  private take(change: KvWatchEntry): void {
    const { key, revision, operation } = change;
    this.revision = Math.max(this.revision, revision);
    this.wake();
    if (key === MARKER) return;
    this.seen.add(key);
    if (operation !== 'PUT') {
      this.tombstones.set(key, { revision, since: performance.now() });
      this.drop(key);
      return;
    }
    this.tombstones.delete(key);
    const known = this.entries.get(key);
    if (known !== undefined && known.revision >= revision) return;
    const text = this.keysOnly ? '' : change.string();
    this.entries.set(key, { key, revision, text, written: change.created.getTime(), heard: performance.now() });
    this.tell(key);
  }

  private drop(key: string): void {
    if (this.entries.delete(key)) this.tell(key);
  }

  private tell(key: string): void {
    for (const listener of this.listeners) listener(key);
  }

  private wake(): void {
    this.waiting.resolve();
    this.waiting = deferred<void>();
  }
}

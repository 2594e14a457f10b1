import { setTimeout as pause } from 'node:timers/promises';
import { type KV, type KvWatchEntry, KvWatchInclude } from '@nats-io/kv';
import type { QueuedIterator } from '@nats-io/transport-node';
import { deferred } from '../queue/deferred.js';
import { LostStore } from '../store/store.js';
import { inNats, tryFor } from './away.js';
import type { BucketName, Cluster } from './cluster.js';
import { MARKER } from './marker.js';
import { eraseMessage, type Mirror } from './values.js';

/** The latest entry of a key that this process has received. */
export interface WatchedEntry {
  readonly key: string;
  readonly revision: number;
  readonly text: string;
  /** Time of writing, in milliseconds since 1970. */
  readonly written: number;
  /** Time at which this process received it, from `performance.now`. */
  received: number;
}

/** Milliseconds without an update after which a watch counts as stalled. */
const LONGEST_SILENCE = 5000;
/** Milliseconds for which opening the watch is retried. */
const OPENING_TIME = 60_000;
/** Milliseconds between two attempts. */
const PAUSE = 500;
/** Number of checks for a stalled watch within a lease. */
const CHECKS = 3;
/**
 * Milliseconds after which every process has received the removal of a key, and the number of such keys that are purged
 * at a time.
 */
const TOMBSTONE_TIME = 600_000;
const CLEARED_AT_ONCE = 200;

/**
 * A bucket of small values, mirrored in memory by a watch.
 */
export class WatchedBucket implements Mirror {
  private readonly cluster: Cluster;
  private readonly bucket: BucketName;
  private readonly kv: KV;
  private readonly keysOnly: boolean;
  private readonly entries = new Map<string, WatchedEntry>();
  private readonly listeners = new Set<(key: string) => void>();
  private checking: NodeJS.Timeout | undefined;
  /** The latest revision received, and the time of the latest update. */
  private revision = 0;
  private received = 0;
  private waiting = deferred<void>();
  private watching: QueuedIterator<KvWatchEntry> | undefined;
  /** Settles when the watch ends. */
  private silence: Promise<void> = Promise.resolve();
  /** Keys with updates since the watch started, for a new watch. */
  private readonly seen = new Set<string>();
  /** Deletion markers of removed keys. */
  private readonly tombstones = new Map<string, { readonly revision: number; readonly since: number }>();
  private isClosed = false;

  private constructor(cluster: Cluster, bucket: BucketName, keysOnly: boolean) {
    this.cluster = cluster;
    this.bucket = bucket;
    this.kv = cluster.buckets[bucket];
    this.keysOnly = keysOnly;
  }

  /**
   * Opens a bucket and reads all entries, with `keysOnly` without values. Throws `LostStore` if NATS does not respond
   * in time.
   */
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

  has(key: string): boolean {
    return this.entries.has(key);
  }

  get(key: string): WatchedEntry | undefined {
    return this.entries.get(key);
  }

  all(): IterableIterator<WatchedEntry> {
    return this.entries.values();
  }

  /** Calls the function with each key that is written or removed. */
  onChange(listener: (key: string) => void): void {
    this.listeners.add(listener);
  }

  /** Resolves when all writes from before this call have been received. */
  async catchUp(): Promise<void> {
    await this.reach(await this.cluster.markers.write(this.bucket));
  }

  async reach(revision: number): Promise<void> {
    const begun = performance.now();
    while (this.revision < revision) {
      const left = Math.max(begun, this.received) + LONGEST_SILENCE - performance.now();
      if (left <= 0 || this.isClosed) throw new LostStore('NATS did not report the changes in time');
      await Promise.race([this.waiting.promise, pause(left, undefined, { ref: false })]);
    }
  }

  /** Marks all entries as just received, after an interval in which no process could write. */
  refresh(): void {
    for (const entry of this.entries.values()) entry.received = performance.now();
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.checking);
    this.watching?.stop();
    this.wake();
  }

  /** Starts a new watch if this one has stalled. */
  private async check(): Promise<void> {
    const { watching } = this;
    try {
      await this.catchUp();
      await this.clearAway();
    } catch {
      watching?.stop();
    }
  }

  /** Removes old deletion markers from NATS. */
  private async clearAway(): Promise<void> {
    const before = performance.now() - TOMBSTONE_TIME;
    const old = [...this.tombstones].filter(([, { since }]) => since < before).slice(0, CLEARED_AT_ONCE);
    for (const [key, { revision }] of old) {
      await eraseMessage(this.cluster, this.bucket, revision);
      if (this.tombstones.get(key)?.revision === revision) this.tombstones.delete(key);
    }
  }

  /** Starts the watch. Retries, because NATS servers may be electing a leader. */
  private async begin(): Promise<void> {
    const patience = { time: OPENING_TIME, interval: PAUSE };
    await tryFor(
      patience,
      (error) => error instanceof LostStore,
      () => this.listen(),
    );
    this.checking = setInterval(() => void this.check(), this.cluster.leaseTime / CHECKS).unref();
    void this.keepListening();
  }

  /** Watches for changes, and resolves when all existing entries have been received. */
  private async listen(): Promise<void> {
    this.seen.clear();
    const changes = await inNats(this.kv.watch({ include: KvWatchInclude.LastValue, headers_only: this.keysOnly }));
    this.watching = changes;
    this.silence = this.takeAll(changes);
    try {
      await this.catchUp();
    } catch (error) {
      changes.stop();
      throw error;
    }
  }

  private async keepListening(): Promise<void> {
    for (;;) {
      await this.silence;
      if (this.isClosed) return;
      try {
        const before = [...this.entries.keys()];
        await this.listen();
        // The new watch does not report keys that were removed and purged between the two watches.
        for (const key of before) if (!this.seen.has(key)) this.drop(key);
      } catch {
        await pause(PAUSE, undefined, { ref: false });
      }
    }
  }

  /** Processes changes until the watch ends, for any reason. */
  private async takeAll(changes: QueuedIterator<KvWatchEntry>): Promise<void> {
    try {
      for await (const change of changes) this.take(change);
    } catch {
      changes.stop();
    }
  }

  private take(change: KvWatchEntry): void {
    const { key, revision, operation } = change;
    this.revision = Math.max(this.revision, revision);
    this.received = performance.now();
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
    this.entries.set(key, { key, revision, text, written: change.created.getTime(), received: performance.now() });
    this.notify(key);
  }

  private drop(key: string): void {
    if (this.entries.delete(key)) this.notify(key);
  }

  private notify(key: string): void {
    for (const listener of this.listeners) listener(key);
  }

  private wake(): void {
    this.waiting.resolve();
    this.waiting = deferred<void>();
  }
}

import { join } from 'node:path';
import { Type } from 'typebox';
import { type EvictionLimit, evict } from '../store/eviction.js';
import { makeFolders, PRIVATE_FOLDER, probeFolder } from '../store/files.js';
import { FitFolders } from '../store/fit-folders.js';
import { type Entry, fitNameIn, isFit, Ledger, modelName } from '../store/ledger.js';
import type { Store, StoreUsage } from '../store/store.js';
import type { Cluster } from './cluster.js';
import { FitCache } from './fit-cache.js';
import { readerOf } from './messages.js';
import { NatsFits } from './nats-fits.js';
import { NatsModels } from './nats-models.js';
import { NatsOperations } from './nats-operations.js';
import { inlineText } from './values.js';
import type { WatchedBucket } from './watched-bucket.js';
import type { WatchedBuckets } from './watched-buckets.js';

/**
 * Interval between two writes of the time of use of an entry in use, in milliseconds. Short, because other processes
 * know neither the uses in between nor what this process holds.
 */
const TOUCH_INTERVAL = 10_000;

const readBytes = readerOf(Type.Object({ bytes: Type.Integer() }));

export interface NatsStoreOptions {
  /** A folder that only this process uses, for writing and caching fits. */
  readonly folder: string;
  /** Maximum size of models and fits in the cluster, and of locally cached fits without readers, in bytes. */
  readonly limit: number;
  readonly watched: WatchedBuckets;
  /** Called with an operation that another process has taken over. */
  readonly onLost: (operation: string) => void;
}

/** The store of a cluster. */
export class NatsStore implements Store {
  readonly models: NatsModels;
  readonly fits: NatsFits;
  readonly operations: NatsOperations;
  readonly limit: number;
  readonly isShared = true;
  private readonly cluster: Cluster;
  private readonly watched: WatchedBuckets;
  private readonly totals: { readonly models: Totals; readonly fits: Totals };
  /** Number of holds of this process by resource name. */
  private readonly holds = new Map<string, number>();
  /** The time from `performance.now` at which this process last stored the time of use, by resource name. */
  private readonly touched = new Map<string, number>();
  private evicting: Promise<void> = Promise.resolve();
  private readonly renewal: NodeJS.Timeout;
  private probing: Promise<void> | undefined;
  private readonly temporary: string;

  private constructor(cluster: Cluster, { folder, limit, watched, onLost }: NatsStoreOptions) {
    this.cluster = cluster;
    this.watched = watched;
    this.totals = { models: new Totals(watched.models), fits: new Totals(watched.fits) };
    this.limit = limit;
    this.temporary = join(folder, 'temporary');
    const folders = new FitFolders(join(folder, 'fits'), this.temporary, new Ledger());
    const evictIfFull = () => this.evictIfFull();
    this.fits = new NatsFits(cluster, watched, folders, new FitCache(join(folder, 'fits'), limit), evictIfFull);
    this.models = new NatsModels(cluster, watched, this.fits, evictIfFull);
    this.operations = new NatsOperations(cluster, watched, onLost);
    this.renewal = setInterval(() => this.renew(), TOUCH_INTERVAL).unref();
  }

  static async open(cluster: Cluster, options: NatsStoreOptions): Promise<NatsStore> {
    for (const name of ['fits', 'temporary']) await makeFolders(join(options.folder, name), PRIVATE_FOLDER);
    return new NatsStore(cluster, options);
  }

  async usage(): Promise<StoreUsage> {
    await this.catchUp();
    const { models, fits } = this.totals;
    return { bytes: this.bytes, models: models.now, fits: fits.now };
  }

  hold(name: string): () => void {
    this.holds.set(name, (this.holds.get(name) ?? 0) + 1);
    let isHeld = true;
    return () => {
      const count = this.holds.get(name) ?? 0;
      if (isHeld && count > 1) this.holds.set(name, count - 1);
      else if (isHeld) this.holds.delete(name);
      isHeld = false;
    };
  }

  touch(name: string): void {
    const now = performance.now();
    if (now - (this.touched.get(name) ?? Number.NEGATIVE_INFINITY) < TOUCH_INTERVAL) return;
    this.touched.set(name, now);
    const [, modelId = '', , fitId] = name.split('/');
    const touching = fitId === undefined ? this.models.touch(modelId) : this.fits.touch(modelId, fitId);
    // A failure to store the time of use must not prevent reading.
    touching.catch(() => undefined);
    // A model is used with each of its fits, and not evicted before them.
    if (fitId !== undefined) this.touch(modelName(modelId));
  }

  async clear(isChosen?: EvictionLimit['isChosen']): Promise<void> {
    await this.evict({ bytes: 0, sparesLatest: false, ...(isChosen && { isChosen }) });
  }

  makeRoom(): Promise<void> {
    return this.evict({ bytes: this.limit, sparesLatest: false });
  }

  /** Evicts after all earlier evictions of this process. */
  private evict(limit: EvictionLimit): Promise<void> {
    const making = this.evicting.then(() => this.removeSurplus(limit));
    this.evicting = making.catch(() => undefined);
    return making;
  }

  async tend(): Promise<string | undefined> {
    try {
      await this.cluster.connection.rtt();
      return undefined;
    } catch (error) {
      return error instanceof Error ? `NATS does not respond: ${error.message}` : 'NATS does not respond';
    }
  }

  /** Probes the local folder in which chains write their files. */
  probe(): Promise<void> {
    this.probing ??= probeFolder(this.temporary).finally(() => {
      this.probing = undefined;
    });
    return this.probing;
  }

  async close(): Promise<void> {
    clearInterval(this.renewal);
    await this.evicting;
    await this.operations.close();
  }

  private async evictIfFull(): Promise<void> {
    await this.catchUp();
    if (this.bytes > this.limit) await this.evict({ bytes: this.limit, sparesLatest: true });
  }

  /** Records the use of everything that this process holds. */
  private renew(): void {
    const before = performance.now() - TOUCH_INTERVAL;
    for (const [name, time] of this.touched) if (time < before) this.touched.delete(name);
    for (const name of this.holds.keys()) this.touch(name);
  }

  private get bytes(): number {
    return this.totals.models.now.bytes + this.totals.fits.now.bytes;
  }

  private async catchUp(): Promise<void> {
    await Promise.all([this.watched.models.catchUp(), this.watched.fits.catchUp()]);
  }

  private async removeSurplus(limit: EvictionLimit): Promise<void> {
    if (limit.bytes === Number.POSITIVE_INFINITY) return;
    await this.catchUp();
    const ledger = this.takeStock();
    for (const name of await this.operations.used()) ledger.hold(name);
    const remove = async (entries: readonly Entry[]) => {
      for (const entry of entries) {
        // A request may have begun to use it since the index was made.
        if (this.isHeld(entry.name)) ledger.hold(entry.name);
        if (ledger.isHeld(entry.name)) continue;
        ledger.remove(entry.name);
        if (isFit(entry)) await this.fits.remove(entry.modelId, entry.fit.id);
        else await this.models.remove(entry.modelId);
      }
    };
    await evict(ledger, remove, limit);
  }

  private isHeld(name: string): boolean {
    return [...this.holds.keys()].some((held) => held === name || held.startsWith(`${name}/`));
  }

  /** Index of the models and fits that this process has received, with its holds. */
  private takeStock(): Ledger {
    const ledger = new Ledger();
    for (const { id, bytes, used } of this.models.all())
      ledger.add({ name: modelName(id), modelId: id, bytes, used, noted: used });
    for (const { modelId, id, mark, bytes, used } of this.fits.all()) {
      const entry = { name: fitNameIn(modelId, id), modelId, bytes, used, noted: used };
      ledger.add({ ...entry, fit: { id, folder: `${modelId}.${id}.${mark}`, mark } });
    }
    for (const name of this.holds.keys()) ledger.hold(name);
    return ledger;
  }
}

/** The number of values in a bucket, and the sum of the sizes recorded in them, updated with each change. */
class Totals {
  private readonly known = new Map<string, number>();
  private sum = 0;

  constructor(bucket: WatchedBucket) {
    bucket.onChange((key) => this.note(bucket, key));
    for (const { key } of bucket.all()) this.note(bucket, key);
  }

  get now(): { readonly count: number; readonly bytes: number } {
    return { count: this.known.size, bytes: this.sum };
  }

  private note(bucket: WatchedBucket, key: string): void {
    const entry = bucket.get(key);
    const bytes = entry === undefined ? undefined : (readBytes(inlineText(entry.text))?.bytes ?? 0);
    this.sum += (bytes ?? 0) - (this.known.get(key) ?? 0);
    if (bytes === undefined) this.known.delete(key);
    else this.known.set(key, bytes);
  }
}

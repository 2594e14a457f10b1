import { join } from 'node:path';
import { evict } from '../store/eviction.js';
import { makeFolders, PRIVATE_FOLDER } from '../store/files.js';
import { FitFolders } from '../store/fit-folders.js';
import { type Entry, fitNameIn, Ledger, modelName } from '../store/ledger.js';
import type { Store, StoreUsage } from '../store/store.js';
import type { Cluster } from './cluster.js';
import { FitCache } from './fit-cache.js';
import { NatsFits } from './nats-fits.js';
import { NatsModels } from './nats-models.js';
import { NatsOperations } from './nats-operations.js';

/** Milliseconds after which it is written down once more that a thing is used. */
const TOUCH_INTERVAL = 60_000;
/** Milliseconds between two looks at what the cluster holds. */
const STOCK_INTERVAL = 10_000;

export interface NatsStoreOptions {
  /** A folder of this process alone, for fits that are made or read here. */
  readonly folder: string;
  /** Bytes that models and fits may take in the cluster, and fits that nobody reads on this machine. */
  readonly limit: number;
}

/** The store of a cluster. */
export class NatsStore implements Store {
  readonly models: NatsModels;
  readonly fits: NatsFits;
  readonly operations: NatsOperations;
  readonly limit: number;
  private readonly cluster: Cluster;
  /** How often each thing is held here. */
  private readonly holds = new Map<string, number>();
  private readonly touched = new Map<string, number>();
  private evicting: Promise<void> = Promise.resolve();
  /** When it was looked last whether there is too much, on the clock of `performance.now`. */
  private looked = Number.NEGATIVE_INFINITY;

  private constructor(cluster: Cluster, { folder, limit }: NatsStoreOptions) {
    this.cluster = cluster;
    this.limit = limit;
    const folders = new FitFolders(join(folder, 'fits'), join(folder, 'temporary'), new Ledger());
    const makeRoom = (spared: string) => this.makeRoomSoon(spared);
    this.fits = new NatsFits(cluster, folders, new FitCache(join(folder, 'fits'), limit), makeRoom);
    this.models = new NatsModels(cluster, this.fits, makeRoom);
    this.operations = new NatsOperations(cluster);
  }

  static async open(cluster: Cluster, options: NatsStoreOptions): Promise<NatsStore> {
    for (const name of ['fits', 'temporary']) await makeFolders(join(options.folder, name), PRIVATE_FOLDER);
    return new NatsStore(cluster, options);
  }

  async usage(): Promise<StoreUsage> {
    const entries = (await this.takeStock()).all();
    const usageOf = (isFit: boolean) => {
      const those = entries.filter(({ fit }) => (fit !== undefined) === isFit);
      return { count: those.length, bytes: those.reduce((sum, { bytes }) => sum + bytes, 0) };
    };
    const [models, fits] = [usageOf(false), usageOf(true)];
    return { bytes: models.bytes + fits.bytes, models, fits };
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
    const now = Date.now();
    if (now - (this.touched.get(name) ?? 0) < TOUCH_INTERVAL) return;
    this.touched.set(name, now);
    const [, modelId = '', , fitId] = name.split('/');
    const touching = fitId === undefined ? this.models.touch(modelId) : this.fits.touch(modelId, fitId);
    // A time that cannot be written down is no reason not to read.
    touching.catch(() => undefined);
  }

  async clear(): Promise<void> {
    await this.makeRoom(undefined, 0);
  }

  makeRoom(spared?: string, limit = this.limit): Promise<void> {
    const making = this.evicting.then(() => this.removeSurplus(limit, spared));
    this.evicting = making.catch(() => undefined);
    return making;
  }

  async tend(): Promise<string | undefined> {
    try {
      await this.cluster.connection.rtt();
      return undefined;
    } catch (error) {
      return error instanceof Error ? `NATS does not answer: ${error.message}` : 'NATS does not answer';
    }
  }

  async close(): Promise<void> {
    await this.evicting;
    await this.operations.close();
  }

  /** As `makeRoom`, in the background and now and then: every look reads all that is there. */
  private makeRoomSoon(spared: string): void {
    if (performance.now() - this.looked < STOCK_INTERVAL) return;
    this.looked = performance.now();
    this.makeRoom(spared).catch(() => undefined);
  }

  private async removeSurplus(limit: number, spared: string | undefined): Promise<void> {
    if (limit === Number.POSITIVE_INFINITY) return;
    const ledger = await this.takeStock();
    const removal = {
      removeFits: async (entries: readonly Entry[]) => {
        for (const { modelId, fit, name } of entries) {
          if (fit !== undefined) await this.fits.remove(modelId, fit.id);
          ledger.remove(name);
        }
      },
      removeModel: async (id: string) => {
        ledger.remove(modelName(id));
        return this.models.remove(id);
      },
    };
    await evict(ledger, removal, limit, spared);
  }

  /** What is in the cluster, and what is held here. */
  private async takeStock(): Promise<Ledger> {
    const ledger = new Ledger();
    for await (const { id, bytes, used } of this.models.sizes())
      ledger.add({ name: modelName(id), modelId: id, bytes, used, noted: used });
    for await (const { modelId, fitId, fit, used } of this.fits.all('*.*')) {
      const name = fitNameIn(modelId, fitId);
      const entry = { name, modelId, bytes: fit.bytes, used, noted: used };
      ledger.add({ ...entry, fit: { id: fitId, folder: `${modelId}.${fitId}.${fit.mark}`, mark: fit.mark } });
    }
    for (const name of this.holds.keys()) ledger.hold(name);
    return ledger;
  }
}

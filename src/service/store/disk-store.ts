/**
 * Layout on disk:
 *
 *     format                                         version of this layout
 *     models/<model_id>/{model.json, program.stan, includes.json}    the last one only for programs with includes
 *     models/<model_id>/compiled/<engine>/{artifact.json, module.wasm}    recompiled if the engine changes or a file is damaged
 *     fits/<model_id>.<fit_id>.<mark>.<bytes>/       a finished fit: see fit-files/layout.ts and fit-folders.ts
 *     operations/running/<operation_id>.json         accepted operations that have not ended: request and seed
 *     operations/ended/<operation_id>.json           results of the latest ended operations
 *     temporary/                                     folders that are being written or removed
 *
 *     lock/                                          socket of the server that has opened the store: see lock.ts
 *
 * Files and folders receive their final names by a rename, so a file with such a name is complete. Contents are flushed
 * to disk before names, and names before the write is reported. Only the owner can read the files.
 *
 * Every file has a checksum (checksums.ts). Reading throws `DamagedFile` if the checksum does not match.
 *
 * The store ignores and never removes files with other names (own-files.ts) and entries of unexpected types. If the
 * folder of a removed model or fit contains such files, they remain in `temporary/` or in that folder.
 */
import { lstatSync } from 'node:fs';
import { chmod, lstat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, systemReason } from '../../node/system-errors.js';
import { DiskFits } from './disk-fits.js';
import { DiskModels } from './disk-models.js';
import { type EvictionLimit, evict } from './eviction.js';
import { entriesIn, makeFolders, PRIVATE_FOLDER, probeFolder, removeUnfinished, unlessMissing } from './files.js';
import { FitFolders } from './fit-folders.js';
import { claimFormat, refuseForeign, writeFormat } from './format.js';
import { type Entry, isFit, Ledger, modelName } from './ledger.js';
import { type Lock, lockFolder } from './lock.js';
import { ModelFolders } from './model-folders.js';
import { OperationRecords } from './operation-records.js';
import { isTemporaryName } from './own-files.js';
import { LostStore, type Store, type StoreUsage, UnusableFolder, type Usage } from './store.js';

const FOLDERS = ['models', 'fits', 'temporary', 'operations', 'operations/running', 'operations/ended'];
/** Minimum interval between two writes of an entry's time of use, in milliseconds. */
const TOUCH_INTERVAL = 60_000;
/** Milliseconds. */
const WATCH_INTERVAL = 1000;

/** The folder of one server. Invalid identifiers never exist. */
export class DiskStore implements Store {
  readonly operations: OperationRecords;
  readonly models: DiskModels;
  readonly fits: DiskFits;
  readonly limit: number;
  readonly isShared = false;
  private readonly ledger = new Ledger();
  private readonly root: string;
  private readonly temporary: string;
  private readonly modelFolders: ModelFolders;
  private readonly fitFolders: FitFolders;
  private lock: Lock;
  private watch: NodeJS.Timeout | undefined;
  private probing: Promise<void> | undefined;
  private tending: Promise<void> | undefined;
  /** The reason why the folder can no longer be written. */
  private loss: string | undefined;
  /** The last eviction, whether it is running or waiting. */
  private evicting: Promise<void> = Promise.resolve();
  /** Whether an eviction waits, which will consider all changes until it starts. */
  private isToEvict = false;

  private constructor(root: string, limit: number, lock: Lock) {
    this.root = root;
    this.limit = limit;
    this.temporary = join(root, 'temporary');
    this.operations = new OperationRecords(join(root, 'operations'), () => this.requireFolder());
    this.modelFolders = new ModelFolders(join(root, 'models'), this.temporary, this.ledger);
    this.fitFolders = new FitFolders(join(root, 'fits'), this.temporary, this.ledger);
    const upkeep = {
      requireFolder: () => this.requireFolder(),
      evictReleased: () => this.evictReleased(),
      evict: () => this.evict({ bytes: this.limit, sparesLatest: true }),
      touch: (name: string) => this.touch(name),
    };
    this.fits = new DiskFits(this.fitFolders, this.ledger, upkeep);
    this.models = new DiskModels(this.modelFolders, this.fits, this.ledger, upkeep);
    this.lock = lock;
  }

  /**
   * Opens or creates a folder, and removes unfinished files of an earlier server. Throws if another server has opened
   * the folder, and `UnusableFolder`. Its size may exceed the limit until `makeRoom` is called.
   */
  static async open(root: string, limit = Number.POSITIVE_INFINITY): Promise<DiskStore> {
    try {
      return await DiskStore.openIn(root, limit);
    } catch (error) {
      throw UnusableFolder.of(root, error);
    }
  }

  private static async openIn(root: string, limit: number): Promise<DiskStore> {
    await refuseForeign(root);
    await makeFolders(root, PRIVATE_FOLDER);
    const store = new DiskStore(root, limit, await lockFolder(root));
    try {
      await claimFormat(root);
      for (const folder of FOLDERS) await store.makeOwnFolder(folder);
      for (const folder of ['', ...FOLDERS]) await removeUnfinished(join(root, folder));
      store.clearTemporary();
      await store.takeStock();
      // Not earlier, because this would recreate folders that are being created.
      store.watch = setInterval(() => void store.tend(), WATCH_INTERVAL).unref();
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Unlocks the folder for other servers. */
  async close(): Promise<void> {
    clearInterval(this.watch);
    await this.tending;
    await this.evicting;
    await this.fitFolders.close();
    await this.lock.release();
  }

  /**
   * Checks whether the folder exists and belongs to this server, and recreates missing subfolders. Returns the reason
   * if the folder cannot be used.
   */
  async tend(): Promise<string | undefined> {
    this.tending ??= this.restore()
      .then(() => undefined)
      .catch((error: Error) => (isSystemError(error) ? systemReason(error) : error.message))
      .then((loss) => {
        this.loss = loss;
        this.tending = undefined;
      });
    await this.tending;
    return this.loss;
  }

  /** Requests that arrive during a probe share it. */
  probe(): Promise<void> {
    this.probing ??= probeFolder(this.temporary).finally(() => {
      this.probing = undefined;
    });
    return this.probing;
  }

  /** Resolves when the files of removed fits have been deleted. */
  swept(): Promise<void> {
    return this.fitFolders.swept();
  }

  async usage(): Promise<StoreUsage> {
    const entries = this.ledger.all();
    return {
      bytes: this.ledger.bytes(),
      models: usageOf(entries.filter(({ fit }) => fit === undefined)),
      fits: usageOf(entries.filter(({ fit }) => fit !== undefined)),
    };
  }

  hold(name: string): () => void {
    const release = this.ledger.hold(name);
    return () => {
      release();
      this.evictReleased();
    };
  }

  touch(name: string): void {
    const entry = this.ledger.get(name);
    if (entry === undefined) return;
    const now = this.ledger.now();
    // If the system's clock was set back, `now` increases by one millisecond per use.
    const wasSetBack = entry.noted - Date.now() >= TOUCH_INTERVAL;
    const isDue = now - entry.noted >= TOUCH_INTERVAL || wasSetBack;
    this.ledger.add({ ...entry, used: now, noted: isDue ? now : entry.noted });
    // A failure to store the time of use must not prevent reading.
    if (isDue) utimes(this.recordPath(entry), now / 1000, now / 1000).catch(() => undefined);
    // A model is used with each of its fits, and not evicted before them.
    if (isFit(entry)) this.touch(modelName(entry.modelId));
  }

  async clear(isChosen?: EvictionLimit['isChosen']): Promise<void> {
    await this.evict({ bytes: 0, sparesLatest: false, ...(isChosen && { isChosen }) });
  }

  makeRoom(): Promise<void> {
    return this.evict({ bytes: this.limit, sparesLatest: false });
  }

  /** Evicts after all earlier evictions. */
  private evict(limit: EvictionLimit): Promise<void> {
    const remove = async (entries: readonly Entry[]) => {
      await this.fits.removeAll(entries.filter(isFit));
      for (const entry of entries) if (!isFit(entry)) await this.models.evict(entry);
    };
    this.evicting = this.evicting.then(() => evict(this.ledger, remove, limit));
    return this.evicting;
  }

  /** Evicts entries that were in use when the limit was exceeded. */
  private evictReleased(): void {
    if (this.isToEvict || this.ledger.bytes() <= this.limit) return;
    this.isToEvict = true;
    const start = () => {
      this.isToEvict = false;
      return this.evict({ bytes: this.limit, sparesLatest: true });
    };
    void this.evicting.then(start);
  }

  private async restore(): Promise<void> {
    const isLocked = await this.lock.isHeld();
    if (!isLocked) {
      await refuseForeign(this.root);
      await makeFolders(this.root, PRIVATE_FOLDER);
      const lost = this.lock;
      this.lock = await lockFolder(this.root);
      await lost.release();
    }
    const parts = ['format', ...FOLDERS];
    const found = await Promise.all(parts.map((name) => unlessMissing(lstat(join(this.root, name)))));
    if (isLocked && !found.includes(undefined)) return;
    await writeFormat(this.root);
    for (const folder of FOLDERS) await this.makeOwnFolder(folder);
    const isGone = (entry: Entry) => lstatSync(this.recordPath(entry), { throwIfNoEntry: false }) === undefined;
    this.fits.forget(this.ledger.all().filter(isGone));
  }

  /** Throws if the store cannot be written. */
  private requireFolder(): void {
    if (this.loss !== undefined) throw new LostStore(this.loss);
  }

  private recordPath(entry: Entry): string {
    return entry.fit ? this.fitFolders.recordPath(entry) : this.modelFolders.recordPath(entry.modelId);
  }

  private async makeOwnFolder(name: string): Promise<void> {
    const path = join(this.root, name);
    await makeFolders(path, PRIVATE_FOLDER);
    // A folder of another owner keeps its permissions.
    await chmod(path, PRIVATE_FOLDER).catch(() => undefined);
  }

  private clearTemporary(): void {
    const left = entriesIn(this.temporary).filter((entry) => entry.isDirectory() && isTemporaryName(entry.name));
    this.fitFolders.sweep(left.map(({ name }) => name));
  }

  private async takeStock(): Promise<void> {
    const ids = this.modelFolders.ids();
    for (const modelId of ids) this.modelFolders.enter(modelId);
    const models = ids.filter((id) => this.ledger.get(modelName(id)) !== undefined);
    for (const fit of await this.fitFolders.takeStock(models)) this.ledger.add(fit);
  }
}

function usageOf(entries: readonly Entry[]): Usage {
  return { count: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * What is kept on disk:
 *
 *     format                                         the number of this layout
 *     models/<model_id>/{model.json, program.stan, includes.json}    the last only when it has includes
 *     models/<model_id>/compiled/<engine>/{artifact.json, module.wasm}    made anew when the engine is another one, or they are damaged
 *     fits/<model_id>.<fit_id>.<mark>.<bytes>/       a finished fit: see fits/layout.ts and fit-folders.ts
 *     operations/running/<operation_id>.json         accepted, not ended: the request and its seed
 *     operations/ended/<operation_id>.json           what became of it; the latest ones
 *     temporary/                                     what is being written or thrown away
 *
 *     lock/                                          the sign of the server that has it open: see lock.ts
 *
 * Everything appears under its name by one rename, so that a name that is there means a whole file. Files are on the disk before
 * their names are, and names before anybody is told of them. Only the owner may read any of them.
 *
 * Every file has a checksum (checksums.ts), and what is read throws `DamagedFile` when it is not as it was written.
 *
 * What has other names (own-files.ts), or is no file or folder where one belongs, is somebody else's: it is passed over and never
 * removed. When a model or a fit goes in whose folder there are such files, they stay in `temporary/` or where they are.
 */
import { lstatSync } from 'node:fs';
import { chmod, lstat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ifDamaged } from './checksums.js';
import { evict } from './eviction.js';
import { entriesIn, makeFolders, PRIVATE_FOLDER, removeUnfinished, unlessMissing } from './files.js';
import { FitFolders, fitNameOf, type HeldFit } from './fit-folders.js';
import { claimFormat, refuseForeign, writeFormat } from './format.js';
import { isIdentifier } from './identifiers.js';
import { type Entry, type FitEntry, fitNameIn, Ledger, modelName } from './ledger.js';
import { type Lock, lockFolder } from './lock.js';
import { ModelFolders, type StoredModel } from './model-folders.js';
import { OperationRecords } from './operation-records.js';
import { isTemporaryName } from './own-files.js';

const FOLDERS = ['models', 'fits', 'temporary', 'operations', 'operations/running', 'operations/ended'];
/** Milliseconds after which it is written down once more that a thing is used. */
const TOUCH_INTERVAL = 60_000;
/** Milliseconds. */
const WATCH_INTERVAL = 1000;

/** Nothing can be kept any more, for the folder has been removed or is another server's. */
export class LostStore extends Error {
  override readonly name = 'LostStore';
}

/** The folder of one server. Identifiers that are none are never there. */
export class Store {
  readonly ledger = new Ledger();
  readonly operations: OperationRecords;
  readonly models: ModelFolders;
  /** Bytes that models and fits may take; what is too much goes, the least recently used first. */
  readonly limit: number;
  private readonly root: string;
  private readonly temporary: string;
  private readonly fits: FitFolders;
  private lock: Lock;
  private readonly watch: NodeJS.Timeout;
  private tending: Promise<void> | undefined;
  /** Why nothing can be kept in the folder any more. */
  private loss: string | undefined;
  private evicting: Promise<void> = Promise.resolve();
  /** Folders of fits that have been found damaged. */
  private readonly damagedFits = new Set<string>();

  private constructor(root: string, limit: number, lock: Lock) {
    this.root = root;
    this.limit = limit;
    this.temporary = join(root, 'temporary');
    this.operations = new OperationRecords(join(root, 'operations'), () => this.requireFolder());
    this.models = new ModelFolders(join(root, 'models'), this.temporary, this.ledger);
    this.fits = new FitFolders(join(root, 'fits'), this.temporary, this.ledger);
    this.lock = lock;
    this.watch = setInterval(() => void this.tend(), WATCH_INTERVAL).unref();
  }

  /**
   * Opens a folder, made when it is not there; what an earlier server left half-done is cleared away. Throws when another
   * server has it open. It may hold more than the limit until `makeRoom` is called.
   */
  static async open(root: string, limit = Number.POSITIVE_INFINITY): Promise<Store> {
    await refuseForeign(root);
    await makeFolders(root, PRIVATE_FOLDER);
    const store = new Store(root, limit, await lockFolder(root));
    try {
      await claimFormat(root);
      for (const folder of FOLDERS) await store.makeOwnFolder(folder);
      for (const folder of ['', ...FOLDERS]) await removeUnfinished(join(root, folder));
      store.clearTemporary();
      await store.takeStock();
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Lets other servers have the folder. */
  async close(): Promise<void> {
    clearInterval(this.watch);
    await this.tending;
    await this.fits.close();
    await this.lock.release();
  }

  /**
   * Looks whether the folder is there and this server's, and makes again what somebody has removed of it. Returns why it cannot
   * be used, if it cannot.
   */
  async tend(): Promise<string | undefined> {
    this.tending ??= this.restore()
      .then(() => undefined)
      .catch((error: Error) => error.message)
      .then((loss) => {
        this.loss = loss;
        this.tending = undefined;
      });
    await this.tending;
    return this.loss;
  }

  /** Waits until the files of what has been removed are gone. */
  swept(): Promise<void> {
    return this.fits.swept();
  }

  /**
   * Keeps a model that this engine has compiled; engines are told apart by their identifiers. The files of a model that is there
   * are replaced.
   */
  async saveModel(id: string, engine: string, model: StoredModel): Promise<void> {
    this.requireFolder();
    await this.models.save(id, engine, model);
    await this.makeRoom(modelName(id));
  }

  hasModel(id: string): boolean {
    return this.ledger.get(modelName(id)) !== undefined;
  }

  /** Removes a model and its fits; false when there is none. */
  async removeModel(id: string): Promise<boolean> {
    if (!isIdentifier(id)) return false;
    return this.models.inTurn(id, async () => {
      const fits = this.ledger.fitsOf(id);
      this.forget([...fits, { name: modelName(id) }]);
      const removed = await this.models.remove(id);
      await this.fits.removeAll(fits);
      return removed;
    });
  }

  /** A folder where a fit can be made. Nobody else is given the same one. */
  chooseFitFolder(modelId: string, fitId: string): string {
    return this.fits.choose(modelId, fitId);
  }

  /** Makes that folder, with an empty journal for each chain. */
  createPartialFit(folder: string, chains: readonly number[]): Promise<void> {
    return this.fits.create(folder, chains);
  }

  discardPartialFit(folder: string): Promise<void> {
    return this.fits.discard(folder);
  }

  /** Makes what has been written to a folder a finished fit; false when its model is not there any more. */
  async publishFit(folder: string, chains: readonly number[], record: string): Promise<boolean> {
    this.requireFolder();
    const entry = await this.fits.publish(folder, chains, record);
    if (!this.hasModel(entry.modelId)) {
      await this.fits.remove(entry);
      return false;
    }
    this.ledger.add(entry);
    await this.makeRoom(entry.name);
    return true;
  }

  /** A finished fit to be read until it is released; undefined when there is none. */
  openFit(modelId: string, fitId: string): HeldFit | undefined {
    const entry = this.ledger.get(fitNameIn(modelId, fitId));
    return entry && this.fits.hold(this.use(entry));
  }

  hasFit(modelId: string, fitId: string): boolean {
    return this.ledger.get(fitNameIn(modelId, fitId)) !== undefined;
  }

  /** Remembers that a file of a fit was found damaged. */
  noteDamage(path: string): void {
    const folder = basename(dirname(path));
    if (fitNameOf(folder) !== undefined) this.damagedFits.add(folder);
  }

  /** Whether there is a finished fit of which no file has been found damaged. */
  hasSoundFit(modelId: string, fitId: string): boolean {
    const folder = this.ledger.get(fitNameIn(modelId, fitId))?.fit?.folder;
    return folder !== undefined && !this.damagedFits.has(folder);
  }

  async readFitRecord(modelId: string, fitId: string): Promise<string | undefined> {
    const entry = this.ledger.get(fitNameIn(modelId, fitId));
    if (entry === undefined) return undefined;
    return ifDamaged(this.fits.record(entry), (damage) => {
      this.noteDamage(damage.path);
      throw damage;
    });
  }

  /** The record of the fit that has this identifier, of whatever model; undefined when there is none that can be read. */
  async readRecordOfFit(fitId: string): Promise<string | undefined> {
    const entry = this.ledger.all().find(({ fit }) => fit?.id === fitId);
    return entry && ifDamaged(this.readFitRecord(entry.modelId, fitId), () => undefined);
  }

  /** Removes a finished fit; false when there is none. Who reads it can go on. */
  async removeFit(modelId: string, fitId: string): Promise<boolean> {
    const entry = this.ledger.get(fitNameIn(modelId, fitId));
    if (entry === undefined) return false;
    this.forget([entry]);
    return this.fits.remove(entry);
  }

  /** Removes finished fits. */
  async removeFits(entries: readonly Entry[]): Promise<void> {
    this.forget(entries);
    await this.fits.removeAll(entries);
  }

  /** Says that a model or a fit is used now. */
  touch(name: string): void {
    const entry = this.ledger.get(name);
    if (entry !== undefined) this.use(entry);
  }

  private use(entry: Entry): Entry {
    const now = Date.now();
    const isDue = now - entry.noted >= TOUCH_INTERVAL;
    const used = { ...entry, used: now, noted: isDue ? now : entry.noted };
    this.ledger.add(used);
    // A time that cannot be written down is no reason not to read.
    if (isDue) utimes(this.recordPath(entry), now / 1000, now / 1000).catch(() => undefined);
    return used;
  }

  /** Removes every model and every fit that is not in use. */
  async clear(): Promise<void> {
    await this.makeRoom(undefined, 0);
  }

  /** Removes what is too much, but neither what is in use nor `spared`. */
  makeRoom(spared?: string, limit = this.limit): Promise<void> {
    this.evicting = this.evicting.then(() => evict(this.ledger, this, limit, spared));
    return this.evicting;
  }

  /** Finished fits of a model, the one begun last first. */
  fitsOf(modelId: string): FitEntry[] {
    return this.ledger.fitsOf(modelId).sort((a, b) => (a.fit.mark < b.fit.mark ? 1 : -1));
  }

  /** Where the record of the fit with this folder is. */
  fitRecordPath(folder: string): string {
    return this.fits.recordPathIn(folder);
  }

  private forget(entries: readonly Pick<Entry, 'name' | 'fit'>[]): void {
    for (const { fit, name } of entries) {
      this.ledger.remove(name);
      if (fit !== undefined) this.damagedFits.delete(fit.folder);
    }
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
    this.forget(this.ledger.all().filter(isGone));
  }

  /** Throws when nothing can be kept. */
  private requireFolder(): void {
    if (this.loss !== undefined) throw new LostStore(this.loss);
  }

  private recordPath(entry: Entry): string {
    return entry.fit ? this.fits.recordPath(entry) : this.models.recordPath(entry.modelId);
  }

  private async makeOwnFolder(name: string): Promise<void> {
    const path = join(this.root, name);
    await makeFolders(path, PRIVATE_FOLDER);
    // A folder of another owner keeps its permissions.
    await chmod(path, PRIVATE_FOLDER).catch(() => undefined);
  }

  private clearTemporary(): void {
    const left = entriesIn(this.temporary).filter((entry) => entry.isDirectory() && isTemporaryName(entry.name));
    this.fits.sweep(left.map(({ name }) => name));
  }

  private async takeStock(): Promise<void> {
    const ids = this.models.ids();
    for (const modelId of ids) this.models.enter(modelId);
    const models = ids.filter((id) => this.hasModel(id));
    for (const fit of await this.fits.takeStock(models)) this.ledger.add(fit);
  }
}

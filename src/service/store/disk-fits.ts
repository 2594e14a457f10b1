import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ifDamaged, unsealed } from '../../fit-files/checksums.js';
import { blockFolder, blockOfFolder, chainFile, ownerOf } from '../../fit-files/layout.js';
import { clearAway, forEachFile, unlessMissing } from './files.js';
import { type FitFolders, fitNameOf } from './fit-folders.js';
import { type Entry, type FitEntry, fitNameIn, type Ledger } from './ledger.js';
import type { HeldFit, ListedFit, RecordSource, StoredFits } from './store.js';

/** Operations of the store that its components use. */
export interface Upkeep {
  /** Throws if the store cannot be written. */
  requireFolder(): void;
  /** Evicts models and fits above the limit. */
  evict(): Promise<void>;
  /** Evicts entries that were in use when the limit was exceeded. */
  evictReleased(): void;
  /** Records the current time as the last use of an entry. */
  touch(name: string): void;
}

/** Fits on disk, indexed by the ledger. */
export class DiskFits implements StoredFits {
  private readonly folders: FitFolders;
  private readonly ledger: Ledger;
  private readonly upkeep: Upkeep;
  /** Folders of fits with a damaged file. */
  private readonly damaged = new Set<string>();

  constructor(folders: FitFolders, ledger: Ledger, upkeep: Upkeep) {
    this.folders = folders;
    this.ledger = ledger;
    this.upkeep = upkeep;
  }

  choose(modelId: string, fitId: string): string {
    return this.folders.choose(modelId, fitId);
  }

  create(folder: string, chains: readonly number[]): Promise<void> {
    return this.folders.create(folder, chains);
  }

  /**
   * Nothing to do, because chains run in the process that publishes the fit and have written their files to its folder.
   */
  async keepChain(): Promise<void> {}

  /** Nothing to fetch for the same reason. */
  async fetchBlock(folder: string, _chains: readonly number[], block: number): Promise<string> {
    return blockFolder(folder, block);
  }

  discardBlock(folder: string, block: number): Promise<void> {
    return clearAway(blockFolder(folder, block));
  }

  async lastBlock(folder: string, chains: readonly number[]): Promise<number | undefined> {
    const blocks = (await readdir(folder)).flatMap((name) => blockOfFolder(name) ?? []);
    for (const block of blocks.sort((a, b) => b - a))
      if (await haveRecords(blockFolder(folder, block), chains)) return block;
    return undefined;
  }

  discard(folder: string): Promise<void> {
    return this.folders.discard(folder);
  }

  /** Nothing to do: `discard` removes them with the folder. */
  async forgetChains(): Promise<void> {}

  async publish(folder: string, chains: readonly number[], record: string): Promise<boolean> {
    this.upkeep.requireFolder();
    const entry = await this.folders.publish(folder, chains, record);
    if (this.ledger.modelOf(entry) === undefined) {
      await this.folders.remove(entry);
      return false;
    }
    this.ledger.add(entry);
    this.upkeep.touch(entry.name);
    await this.upkeep.evict();
    return true;
  }

  async has(modelId: string, fitId: string): Promise<boolean> {
    return this.find(modelId, fitId) !== undefined;
  }

  async isSound(modelId: string, fitId: string): Promise<boolean> {
    const folder = this.find(modelId, fitId)?.fit?.folder;
    return folder !== undefined && !this.damaged.has(folder);
  }

  noteDamage(path: string): void {
    const folder = basename(dirname(path));
    if (fitNameOf(folder) !== undefined) this.damaged.add(folder);
  }

  async open(modelId: string, fitId: string): Promise<HeldFit | undefined> {
    const entry = this.find(modelId, fitId);
    if (entry === undefined) return undefined;
    this.upkeep.touch(entry.name);
    const { path, release } = this.folders.hold(entry);
    return {
      path,
      release: () => {
        release();
        this.upkeep.evictReleased();
      },
    };
  }

  async readRecord(modelId: string, fitId: string): Promise<string | undefined> {
    const entry = this.find(modelId, fitId);
    if (entry === undefined) return undefined;
    return ifDamaged(this.folders.record(entry), (damage) => {
      // The fit may have been removed since.
      if (damage.flaw === 'missing' && this.find(modelId, fitId) !== entry) return undefined;
      this.noteDamage(damage.path);
      throw damage;
    });
  }

  async readRecordOf(fitId: string): Promise<string | undefined> {
    const entry = this.ledger.all().find(({ fit }) => fit?.id === fitId);
    return entry && ifDamaged(this.readRecord(entry.modelId, fitId), () => undefined);
  }

  async remove(modelId: string, fitId: string): Promise<boolean> {
    const entry = this.find(modelId, fitId);
    if (entry === undefined) return false;
    this.forget([entry]);
    return this.folders.remove(entry);
  }

  async list(modelId: string): Promise<readonly ListedFit[]> {
    const fits = this.ledger.fitsOf(modelId).map(({ bytes, fit: { id, mark } }) => ({ id, mark, bytes }));
    return fits.sort((a, b) => (a.mark < b.mark ? 1 : -1));
  }

  async records(modelId: string, fits: readonly ListedFit[]): Promise<readonly (RecordSource | undefined)[]> {
    return fits.map(({ id }) => {
      const folder = this.find(modelId, id)?.fit?.folder;
      if (folder === undefined) return undefined;
      return { path: this.folders.recordPathIn(folder), ...(this.damaged.has(folder) && { isSuspect: true as const }) };
    });
  }

  /** Removes finished fits. */
  async removeAll(entries: readonly Entry[]): Promise<void> {
    this.forget(entries);
    await this.folders.removeAll(entries);
  }

  /** Removes fits from the index. */
  forget(entries: readonly Entry[]): void {
    for (const { fit, name } of entries) {
      this.ledger.remove(name);
      if (fit !== undefined) this.damaged.delete(fit.folder);
    }
  }

  /** Entries of all fits of a model. */
  entriesOf(modelId: string): readonly FitEntry[] {
    return this.ledger.fitsOf(modelId);
  }

  private find(modelId: string, fitId: string): Entry | undefined {
    return this.ledger.get(fitNameIn(modelId, fitId));
  }
}

/** Whether all chains have complete records in a folder. An interrupted chain may have an incomplete one. */
async function haveRecords(folder: string, chains: readonly number[]): Promise<boolean> {
  const records = await forEachFile(chains, (chain) => unlessMissing(readFile(chainFile(folder, chain, 'json'))));
  return records.every((record) => record !== undefined && unsealed(record, ownerOf(folder)) !== undefined);
}

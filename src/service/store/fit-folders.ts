import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import pLimit from 'p-limit';
import { sealed } from '../../fit-files/checksums.js';
import { chainFile, FIT_RECORD, ownerOf } from '../../fit-files/layout.js';
import {
  clearAway,
  entriesIn,
  folderBytes,
  forEachFile,
  moveIfThere,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  publishFolder,
  readText,
  removeFile,
  syncPath,
  unlessMissing,
  writeDurably,
} from './files.js';
import { type Entry, fitNameIn, type Ledger } from './ledger.js';
import { type FitFolderName, parseFitFolder, UNFINISHED_FOLDER } from './own-files.js';
import type { HeldFit } from './store.js';

/** Small, because requests also use the file system. */
const SWEPT_AT_ONCE = 2;

/**
 * Folders of fits, each with a unique name. A fit exists while its folder contains `fit.json`. This file appears
 * together with the folder and is removed first; the other files are removed when the last reader has finished.
 */
export class FitFolders {
  private readonly root: string;
  private readonly temporary: string;
  private readonly ledger: Ledger;
  /** Folders of fits that were removed while they had readers. */
  private readonly removed = new Set<string>();
  private isClosed = false;
  private sweeping: Promise<unknown> = Promise.resolve();

  constructor(root: string, temporary: string, ledger: Ledger) {
    this.root = root;
    this.temporary = temporary;
    this.ledger = ledger;
  }

  /** Path of a new folder for a fit. */
  choose(modelId: string, fitId: string): string {
    // The time of the ledger increases even if the system's clock is set back.
    const mark = this.ledger.now().toString(16).padStart(12, '0') + randomBytes(2).toString('hex');
    return join(this.temporary, `${modelId}.${fitId}.${mark}`);
  }

  /** Creates that folder, with an empty journal for each chain. */
  async create(path: string, chains: readonly number[]): Promise<void> {
    const unfinished = `${path}${UNFINISHED_FOLDER}`;
    await mkdir(unfinished, PRIVATE_FOLDER);
    const make = (chain: number) => writeFile(chainFile(unfinished, chain, 'journal'), '', { mode: PRIVATE_FILE });
    await forEachFile(chains, make);
    await rename(unfinished, path);
  }

  /** Publishes the folder as a fit. The fit exists when this resolves. */
  async publish(path: string, chains: readonly number[], record: string): Promise<Entry> {
    const recordPath = join(path, FIT_RECORD);
    await writeDurably(recordPath, sealed(record, ownerOf(path)));
    const used = this.ledger.now();
    // If the system's clock was set back, the time of the file is earlier than that of older fits.
    if (used > Date.now()) await utimes(recordPath, used / 1000, used / 1000);
    for (const chain of chains) await removeFile(chainFile(path, chain, 'journal'));
    const bytes = folderBytes(path);
    const folder = `${basename(path)}.${bytes}`;
    const name = parseFitFolder(folder);
    if (name === undefined) throw new Error(`${path} is not the folder of a running fit`);
    try {
      await publishFolder(path, join(this.root, folder));
    } catch (error) {
      await this.clear(folder);
      throw error;
    }
    return entryOf(folder, name, bytes, used);
  }

  /** Removes the folder of an unpublished fit. */
  async discard(path: string): Promise<void> {
    for (const folder of [path, `${path}${UNFINISHED_FOLDER}`]) await clearAway(folder);
  }

  /** Protects the files of a fit from removal. */
  hold(entry: Entry): HeldFit {
    const folder = folderOf(entry);
    const free = this.ledger.hold(partOf(entry));
    const release = () => {
      free();
      if (this.ledger.isHeld(partOf(entry)) || !this.removed.delete(folder)) return;
      void this.clear(folder);
    };
    return { path: join(this.root, folder), release };
  }

  /** Throws `DamagedFile`. */
  record(entry: Entry): Promise<string> {
    return readText(this.recordPath(entry), entry.name);
  }

  /** The file whose modification time records the last use of a fit. */
  recordPath(entry: Entry): string {
    return this.recordPathIn(folderOf(entry));
  }

  recordPathIn(folder: string): string {
    // Lists contain up to ten thousand paths, and `join` normalizes every character.
    return `${this.root}${sep}${folder}${sep}${FIT_RECORD}`;
  }

  /** Removes a fit; false if it does not exist. Its files are deleted when the last reader has finished. */
  async remove(entry: Entry): Promise<boolean> {
    const [removed] = await this.removeAll([entry]);
    await this.swept();
    return removed;
  }

  /**
   * Removes fits, durably when this resolves. Returns for each whether it existed. Their files are deleted later: in the background,
   * or when the last reader has finished.
   */
  async removeAll(entries: readonly Entry[]): Promise<boolean[]> {
    const removed = await forEachFile(entries, async (entry) => {
      if (this.ledger.isHeld(partOf(entry))) {
        this.removed.add(folderOf(entry));
        return removeFile(this.recordPath(entry));
      }
      return moveIfThere(join(this.root, folderOf(entry)), join(this.temporary, folderOf(entry)));
    });
    if (removed.includes(true)) await unlessMissing(syncPath(this.root));
    this.sweep(entries.map(folderOf));
    return removed;
  }

  /** Deletes folders in `temporary/`, a few at a time. Failed deletions are retried when the store is next opened. */
  sweep(names: readonly string[]): void {
    const before = this.sweeping;
    const clear = async (name: string) => {
      if (!this.isClosed) await clearAway(join(this.temporary, name)).catch(() => undefined);
    };
    this.sweeping = pLimit(SWEPT_AT_ONCE)
      .map(names, clear)
      .then(() => before);
  }

  /** Resolves when no folder is being deleted. */
  async swept(): Promise<void> {
    await this.sweeping;
  }

  /** Stops deleting; the next server deletes the remaining folders. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.swept();
  }

  /** The fits of these models, the latest of each name. All other folders of fits are removed. */
  async takeStock(modelIds: readonly string[]): Promise<Entry[]> {
    const models = new Set(modelIds);
    const found: Entry[] = [];
    for (const folder of entriesIn(this.root)) {
      const name = folder.isDirectory() ? parseFitFolder(folder.name) : undefined;
      if (name === undefined) continue;
      const path = join(this.root, folder.name);
      const record = lstatSync(join(path, FIT_RECORD), { throwIfNoEntry: false });
      if (!record?.isFile() || !models.has(name.modelId)) await this.clear(folder.name);
      else found.push(entryOf(folder.name, name, name.bytes ?? folderBytes(path), record.mtimeMs));
    }
    const latest = new Map<string, Entry>();
    const older: Entry[] = [];
    for (const entry of found.sort((a, b) => a.used - b.used)) {
      const earlier = latest.get(entry.name);
      if (earlier !== undefined) older.push(earlier);
      latest.set(entry.name, entry);
    }
    await this.removeAll(older);
    return [...latest.values()];
  }

  /** Removes a folder without a fit. A failed removal is retried when the store is next opened. */
  private async clear(folder: string): Promise<void> {
    const path = join(this.root, folder);
    await removeFile(join(path, FIT_RECORD))
      .then(() => clearAway(path))
      .catch(() => undefined);
  }
}

/** The entry of a fit, from its folder and the parts of the folder's name. */
function entryOf(folder: string, { modelId, id, mark }: FitFolderName, bytes: number, used: number): Entry {
  return { name: fitNameIn(modelId, id), modelId, fit: { id, folder, mark }, bytes, used, noted: used };
}

function folderOf({ fit, name }: Entry): string {
  if (fit === undefined) throw new Error(`${name} is not a fit`);
  return fit.folder;
}

/** The resource name of the fit in the folder with this name; undefined if it is not a fit's folder. */
export function fitNameOf(folder: string): string | undefined {
  const name = parseFitFolder(folder);
  return name && fitNameIn(name.modelId, name.id);
}

/**
 * The name of this folder in the ledger. It differs from the fit's name, because a fit with the same name can be
 * created again.
 */
function partOf(entry: Entry): string {
  return `${entry.name}/${folderOf(entry)}`;
}

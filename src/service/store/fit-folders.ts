import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { chainFile, FIT_RECORD } from '../fits/layout.js';
import { sealed } from './checksums.js';
import {
  clearAway,
  entriesIn,
  folderBytes,
  forEachFile,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  publishFolder,
  readTextIfThere,
  removeFile,
  writeDurably,
} from './files.js';
import { isIdentifier } from './identifiers.js';
import { type Entry, fitNameIn, type Ledger } from './ledger.js';

/** A finished fit whose files stay until it is released, whether it is removed meanwhile or not. */
export interface HeldFit {
  /** Its folder, which no other fit has had or will have. */
  readonly path: string;
  readonly release: () => void;
}

/**
 * Folders of fits, each with a name of its own. A fit is there as long as the file `fit.json` in its folder is: it comes with
 * the folder, on the disk, and goes before everything else in it, which goes when nobody reads it any more.
 */
export class FitFolders {
  private readonly root: string;
  private readonly temporary: string;
  private readonly ledger: Ledger;
  /** Folders of fits that have been removed while they were read. */
  private readonly removed = new Set<string>();

  constructor(root: string, temporary: string, ledger: Ledger) {
    this.root = root;
    this.temporary = temporary;
    this.ledger = ledger;
  }

  /** A folder where a fit can be made. */
  choose(modelId: string, fitId: string): string {
    return join(this.temporary, `${modelId}.${fitId}.${randomUUID().slice(0, 8)}`);
  }

  /** Makes that folder, with an empty journal for each chain. */
  async create(path: string, chains: readonly number[]): Promise<void> {
    const unfinished = `${path}.tmp`;
    await mkdir(unfinished, PRIVATE_FOLDER);
    const make = (chain: number) => writeFile(chainFile(unfinished, chain, 'journal'), '', { mode: PRIVATE_FILE });
    await forEachFile(chains, make);
    await rename(unfinished, path);
  }

  /** Makes what has been written there a fit. It is one only when this says so. */
  async publish(path: string, chains: readonly number[], record: string): Promise<Entry> {
    const name = basename(path);
    await writeDurably(join(path, FIT_RECORD), sealed(record));
    for (const chain of chains) await removeFile(chainFile(path, chain, 'journal'));
    const entry = entryOf(name, folderBytes(path), Date.now());
    if (entry === undefined) throw new Error(`${path} is not where a fit is made`);
    try {
      await publishFolder(path, join(this.root, name));
    } catch (error) {
      await this.clear(name);
      throw error;
    }
    return entry;
  }

  /** Removes a folder where a fit was to be made. */
  async discard(path: string): Promise<void> {
    for (const folder of [path, `${path}.tmp`]) await clearAway(folder);
  }

  /** Keeps the files of a fit from being removed. */
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

  /** Throws `DamagedFile` when it is not as it was written. */
  record(entry: Entry): Promise<string | undefined> {
    return readTextIfThere(this.recordPath(entry));
  }

  /** The file whose time of change tells when a fit was used. */
  recordPath(entry: Entry): string {
    return join(this.root, folderOf(entry), FIT_RECORD);
  }

  /** Removes a fit; false when it is not there. Files that are read go when they are no more. */
  async remove(entry: Entry): Promise<boolean> {
    if (!(await removeFile(this.recordPath(entry)))) return false;
    if (this.ledger.isHeld(partOf(entry))) this.removed.add(folderOf(entry));
    else await this.clear(folderOf(entry));
    return true;
  }

  /** The fits of these models, the latest one of each name. What else is left of fits is removed. */
  async takeStock(modelIds: readonly string[]): Promise<Entry[]> {
    const models = new Set(modelIds);
    const found: Entry[] = [];
    for (const folder of entriesIn(this.root)) {
      const { name } = folder;
      if (!folder.isDirectory() || !isFitFolder(name)) continue;
      const path = join(this.root, name);
      const record = lstatSync(join(path, FIT_RECORD), { throwIfNoEntry: false });
      const entry = record?.isFile() ? entryOf(name, folderBytes(path), record.mtimeMs) : undefined;
      if (entry !== undefined && models.has(entry.modelId)) found.push(entry);
      else await this.clear(name);
    }
    const latest = new Map<string, Entry>();
    for (const entry of found.sort((a, b) => a.used - b.used)) {
      const older = latest.get(entry.name);
      if (older !== undefined) await this.remove(older);
      latest.set(entry.name, entry);
    }
    return [...latest.values()];
  }

  /** Removes a folder that holds no fit. What cannot be removed now is when the store is opened again. */
  private async clear(folder: string): Promise<void> {
    const path = join(this.root, folder);
    await removeFile(join(path, FIT_RECORD))
      .then(() => clearAway(path))
      .catch(() => undefined);
  }
}

const FOLDER = /^([^.]+)\.([^.]+)\.[\da-f]{8}$/;

function isFitFolder(name: string): boolean {
  return entryOf(name, 0, 0) !== undefined;
}

/** The entry of a fit by its folder's name; undefined for another name. */
function entryOf(folder: string, bytes: number, used: number): Entry | undefined {
  const [, modelId = '', id = ''] = FOLDER.exec(folder) ?? [];
  if (!isIdentifier(modelId) || !isIdentifier(id)) return undefined;
  return { name: fitNameIn(modelId, id), modelId, fit: { id, folder }, bytes, used, noted: used };
}

function folderOf({ fit, name }: Entry): string {
  if (fit === undefined) throw new Error(`${name} is no fit`);
  return fit.folder;
}

/** The resource name of the fit whose folder has this name; undefined for another name. */
export function fitNameOf(folder: string): string | undefined {
  return entryOf(folder, 0, 0)?.name;
}

/** What is held of a fit when these files of it are read: a fit of that name may come again. */
function partOf(entry: Entry): string {
  return `${entry.name}/${folderOf(entry)}`;
}

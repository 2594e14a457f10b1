import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { clearAway, folderBytes, makeFolders, PRIVATE_FOLDER } from '../store/files.js';
import { UNFINISHED_FOLDER } from '../store/own-files.js';
import { type HeldFit, LostStore } from '../store/store.js';

interface CachedFit {
  readonly path: string;
  /** Rejects if its files cannot be fetched. */
  readonly filled: Promise<void>;
  /** 0 until the files have been fetched. */
  bytes: number;
  users: number;
}

/** Local cache of the cluster's most recently used fits, as folders. */
export class FitCache {
  private readonly root: string;
  private readonly limit: number;
  /** Fits by folder name, the most recently used one last. */
  private readonly cached = new Map<string, CachedFit>();
  /** Folders that are being removed, by name. */
  private readonly leaving = new Map<string, Promise<void>>();
  private bytes = 0;

  /** `limit`: maximum size of all fits without readers, in bytes. */
  constructor(root: string, limit: number) {
    this.root = root;
    this.limit = limit;
  }

  /** The folder with this name. If it is not cached, `fill` fetches its files. It exists until it is released. */
  async open(name: string, fill: (folder: string) => Promise<void>): Promise<HeldFit> {
    const fit = this.cached.get(name) ?? this.begin(name, fill);
    this.cached.delete(name);
    this.cached.set(name, fit);
    fit.users++;
    let isHeld = true;
    const release = () => {
      if (isHeld) fit.users--;
      isHeld = false;
      this.trim();
    };
    try {
      await fit.filled;
    } catch (error) {
      release();
      throw error;
    }
    return { path: fit.path, release };
  }

  /** A cached folder whose name starts with this text; undefined if none exists. */
  async find(beginning: string): Promise<HeldFit | undefined> {
    const name = [...this.cached.keys()].find((each) => each.startsWith(beginning));
    if (name === undefined) return undefined;
    return this.open(name, () => Promise.reject(new LostStore(`${name} no longer exists here`)));
  }

  private begin(name: string, fill: (folder: string) => Promise<void>): CachedFit {
    const path = join(this.root, name);
    const filled = this.load(name, path, fill).then((bytes) => {
      fit.bytes = bytes;
      this.bytes += bytes;
    });
    const fit: CachedFit = { path, filled, bytes: 0, users: 0 };
    return fit;
  }

  /** Resolves with the size of the folder. If it fails, nothing remains on disk. */
  private async load(name: string, path: string, fill: (folder: string) => Promise<void>): Promise<number> {
    const unfinished = `${path}${UNFINISHED_FOLDER}`;
    try {
      await this.leaving.get(name);
      await makeFolders(this.root, PRIVATE_FOLDER);
      await clearAway(unfinished);
      await mkdir(unfinished, PRIVATE_FOLDER);
      await fill(unfinished);
      await clearAway(path);
      await rename(unfinished, path);
      return folderBytes(path);
    } catch (error) {
      await clearAway(unfinished).finally(() => this.cached.delete(name));
      throw error;
    }
  }

  private trim(): void {
    for (const [name, { bytes, path, users }] of this.cached) {
      if (this.bytes <= this.limit) return;
      if (users > 0) continue;
      this.cached.delete(name);
      this.bytes -= bytes;
      const leaving = clearAway(path)
        .catch(() => undefined)
        .then(() => void this.leaving.delete(name));
      this.leaving.set(name, leaving);
    }
  }
}

import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { clearAway, folderBytes, makeFolders, PRIVATE_FOLDER } from '../store/files.js';
import { UNFINISHED_FOLDER } from '../store/own-files.js';
import { type HeldFit, LostStore } from '../store/store.js';

interface CachedFit {
  readonly path: string;
  /** Rejects when its files could not be had. */
  readonly filled: Promise<void>;
  /** 0 until it is filled. */
  bytes: number;
  users: number;
}

/** Fits of the cluster as folders of this machine, the most recently used ones. */
export class FitCache {
  private readonly root: string;
  private readonly limit: number;
  /** By the folder's name, the most recently used one last. */
  private readonly cached = new Map<string, CachedFit>();
  /** Folders that are being removed, by name. */
  private readonly leaving = new Map<string, Promise<void>>();
  private bytes = 0;

  /** `limit` bounds the bytes of those without readers. */
  constructor(root: string, limit: number) {
    this.root = root;
    this.limit = limit;
  }

  /** The folder of this name, which `fill` puts the files in unless it is there; it stays until it is released. */
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

  /** A local folder whose name begins like this; undefined if none does. */
  async find(beginning: string): Promise<HeldFit | undefined> {
    const name = [...this.cached.keys()].find((each) => each.startsWith(beginning));
    if (name === undefined) return undefined;
    return this.open(name, () => Promise.reject(new LostStore(`${name} is not here any more`)));
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

  /** Resolves with the bytes of the folder. One that fails leaves nothing to who tries again. */
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

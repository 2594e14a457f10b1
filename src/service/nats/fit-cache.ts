import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { clearAway, folderBytes, makeFolders, PRIVATE_FOLDER } from '../store/files.js';
import { type HeldFit, LostStore } from '../store/store.js';

interface CachedFit {
  readonly path: string;
  readonly bytes: number;
  users: number;
}

/** Fits of the cluster as folders of this machine, the most recently used ones. */
export class FitCache {
  private readonly root: string;
  private readonly limit: number;
  /** By the folder's name, the most recently used one last. */
  private readonly cached = new Map<string, Promise<CachedFit>>();
  private bytes = 0;

  /** `limit` bounds the bytes of those that nobody reads. */
  constructor(root: string, limit: number) {
    this.root = root;
    this.limit = limit;
  }

  /** The folder of this name, which `fill` puts the files in unless it is there; it stays until it is released. */
  async open(name: string, fill: (folder: string) => Promise<void>): Promise<HeldFit> {
    const opening = this.cached.get(name) ?? this.load(name, fill);
    this.cached.delete(name);
    this.cached.set(name, opening);
    const fit = await opening;
    fit.users++;
    let isHeld = true;
    const release = () => {
      if (isHeld) fit.users--;
      isHeld = false;
      void this.trim().catch(() => undefined);
    };
    return { path: fit.path, release };
  }

  /** A folder that is here whose name begins like this; undefined when there is none. */
  async find(beginning: string): Promise<HeldFit | undefined> {
    const name = [...this.cached.keys()].find((each) => each.startsWith(beginning));
    if (name === undefined) return undefined;
    return this.open(name, () => Promise.reject(new LostStore(`${name} is not here any more`)));
  }

  private async load(name: string, fill: (folder: string) => Promise<void>): Promise<CachedFit> {
    const path = join(this.root, name);
    const unfinished = `${path}.tmp`;
    try {
      await makeFolders(this.root, PRIVATE_FOLDER);
      await clearAway(unfinished);
      await mkdir(unfinished, PRIVATE_FOLDER);
      await fill(unfinished);
      await clearAway(path);
      await rename(unfinished, path);
      const bytes = folderBytes(path);
      this.bytes += bytes;
      return { path, bytes, users: 0 };
    } catch (error) {
      this.cached.delete(name);
      await clearAway(unfinished);
      throw error;
    }
  }

  private async trim(): Promise<void> {
    for (const [name, opening] of [...this.cached]) {
      if (this.bytes <= this.limit) return;
      const fit = await opening.catch(() => undefined);
      if (fit === undefined || fit.users > 0 || this.cached.get(name) !== opening) continue;
      this.cached.delete(name);
      this.bytes -= fit.bytes;
      await clearAway(fit.path);
    }
  }
}

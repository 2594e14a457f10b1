import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '../store/lock.js';

const BEGINNING = 'leapfrog-fits-';
/** Milliseconds for which an unlocked folder is not removed, because its process may not have locked it yet. */
const YOUNG = 60_000;

export interface OwnFolder {
  readonly path: string;
  /** Removes the folder. */
  release(): Promise<void>;
}

/** Creates a folder for this process in `parent`, and removes folders of killed processes there. */
export async function makeOwnFolder(parent: string): Promise<OwnFolder> {
  const path = await mkdtemp(join(parent, BEGINNING));
  const lock = await lockFolder(path);
  const names = (await readdir(parent)).filter((name) => name.startsWith(BEGINNING));
  for (const other of names.map((name) => join(parent, name))) {
    // Folders of other users cannot be removed.
    if (other !== path) await removeAbandoned(other).catch(() => undefined);
  }
  const release = async () => {
    await lock.release();
    await rm(path, { recursive: true, force: true });
  };
  return { path, release };
}

/** Throws if a process has locked the folder. */
async function removeAbandoned(folder: string): Promise<void> {
  const { mtimeMs } = await stat(folder);
  // A time in the future means that the clock has been set back.
  if (Math.abs(Date.now() - mtimeMs) < YOUNG) return;
  const lock = await lockFolder(folder);
  await lock.release();
  await rm(folder, { recursive: true, force: true });
}

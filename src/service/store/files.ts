/** Atomic and durable changes of files and folders. */
import { randomUUID } from 'node:crypto';
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { asDamage, DamagedFile, unsealed } from '../../fit-files/checksums.js';
import { READ_ONLY } from '../../fit-files/descriptors.js';
import { isOwnFile, isOwnFolder, isUnfinishedName, PROBE_BEGINNING } from './own-files.js';

const FILES_AT_ONCE = 32;
/** Permissions of files that only the owner can read, whatever the process's umask. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const REMOVAL_ATTEMPTS = 5;
const REMOVAL_DELAY = 100;

/** Writes a file under a temporary name, flushes it to disk, and renames it. `mode` is its permissions. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  mode: number = PRIVATE_FILE,
): Promise<void> {
  const temporary = unfinishedPath(path);
  try {
    await writeDurably(temporary, content);
    await chmod(temporary, mode);
    await renameOver(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncPath(dirname(path));
}

/** Renames a file. A folder in place of the target is renamed first, and remains if it contains foreign files. */
async function renameOver(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, 'EISDIR')) throw error;
    const folder = unfinishedPath(to);
    await rename(to, folder);
    await rename(from, to);
    await clearAway(folder);
  }
}

/** A new temporary path for a file that is renamed when it is complete. */
export function unfinishedPath(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}

/** Removes temporary files of records that `writeAtomically` left in a folder because its process was killed. */
export async function removeUnfinished(folder: string): Promise<void> {
  const files = entriesIn(folder).filter((entry) => entry.isFile() && isUnfinishedName(entry.name));
  for (const { name } of files) await rm(join(folder, name), { force: true });
}

/**
 * Creates a folder and its parents. `mode` is the permissions of the folder itself, by default those of the process.
 * (Node's `recursive` never returns in `/proc`, where folders cannot be created.)
 */
export async function makeFolders(path: string, mode?: number): Promise<void> {
  const parent = dirname(path);
  if (parent === path || (await unlessMissing(stat(path))) !== undefined) return;
  await makeFolders(parent);
  await mkdir(path, mode).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  await syncPath(parent);
}

/** Atomically creates a folder with these folders (parents first) and files. An existing folder remains unchanged. */
export async function createFolder(
  path: string,
  content: { readonly folders?: readonly string[]; readonly files: Readonly<Record<string, string | Uint8Array>> },
  temporaryRoot: string,
): Promise<void> {
  const temporary = join(temporaryRoot, randomUUID());
  const folders = (content.folders ?? []).map((name) => join(temporary, name));
  try {
    await mkdir(temporary, PRIVATE_FOLDER);
    for (const folder of folders) await mkdir(folder, PRIVATE_FOLDER);
    for (const [name, text] of Object.entries(content.files)) await writeDurably(join(temporary, name), text);
    for (const folder of folders) await syncPath(folder);
    await publishFolder(temporary, path);
  } catch (error) {
    await clearAway(temporary);
    throw error;
  }
}

/** Atomically removes a folder; false if it does not exist. */
export async function removeFolder(path: string, temporaryRoot: string): Promise<boolean> {
  const temporary = join(temporaryRoot, randomUUID());
  if (!(await moveIfThere(path, temporary))) return false;
  await syncPath(dirname(path));
  await clearAway(temporary);
  return true;
}

/**
 * Removes a folder that is no longer in use, although a terminating thread may still write to it. Files that do not
 * belong to the store remain, and so does the folder if it contains any.
 */
export async function clearAway(path: string): Promise<void> {
  if ((await unlessMissing(lstat(path)))?.isDirectory() !== true) return;
  for (let attempt = 1; (await removeOwn(path)) === 'new files'; attempt++) {
    if (attempt === REMOVAL_ATTEMPTS) throw new Error(`files keep appearing in ${path}`);
    await pause(attempt * REMOVAL_DELAY);
  }
}

/**
 * Removes the store's files in a folder, and the folder itself if it is then empty. Returns the entries that remain.
 */
async function removeOwn(root: string, within = ''): Promise<'nothing' | 'foreign files' | 'new files'> {
  const folder = join(root, within);
  let left: Awaited<ReturnType<typeof removeOwn>> = 'nothing';
  for (const entry of (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? []) {
    const path = within === '' ? entry.name : `${within}/${entry.name}`;
    if (entry.isFile() && isOwnFile(path)) {
      await rm(join(root, path), { force: true });
    } else {
      const inside = entry.isDirectory() && isOwnFolder(path) ? await removeOwn(root, path) : 'foreign files';
      if (left !== 'new files' && inside !== 'nothing') left = inside;
    }
  }
  if (left !== 'nothing') return left;
  try {
    await unlessMissing(rmdir(folder));
    return 'nothing';
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY') || hasCode(error, 'EEXIST')) return 'new files';
    throw error;
  }
}

/** Renames a folder whose files have been flushed to disk. If the target exists, it is kept and the source is removed. */
export async function publishFolder(from: string, to: string): Promise<void> {
  await syncPath(from);
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
    await clearAway(from);
  }
  await syncPath(dirname(to));
}

/** Total size of the files in a folder and its subfolders; 0 if it does not exist. */
export function folderBytes(path: string): number {
  let bytes = 0;
  for (const entry of entriesIn(path)) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) bytes += folderBytes(inside);
    else if (entry.isFile()) bytes += statSync(inside, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

/** Renames a file or folder; false if it does not exist. */
export async function moveIfThere(from: string, to: string): Promise<boolean> {
  return (await unlessMissing(rename(from, to).then(() => true))) ?? false;
}

/** Durably removes a file, or a folder in place of it; false if neither exists. */
export async function removeFile(path: string): Promise<boolean> {
  const remove = async () => {
    if (!(await lstat(path)).isDirectory()) return rm(path);
    const folder = unfinishedPath(path);
    await rename(path, folder);
    await clearAway(folder);
  };
  const removed = (await unlessMissing(remove().then(() => true))) ?? false;
  if (removed) await unlessMissing(syncPath(dirname(path)));
  return removed;
}

/** The bytes of a file; undefined if it does not exist, or is a folder, a pipe or a symbolic link. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  const file = await unlessOdd(open(path, READ_ONLY));
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).isFile() ? await file.readFile() : undefined;
  } finally {
    await file.close();
  }
}

/** The content before the seal of a file that must exist. Throws `DamagedFile`. */
export async function readSealed(path: string, owner = ''): Promise<Buffer> {
  let bytes: Buffer;
  try {
    const file = await open(path, READ_ONLY);
    try {
      if (!(await file.stat()).isFile()) throw new DamagedFile(path, 'type');
      bytes = await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw asDamage(path, error);
  }
  const content = unsealed(bytes, owner);
  if (content === undefined) throw new DamagedFile(path);
  return content;
}

/** Like `readSealed`, but returns text. */
export async function readText(path: string, owner = ''): Promise<string> {
  return (await readSealed(path, owner)).toString();
}

/** Applies an operation to many files, a few at a time because the number of open files is limited. */
export function forEachFile<Name, Result>(
  names: Iterable<Name>,
  work: (name: Name) => Promise<Result>,
): Promise<Result[]> {
  return pLimit(FILES_AT_ONCE).map(names, work);
}

/** Entries of a folder, sorted by name; empty if it does not exist. */
export function entriesIn(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Sorted names of a folder's entries; empty if it does not exist. */
export function namesIn(path: string): string[] {
  return entriesIn(path).map(({ name }) => name);
}

/** The result of a file operation; undefined if the file does not exist. */
export async function unlessMissing<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Like `unlessMissing`, but also undefined for an entry that is not a file. */
async function unlessOdd<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await unlessMissing(operation);
  } catch (error) {
    if (['ELOOP', 'ENXIO', 'EISDIR', 'ENODEV'].some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');
}

/** Writes a new file and flushes it to disk. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Size of a probe: more than file systems store without allocating a block. */
const PROBE = new Uint8Array(1 << 13);

/** Writes a file to a folder, flushes it to disk and removes it, to find out whether files can be written. */
export async function probeFolder(folder: string): Promise<void> {
  const path = join(folder, `${PROBE_BEGINNING}.${randomUUID()}.tmp`);
  try {
    await writeDurably(path, PROBE);
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Flushes a file's content, or a folder's list of names, to disk. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

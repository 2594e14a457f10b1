/** Atomic and durable changes of files and folders. */
import { randomUUID } from 'node:crypto';
import { constants, type Dirent, readdirSync, statSync } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { DamagedFile, unsealed } from '../../fit-files/checksums.js';
import { isOwnFile, isOwnFolder, isUnfinishedName } from './own-files.js';

const FILES_AT_ONCE = 32;
/** Permissions of files that only the owner can read, whatever the process's umask. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
/**
 * Flags with which opening neither waits for the writer of a pipe nor follows a symbolic link. Windows has neither
 * flag.
 */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const REMOVAL_ATTEMPTS = 5;
const REMOVAL_DELAY = 100;

/** Writes a file under a temporary name, flushes it to disk, and renames it. `mode` is its permissions. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  mode: number = PRIVATE_FILE,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeDurably(temporary, content);
    await chmod(temporary, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncPath(dirname(path));
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

/** Durably removes a file; false if it does not exist. */
export async function removeFile(path: string): Promise<boolean> {
  const removed = (await unlessMissing(rm(path).then(() => true))) ?? false;
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

/** Like `readIfThere`, but returns the content before the seal. Throws `DamagedFile` if the checksum does not match. */
export async function readSealedIfThere(path: string): Promise<Buffer | undefined> {
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const content = unsealed(bytes);
  if (content === undefined) throw new DamagedFile(path);
  return content;
}

/** Like `readSealedIfThere`, but returns text. */
export async function readTextIfThere(path: string): Promise<string | undefined> {
  return (await readSealedIfThere(path))?.toString();
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

/** Files that are there whole or not at all. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';

const FILES_AT_ONCE = 32;

/** Writes a file under another name, has it on the disk, and then gives it its name. `mode` are its permissions, if not the usual. */
export async function writeAtomically(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeDurably(temporary, content);
    if (mode !== undefined) await chmod(temporary, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncPath(dirname(path));
}

/** Removes what `writeAtomically` left in a folder when its process was killed. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) if (name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
}

/** Makes a folder and those that it lies in. (Node's `recursive` never ends in `/proc`, where there can be no such folders.) */
export async function makeFolders(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent === path || (await unlessMissing(stat(path))) !== undefined) return;
  await makeFolders(parent);
  await mkdir(path).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  await syncPath(parent);
}

/** Makes a folder with these folders and files in it appear at once. One that is there already stays. */
export async function createFolder(
  path: string,
  content: { readonly folders?: readonly string[]; readonly files: Readonly<Record<string, string | Uint8Array>> },
  temporaryRoot: string,
): Promise<void> {
  const temporary = join(temporaryRoot, randomUUID());
  const folders = (content.folders ?? []).map((name) => join(temporary, name));
  try {
    await mkdir(temporary);
    for (const folder of folders) await makeFolders(folder);
    for (const [name, text] of Object.entries(content.files)) await writeDurably(join(temporary, name), text);
    for (const folder of folders) await syncPath(folder);
    await publishFolder(temporary, path);
  } catch (error) {
    await clearAway(temporary);
    throw error;
  }
}

/** Makes a folder disappear at once; false when there was none. */
export async function removeFolder(path: string, temporaryRoot: string): Promise<boolean> {
  const temporary = join(temporaryRoot, randomUUID());
  if (!(await renameIfThere(path, temporary))) return false;
  await syncPath(dirname(path));
  await clearAway(temporary);
  return true;
}

/** Removes a folder that nobody should find any more, though a thread that is being ended may still write in it. */
export async function clearAway(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Gives a folder, whose files are on the disk, its name. One that has that name already stays, and the other one goes. */
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

/** Bytes of the files in a folder and in those below it; none when there is no folder. */
export async function folderBytes(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of (await unlessMissing(readdir(path, { withFileTypes: true }))) ?? []) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) bytes += await folderBytes(inside);
    else bytes += (await unlessMissing(stat(inside)))?.size ?? 0;
  }
  return bytes;
}

async function renameIfThere(from: string, to: string): Promise<boolean> {
  return (await unlessMissing(rename(from, to).then(() => true))) ?? false;
}

/** Removes a file for good; false when there was none. */
export async function removeFile(path: string): Promise<boolean> {
  const removed = (await unlessMissing(rm(path).then(() => true))) ?? false;
  if (removed) await unlessMissing(syncPath(dirname(path)));
  return removed;
}

export async function readTextIfThere(path: string): Promise<string | undefined> {
  return unlessMissing(readFile(path, 'utf8'));
}

/** Does something with each of many files, a few at a time: a process may have but so many open. */
export function forEachFile<Name, Result>(
  names: Iterable<Name>,
  work: (name: Name) => Promise<Result>,
): Promise<Result[]> {
  return pLimit(FILES_AT_ONCE).map(names, work);
}

/** Names in a folder, sorted; none when there is no folder. */
export async function namesIn(path: string): Promise<string[]> {
  return ((await unlessMissing(readdir(path))) ?? []).sort();
}

/** Waits for a file operation; undefined when the file is not there. */
export async function unlessMissing<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Writes a new file and has it on the disk. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Has a file's content, or a folder's list of names, on the disk. */
async function syncPath(path: string): Promise<void> {
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

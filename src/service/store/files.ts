/** Files that are there whole or not at all. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes a file under another name, has it on the disk, and then gives it its name. */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeDurably(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncPath(dirname(path));
}

/** Makes a folder with these folders and files in it appear at once. One that is there already stays. */
export async function createFolder(
  path: string,
  content: { readonly folders?: readonly string[]; readonly files: Readonly<Record<string, string | Uint8Array>> },
  temporaryRoot: string,
): Promise<void> {
  const temporary = join(temporaryRoot, randomUUID());
  await mkdir(temporary);
  for (const name of content.folders ?? []) await mkdir(join(temporary, name), { recursive: true });
  for (const [name, text] of Object.entries(content.files)) await writeDurably(join(temporary, name), text);
  await syncPath(temporary);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
  }
  await syncPath(dirname(path));
}

/** Makes a folder disappear at once; false when there was none. */
export async function removeFolder(path: string, temporaryRoot: string): Promise<boolean> {
  const temporary = join(temporaryRoot, randomUUID());
  if (!(await renameIfThere(path, temporary))) return false;
  await syncPath(dirname(path));
  await rm(temporary, { recursive: true, force: true });
  return true;
}

/** Renames a file that has been written to the end, with its content on the disk first. */
export async function publishFile(from: string, to: string): Promise<void> {
  await syncPath(from);
  await rename(from, to);
  await syncPath(dirname(to));
}

export async function renameIfThere(from: string, to: string): Promise<boolean> {
  return (await unlessMissing(rename(from, to).then(() => true))) ?? false;
}

/** Removes a file; false when there was none. */
export async function removeFile(path: string): Promise<boolean> {
  return (await unlessMissing(rm(path).then(() => true))) ?? false;
}

export async function readTextIfThere(path: string): Promise<string | undefined> {
  return unlessMissing(readFile(path, 'utf8'));
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

async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
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

/** The file `format`, which marks a folder as a store and contains the version of its layout. */
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sealed, unsealed } from '../../fit-files/checksums.js';
import { readIfThere, unlessMissing, writeAtomically } from './files.js';
import { isUnfinishedName } from './own-files.js';

const FORMAT_FILE = 'format';
const FORMAT = '5';
/** Earlier formats that can be read. In format 4, names of fits' folders do not contain their size. */
const EARLIER: readonly string[] = ['4'];
/** A folder that a server creates in an empty folder before the file `format`. */
const LOCK_FOLDER = 'lock';

/**
 * Throws unless a folder is a readable store, is empty, or does not exist. Does not change the folder, which contains
 * other files if the path is wrong.
 */
export async function refuseForeign(root: string): Promise<void> {
  await findFormat(root);
}

/** Turns an empty folder, or a readable store of an earlier format, into a store of this format. Throws as `refuseForeign` does. */
export async function claimFormat(root: string): Promise<void> {
  if ((await findFormat(root)) !== FORMAT) await writeFormat(root);
}

/** Marks a folder as a store, whatever its contents. */
export function writeFormat(root: string): Promise<void> {
  return writeAtomically(join(root, FORMAT_FILE), sealed(FORMAT));
}

/** The format of a readable store; undefined for a folder that can become one. */
async function findFormat(root: string): Promise<string | undefined> {
  const isFolder = (await unlessMissing(stat(root)))?.isDirectory();
  if (isFolder === undefined) return undefined;
  if (!isFolder) throw new Error(`${root} is not a folder; set --store to an empty or new folder`);
  const bytes = await readIfThere(join(root, FORMAT_FILE));
  // Earlier formats have no seal.
  const found = bytes && (unsealed(bytes) ?? bytes).toString();
  if (found === FORMAT || (found !== undefined && EARLIER.includes(found))) return found;
  if (found !== undefined && /^\d+$/.test(found)) {
    const problem = `contains a store of format ${found}, but this version of Leapfrog reads format ${FORMAT}`;
    throw new Error(`the folder ${root} ${problem}; empty it or set --store to another folder`);
  }
  if (bytes?.length === sealed(FORMAT).length) {
    const remedy = `set --store to another folder, or write ${FORMAT} into that file if this version of Leapfrog created the store`;
    throw new Error(`the file ${FORMAT_FILE} of the store ${root} is damaged: ${remedy}`);
  }
  const foreign: string[] = [];
  for (const name of await readdir(root)) if (!(await isOfBeginning(root, name))) foreign.push(name);
  const [first] = foreign.sort();
  if (first === undefined) return undefined;
  const problem = `contains ${first}${foreign.length > 1 ? ' and more' : ''} but no file "${FORMAT_FILE}" of a store`;
  throw new Error(`the folder ${root} is not a store: it ${problem}; set --store to an empty or new folder`);
}

/** Whether an entry may have been left by a server that was killed while it created a store. */
async function isOfBeginning(root: string, name: string): Promise<boolean> {
  if (isUnfinishedName(name)) return true;
  return name === LOCK_FOLDER && ((await unlessMissing(lstat(join(root, name))))?.isDirectory() ?? false);
}

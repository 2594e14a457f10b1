/** The file `format` makes a folder a store, and states its layout. */
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sealed, unsealed } from './checksums.js';
import { readIfThere, unlessMissing, writeAtomically } from './files.js';
import { isUnfinishedName } from './own-files.js';

const FORMAT_FILE = 'format';
const FORMAT = '5';
/** Formats that are read as well. In 4 the names of fits' folders do not contain their bytes. */
const EARLIER: readonly string[] = ['4'];
/** What a server makes in an empty folder before that file. */
const LOCK_FOLDER = 'lock';

/**
 * Throws when a folder is neither a store that can be read nor empty nor absent. Nothing in it is changed: it may hold
 * other files if the path was wrong.
 */
export async function refuseForeign(root: string): Promise<void> {
  await findFormat(root);
}

/** Makes an empty folder, or a store of an earlier format that can be read, a store of this format. Throws as `refuseForeign` does. */
export async function claimFormat(root: string): Promise<void> {
  if ((await findFormat(root)) !== FORMAT) await writeFormat(root);
}

/** Makes a folder a store, whatever is in it. */
export function writeFormat(root: string): Promise<void> {
  return writeAtomically(join(root, FORMAT_FILE), sealed(FORMAT));
}

/** The format of a store that can be read; undefined for a folder that may become one. */
async function findFormat(root: string): Promise<string | undefined> {
  const isFolder = (await unlessMissing(stat(root)))?.isDirectory();
  if (isFolder === undefined) return undefined;
  if (!isFolder) throw new Error(`${root} is no folder; give --store an empty or a new one`);
  const bytes = await readIfThere(join(root, FORMAT_FILE));
  // Earlier formats had no seal.
  const found = bytes && (unsealed(bytes) ?? bytes).toString();
  if (found === FORMAT || (found !== undefined && EARLIER.includes(found))) return found;
  if (found !== undefined && /^\d+$/.test(found)) {
    const problem = `holds a store of format ${found}, and this version of Leapfrog reads format ${FORMAT}`;
    throw new Error(`the folder ${root} ${problem}; empty it or give --store another one`);
  }
  if (bytes?.length === sealed(FORMAT).length) {
    const remedy = `give --store another folder, or write ${FORMAT} into that file if this version of Leapfrog made the store`;
    throw new Error(`the file ${FORMAT_FILE} of the store ${root} is damaged: ${remedy}`);
  }
  const foreign: string[] = [];
  for (const name of await readdir(root)) if (!(await isOfBeginning(root, name))) foreign.push(name);
  const [first] = foreign.sort();
  if (first === undefined) return undefined;
  const problem = `holds ${first}${foreign.length > 1 ? ' and more' : ''} but no file "${FORMAT_FILE}" of a store`;
  throw new Error(`the folder ${root} is no store: it ${problem}; give --store an empty or a new folder`);
}

/** Whether a server that was killed while it made a store may have left this. */
async function isOfBeginning(root: string, name: string): Promise<boolean> {
  if (isUnfinishedName(name)) return true;
  return name === LOCK_FOLDER && ((await unlessMissing(lstat(join(root, name))))?.isDirectory() ?? false);
}

/** Where the draws of a run go: the names of its files, and what is done with them before and after it. */
import { closeSync, constants, lstatSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import type { DrawFile } from '../service/fits/draw-file.js';
import { makeFolders } from '../service/store/files.js';
import { CommandError, writing, writingLater } from './errors.js';

const FORMATS: readonly string[] = ['.csv', '.arrow', '.ndjson'];

/**
 * Where the output of each chain goes: `path` itself for one chain, with the chain's id before the extension for several. A folder
 * gets files that are called as the program is.
 */
export function outputPaths(path: string, program: string, ids: readonly number[]): string[] {
  const file = writing(path, () => isFolder(path)) ? join(path, `${program}.csv`) : path;
  const extension = extname(file);
  if (!FORMATS.includes(extension))
    throw new CommandError(`error: --output must be a folder or end in ${FORMATS.join(', ')}`);
  if (ids.length === 1) return [file];
  return ids.map((id) => `${file.slice(0, -extension.length)}_${id}${extension}`);
}

/** Makes the folders of outputs. Throws for outputs that would take the place of a file that is read, or of each other. */
export async function prepareOutputs(outputs: readonly string[], inputs: readonly string[]): Promise<void> {
  const read = new Map(inputs.map((path) => [identityOf(path), path]));
  const written = new Set<string>();
  for (const path of outputs) {
    const identity = identityOf(path);
    const input = read.get(identity);
    if (input !== undefined) {
      throw new CommandError(`error: ${input} is an input and would be overwritten: name another output`);
    }
    if (written.has(identity)) throw new CommandError(`error: ${path} would be written twice: name another output`);
    written.add(identity);
  }
  for (const path of outputs) await writingLater(path, () => makeFolders(dirname(path)));
}

/** The same text for all names of a file. */
function identityOf(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file === undefined || !file.isFile() ? resolve(path) : `${file.dev}:${file.ino}`;
}

/** The files of a run. */
export class RunFiles {
  readonly ofChains: readonly (readonly DrawFile[])[];
  private readonly earlier: ReadonlyMap<string, number | undefined>;

  /** Throws if one cannot be written. Those that are not there are made. */
  constructor(ofChains: readonly (readonly DrawFile[])[]) {
    this.ofChains = ofChains;
    const paths = ofChains.flat().map(({ path }) => path);
    this.earlier = new Map(paths.map((path) => [path, lstatSync(path, { throwIfNoEntry: false })?.mtimeMs]));
    try {
      for (const path of paths) writing(path, () => closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT)));
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Removes the files that the run has made and not written to. */
  release(): void {
    for (const [path, time] of this.earlier) {
      if (time === undefined && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    }
  }

  /** Files with draws that have been written to. */
  written(): string[] {
    const draws = this.ofChains.flat().filter(({ holds }) => holds === 'draw');
    const paths = draws.map(({ path }) => path);
    return paths.filter((path) => {
      const time = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
      return time !== undefined && time !== this.earlier.get(path);
    });
  }
}

function isFolder(path: string): boolean {
  return /[/\\]$/.test(path) || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

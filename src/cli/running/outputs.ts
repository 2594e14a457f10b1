/** The output files of a run: their names, and their preparation and completion. */
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import type { DrawFile } from '../../fit-files/draw-file.js';
import { mayBlock } from '../../node/input-files.js';
import { withDefaultSignals } from '../../node/signals.js';
import { CommandError, writing } from '../errors.js';

const FORMATS: readonly string[] = ['.csv', '.arrow', '.ndjson'];

/** Files of chains, in order. */
interface Outputs {
  /** Whether the user has specified only a folder. */
  readonly inFolder: boolean;
  readonly paths: readonly string[];
}

/**
 * The output file of each chain: `path` itself for one chain; for several, with the chain's id before the extension. In
 * a folder, files have the default name.
 */
export function outputPaths(path: string, usual: string, ids: readonly number[]): Outputs {
  const inFolder = writing(path, () => isFolder(path));
  const file = inFolder ? join(path, `${usual}.csv`) : path;
  const extension = extname(file);
  if (!FORMATS.includes(extension))
    throw new CommandError(`error: --output must be a folder or end in ${FORMATS.join(', ')}`);
  const stem = file.slice(0, -extension.length);
  return { inFolder, paths: ids.length === 1 ? [file] : ids.map((id) => `${stem}_${id}${extension}`) };
}

/** Creates the folders of outputs. Throws if an output would overwrite an input file or another output. */
export function prepareOutputs(outputs: readonly Outputs[], inputs: readonly string[]): void {
  const read = new Map(inputs.map((path) => [identityOf(path), path]));
  const written = new Set<string>();
  for (const path of outputs.flatMap(({ paths }) => paths)) {
    const identity = identityOf(path);
    const input = read.get(identity);
    if (input !== undefined) {
      throw new CommandError(`error: ${input} is an input and would be overwritten; choose another output`);
    }
    if (written.has(identity)) throw new CommandError(`error: ${path} would be written twice; choose another output`);
    written.add(identity);
  }
  for (const { inFolder, paths } of outputs) for (const path of paths) ensureFolder(dirname(path), inFolder);
}

/**
 * Creates a folder if its parent exists and the user has named it as a folder. Otherwise a misspelled name would create
 * folders.
 */
export function ensureFolder(path: string, isNamed: boolean): void {
  if (writing(path, () => statSync(path, { throwIfNoEntry: false })) !== undefined) return;
  const parent = dirname(path);
  const missing = isNamed && !existsSync(parent) ? parent : path;
  if (!isNamed || missing === parent)
    throw new CommandError(`error: the folder ${missing} does not exist; create it first, or correct the name`);
  writing(path, () => mkdirSync(path));
}

/** An identifier of a file, the same for all of its names. */
function identityOf(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file === undefined || !file.isFile() ? resolve(path) : `${file.dev}:${file.ino}`;
}

/** The files of a run. */
export class RunFiles {
  readonly ofChains: readonly (readonly DrawFile[])[];
  private readonly earlier: ReadonlyMap<string, number | undefined>;

  /** Creates missing files. Throws if one cannot be written. */
  constructor(ofChains: readonly (readonly DrawFile[])[]) {
    this.ofChains = ofChains;
    const paths = ofChains.flat().map(({ path }) => path);
    this.earlier = new Map(paths.map((path) => [path, lstatSync(path, { throwIfNoEntry: false })?.mtimeMs]));
    try {
      for (const path of paths) writing(path, () => closeSync(openOutput(path)));
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Removes the files that the run has created but not written to. */
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

function openOutput(path: string): number {
  const open = () => openSync(path, constants.O_WRONLY | constants.O_CREAT);
  const stats = statSync(path, { throwIfNoEntry: false });
  // Opening a pipe waits for its reader.
  return stats !== undefined && mayBlock(stats) ? withDefaultSignals(open) : open();
}

function isFolder(path: string): boolean {
  return /[/\\]$/.test(path) || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

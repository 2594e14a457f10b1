/** Stan programs in files, with the files that they include. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ProgramSource } from '../chain/compiler.js';
import { readText } from './input-files.js';

export type NamedProgram = ProgramSource & { readonly name: string };

/** Reads a program, from standard input for `-`. Missing included files are reported by the compiler. */
export function readProgram(path: string, includePath: readonly string[]): NamedProgram {
  const isInput = path === '-';
  const program = isInput ? readText(0, { name: 'standard input' }) : readText(path);
  const folders = [...includePath, isInput ? '.' : dirname(path)];
  return { name: isInput ? 'string' : path, program, includes: includesIn(includedFiles(program, folders)) };
}

/** The texts of included files by name. */
export function includesIn(files: readonly IncludedFile[]): ProgramSource['includes'] {
  return Object.fromEntries(files.map(({ name, text }) => [name, text]));
}

/** The base name of files whose names are derived from a program. */
export function fileName(path: string): string {
  return path === '-' ? 'program' : basename(path, '.stan');
}

/** A program's name: the name of its file, converted to a valid model name. */
export function programName(path: string): string {
  return fileName(path).replace(/[^A-Za-z0-9_]/g, '_');
}

/** `#include` with a name in quotes, in angle brackets or bare. */
export const INCLUDE = /#include\s+(?:"([^"\r\n]*)"|<([^>\r\n]*)>|(\S+))/g;

/** An included file, with its path. */
export interface IncludedFile {
  /** The name in the program. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** The text of a file at a path; undefined if it does not exist. */
type ReadFile = (path: string) => string | undefined;

function readExisting(path: string): string | undefined {
  return existsSync(path) ? readText(path, { regular: true }) : undefined;
}

/**
 * The files that a program includes, directly or indirectly, found in `folders`, in the order of their first
 * occurrence.
 */
export function includedFiles(
  program: string,
  folders: readonly string[],
  read: ReadFile = readExisting,
): readonly IncludedFile[] {
  const found = new Map<string, IncludedFile>();
  const find = (name: string): IncludedFile | undefined => {
    for (const folder of folders) {
      const path = join(folder, name);
      const text = read(path);
      if (text !== undefined) return { name, path, text };
    }
    return undefined;
  };
  const collect = (text: string): void => {
    for (const [, quoted, angled, bare] of text.matchAll(INCLUDE)) {
      const name = quoted ?? angled ?? bare;
      const included = found.has(name) ? undefined : find(name);
      if (included === undefined) continue;
      found.set(name, included);
      collect(included.text);
    }
  };
  collect(program);
  return [...found.values()];
}

/** Stan programs as files, with the files that they include. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ProgramSource } from '../run/engine.js';
import { readText } from './input-files.js';

export type NamedProgram = ProgramSource & { readonly name: string };

/** Reads a program, from standard input for `-`. Files that it includes and that are nowhere are left to the compiler. */
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

/** The name of files that are made of a program, without their extension. */
export function fileName(path: string): string {
  return path === '-' ? 'program' : basename(path, '.stan');
}

/** What a program is called: the name of its file as far as it can name a model. */
export function programName(path: string): string {
  return fileName(path).replace(/[^A-Za-z0-9_]/g, '_');
}

/** How a program names a file that it includes: in quotes, in angle brackets or bare. */
export const INCLUDE = /#include\s+(?:"([^"\r\n]*)"|<([^>\r\n]*)>|(\S+))/g;

/** The files that a program includes, where they are. */
export interface IncludedFile {
  /** As the program names it. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** The text of a file at a path; undefined if it does not exist. */
type ReadFile = (path: string) => string | undefined;

function readExisting(path: string): string | undefined {
  return existsSync(path) ? readText(path, { regular: true }) : undefined;
}

/** The files that a program and those included in it name, looked for in folders, in the order in which they are first named. */
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

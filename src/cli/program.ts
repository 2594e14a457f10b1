/** Stan programs as files, with the files that they include. */
import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Option } from 'commander';
import type { ProgramSource } from '../run/engine.js';
import { CommandError, reasonOf } from './errors.js';

export type NamedProgram = ProgramSource & { readonly name: string };

/** The option that says where `#include` looks, beside the program's own folder. */
export function includePathOption(): Option {
  return new Option(
    '--include-path <folder>',
    "folder to search for #include, before the program's own; may be repeated",
  )
    .default([], 'none')
    .argParser((folder, earlier: readonly string[]) => [...earlier, folder]);
}

/** Reads a program, from standard input for `-`. Files that it includes and that are nowhere are left to the compiler. */
export function readProgram(path: string, includePath: readonly string[]): NamedProgram {
  const isInput = path === '-';
  const program = readText(isInput ? 0 : path, isInput ? 'standard input' : path);
  const folders = [...includePath, isInput ? '.' : dirname(path)];
  return { name: isInput ? 'string' : path, program, includes: Object.fromEntries(includesOf(program, folders)) };
}

/** The name of files that are made of a program, without their extension. */
export function fileName(path: string): string {
  return path === '-' ? 'program' : basename(path, '.stan');
}

/** What a program is called: the name of its file as far as it can name a model. */
export function programName(path: string): string {
  return fileName(path).replace(/[^A-Za-z0-9_]/g, '_');
}

/** The text of a file, which must be UTF-8. */
export function readText(path: string | number, name = String(path)): string {
  const bytes = readBytes(path, name);
  if (!isUtf8(bytes)) throw new CommandError(`error: ${name} is not UTF-8: line ${foreignLine(bytes)}`);
  return bytes.toString('utf8');
}

function readBytes(path: string | number, name: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandError(`error: ${name} cannot be read: ${reasonOf(error)}`);
  }
}

const NEWLINE = 10;

/** The first line that is not UTF-8, from 1. */
function foreignLine(bytes: Buffer): number {
  for (let line = 1, start = 0; ; line++) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

const INCLUDE = /#include\s+(?:"([^"\r\n]*)"|<([^>\r\n]*)>|(\S+))/g;

function includesOf(program: string, folders: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  const collect = (text: string): void => {
    for (const [, quoted, angled, bare] of text.matchAll(INCLUDE)) {
      const name = quoted ?? angled ?? bare;
      const path = folders.map((folder) => join(folder, name)).find((candidate) => existsSync(candidate));
      if (texts.has(name) || path === undefined) continue;
      const included = readText(path);
      texts.set(name, included);
      collect(included);
    }
  };
  collect(program);
  return texts;
}

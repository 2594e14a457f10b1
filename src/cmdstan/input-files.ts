/** Input files of an executable: data and initial values as JSON text. */
import { existsSync } from 'node:fs';
import { DumpSyntaxError, jsonOfDump } from '../formats/r-dump.js';
import { JsonSyntaxError, parseStanJson } from '../formats/stan-json.js';
import { readInput, textOf, UnreadableFile } from '../node/input-files.js';
import { Failure } from './failure.js';
import { fileNames, listedFiles, splitSuffix } from './file-names.js';
import type { Console } from './parser.js';

/** The text of a file. Throws `Failure` if it cannot be read. */
export function readTextFile(path: string): string {
  try {
    return textOf(readInput(path), path);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new Failure(error.cause === undefined ? error.message : `Can't open specified file, "${path}"\n`);
  }
}

/** The variables in a file, as the JSON text of an object. A file whose suffix is not `.json` is read as an R dump. */
export function readVariables(path: string, console: Console): string {
  const text = readTextFile(path);
  const isJson = splitSuffix(path).suffix === '.json';
  if (!isJson) {
    console.error(
      `Warning: file '${path}' is being read as an 'RDump' file.\n` +
        '\tThis format is deprecated and will not receive new features.\n' +
        '\tConsider saving your data in JSON format instead.',
    );
  }
  try {
    if (!isJson) return jsonOfDump(text);
    parseStanJson(text);
    return text;
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw new Failure(`Error in JSON parsing of file "${path}": ${error.message}`);
    if (error instanceof DumpSyntaxError) throw new Failure(`Error in reading file "${path}": ${error.message}`);
    throw error;
  }
}

/**
 * The variables of each chain: from files with the chains' ids in their names, or for all chains from the named file.
 */
export function readVariablesOfChains(path: string, ids: readonly number[], console: Console): readonly string[] {
  if (ids.length === 1) return [readVariables(path, console)];
  const listed = listedFiles(path, ids);
  if (listed !== undefined) return listed.map((name) => readVariables(name, console));
  const { suffix } = splitSuffix(path);
  if (suffix === '') throw new Failure(`Found: "${path}" but user specified files must end in .json or .R`);
  if (suffix !== '.json' && suffix !== '.R') throw new Failure(`file ending of ${suffix} is not supported by cmdstan`);
  const names = fileNames(path, '', suffix, ids);
  if (existsSync(names[0])) {
    const missing = names.find((name) => !existsSync(name));
    if (missing !== undefined) throw new Failure(`Found "${names[0]}" but cannot open "${missing}"\n`);
    return names.map((name) => readVariables(name, console));
  }
  if (!existsSync(path)) {
    const both = `"${names[0]}" and base file "${path}"`;
    throw new Failure(`Searching for  "${both}\nCan't open either of specified files,${both}\n`);
  }
  const text = readVariables(path, console);
  return ids.map(() => text);
}

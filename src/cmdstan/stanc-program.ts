import { dirname } from 'node:path';
import type { Analysis } from '../analyze.js';
import { readText } from '../node/input-files.js';
import { includedFiles, includesIn, programName } from '../node/program-files.js';
import { printProblem } from '../node/standard-streams.js';
import { renderDiagnostic } from '../source/render.js';
import type { StancWords } from './stanc-options.js';

/** The program on stanc's command line. */
export interface StancProgram {
  readonly path: string;
  /** The program's name in messages. */
  readonly name: string;
  /** The model's name. */
  readonly modelName: string;
  readonly text: string;
  readonly includes: Readonly<Record<string, string>>;
  /** Paths of included files, by their names in the description of the program. */
  readonly includedPaths: ReadonlyMap<string, string>;
}

/** Reads the program on a command line, with its included files. Throws `UnreadableFile`. */
export function readStancProgram({ files, values }: StancWords): StancProgram {
  const [path] = files;
  const isInput = path === '-';
  const text = isInput ? readText(0, { name: 'standard input' }) : readText(path);
  const folders = (values.get('include-paths') ?? '').split(',').filter((folder) => folder !== '');
  const included = includedFiles(text, [...folders, isInput ? '.' : dirname(path)]);
  return {
    path,
    name: values.get('filename-in-msg') ?? (isInput ? 'stdin' : path),
    modelName: values.get('name') ?? `${programName(path)}_model`,
    text,
    includes: includesIn(included),
    includedPaths: new Map(included.map((file) => [`./${file.name}`, file.path])),
  };
}

/** Prints errors and warnings as stanc does. */
export function report({ errors, warnings }: Pick<Analysis, 'errors' | 'warnings'>): void {
  for (const warning of warnings) printProblem(`${renderDiagnostic(warning)}\n`);
  for (const error of errors) printProblem(`${renderDiagnostic(error)}\n\n`);
}

/** `bin/stanc`: checks programs, with stanc's options and exit codes. Writes executables instead of C++. */

import { writeFileSync } from 'node:fs';
import { analyze } from '../analyze.js';
import { STAN_VERSION_TEXT } from '../formats/stan-version.js';
import { UnreadableFile } from '../node/input-files.js';
import { fileName, INCLUDE } from '../node/program-files.js';
import { printData, printProblem } from '../node/standard-streams.js';
import { isFunctionFile } from '../source/span.js';
import { readStancWords, type StancWords, stancHelp } from './stanc-options.js';
import { readStancProgram, report, type StancProgram } from './stanc-program.js';

const OK = 0;
const WRONG_PROGRAM = 1;
/** Exit code for an invalid command line. */
const WRONG_WORDS = 124;

/** Runs stanc with the arguments after its name, and returns its exit code. */
export async function runStanc(words: readonly string[]): Promise<number> {
  const read = readStancWords(words);
  if ('problem' in read) return refuseWords(read.problem);
  if (read.flags.has('help')) return print(stancHelp());
  if (read.flags.has('version')) return print(`stanc3 v${STAN_VERSION_TEXT} (Unix)`);
  if (read.files.length === 0) {
    printProblem('Usage: stanc [--help] [OPTION]… [MODEL_FILE]\nstanc: No model file provided\n');
    return WRONG_WORDS;
  }
  if (read.files.length > 1) return refuseWords(`too many arguments, don't know what to do with ${read.files[1]}`);
  let program: StancProgram;
  try {
    program = readStancProgram(read);
  } catch (error) {
    if (error instanceof UnreadableFile) return refuseWords(error.message);
    throw error;
  }
  if (!read.values.has('executable')) return describe(program, read);
  return (await import('./build.js')).buildExecutable(program, read);
}

function describe(program: StancProgram, { flags, values }: StancWords): number {
  const changes = new Set(flags.has('print-canonical') ? CANONICAL : (values.get('canonicalize') ?? '').split(','));
  const unknown = [...changes].find((change) => change !== '' && !CHANGES.includes(change));
  if (unknown !== undefined) return refuseWords(`option --canonicalize: unrecognized canonicalizer '${unknown}'.`);
  const text = changes.has('includes') ? expanded(program) : program.text;
  const margin = values.get('max-line-length');
  const found = analyze(text, {
    name: program.name,
    includes: new Map(Object.entries(program.includes)),
    pedantic: flags.has('warn-pedantic'),
    allowsUndefined: flags.has('allow-undefined'),
    style: {
      ...(margin !== undefined && { margin: Number(margin) }),
      withoutParentheses: changes.has('parentheses'),
      withBraces: changes.has('braces'),
      withoutComments: changes.has('strip-comments'),
    },
  });
  report(found);
  const isFormatted = flags.has('auto-format') || flags.has('print-canonical') || values.has('canonicalize');
  if (found.errors.length > 0) return WRONG_PROGRAM;
  if (isFormatted && found.formatted !== undefined) return write(`${found.formatted}\n`, values.get('output'));
  if (flags.has('info')) {
    const included = found.info?.included_files.map((name) => program.includedPaths.get(name) ?? name);
    return print(JSON.stringify({ ...found.info, included_files: included }, null, 2));
  }
  const output = values.get('output') ?? `${program.path.replace(/\.stan(functions)?$/, '')}.hpp`;
  return write(`// ${fileName(program.path)}.stan is compiled to WebAssembly: there is no C++ of it.\n`, output);
}

/** Values of `--canonicalize`. `deprecations` has no effect, because Stan 2.40 does not parse deprecated syntax. */
const CHANGES: readonly string[] = ['deprecations', 'parentheses', 'braces', 'includes', 'strip-comments'];
/** The changes that `--print-canonical` makes. */
const CANONICAL: readonly string[] = ['deprecations', 'parentheses', 'braces', 'includes'];

/** A program's source with its includes expanded. A file of functions is included only once. */
function expanded({ text, includes }: StancProgram): string {
  const functions = new Set<string>();
  const expand = (outer: string): string =>
    outer.replace(INCLUDE, (directive, quoted, angled, bare) => {
      const name = quoted ?? angled ?? bare;
      const included = includes[name];
      if (included === undefined) return directive;
      if (functions.has(name)) return '';
      if (isFunctionFile(name)) functions.add(name);
      return expand(included);
    });
  return expand(text);
}

function print(text: string): number {
  printData(`${text}\n`);
  return OK;
}

function write(text: string, path: string | undefined): number {
  if (path === undefined) printData(text);
  else writeFileSync(path, text);
  return OK;
}

function refuseWords(problem: string): number {
  printProblem(`Usage: stanc [--help] [OPTION]… [MODEL_FILE]\nstanc: ${problem}\n`);
  return WRONG_WORDS;
}

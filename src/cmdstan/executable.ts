/**
 * A model's executable: a single file, which can be copied. It contains a shell script that starts Node with the code
 * for running models, then a line with a length, JSON of this length in bytes, and the module.
 */
import { writeFileSync } from 'node:fs';
import type { ProgramSource } from '../chain/compiler.js';
import { EXPLICIT_CHECKS } from '../node/address-space.js';
import { HIGHEST_INPUT_LIMIT, readInput } from '../node/input-files.js';

/** A model without its module. */
export interface ExecutableModel {
  /** Stan's name of the model, `bernoulli_model`. */
  readonly name: string;
  /** JSON text. */
  readonly artifact: string;
  /** The source, for second derivatives; absent in executables of earlier versions. */
  readonly source?: ProgramSource;
  /** stanc's options, as given. */
  readonly stancFlags: string;
  /** Variables of the makefile that were set when the executable was built, of those that `info` shows. */
  readonly makeFlags: readonly MakeFlag[];
}

/** Variables of CmdStan's makefile that `info` shows, in its order. */
export const MAKE_FLAGS = [
  'STAN_THREADS',
  'STAN_MPI',
  'STAN_OPENCL',
  'STAN_NO_RANGE_CHECKS',
  'STAN_CPP_OPTIMS',
] as const;
type MakeFlag = (typeof MAKE_FLAGS)[number];

export interface Executable {
  readonly model: ExecutableModel;
  readonly wasm: Uint8Array<ArrayBuffer>;
}

const MARK = '\n#leapfrog-model ';
/** Maximum length of the script in bytes. */
const LONGEST_SCRIPT = 1 << 16;

/** Writes an executable that is run by the code in `entry`. */
export function writeExecutable(path: string, { model, wasm }: Executable, entry: string): void {
  const description = Buffer.from(JSON.stringify(model));
  const head = Buffer.from(`${nodeScript(entry, '"$0"')}exit 1${MARK}${description.length}\n`);
  writeFileSync(path, Buffer.concat([head, description, wasm]), { mode: 0o755 });
}

/** A shell script that runs a module with Node. `first` is the module's arguments before those of the script. */
export function nodeScript(entry: string, first = ''): string {
  const node = quoted(process.execPath);
  const rest = `$checks ${quoted(entry)} ${first === '' ? '' : `${first} `}"$@"`;
  const checks = `case "$(ulimit -v 2>/dev/null)" in [0-9]*) checks=${EXPLICIT_CHECKS};; *) checks=;; esac`;
  return `#!/bin/sh\n${checks}\n[ -x ${node} ] && exec ${node} ${rest}\nexec node ${rest}\n`;
}

/** A shell command that runs a module with Node and these arguments. */
export function nodeCommand(entry: string, words: string): string {
  const node = quoted(process.execPath);
  const rest = `${quoted(entry)} ${words}`;
  return `if [ -x ${node} ]; then ${node} ${rest}; else node ${rest}; fi`;
}

export function readExecutable(path: string): Executable {
  const bytes = readInput(path, { regular: true, limit: HIGHEST_INPUT_LIMIT });
  const mark = bytes.subarray(0, LONGEST_SCRIPT).indexOf(MARK);
  const start = bytes.indexOf('\n', mark + MARK.length) + 1;
  if (mark < 0 || start === 0) throw new Error(`${path} is not an executable made by Leapfrog`);
  const length = Number(bytes.toString('latin1', mark + MARK.length, start - 1));
  const model: ExecutableModel = JSON.parse(bytes.toString('utf8', start, start + length));
  return { model, wasm: new Uint8Array(bytes.subarray(start + length)) };
}

/** Quotes a text as one word for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

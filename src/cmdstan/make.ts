/**
 * `bin/make`: the features of make that interfaces use, for systems without make. Variables and targets are those of
 * the makefile.
 */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { STAN_VERSION_TEXT } from '../formats/stan-version.js';
import { readText } from '../node/input-files.js';
import { printProblem, printText } from '../node/standard-streams.js';
import { MAKE_FLAGS } from './executable.js';
import { TOOL_TARGETS, writeTools } from './home.js';
import { REFUSED_VARIABLES, refusalOf } from './makefile.js';
import { runStanc } from './stanc.js';

const ASSIGNMENT = /^(\w+)\s*(\+=|\?=|:=|=)\s*(.*)$/;

/** Runs the tool in the home with the arguments after its name, and returns the exit code. */
export async function runMake(words: readonly string[]): Promise<number> {
  const variables = new Map<string, string>();
  const local = join('make', 'local');
  const lines = existsSync(local) ? readText(local, { regular: true }).split('\n') : [];
  const targets: string[] = [];
  for (const line of lines) assign(variables, line.replace(/#.*/, '').trim());
  for (const word of words) if (!word.startsWith('-') && !assign(variables, word)) targets.push(word);
  const refused = REFUSED_VARIABLES.find((name) => (variables.get(name) ?? '') !== '');
  if (refused !== undefined) return refuse(`make: ${refusalOf(refused)}`);
  for (const target of targets) {
    const code = await makeTarget(target, variables);
    if (code !== 0) return code;
  }
  return 0;
}

/** Applies an assignment. Returns whether the text is an assignment. */
function assign(variables: Map<string, string>, text: string): boolean {
  const [, name, operator, value] = ASSIGNMENT.exec(text) ?? [];
  if (name === undefined) return false;
  const before = variables.get(name);
  if (operator === '+=' && before !== undefined) variables.set(name, `${before} ${value}`);
  else if (operator !== '?=' || before === undefined) variables.set(name, value);
  return true;
}

async function makeTarget(target: string, variables: ReadonlyMap<string, string>): Promise<number> {
  const [, printed] = /^print-(.*)$/.exec(target) ?? [];
  if (printed !== undefined) {
    const value = printed === 'CMDSTAN_VERSION' ? STAN_VERSION_TEXT : (variables.get(printed) ?? '');
    printText(`${printed} = ${value}\n`);
    return 0;
  }
  if (target === 'build') {
    printText(`\n--- CmdStan v${STAN_VERSION_TEXT} built ---\n`);
    return 0;
  }
  if (TOOL_TARGETS.includes(target)) {
    writeTools('.');
    return 0;
  }
  const program = `${target}.stan`;
  if (!existsSync(program)) return refuse(`make: *** No rule to make target '${target}'.  Stop.`);
  printText('\n--- Translating Stan model to WebAssembly ---\n');
  const flags = MAKE_FLAGS.map((flag) => `${flag}=${variables.get(flag) ?? ''}`).join(' ');
  const options = wordsIn(variables.get('STANCFLAGS') ?? '');
  const code = await runStanc([...options, `--o=${target}`, `--executable=${flags}`, program]);
  return code === 0 ? 0 : refuse(`make: *** [${join(dirname(target), 'makefile')}: ${target}] Error ${code}`);
}

/** The words of a text. A blank after a backslash is part of a word. */
function wordsIn(text: string): string[] {
  const words = text.match(/(?:\\.|[^\\\s])+/g) ?? [];
  return words.map((word) => word.replace(/\\(.)/g, '$1'));
}

function refuse(problem: string): number {
  printProblem(`${problem}\n`);
  return 2;
}

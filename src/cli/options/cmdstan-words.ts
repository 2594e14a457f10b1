/** Hints for arguments in CmdStan's form, such as `sample num_samples=500 data file=d.json`. */
import { existsSync } from 'node:fs';
import { CommandError } from '../errors.js';
import { flagName } from './flags.js';
import { type Method, methods } from './methods.js';

/** CmdStan's words that open or choose a group of arguments and do not correspond to options here. */
const GROUPS: ReadonlySet<string> = new Set(['data', 'output', 'random', 'adapt', 'hmc', 'nuts', 'static']);

/** Arguments whose options have other names. Keys contain the group if the name alone is ambiguous. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['data file', 'data'],
  ['output file', 'output'],
  ['adapt engaged', 'adapt-engaged'],
  ['adapt iter', 'adapt-iterations'],
  ['engine', 'algorithm'],
  ['num_threads', 'threads'],
]);

/** Words that are omitted, because their effect is the default here. */
const IMPLIED: readonly string[] = ['algorithm=hmc', 'test=gradient'];

const ARGUMENT = /^([a-z]\w*)=(.*)$/;

/** Throws an error with a hint if the arguments of the process are in CmdStan's form. */
export function refuseCmdStanWords(words: readonly string[]): void {
  const method = methods.find(({ aliases, command }) =>
    words.some((word) => word === command || aliases.includes(word)),
  );
  if (method === undefined) return;
  const isInPlace = words[0] === method.command || method.aliases.includes(words[0]);
  const own = words.filter((_, place) => isFree(words, place));
  if (isInPlace && !own.some(isArgument)) return;
  if (!isInPlace && (words[0].startsWith('-') || own[0] !== words[0])) return;
  throw new CommandError(
    `error: options are written with hyphens here: leapfrog ${translated(words, method).join(' ')}`,
  );
}

/** Whether a word is not the value of the preceding option. */
function isFree(words: readonly string[], place: number): boolean {
  return !words[place].startsWith('-') && !/^--[^=]*$/.test(words[place - 1] ?? '');
}

function isArgument(word: string): boolean {
  return ARGUMENT.test(word) && !existsSync(word);
}

function translated(words: readonly string[], { aliases, command }: Method): string[] {
  const options: string[] = [];
  let program: string | undefined;
  let group = '';
  for (const [place, word] of words.entries()) {
    const [, name, value] = isFree(words, place) && isArgument(word) ? (ARGUMENT.exec(word) ?? []) : [];
    if (word === command || aliases.includes(word) || IMPLIED.includes(word)) continue;
    if (GROUPS.has(word)) group = word;
    else if (name !== undefined) options.push(`--${optionOf(name, group)}`, value);
    else if (program === undefined && isFree(words, place)) program = word;
    else options.push(word);
  }
  return [command, programFile(program), ...options];
}

function optionOf(name: string, group: string): string {
  return OPTIONS.get(`${group} ${name}`) ?? OPTIONS.get(name) ?? flagName(name);
}

/** CmdStan's name of the executable that is built from `model.stan`: `model`. */
function programFile(word: string | undefined): string {
  if (word === undefined) return 'PROGRAM.stan';
  return existsSync(`${word}.stan`) ? `${word}.stan` : word;
}

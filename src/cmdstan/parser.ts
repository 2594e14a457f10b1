/**
 * CmdStan's command line: nested arguments in any order that CmdStan accepts, its help and its errors. `sample adapt
 * delta=0.9` sets a value inside two groups. A word that a group does not contain ends the group. The rules, including
 * their irregularities, are those of CmdStan's parser.
 */
import type { Argument, Choice, Group, Value, Valued, Word } from '../formats/cmdstan/argument.js';
import { method } from '../formats/cmdstan/arguments.js';
import { ArgumentValues } from '../formats/cmdstan/values.js';
import { argumentHelp, pathsOf, usageText, validText } from './help.js';

export type Parsed =
  | { readonly kind: 'values'; readonly values: ArgumentValues }
  /** Help was requested and has been printed. */
  | { readonly kind: 'help' }
  /** `info` was requested. */
  | { readonly kind: 'info' }
  | { readonly kind: 'wrong' };

/** Prints a line. */
export interface Console {
  info(line: string): void;
  error(line: string): void;
}

/** Parses the arguments after the executable's name. Prints help and errors. */
export function parseWords(
  executable: string,
  words: readonly string[],
  list: readonly Argument[],
  console: Console,
): Parsed {
  return new Parser(executable, words, list, console).parse();
}

class Parser {
  private readonly executable: string;
  private readonly words: string[];
  private readonly list: readonly Argument[];
  private readonly console: Console;
  private readonly values = new ArgumentValues();
  private isHelped = false;

  constructor(executable: string, words: readonly string[], list: readonly Argument[], console: Console) {
    this.executable = executable;
    this.words = [...words];
    this.list = list;
    this.console = console;
  }

  parse(): Parsed {
    const { console, list, words } = this;
    if (words.length === 0) {
      this.printUsage();
      return { kind: 'wrong' };
    }
    const unset = [...list];
    let hasMethod = false;
    let isValid = true;
    let isKnown = true;
    while (isKnown && words.length > 0) {
      if (!hasMethod && method.options.some(({ name }) => name === words[0])) words[0] = `method=${words[0]}`;
      const word = words[0];
      const name = nameOf(word);
      if (name === 'method') hasMethod = true;
      const place = unset.findIndex((each) => each.name === word || each.name === name);
      isKnown = place >= 0;
      if (isKnown) {
        const [argument] = unset.splice(place, 1);
        if (argument.name === word) words.shift();
        if (!this.parseArgument(argument, '')) isValid = false;
      }
      if (word === 'info') return { kind: 'info' };
      if (word === 'help-all') for (const each of list) this.print(argumentHelp(each, 1, true));
      if (word === 'help' || word === 'help-all') this.isHelped = true;
      if (this.isHelped) {
        this.printUsage();
        return { kind: 'help' };
      }
      if (!isKnown) this.refuse(word, name);
    }
    if (!hasMethod) console.error('A method must be specified!');
    return isValid && isKnown && hasMethod ? { kind: 'values', values: this.values } : { kind: 'wrong' };
  }

  /** Parses the value and the subarguments of an argument. Returns false if they are invalid. */
  private parseArgument(argument: Argument | Word, path: string): boolean {
    switch (argument.kind) {
      case 'group':
        return this.parseGroup(argument, `${path}${argument.name}.`);
      case 'choice':
        return this.parseChoice(argument, path);
      case 'value':
        return this.parseValue(argument, path);
      case 'word':
        return this.takeHelp(argument, true) || true;
    }
  }

  private parseGroup(group: Group, path: string): boolean {
    const { words } = this;
    while (words.length > 0) {
      const [word] = words;
      if (this.takeHelp(group, word === 'help-all')) return true;
      const name = nameOf(word);
      if (name === group.name) return false;
      const argument = group.arguments.find((each) => each.name === word || each.name === name);
      if (argument === undefined) return true;
      if (argument.name === word) words.shift();
      if (!this.parseArgument(argument, path)) return false;
    }
    return true;
  }

  private parseChoice(choice: Choice, path: string): boolean {
    const { words } = this;
    if (words.length === 0 || nameOf(words[0]) !== choice.name) return true;
    const given = valueIn(words[0]);
    words.shift();
    const option = choice.options.find(({ name }) => name === given);
    if (option === undefined) return this.refuseValue(choice, given);
    const own = `${path}${choice.name}`;
    this.values.set(own, given);
    return this.parseArgument(option, `${own}.`);
  }

  private parseValue(argument: Valued, path: string): boolean {
    const { words } = this;
    if (words.length === 0 || this.takeHelp(argument, true)) return true;
    if (nameOf(words[0]) !== argument.name) return true;
    const given = valueIn(words[0]);
    words.shift();
    const value = readValue(argument, given);
    if (value === undefined || !argument.isValid(value)) return this.refuseValue(argument, given);
    this.values.set(path + argument.name, value);
    return true;
  }

  /** Prints the help of an argument if the next word requests it. */
  private takeHelp(argument: Argument | Word, isWhole: boolean): boolean {
    const [word] = this.words;
    if (word !== 'help' && word !== 'help-all') return false;
    this.print(argumentHelp(argument, 0, isWhole));
    this.isHelped = true;
    this.words.length = 0;
    return true;
  }

  private refuseValue(argument: Choice | Valued, given: string): false {
    this.console.error(`${given} is not a valid value for "${argument.name}"`);
    this.console.error(`  Valid values: ${validText(argument)}`);
    this.words.length = 0;
    return false;
  }

  private refuse(word: string, name: string): void {
    const { console, list } = this;
    console.error(`${word} is either mistyped or misplaced.`);
    if (word === 'opencl') {
      console.error('Re-compile the model with STAN_OPENCL to use OpenCL CmdStan arguments.');
    }
    const paths = list.flatMap((argument) => pathsOf(argument, name, ''));
    if (paths.length === 0) return;
    console.error('Perhaps you meant one of the following valid configurations?');
    for (const path of paths) console.error(`  ${path}`);
  }

  private printUsage(): void {
    this.print(usageText(this.executable, this.list));
  }

  private print(lines: readonly string[]): void {
    for (const line of lines) this.console.info(line);
  }
}

function nameOf(word: string): string {
  const end = word.indexOf('=');
  return end < 0 ? word : word.slice(0, end);
}

function valueIn(word: string): string {
  const end = word.indexOf('=');
  return end < 0 ? '' : word.slice(end + 1);
}

/** A value as C++ parses it, from the longest valid prefix of the text; undefined if no prefix is valid. */
function readValue({ type }: Valued, text: string): Value | undefined {
  switch (type) {
    case 'string':
      return text;
    case 'boolean':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : undefined;
    case 'double':
      return readReal(text);
    case 'int':
      return within(readInteger(text), -(2 ** 31), 2 ** 31 - 1);
    case 'unsigned int': {
      const value = readInteger(text);
      return value === undefined ? undefined : value >>> 0;
    }
    case 'long':
      return within(readInteger(text), -(2 ** 63), 2 ** 63);
  }
}

function readInteger(text: string): number | undefined {
  const [digits] = /^\s*[+-]?\d+/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function within(value: number | undefined, least: number, most: number): number | undefined {
  return value !== undefined && value >= least && value <= most ? value : undefined;
}

/**
 * The number at the start of a text, as `stod` of C++ parses it; undefined if there is no number or if it is outside
 * the range of doubles.
 */
export function readReal(text: string): number | undefined {
  const [, sign = '', word] = /^\s*([+-]?)(inf(?:inity)?|nan)/i.exec(text) ?? [];
  if (word !== undefined) {
    const value = /^n/i.test(word) ? Number.NaN : Number.POSITIVE_INFINITY;
    return sign === '-' ? -value : value;
  }
  const [digits] = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/.exec(text) ?? [];
  const value = digits === undefined ? undefined : Number(digits);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

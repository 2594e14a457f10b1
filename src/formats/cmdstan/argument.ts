/** Types of arguments of CmdStan's command line. */
import { streamText } from '../../inference/number-text.js';

/** `name`, followed by its own arguments. */
export interface Group {
  readonly kind: 'group';
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
}

/** A name without arguments, as the value of a choice. */
export interface Word {
  readonly kind: 'word';
  readonly name: string;
  readonly description: string;
}

/** `name=value` with a fixed set of values, followed by the arguments of the chosen value. */
export interface Choice {
  readonly kind: 'choice';
  readonly name: string;
  readonly description: string;
  readonly options: readonly (Group | Word)[];
  /** The default, by name. */
  readonly usual: string;
}

/** `name=value`. */
export interface Valued {
  readonly kind: 'value';
  readonly name: string;
  readonly description: string;
  readonly type: ValueType;
  readonly usual: Value;
  /** The default in the help. */
  readonly usualText: string;
  /** Valid values in the help and in errors. */
  readonly validity: string;
  readonly isValid: (value: Value) => boolean;
}

export type Argument = Group | Choice | Valued;
export type Value = number | boolean | string;
export type ValueType = 'int' | 'unsigned int' | 'long' | 'double' | 'boolean' | 'string';

/** Names of value types in the help. For `long long int`, CmdStan prints the compiler's internal name. */
export const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
  int: 'int',
  'unsigned int': 'unsigned int',
  long: 'x',
  double: 'double',
  boolean: 'boolean',
  string: 'string',
};

export function group(name: string, description: string, ...nested: readonly Argument[]): Group {
  return { kind: 'group', name, description, arguments: nested };
}

export function word(name: string, description: string): Word {
  return { kind: 'word', name, description };
}

export function choice(
  name: string,
  description: string,
  usual: string,
  ...options: readonly (Group | Word)[]
): Choice {
  return { kind: 'choice', name, description, usual, options };
}

export function value(
  name: string,
  type: ValueType,
  usual: Value,
  description: string,
  rules: Partial<Pick<Valued, 'validity' | 'isValid' | 'usualText'>> = {},
): Valued {
  const usualText = typeof usual === 'number' ? streamText(usual) : `${usual}`;
  return { kind: 'value', name, type, usual, description, validity: 'All', isValid: () => true, usualText, ...rules };
}

/** A positive integer. */
export function count(name: string, usual: number, description: string): Valued {
  return value(name, 'int', usual, description, { validity: `0 < ${name}`, isValid: (given) => Number(given) > 0 });
}

/** A non-negative integer. The help prints a different range. */
export function countOrNone(name: string, usual: number, description: string): Valued {
  return value(name, 'int', usual, description, { validity: `0 < ${name}`, isValid: (given) => Number(given) >= 0 });
}

export function width(name: string, usual: number, description: string): Valued {
  return value(name, 'unsigned int', usual, description, { validity: `0 < ${name}` });
}

export function positive(name: string, usual: number, description: string): Valued {
  return value(name, 'double', usual, description, { validity: `0 < ${name}`, isValid: (given) => Number(given) > 0 });
}

/** A number from `least` to `most`, inclusive. */
export function between(name: string, usual: number, least: number, most: number, description: string): Valued {
  return value(name, 'double', usual, description, {
    validity: `${least.toFixed(6)} <= ${name} <= ${most.toFixed(6)}`,
    isValid: (given) => least <= Number(given) && Number(given) <= most,
  });
}

export function flag(name: string, usual: boolean, description: string): Valued {
  return value(name, 'boolean', usual, description, { validity: '[0, 1, false, true]' });
}

/** The path of a file. */
export function file(name: string, description: string, usual = '', usualText = '""'): Valued {
  return value(name, 'string', usual, description, { validity: 'Path to existing file', usualText });
}

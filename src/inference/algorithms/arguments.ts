import { type Statement, write } from '../../base/statement.js';

/** An argument of an algorithm, described in terms of JSON Schema, for validation, documentation and defaults. */
export type Argument = NumberArgument | BooleanArgument | ChoiceArgument | ArrayArgument;

interface NumberArgument {
  readonly name: string;
  readonly type: 'integer' | 'number';
  /** Absent if no value is equivalent to omitting the argument. */
  readonly default?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly description: string;
}

interface BooleanArgument {
  readonly name: string;
  readonly type: 'boolean';
  readonly default: boolean;
  readonly description: string;
}

/** An argument with a fixed set of values. */
export interface ChoiceArgument {
  readonly name: string;
  readonly type: 'string';
  readonly choices: readonly string[];
  readonly default: string;
  readonly description: string;
}

/** An array of finite numbers (depth 1), or of rows of equal length (depth 2). No value is equivalent to omitting the argument. */
export interface ArrayArgument {
  readonly name: string;
  readonly type: 'array';
  readonly depth: 1 | 2;
  readonly default?: undefined;
  readonly description: string;
}

type Vector = readonly number[];
export type Rows = readonly Vector[];
export type ArgumentValue = number | boolean | string | Vector | Rows;

/** Inputs of an algorithm other than arguments: initial values, an earlier fit to start from or to continue, a mode, draws. */
export type Input = 'init' | 'warm_start' | 'continue' | 'mode' | 'fitted_params';

export interface ArgumentProblem {
  readonly field: string;
  readonly message: string;
}

/** Valid values of all arguments of an algorithm, including defaults. */
export class Settings {
  private readonly values: ReadonlyMap<string, ArgumentValue>;

  constructor(values: ReadonlyMap<string, ArgumentValue>) {
    this.values = values;
  }

  number(name: string): number {
    const value = this.values.get(name);
    if (typeof value !== 'number') throw new Error(`no number ${name} among the settings`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.values.get(name);
    if (typeof value !== 'boolean') throw new Error(`no flag ${name} among the settings`);
    return value;
  }

  choice(name: string): string {
    const value = this.values.get(name);
    if (typeof value !== 'string') throw new Error(`the settings contain no choice ${name}`);
    return value;
  }

  /** Rows of numbers, with a single row for an argument of depth 1; undefined if the argument was omitted. */
  rows(name: string): Rows | undefined {
    const value = this.values.get(name);
    if (typeof value !== 'object') return undefined;
    return isRows(value) ? value : [value];
  }

  /** All values by name, for records and identifiers. */
  entries(): Record<string, ArgumentValue> {
    return Object.fromEntries(this.values);
  }
}

/** Validates all values and fills in defaults. Returns all problems, not only the first. */
export function readArguments(
  rows: readonly Argument[],
  given: Readonly<Record<string, unknown>>,
): { readonly settings: Settings } | { readonly problems: readonly ArgumentProblem[] } {
  const values = new Map<string, ArgumentValue>();
  const problems: ArgumentProblem[] = [];
  for (const row of rows) {
    const value = Object.hasOwn(given, row.name) ? given[row.name] : undefined;
    const used = value === undefined ? row.default : value;
    if (used === undefined) continue;
    const fault = argumentFault(row, used);
    if (fault !== undefined) problems.push({ field: row.name, message: write(ARGUMENT_SENTENCES, [fault]) });
    else if (isValue(used)) values.set(row.name, used);
  }
  for (const name of Object.keys(given)) {
    if (!rows.some((row) => row.name === name))
      problems.push({ field: name, message: 'is not an argument of this function' });
  }
  return problems.length === 0 ? { settings: new Settings(values) } : { problems };
}

/** The English sentences about arguments. The argument's name precedes them. */
export const ARGUMENT_SENTENCES = {
  mustBeFlag: 'must be true or false',
  mustBeOneOf: 'must be {choices}',
  mustBeVector: 'must be an array of finite numbers',
  mustBeRows: 'must be an array of rows, arrays of finite numbers of equal length',
  mustBeInteger: 'must be an integer',
  mustBeFinite: 'must be a finite number',
  mustBeAtLeast: 'must be at least {limit}',
  mustBeAbove: 'must be greater than {limit}',
  mustBeAtMost: 'must be at most {limit}',
  mustBeBelow: 'must be less than {limit}',
} as const;

type ArgumentFault = Statement<keyof typeof ARGUMENT_SENTENCES>;

/** The problem with the value of an argument; undefined if it is valid. */
export function argumentFault(row: Argument, value: unknown): ArgumentFault | undefined {
  switch (row.type) {
    case 'boolean':
      return flagProblem(value);
    case 'string':
      return choiceProblem(row, value);
    case 'array':
      return arrayProblem(row, value);
    default:
      return numberProblem(row, value);
  }
}

function fault(key: ArgumentFault['key'], values: ArgumentFault['values'] = {}): ArgumentFault {
  return { key, values };
}

function choiceProblem({ choices }: ChoiceArgument, value: unknown): ArgumentFault | undefined {
  if (typeof value === 'string' && choices.includes(value)) return undefined;
  return fault('mustBeOneOf', { choices: choices.map((choice) => `"${choice}"`).join(' or ') });
}

function arrayProblem({ depth }: ArrayArgument, value: unknown): ArgumentFault | undefined {
  if (depth === 1) return isVector(value) ? undefined : fault('mustBeVector');
  const isTable = Array.isArray(value) && value.every((row) => isVector(row) && row.length === value[0].length);
  return isTable ? undefined : fault('mustBeRows');
}

function isVector(value: unknown): value is Vector {
  return Array.isArray(value) && value.every((element) => typeof element === 'number' && Number.isFinite(element));
}

function isRows(value: Vector | Rows): value is Rows {
  return value.length > 0 && typeof value[0] === 'object';
}

function isValue(value: unknown): value is ArgumentValue {
  return ['number', 'boolean', 'string'].includes(typeof value) || Array.isArray(value);
}

function flagProblem(value: unknown): ArgumentFault | undefined {
  return typeof value === 'boolean' ? undefined : fault('mustBeFlag');
}

function numberProblem(row: NumberArgument, value: unknown): ArgumentFault | undefined {
  const isInteger = row.type === 'integer';
  if (typeof value !== 'number' || !Number.isFinite(value) || (isInteger && !Number.isInteger(value)))
    return fault(isInteger ? 'mustBeInteger' : 'mustBeFinite');
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = row;
  if (minimum !== undefined && value < minimum) return fault('mustBeAtLeast', { limit: minimum });
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return fault('mustBeAbove', { limit: exclusiveMinimum });
  if (maximum !== undefined && value > maximum) return fault('mustBeAtMost', { limit: maximum });
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return fault('mustBeBelow', { limit: exclusiveMaximum });
  return undefined;
}

/** The greatest integer in Stan's counts. */
export const MAX_COUNT = 2 ** 31 - 1;

/** An argument that is a positive integer. */
export function countArgument(name: string, value: number, description: string): Argument {
  return { name, type: 'integer', default: value, minimum: 1, maximum: MAX_COUNT, description };
}

/** Arguments of every algorithm: seed, chain, initial values, and the interval of progress messages. */
export const commonArguments: readonly Argument[] = [
  {
    name: 'random_seed',
    type: 'integer',
    minimum: 0,
    maximum: 2 ** 32 - 1,
    description: 'Seed of the random numbers; if absent, drawn at random and recorded.',
  },
  {
    name: 'chain',
    type: 'integer',
    default: 1,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Chain id: chains with one seed and different ids are independent.',
  },
  {
    name: 'init_radius',
    type: 'number',
    default: 2,
    minimum: 0,
    description:
      'Parameters without an initial value start uniformly within (-radius, radius) on the unconstrained scale.',
  },
  {
    name: 'refresh',
    type: 'integer',
    default: 100,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Iterations between progress messages; 0 for none.',
  },
];

/** The number of threads that evaluate the log density; not in Stan. No value is equivalent to omitting the argument. */
export const threadsArgument: Argument = {
  name: 'threads_per_chain',
  type: 'integer',
  minimum: 1,
  maximum: 1024,
  description:
    'Maximum number of threads that evaluate the log density of a chain, each on slices of the rows of the data (not in Stan). Results do not depend on the number, but can differ in their last digits from those without this argument, where the density is one sum.',
};

/** Arguments of all algorithms that save draws of a chain. */
export const drawArguments: readonly Argument[] = [
  {
    name: 'num_samples',
    type: 'integer',
    default: 1000,
    minimum: 0,
    maximum: MAX_COUNT,
    description: 'Iterations after warmup.',
  },
  {
    name: 'num_thin',
    type: 'integer',
    default: 1,
    minimum: 1,
    maximum: MAX_COUNT,
    description: 'Interval between saved draws, in iterations.',
  },
];

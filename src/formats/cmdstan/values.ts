/** Values of CmdStan's arguments, and their text on the console and in files. */
import { streamText } from '../../inference/number-text.js';
import type { Argument, Value, Valued, Word } from './argument.js';

/**
 * Values by path. A path consists of the names of the enclosing arguments, joined with dots: `method.sample.adapt.delta`, and
 * `method.sample.algorithm` for the choice of an algorithm. An argument without a value has its default.
 */
export class ArgumentValues {
  private readonly given = new Map<string, Value>();
  /** Displayed values that replace defaults, such as the drawn seed. */
  private readonly inUse = new Map<string, Value>();

  set(path: string, value: Value): void {
    this.given.set(path, value);
  }

  /** Sets the displayed value of a default. */
  use(path: string, value: Value): void {
    this.inUse.set(path, value);
  }

  of(path: string, usual: Value): Value {
    return this.given.get(path) ?? usual;
  }

  valueInUse(path: string, usual: Value): Value {
    const value = this.of(path, usual);
    return value === usual ? (this.inUse.get(path) ?? usual) : value;
  }
}

/** The name of a method's argument in the functions of the services namespace. */
export function functionArgument(path: string): string {
  if (path === 'thin') return 'num_thin';
  if (path === 'adapt.engaged') return 'adapt_engaged';
  if (path === 'adapt.iter') return 'adapt_iterations';
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Values by path of all arguments that apply: for a choice, those of the chosen option. */
export function valuesInForce(tree: readonly Argument[], values: ArgumentValues, path = ''): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const argument of tree) {
    const own = `${path}${argument.name}`;
    if (argument.kind !== 'group') found.set(own, values.of(own, argument.usual));
    for (const [nested, value] of nestedIn(argument, values, own)) found.set(nested, value);
  }
  return found;
}

function nestedIn(argument: Argument, values: ArgumentValues, path: string): Map<string, Value> {
  if (argument.kind === 'group') return valuesInForce(argument.arguments, values, `${path}.`);
  if (argument.kind === 'value') return new Map();
  const chosen = values.of(path, argument.usual);
  const option = argument.options.find(({ name }) => name === chosen);
  return option?.kind === 'group' ? valuesInForce(option.arguments, values, `${path}.${option.name}.`) : new Map();
}

const REAL_DIGITS = 6;
const INTEGER_DIGITS = 17;

/** The lines of arguments with their values, indented by depth. */
export function argumentLines(values: ArgumentValues, list: readonly Argument[], path = '', depth = 0): string[] {
  return list.flatMap((argument) => linesOf(values, argument, path, depth));
}

function linesOf(values: ArgumentValues, argument: Argument | Word, path: string, depth: number): string[] {
  const indent = ' '.repeat(2 * depth);
  const own = `${path}${argument.name}`;
  switch (argument.kind) {
    case 'word':
      return [];
    case 'group':
      return [indent + argument.name, ...argumentLines(values, argument.arguments, `${own}.`, depth + 1)];
    case 'choice': {
      const chosen = values.of(own, argument.usual);
      const option = argument.options.find(({ name }) => name === chosen);
      const line = `${indent}${argument.name} = ${chosen}${defaultMark(chosen === argument.usual)}`;
      return [line, ...(option === undefined ? [] : linesOf(values, option, `${own}.`, depth + 1))];
    }
    case 'value': {
      const isUsual = values.of(own, argument.usual) === argument.usual;
      const inUse = values.valueInUse(own, argument.usual);
      return [`${indent}${argument.name} = ${valueText(argument, inUse)}${defaultMark(isUsual)}`];
    }
  }
}

function defaultMark(isUsual: boolean): string {
  return isUsual ? ' (Default)' : '';
}

function valueText({ type }: Valued, value: Value): string {
  if (typeof value !== 'number') return `${value}`;
  return streamText(value, type === 'double' ? REAL_DIGITS : INTEGER_DIGITS);
}

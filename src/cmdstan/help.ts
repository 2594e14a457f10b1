/** CmdStan's help for its arguments. */
import { type Argument, type Choice, TYPE_NAMES, type Valued, type Word } from '../formats/cmdstan/argument.js';
import { method } from '../formats/cmdstan/arguments.js';

/** The lines about an argument, indented by its depth. With `isWhole`, also the lines about its subarguments. */
export function argumentHelp(argument: Argument | Word, depth: number, isWhole: boolean): string[] {
  const indent = ' '.repeat(2 * depth);
  const inner = `${indent}  `;
  const nested = (list: readonly (Argument | Word)[]) =>
    isWhole ? list.flatMap((each) => argumentHelp(each, depth + 1, true)) : [];
  const { description, name } = argument;
  switch (argument.kind) {
    case 'word':
      return [indent + name, inner + description, ''];
    case 'group': {
      const head = [indent + name, inner + description];
      const names = argument.arguments.map((each) => each.name);
      if (names.length === 0) return [...head, ''];
      return [...head, `${inner}Valid subarguments: ${names.join(', ')}`, '', ...nested(argument.arguments)];
    }
    case 'choice':
      return [...valuedHelp(argument, indent, 'list element', argument.usual), ...nested(argument.options)];
    case 'value':
      return valuedHelp(argument, indent, TYPE_NAMES[argument.type], argument.usualText);
  }
}

function valuedHelp(argument: Choice | Valued, indent: string, type: string, usual: string): string[] {
  const inner = `${indent}  `;
  return [
    `${indent}${argument.name}=<${type}>`,
    inner + argument.description,
    `${inner}Valid values: ${validText(argument)}`,
    `${inner}Defaults to ${usual}`,
    '',
  ];
}

/** The valid values of an argument. */
export function validText(argument: Choice | Valued): string {
  return argument.kind === 'value' ? argument.validity : argument.options.map(({ name }) => name).join(', ');
}

/** The paths at which an argument with this name may occur. */
export function pathsOf(argument: Argument | Word, name: string, prefix: string): string[] {
  const isNamed = argument.name === name;
  switch (argument.kind) {
    case 'value':
      return isNamed ? [`${prefix}${name}=<${TYPE_NAMES[argument.type]}>`] : [];
    case 'word':
      return isNamed ? [prefix + name] : [];
    case 'choice': {
      const own = isNamed ? [`${prefix}${name}=<list_element>`] : [];
      return [...own, ...argument.options.flatMap((each) => pathsOf(each, name, `${prefix}${argument.name}=`))];
    }
    case 'group': {
      const own = isNamed ? [prefix + name] : [];
      return [...own, ...argument.arguments.flatMap((each) => pathsOf(each, name, `${prefix}${argument.name} `))];
    }
  }
}

const NAME_WIDTH = 12;

/** The lines about the usage of an executable. */
export function usageText(executable: string, list: readonly Argument[]): string[] {
  const row = (name: string, description: string) => `${`  ${name}`.padEnd(NAME_WIDTH)}  ${description}`;
  const others = list.filter((argument) => argument !== method);
  return [
    `Usage: ${executable} <arg1> <subarg1_1> ... <subarg1_m> ... <arg_n> <subarg_n_1> ... <subarg_n_m>`,
    '',
    'Begin by selecting amongst the following inference methods and diagnostics,',
    ...method.options.map(({ name, description }) => row(name, description)),
    '',
    'Or see help information with',
    row('help', 'Prints help'),
    row('help-all', 'Prints entire argument tree'),
    '',
    'Additional configuration available by specifying',
    ...others.map(({ name, description }) => row(name, description)),
    '',
    `See ${executable} <arg1> [ help | help-all ] for details on individual arguments.`,
    '',
  ];
}

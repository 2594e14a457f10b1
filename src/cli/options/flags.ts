/** Command-line options, generated from the argument tables of the algorithms. Only this module renames arguments. */
import { InvalidArgumentError, Option } from 'commander';
import type { Argument, ArgumentProblem } from '../../inference/algorithms/arguments.js';

/** CmdStan's names of arguments that have other names in the services. */
const CMDSTAN_NAMES: ReadonlyMap<string, string> = new Map([
  ['random_seed', 'seed'],
  ['chain', 'id'],
  ['num_thin', 'thin'],
  ['num_chains', 'chains'],
]);

/** Arguments that a command accepts in another form: the radius as a value of `--init`, the metric as a file. */
const TAKEN_OTHERWISE: ReadonlySet<string> = new Set(['init_radius', 'inv_metric']);

/** The option of an argument, without dashes. */
export function flagName(argument: string): string {
  if (argument === 'init_radius') return 'init';
  if (argument === 'inv_metric') return 'metric-file';
  return (CMDSTAN_NAMES.get(argument) ?? argument).replaceAll('_', '-');
}

/** Options for arguments. If several algorithms have arguments with the same name, the first counts. */
export class Flags {
  readonly options: readonly Option[];
  private readonly names: ReadonlyMap<string, string>;

  constructor(rows: readonly Argument[]) {
    const taken = new Map(rows.toReversed().map((row) => [row.name, row]));
    const shown = [...new Set(rows.map(({ name }) => name))].filter((name) => !TAKEN_OTHERWISE.has(name));
    const made = shown.flatMap((name) => {
      const row = taken.get(name);
      return row === undefined ? [] : [{ name, option: optionOf(row) }];
    });
    this.options = made.map(({ option }) => option);
    this.names = new Map(made.map(({ name, option }) => [option.attributeName(), name]));
  }

  /** The given arguments, under their own names. */
  given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(values).flatMap(([attribute, value]) => {
        const name = this.names.get(attribute);
        return name === undefined ? [] : [[name, value]];
      }),
    );
  }
}

/** Problems of arguments, expressed as options, one per line. */
export function problemsText(problems: readonly ArgumentProblem[]): string {
  return problems.map(({ field, message }) => `error: --${flagName(field)} ${message}`).join('\n');
}

/** Parses a boolean, also in CmdStan's forms. An option without a value is true. */
export function booleanOption(name: string, description: string): Option {
  return new Option(`--${name} [boolean]`, description).argParser(readBoolean);
}

function optionOf(row: Argument): Option {
  const name = flagName(row.name);
  const standard = row.default === undefined ? '' : ` (default: ${row.default})`;
  const description = `${phrase(row.description)}${standard}`;
  switch (row.type) {
    case 'boolean':
      return booleanOption(name, description);
    case 'string':
      return new Option(`--${name} <word>`, description).choices(row.choices);
    case 'array':
      return new Option(`--${name} <json>`, description).argParser((text: string): unknown => JSON.parse(text));
    default:
      return new Option(`--${name} <${row.type}>`, description).argParser(readNumber);
  }
}

/** A sentence in the style of option descriptions: `step size`, not `Step size.` */
function phrase(sentence: string): string {
  const first = /^[A-Z][a-z]/.test(sentence) ? sentence[0].toLowerCase() : sentence[0];
  return `${first}${sentence.slice(1).replace(/\.$/, '')}`;
}

function readBoolean(text: string): boolean {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new InvalidArgumentError('It must be true or false.');
}

function readNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}

/**
 * Settings of a command as one table. It determines the flags, the environment variables, the names in a JSON file, the
 * checks and the help. A flag takes precedence over the environment, the environment over the file, and the file over
 * the default.
 */
import { type Command, Option } from 'commander';
import { readText, UnreadableFile } from '../../node/input-files.js';
import { CommandError, reasonOf } from '../errors.js';

/**
 * A setting. `read` parses the text of a flag or environment variable, or a value from the file. It throws for invalid
 * values.
 */
interface Setting<Value> {
  /** The placeholder after the flag, such as `<number>`; absent for a boolean flag. */
  readonly argument?: string;
  readonly description: string;
  readonly initial: Value;
  /** Description of the default in the help, if it is not the value itself. */
  readonly initialText?: string;
  readonly choices?: readonly string[];
  /** Whether the flag is `--no-NAME` and makes the value false. */
  readonly negated?: boolean;
  readonly read: (value: unknown) => Value;
}

/** Settings by name, in camel case: `requestTimeout` is `--request-timeout`, `LEAPFROG_REQUEST_TIMEOUT`, `"request-timeout"`. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Values<Table extends Settings> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['read']> | Table[Name]['initial'];
};

/** Adds the flags of a table to a command, and `--config`. */
export function addSettings(command: Command, table: Settings): void {
  command.addOption(
    new Option('--config <file>', 'JSON file with settings, named like the flags without dashes').env(
      environmentName('config'),
    ),
  );
  for (const [name, setting] of Object.entries(table)) {
    const { argument, description, initial, initialText, choices, read } = setting;
    // Commander shows no description of an undefined default.
    const isShownHere = initial === undefined && initialText !== undefined;
    const option = new Option(
      `--${flagName(name, setting)}${argument === undefined ? '' : ` ${argument}`}`,
      isShownHere ? `${description} (default: ${initialText})` : description,
    );
    if (argument !== undefined) option.argParser(read);
    if (choices !== undefined) option.choices([...choices]);
    command.addOption(option.default(initial, initialText).env(environmentName(name, setting)));
  }
}

/** The effective values for a command whose flags have been parsed. Throws `CommandError` for an invalid file. */
export function readSettings<Table extends Settings>(command: Command, table: Table): Values<Table> {
  applyEnvironment(command, table);
  const { config }: { config?: string } = command.opts();
  if (config !== undefined) applyFile(command, table, config);
  return command.opts<Values<Table>>();
}

/** Commander counts a flag as set if its variable exists in the environment, with any value. */
function applyEnvironment(command: Command, table: Settings): void {
  for (const [name, setting] of Object.entries(table)) {
    if (setting.argument !== undefined || command.getOptionValueSource(name) !== 'env') continue;
    const variable = environmentName(name, setting);
    const value = process.env[variable];
    try {
      applyValue(command, name, setting, value, 'env');
    } catch (error) {
      throw new CommandError(`error: ${variable} is ${JSON.stringify(value)}. ${reasonOf(error)}`);
    }
  }
}

function applyFile(command: Command, table: Settings, path: string): void {
  const names = new Map(Object.entries(table).map(([name, setting]) => [flagName(name, setting), name]));
  for (const [flag, value] of Object.entries(readObject(path))) {
    const name = names.get(flag);
    if (name === undefined) {
      throw new CommandError(
        `error: ${path}: unknown setting "${flag}"; the settings are ${[...names.keys()].join(', ')}`,
      );
    }
    if (!isDefault(command, name)) continue;
    try {
      applyValue(command, name, table[name], value, 'config');
    } catch (error) {
      throw new CommandError(`error: ${path}: "${flag}" is ${JSON.stringify(value)}. ${reasonOf(error)}`);
    }
  }
}

function applyValue(
  command: Command,
  name: string,
  { read, negated = false }: Setting<unknown>,
  value: unknown,
  source: 'env' | 'config',
): void {
  const found = read(value);
  command.setOptionValueWithSource(name, negated ? found !== true : found, source);
}

function isDefault(command: Command, name: string): boolean {
  const source = command.getOptionValueSource(name);
  return source === undefined || source === 'default';
}

function readObject(path: string): object {
  let value: unknown;
  try {
    value = JSON.parse(readText(path));
  } catch (error) {
    if (error instanceof UnreadableFile) throw new CommandError(`error: ${error.message}`);
    throw new CommandError(`error: ${path} cannot be read as JSON: ${reasonOf(error)}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new CommandError(`error: ${path} must be a JSON object with one member per setting`);
}

function flagName(name: string, { negated = false }: { readonly negated?: boolean } = {}): string {
  return (negated ? 'no-' : '') + name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function environmentName(...setting: Parameters<typeof flagName>): string {
  return `LEAPFROG_${flagName(...setting)
    .replaceAll('-', '_')
    .toUpperCase()}`;
}

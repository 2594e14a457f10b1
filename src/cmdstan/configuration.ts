/** The configuration of a run in CmdStan's form: the comments at the start of its files, and the JSON file. */
import type { Argument, Value, Valued, Word } from '../formats/cmdstan/argument.js';
import { type ArgumentValues, argumentLines } from '../formats/cmdstan/values.js';
import { STAN_VERSION, STAN_VERSION_LINES, STAN_VERSION_TEXT } from '../formats/stan-version.js';
import type { ExecutableModel } from './executable.js';
import { JsonText } from './json-text.js';

export interface Configuration {
  readonly model: ExecutableModel;
  readonly tree: readonly Argument[];
  readonly values: ArgumentValues;
  readonly started: Date;
}

/** The header of files with draws. */
export function drawComments({ model, started, tree, values }: Configuration): string {
  return comments([
    ...STAN_VERSION_LINES,
    `model = ${model.name}`,
    `start_datetime = ${timeText(started)}`,
    ...argumentLines(values, tree),
    ...compileInfo(model).map(([key, value]) => `${key} = ${value}`),
  ]);
}

/** The header of files with diagnostics. */
export function diagnosticComments({ model, tree, values }: Configuration): string {
  return comments([...STAN_VERSION_LINES, `model = ${model.name}`, ...argumentLines(values, tree)]);
}

/** The whole configuration as JSON. */
export function configurationJson(configuration: Configuration, significantDigits: number): string {
  const { model, started, tree, values } = configuration;
  const json = new JsonText(significantDigits);
  json.begin();
  for (const [part, number] of Object.entries(STAN_VERSION)) json.write(`stan_${part}_version`, number);
  json.write('model_name', model.name);
  json.write('start_datetime', timeText(started));
  for (const argument of tree) writeArgument(json, values, argument, '');
  json.write('mpi_enabled', false);
  for (const [key, value] of compileInfo(model)) json.write(key, value);
  json.end();
  return json.take();
}

function writeArgument(json: JsonText, values: ArgumentValues, argument: Argument | Word, path: string): void {
  const own = `${path}${argument.name}`;
  switch (argument.kind) {
    case 'word':
      return;
    case 'group':
      json.begin(argument.name);
      for (const each of argument.arguments) writeArgument(json, values, each, `${own}.`);
      json.end();
      return;
    case 'choice': {
      const chosen: Value = values.of(own, argument.usual);
      const option = argument.options.find(({ name }) => name === chosen);
      json.begin(argument.name);
      json.write('value', `${chosen}`);
      if (option !== undefined) writeArgument(json, values, option, `${own}.`);
      json.end();
      return;
    }
    case 'value':
      writeValue(json, argument, values.of(own, argument.usual));
  }
}

function writeValue(json: JsonText, { name, type }: Valued, value: Value): void {
  if (typeof value !== 'number') json.write(name, value);
  else if (type === 'double') json.writeReal(name, value);
  else json.writeInteger(name, value);
}

function compileInfo({ stancFlags }: ExecutableModel): (readonly [key: string, value: string])[] {
  return [
    ['stanc_version', `stanc3 v${STAN_VERSION_TEXT}`],
    ['stancflags', stancFlags],
  ];
}

function comments(lines: readonly string[]): string {
  return lines.map((line) => `# ${line}\n`).join('');
}

function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

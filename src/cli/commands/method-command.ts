import { randomInt, randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { DrawFile } from '../../fit-files/draw-file.js';
import { ALL_DIGITS, type CsvFiles } from '../../formats/csv-configuration.js';
import type { Input } from '../../inference/algorithms/algorithm.js';
import { readArguments } from '../../inference/algorithms/arguments.js';
import { findAlgorithm, ownSamplers } from '../../inference/algorithms/registry.js';
import { type Pipes, readPipes, readText } from '../../node/input-files.js';
import { fileName, programName, readProgram } from '../../node/program-files.js';
import { argumentsOf } from '../../requests/functions.js';
import { withoutPaths } from '../../requests/methods.js';
import type { InputSource } from '../../service/threads/protocol.js';
import { readValues } from '../draws/data-file.js';
import { importDraws } from '../draws/draw-import.js';
import { makeTemporaryFolder } from '../draws/temporary-folder.js';
import { CommandError } from '../errors.js';
import { Flags, problemsText } from '../options/flags.js';
import type { Method, Selection } from '../options/methods.js';
import { includePathOption } from '../options/program.js';
import { type UntilFlags, untilGiven, untilOptions } from '../options/until-options.js';
import { integer, significantDigits } from '../options/values.js';
import { Interruption } from '../running/interruption.js';
import { outputPaths, prepareOutputs, RunFiles } from '../running/outputs.js';
import { statePath } from '../running/state-files.js';

/** Options of every command that runs an algorithm. Options for arguments come from the argument tables. */
interface MethodFlags extends Selection, UntilFlags {
  readonly data?: string;
  readonly init?: readonly string[];
  readonly warmStart?: readonly string[];
  readonly continue?: readonly string[];
  readonly mode?: string;
  readonly fittedParams?: readonly string[];
  readonly metricFile?: string;
  readonly includePath: readonly string[];
  readonly save?: readonly string[];
  readonly output?: string;
  readonly diagnosticFile?: string;
  readonly sigFigs: number;
  readonly threads?: number;
  readonly memory: number;
  readonly [name: string]: unknown;
}

/** The command for a method, which runs one of its algorithms. */
export function methodCommand(method: Method): Command {
  const flags = new Flags(method.algorithms.flatMap(argumentsOf));
  const command = new Command(method.command)
    .aliases(method.aliases)
    .description(method.description)
    .argument('<program>', 'file with a Stan program; - for standard input')
    .option('--data <file>', 'data as JSON, or as an R dump (.R); - for standard input');
  const { selectors, shortForms } = method;
  for (const option of [...selectors, ...shortForms, ...inputOptions(method), ...flags.options])
    command.addOption(option);
  return command
    .option('--save <variables...>', 'variables to save (default: all)')
    .option(
      '--output <path>',
      'CSV, Arrow or NDJSON file, or a folder; with several chains, their ids are appended (default: PROGRAM-COMMAND.csv)',
    )
    .option('--diagnostic-file <path>', 'CSV file for unconstrained positions, momenta and gradients')
    .option('--sig-figs <integer>', 'significant digits in CSV files', significantDigits, ALL_DIGITS)
    .addOption(includePathOption())
    .option('--threads <integer>', 'maximum number of chains that run concurrently (default: one per core)', integer(1))
    .option('--memory <mebibytes>', 'memory limit of each chain', integer(1), 4096)
    .addHelpText('after', `\nExamples:\n${method.examples.map((example) => `  $ ${example}`).join('\n')}`)
    .action((path: string, values: MethodFlags) => {
      const interruption = new Interruption();
      return interruption.during(() => runMethod(method, flags, path, values, interruption));
    });
}

const INPUT_OPTIONS: Readonly<Partial<Record<Input, () => Option>>> = {
  init: () =>
    new Option(
      '--init <value...>',
      'initial values: a radius around 0, a file with values, or files with draws of an earlier run (default: 2)',
    ),
  warm_start: () =>
    new Option(
      '--warm-start <files...>',
      'draws of an earlier run; chains start from its last positions, step size and metric',
    ),
  continue: () => new Option('--continue <files...>', 'draws of an earlier run; its chains are continued'),
  mode: () =>
    new Option('--mode <file>', 'the mode: a file with values, or the output of optimize').makeOptionMandatory(),
  fitted_params: () =>
    new Option('--fitted-params <files...>', 'draws of an earlier run, one file per chain').makeOptionMandatory(),
};

function inputOptions({ algorithms, inputs }: Method): Option[] {
  const takesMetric = algorithms.some((algorithm) => algorithm.arguments.some(({ name }) => name === 'inv_metric'));
  const metric = new Option('--metric-file <file>', 'JSON file with the initial inverse metric, inv_metric');
  const made = inputs.flatMap((input) => INPUT_OPTIONS[input]?.() ?? []);
  return [...made, ...(takesMetric ? [metric] : []), ...(inputs.includes('continue') ? untilOptions() : [])];
}

async function runMethod(
  method: Method,
  flags: Flags,
  path: string,
  values: MethodFlags,
  interruption: Interruption,
): Promise<void> {
  const chosen = method.choose(values);
  const algorithm = findAlgorithm(chosen);
  if (algorithm === undefined) {
    throw new CommandError(
      ownSamplers.includes(values.algorithm ?? '')
        ? `error: --algorithm ${values.algorithm} takes neither --metric nor --adapt-engaged`
        : `error: --metric ${values.metric} requires --algorithm nuts, not ${values.algorithm}`,
    );
  }
  const program = readProgram(path, values.includePath);
  const rows = argumentsOf(algorithm);
  const given = { ...takenRadius(values.init), ...takenMetric(values.metricFile), ...flags.given(values) };
  const read = readArguments(rows, withoutPaths(chosen, given));
  if ('problems' in read) throw new CommandError(problemsText(read.problems));
  const { num_chains, random_seed, ...settings } = read.settings.entries();
  const continued = values.continue === undefined ? [] : ['continue'];
  const until = untilGiven(values, settings, continued, algorithm.inputs);
  const seed = typeof random_seed === 'number' ? random_seed : randomInt(1, 2 ** 32);
  if (path === '-' && values.data === '-')
    throw new CommandError('error: standard input cannot be both the program and the data');
  const data = values.data === undefined ? '{}' : readValues(values.data);
  const pipes = readPipes(Object.values(inputFiles(values)).flat());

  const created = new Date().toISOString();
  const id = randomUUID();
  const folder = makeTemporaryFolder();
  try {
    const { run } = await import('../running/run.js');
    const inputs = await inputSources(method, inputFiles(values), folder, { pipes, signal: interruption.signal });
    mkdirSync(join(folder, 'fit'));
    await run({
      program,
      derived: method.derived,
      algorithm: chosen,
      arguments: settings,
      seed,
      firstChain: read.settings.number('chain'),
      chains: inputs.fitted_params === undefined && inputs.continue === undefined ? Number(num_chains ?? 1) : undefined,
      data,
      dataFile: values.data,
      inputs,
      save: values.save,
      folder: join(folder, 'fit'),
      threads: values.threads,
      memory: values.memory,
      isSampler: method.isSampler,
      interruption,
      until,
      prepareFiles: (ids) => {
        const usual = `${fileName(path)}-${method.command}`;
        const outputs = [outputPaths(values.output ?? `${usual}.csv`, usual, ids)];
        const { diagnosticFile } = values;
        if (diagnosticFile !== undefined) outputs.push(outputPaths(diagnosticFile, `${usual}-diagnostics`, ids));
        prepareOutputs(outputs, inputPaths(path, values));
        const [paths, diagnostics] = outputs.map((each) => each.paths);
        return new RunFiles(
          ids.map((chain, index) => {
            const files = { ...namedFiles(method, values), output: paths[index], chains: ids.length };
            const program = programName(path);
            const run = { function: chosen, arguments: settings, seed, created, run: id, program, chain, files };
            const draws: DrawFile = { path: paths[index], holds: 'draw', run };
            return diagnostics === undefined
              ? [draws]
              : [draws, { path: diagnostics[index], holds: 'diagnostic', run }];
          }),
        );
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The input files. */
function inputPaths(path: string, values: MethodFlags): string[] {
  const { data, fittedParams = [], init, metricFile, mode, warmStart = [] } = values;
  const lists = [...fittedParams, ...warmStart, ...(values.continue ?? []), ...filesAmong(init)];
  const given = [path, data === '-' ? undefined : data, metricFile, mode, ...lists];
  return given.filter((each) => each !== undefined);
}

/** The radius, if `--init` is a number. */
function takenRadius(init: readonly string[] | undefined): { readonly init_radius?: number } {
  const [value] = init ?? [];
  return value === undefined || !isRadius(value) ? {} : { init_radius: Number(value) };
}

/** The files in the values of `--init`. */
function filesAmong(init: readonly string[] = []): string[] {
  return init.filter((value) => !isRadius(value));
}

function isRadius(text: string): boolean {
  return text.trim() !== '' && !Number.isNaN(Number(text));
}

function takenMetric(file: string | undefined): { readonly inv_metric?: unknown } {
  if (file === undefined) return {};
  const content: unknown = parseJson(readText(file), file);
  const isObject = typeof content === 'object' && content !== null && 'inv_metric' in content;
  return { inv_metric: isObject ? content.inv_metric : content };
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`error: ${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** The files of inputs other than arguments. */
function inputFiles(values: MethodFlags): Readonly<Partial<Record<Input, readonly string[]>>> {
  return {
    init: filesAmong(values.init),
    warm_start: values.warmStart ?? [],
    continue: values.continue ?? [],
    mode: values.mode === undefined ? [] : [values.mode],
    fitted_params: values.fittedParams ?? [],
  };
}

interface Reading {
  readonly pipes: Pipes;
  readonly signal: AbortSignal;
}

/** Options for inputs other than arguments: JSON unchanged, other files as a fit. */
async function inputSources(
  method: Method,
  paths: Readonly<Partial<Record<Input, readonly string[]>>>,
  folder: string,
  reading: Reading,
): Promise<Partial<Record<Input, InputSource>>> {
  const sources: Partial<Record<Input, InputSource>> = {};
  for (const input of method.inputs) {
    const files = paths[input] ?? [];
    if (files.length > 0) sources[input] = await sourceOf(input, files, join(folder, input), reading);
  }
  return sources;
}

async function sourceOf(
  input: Input,
  paths: readonly string[],
  folder: string,
  { pipes, signal }: Reading,
): Promise<InputSource> {
  const [path] = paths;
  if (/\.(json|R)$/i.test(path)) return { kind: 'values', text: readValues(path) };
  mkdirSync(folder);
  const { withoutState } = await importDraws(paths, folder, pipes, signal);
  if (input === 'continue' && withoutState.length > 0) {
    const [first] = withoutState;
    throw new CommandError(
      `error: ${first} cannot be continued: ${statePath(first)}, the final state of its sampler, is missing, damaged or from another run. Use --warm-start instead of --continue`,
    );
  }
  return { kind: 'fit', name: paths.join(', '), path: folder };
}

function namedFiles(method: Method, values: MethodFlags): CsvFiles {
  const { data, diagnosticFile, init, metricFile, mode, sigFigs } = values;
  const [start] = filesAmong(init);
  return {
    ...(data !== undefined && { data }),
    ...(start !== undefined && { init: start }),
    ...(method.inputs.includes('mode') && mode !== undefined && { mode }),
    ...(values.fittedParams !== undefined && { fitted_params: values.fittedParams.join(',') }),
    ...(metricFile !== undefined && { metric: metricFile }),
    ...(diagnosticFile !== undefined && { diagnostic: diagnosticFile }),
    significantDigits: sigFigs,
  };
}

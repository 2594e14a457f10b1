/**
 * Writes the comments at the start of CmdStan's CSV files: versions, the model, and all arguments of the run in the tree of CmdStan's
 * command line (cmdstan/arguments.ts), with defaults marked.
 */
import type { Algorithm } from '../inference/algorithms/algorithm.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import { findAlgorithm, ownSamplers } from '../inference/algorithms/registry.js';
import { streamText } from '../inference/number-text.js';
import type { Value } from './cmdstan/argument.js';
import { cmdstanArguments, method } from './cmdstan/arguments.js';
import { ArgumentValues, argumentLines, functionArgument, valuesInForce } from './cmdstan/values.js';
import { STAN_VERSION_LINES, STAN_VERSION_TEXT } from './stan-version.js';

/** The request of a fit. */
export interface FitRequestRecord {
  readonly function: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly seed: number;
  readonly created: string;
  /** A unique key of a command-line run, contained in all of its files. */
  readonly run?: string;
}

/** Input and output files of a run, and the format of numbers. */
export interface CsvFiles {
  readonly data?: string;
  readonly init?: string;
  readonly mode?: string;
  readonly fitted_params?: string;
  readonly metric?: string;
  readonly output?: string;
  readonly diagnostic?: string;
  /** Significant digits of numbers; by default 17, with which all doubles round-trip. */
  readonly significantDigits?: number;
  /** Number of chains of the run; by default the number in the file. */
  readonly chains?: number;
  /** Whether to omit the method, for a file without the rows that readers expect for the method. */
  readonly withoutMethod?: boolean;
}

/** The configuration at the head of CmdStan's files, as comments. `chains` are the ids of those in the file. */
export function csvConfiguration(
  record: FitRequestRecord,
  model: string,
  chains: readonly number[],
  files: CsvFiles = {},
): string {
  const algorithm = findAlgorithm(record.function);
  if (algorithm === undefined) throw new Error(`no function ${record.function}`);
  const tree = cmdstanArguments().filter((argument) => files.withoutMethod !== true || argument !== method);
  const lines = [
    ...STAN_VERSION_LINES,
    `model = ${model}_model`,
    `start_datetime = ${record.created.slice(0, 19).replace('T', ' ')} UTC`,
    ...(record.run === undefined ? [] : [`run_id = ${record.run}`]),
    ...withMetric(argumentLines(valuesOf(algorithm, record, chains, files), tree)),
    `stanc_version = stanc3 v${STAN_VERSION_TEXT}`,
    'stancflags = ',
  ];
  return lines.map((line) => `# ${line}\n`).join('');
}

const OPTIMIZERS = ['lbfgs', 'bfgs', 'newton'];
const VARIATIONAL = ['meanfield', 'fullrank'];

/** CmdStan's arguments for a run of a function. */
function valuesOf(
  algorithm: Algorithm,
  record: FitRequestRecord,
  chains: readonly number[],
  files: CsvFiles,
): ArgumentValues {
  const values = new ArgumentValues();
  const set = (path: string, value: Value | undefined) => {
    if (value !== undefined) values.set(path, value);
  };
  const chosen = methodOf(algorithm);
  const own = `${method.name}.${chosen}.`;
  set(method.name, chosen);
  for (const [path, value] of choicesOf(algorithm)) set(own + path, value);
  for (const path of valuesInForce(cmdstanArguments(), values).keys()) {
    if (!path.startsWith(own)) continue;
    const value = record.arguments[functionArgument(path.slice(own.length))];
    if (isSingle(value)) set(path, value);
  }
  const { num_chains = files.chains ?? chains.length } = record.arguments;
  if (chosen === 'sample' || chosen === 'generate_quantities') set(`${own}num_chains`, Number(num_chains));
  if (chosen === 'sample') set(`${own}adapt.engaged`, isAdapting(algorithm));
  if (algorithm.name === 'pathfinder_lbfgs_single') set(`${own}num_paths`, 1);
  set(`${own}algorithm.hmc.metric_file`, files.metric);
  set(`${own}mode`, files.mode);
  set(`${own}fitted_params`, files.fitted_params);
  set('id', chains[0]);
  set('data.file', files.data);
  const { init_radius, refresh } = record.arguments;
  set('init', files.init ?? (typeof init_radius === 'number' ? streamText(init_radius) : undefined));
  set('random.seed', record.seed);
  set('output.file', files.output);
  set('output.diagnostic_file', files.diagnostic);
  set('output.refresh', typeof refresh === 'number' ? refresh : undefined);
  set('output.sig_figs', files.significantDigits ?? ALL_DIGITS);
  return values;
}

/** The number of digits with which all doubles round-trip. */
export const ALL_DIGITS = 17;

function isSingle(value: ArgumentValue | undefined): value is Value {
  return value !== undefined && typeof value !== 'object';
}

function isAdapting({ name }: Algorithm): boolean {
  return name === 'fixed_param' || ownSamplers.includes(name) || name.endsWith('_adapt');
}

function methodOf({ functionName, name }: Algorithm): string {
  if (functionName.includes('::sample::')) return 'sample';
  if (OPTIMIZERS.includes(name)) return 'optimize';
  if (VARIATIONAL.includes(name)) return 'variational';
  if (name.startsWith('pathfinder')) return 'pathfinder';
  if (name === 'laplace_sample') return 'laplace';
  return name === 'diagnose' ? 'diagnose' : 'generate_quantities';
}

const OTHER_SAMPLERS = new Map([
  ['recommended', 'hmc_nuts_low_rank'],
  ['tempered', 'hmc_nuts_diag_e'],
]);

/** The choices within the method. */
function choicesOf({ name }: Algorithm): readonly (readonly [path: string, value: string])[] {
  // CmdStan has no names for these samplers, so they are described by their trajectories and their metrics.
  const described = OTHER_SAMPLERS.get(name) ?? name;
  const [, engine, metric] = /^hmc_(nuts|static)_(\w+?_e|low_rank)/.exec(described) ?? [];
  if (engine !== undefined) {
    return [
      ['algorithm.hmc.engine', engine],
      ['algorithm.hmc.metric', metric],
    ];
  }
  const isChosen = name === 'fixed_param' || OPTIMIZERS.includes(name) || VARIATIONAL.includes(name);
  return isChosen ? [['algorithm', name]] : [];
}

/** Adds the unit metric for `fixed_param`. CmdStan writes none, but CmdStanPy requires a metric. */
function withMetric(lines: readonly string[]): string[] {
  return lines.flatMap((line) => (line === '    algorithm = fixed_param' ? [line, '      metric = unit_e'] : [line]));
}

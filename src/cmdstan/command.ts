/** The behavior of a model's executable, from its arguments to its exit code. */
import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import type { Argument } from '../formats/cmdstan/argument.js';
import { cmdstanArguments } from '../formats/cmdstan/arguments.js';
import { type ArgumentValues, argumentLines } from '../formats/cmdstan/values.js';
import { STAN_VERSION_LINES } from '../formats/stan-version.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import { readArguments } from '../inference/algorithms/arguments.js';
import { findAlgorithm } from '../inference/algorithms/registry.js';
import { UnreadableFile } from '../node/input-files.js';
import { isSystemError } from '../node/system-errors.js';
import type { ChainTask } from './chain-task.js';
import { runChains } from './chains.js';
import { configurationJson, diagnosticComments, drawComments } from './configuration.js';
import { type ExecutableModel, MAKE_FLAGS, readExecutable } from './executable.js';
import { Failure } from './failure.js';
import { checkOutputName, fileNames, splitSuffix } from './file-names.js';
import { readVariables, readVariablesOfChains } from './input-files.js';
import { logProb } from './log-prob.js';
import { MethodArguments } from './method-request.js';
import { TextFile } from './output.js';
import { type Console, parseWords, readReal } from './parser.js';
import { writeProfiles } from './profile-file.js';

const OK = 0;
const NOT_OK = 1;

/** Digits of numbers if `sig_figs` is -1: the default of C++ streams. */
const STREAM_DIGITS = 6;

/** Runs an executable with the arguments after its name, and returns its exit code. */
export async function runExecutable(path: string, words: readonly string[], console: Console): Promise<number> {
  try {
    return await run(path, words, console);
  } catch (error) {
    if (!(error instanceof Failure || error instanceof UnreadableFile || isSystemError(error))) throw error;
    console.error(error.message);
    return NOT_OK;
  }
}

async function run(path: string, words: readonly string[], console: Console): Promise<number> {
  const { model, wasm } = readExecutable(path);
  const threads = threadsInEnvironment();
  const isThreaded = model.makeFlags.includes('STAN_THREADS');
  const tree = cmdstanArguments(isThreaded ? { usual: threads ?? 1 } : undefined);
  const parsed = parseWords(path, words, tree, console);
  if (parsed.kind === 'help') return OK;
  if (parsed.kind === 'info') {
    for (const line of infoLines(model)) console.info(line);
    return OK;
  }
  if (parsed.kind === 'wrong') {
    if (words.length > 0) console.error('Failed to parse command arguments, cannot run model.');
    return NOT_OK;
  }
  const { values } = parsed;
  const given = new MethodArguments(values, tree);
  if (isThreaded && threads !== undefined && threads !== given.number('num_threads')) {
    const said = `STAN_NUM_THREADS= ${threads} but argument num_threads= ${given.number('num_threads')}`;
    throw new Failure(`${said}. Please either only set one or make sure they are equal.`);
  }
  return new Command(path, { model, wasm }, tree, values, given, console).run();
}

/** `STAN_NUM_THREADS`, if it is set. */
function threadsInEnvironment(): number | undefined {
  const text = process.env.STAN_NUM_THREADS;
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && (value > 0 || value === -1)) return value;
  throw new Failure('The STAN_NUM_THREADS environment variable should be a positive integer or -1.');
}

function infoLines({ makeFlags }: ExecutableModel): string[] {
  return [...STAN_VERSION_LINES, ...MAKE_FLAGS.map((flag) => `${flag}=${makeFlags.includes(flag)}`)];
}

/** One run of a method. */
class Command {
  private readonly path: string;
  private readonly executable: ReturnType<typeof readExecutable>;
  private readonly tree: readonly Argument[];
  private readonly values: ArgumentValues;
  private readonly given: MethodArguments;
  private readonly console: Console;
  private readonly seed: number;
  private readonly ids: readonly number[];
  private readonly started = new Date();

  constructor(
    path: string,
    executable: ReturnType<typeof readExecutable>,
    tree: readonly Argument[],
    values: ArgumentValues,
    given: MethodArguments,
    console: Console,
  ) {
    this.path = path;
    this.executable = executable;
    this.tree = tree;
    this.values = values;
    this.given = given;
    this.console = console;
    const asked = given.number('random.seed');
    this.seed = asked < 0 ? randomInt(2 ** 32) : asked;
    values.use('random.seed', this.seed);
    const id = given.number('id');
    this.ids = Array.from({ length: this.chainCount() }, (_, index) => id + index);
  }

  async run(): Promise<number> {
    const { console, executable, given, tree, values } = this;
    this.checkFiles();
    for (const line of argumentLines(values, tree)) console.info(line);
    console.info('');
    const file = given.text('data.file');
    const data = file === '' ? '{}' : readVariables(file, console);
    this.checkMethod();
    if (given.flag('output.save_cmdstan_config')) this.saveConfiguration();
    const threads = given.number('num_threads');
    if (given.name === 'log_prob') {
      const comments = drawComments({ model: executable.model, tree, values, started: this.started });
      const { digits, seed } = this;
      return (await logProb({ executable, data, given, comments, digits, seed, threads, console })) ? OK : NOT_OK;
    }
    const tasks = this.tasks(data).flatMap((task) => [task, ...this.singlePaths(task)]);
    const ends = await runChains(this.path, executable, tasks, threads, console);
    const profiles = ends.flatMap((end) => end.profiles);
    if (profiles.length > 0) writeProfiles(given.text('output.profile_file'), profiles);
    return ends.every(({ isOk }) => isOk) ? OK : NOT_OK;
  }

  private get digits(): number {
    const digits = this.given.number('output.sig_figs');
    return digits < 0 ? STREAM_DIGITS : Math.max(1, digits);
  }

  /** Number of separate chains, each with its own files. Paths of Pathfinder do not count as chains. */
  private chainCount(): number {
    const { given } = this;
    if (given.name === 'generate_quantities') return given.number('own.num_chains');
    if (given.name !== 'sample') return 1;
    const chains = given.number('own.num_chains');
    const isStatic = given.text('own.algorithm') === 'hmc' && given.text('own.algorithm.hmc.engine') === 'static';
    if (chains > 1 && isStatic) {
      throw new Failure("Argument 'num_chains' is unavailable for the 'static' HMC engine.");
    }
    return chains;
  }

  private checkFiles(): void {
    const { given } = this;
    const output = given.text('output.file');
    checkOutputName(output);
    checkOutputName(given.text('output.diagnostic_file'));
    const input = INPUT_FILES.get(given.name);
    const path = input === undefined ? '' : given.text(`own.${input}`);
    if (path !== '' && resolve(path) === resolve(output)) {
      const said = `Filename conflict, ${input} file ${path} and output file names are identical`;
      throw new Failure(`${said}, must be different.\n`);
    }
  }

  private checkMethod(): void {
    const { given } = this;
    if (given.name !== 'sample' || given.text('own.algorithm') === 'fixed_param') return;
    const isEngaged = given.flag('own.adapt.engaged');
    if (isEngaged && given.number('own.num_warmup') === 0) {
      const said = 'The number of warmup samples (num_warmup) must be greater than zero if adaptation is enabled.';
      throw new Failure(`${said}\n`);
    }
    if (!isEngaged && given.flag('own.adapt.save_metric')) {
      const said = 'Saving the adapted metric (save_metric=1) can only be enabled when adaptation is engaged';
      throw new Failure(`${said} (adapt engaged=1)\n`);
    }
  }

  private saveConfiguration(): void {
    const { executable, given, started, tree, values } = this;
    const { base } = splitSuffix(given.text('output.file'));
    const file = new TextFile(`${base}_config.json`);
    file.write(configurationJson({ model: executable.model, tree, values, started }, this.digits));
    file.close();
  }

  /** The task of each chain. */
  private tasks(data: string): ChainTask[] {
    const { executable, given, ids, seed, started, tree, values } = this;
    const configuration = { model: executable.model, tree, values, started };
    const output = given.text('output.file');
    const diagnostics = given.text('output.diagnostic_file');
    const isMetricSaved =
      given.name === 'sample' && given.functionName !== 'fixed_param' && given.flag('own.adapt.save_metric');
    const detailFile = this.pathIds().length > 1 ? undefined : this.detailFile();
    const names = {
      draws: fileNames(output, '', '.csv', ids),
      diagnostics:
        diagnostics === '' || !DIAGNOSED.has(given.name) ? undefined : fileNames(diagnostics, '', '.csv', ids),
      details: detailFile === undefined ? undefined : fileNames(detailFile, '', '.json', ids),
      metric: isMetricSaved ? fileNames(output, '_metric', '.json', ids) : undefined,
    };
    const init = given.text('init');
    const radius = readReal(init);
    const starts = this.pathIds();
    const inits = radius === undefined ? readVariablesOfChains(init, starts, this.console) : undefined;
    const metrics = this.metrics();
    const fitted = this.fittedFiles();
    return ids.map((chain, index) => {
      const settings = this.checked({
        ...given.settings(),
        chain,
        ...(radius !== undefined && { init_radius: Math.abs(radius) }),
        ...(metrics !== undefined && { inv_metric: metrics[index] }),
      });
      return {
        functionName: given.functionName,
        settings,
        data,
        seed,
        chain,
        ...(inits !== undefined && { init: ids.length > 1 ? [inits[index]] : inits }),
        ...(fitted !== undefined && { fitted: fitted[index] }),
        ...(given.name === 'laplace' && { mode: given.text('own.mode') }),
        isTagged: ids.length > 1,
        outputs: {
          files: {
            draws: names.draws[index],
            ...(names.diagnostics !== undefined && { diagnostics: names.diagnostics[index] }),
            ...(names.metric !== undefined && { metric: names.metric[index] }),
            ...(names.details !== undefined && { details: names.details[index] }),
          },
          drawComments: drawComments(configuration),
          diagnosticComments: diagnosticComments(configuration),
          significantDigits: this.digits,
          isNamed: given.name !== 'diagnose',
          metric: /_(\w+_e)/.exec(given.functionName.replace(/^hmc_(nuts|static)/, ''))?.[1] ?? '',
        },
      };
    });
  }

  /**
   * The file with details of the algorithm. Its name is derived from the file of diagnostics, or from the file of draws
   * if single paths are saved.
   */
  private detailFile(): string | undefined {
    const { given } = this;
    if (given.name !== 'pathfinder' && given.name !== 'laplace') return undefined;
    const path = given.text('output.diagnostic_file');
    if (path !== '') return path;
    const isRequested = given.name === 'pathfinder' && given.flag('own.save_single_paths');
    return isRequested ? given.text('output.file') : undefined;
  }

  /** Tasks for the single paths of Pathfinder, each with its own files, if they are saved. */
  private singlePaths(whole: ChainTask): ChainTask[] {
    const { given } = this;
    const ids = this.pathIds();
    const file = this.detailFile();
    if (given.name !== 'pathfinder' || file === undefined || ids.length === 1) return [];
    const names = fileNames(given.text('output.file'), '_path', '.csv', ids);
    const details = fileNames(file, '_path', '.json', ids);
    const functionName = 'pathfinder_lbfgs_single';
    return ids.map((chain, index) => ({
      ...whole,
      functionName,
      settings: this.checked({ ...whole.settings, chain }, functionName),
      chain,
      ...(whole.init !== undefined && { init: [whole.init[index]] }),
      isSilent: true,
      outputs: { ...whole.outputs, files: { draws: names[index], details: details[index] } },
    }));
  }

  /** Ids of all chains, or of the paths of Pathfinder. */
  private pathIds(): readonly number[] {
    const { given, ids } = this;
    if (given.name !== 'pathfinder') return ids;
    return Array.from({ length: given.number('own.num_paths') }, (_, index) => ids[0] + index);
  }

  /** The metric of each chain, if given in files. */
  private metrics(): readonly ArgumentValue[] | undefined {
    const { given } = this;
    if (given.name !== 'sample' || given.text('own.algorithm') !== 'hmc') return undefined;
    const file = given.text('own.algorithm.hmc.metric_file');
    if (file === '' || given.text('own.algorithm.hmc.metric') === 'unit_e') return undefined;
    const texts = readVariablesOfChains(file, this.ids, this.console);
    return texts.map((text) => {
      const { inv_metric: metric } = JSON.parse(text);
      if (metric === undefined) throw new Failure('Cannot get inverse metric from input file.');
      return metric;
    });
  }

  /** The file with the input draws of each chain, if the method requires them. */
  private fittedFiles(): readonly string[] | undefined {
    const { given, ids } = this;
    if (given.name !== 'generate_quantities') return undefined;
    const file = given.text('own.fitted_params');
    if (file === '') {
      throw new Failure('Missing fitted_params argument, cannot run generate_quantities without fitted sample.');
    }
    const names = fileNames(file, '', '.csv', ids);
    if (names.some((name) => splitSuffix(name).suffix !== '.csv')) {
      throw new Failure('Fitted params file must be a CSV file.');
    }
    return names;
  }

  /** Arguments in the form that the function requires. Throws for unknown ones. */
  private checked(
    settings: Readonly<Record<string, ArgumentValue>>,
    functionName = this.given.functionName,
  ): Record<string, ArgumentValue> {
    const algorithm = findAlgorithm(functionName);
    const rows = algorithm?.arguments ?? [];
    const known = Object.fromEntries(
      Object.entries(settings).filter(([name]) => rows.some((row) => row.name === name)),
    );
    const read = readArguments(rows, known);
    if ('problems' in read)
      throw new Failure(read.problems.map(({ field, message }) => `${field} ${message}`).join('\n'));
    return known;
  }
}

/** Methods that write diagnostics. */
const DIAGNOSED: ReadonlySet<string> = new Set(['sample', 'variational']);

/** The argument of a method that names a file of draws or values. */
const INPUT_FILES: ReadonlyMap<string, string> = new Map([
  ['generate_quantities', 'fitted_params'],
  ['laplace', 'mode'],
  ['log_prob', 'constrained_params'],
]);

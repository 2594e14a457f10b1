/**
 * Runs the chains of an executable: a single chain in its own thread, several in at most the allowed number of threads.
 */

import type { Compiler } from '../chain/compiler.js';
import { leapfrogModels } from '../chain/leapfrog-models.js';
import type { ModelHost, ModelProgram, ProfileTime } from '../chain/model-host.js';
import { withOwnModule } from '../chain/own-module.js';
import { refusalOf } from '../chain/refusal.js';
import type { RunInput, RunInputs, RunRequest } from '../chain/request.js';
import { runFunction } from '../chain/run-function.js';
import { coresPerChain, planRun, type RunPlan } from '../fits/plan.js';
import { parseStanData } from '../formats/stan-json.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import { findAlgorithm } from '../inference/algorithms/registry.js';
import type { BoundData } from '../model/bind.js';
import { startThread } from '../node/entries.js';
import { loadKernels, loadLinearKernel } from '../node/kernels.js';
import { sharing } from '../node/sharing.js';
import { ChainOutputs, type OutputOptions } from './chain-outputs.js';
import { type Executable, readExecutable } from './executable.js';
import { Failure } from './failure.js';
import { splitSuffix } from './file-names.js';
import { readVariables } from './input-files.js';
import { standardConsole } from './output.js';
import type { Console } from './parser.js';
import { readCsvFile, storedDraws } from './stored-csv.js';

/** The work of a chain; it survives structured cloning. */
export interface ChainTask {
  readonly functionName: string;
  readonly settings: Readonly<Record<string, ArgumentValue>>;
  /** JSON text, or bound data. */
  readonly data: string | BoundData;
  readonly seed: number;
  readonly chain: number;
  /** JSON texts of initial values: of the chain, or of each Pathfinder path. */
  readonly init?: readonly string[];
  /** A CSV file. */
  readonly fitted?: string;
  /** A CSV or JSON file. */
  readonly mode?: string;
  readonly isTagged: boolean;
  /** Whether the chain prints nothing on the console. */
  readonly isSilent?: boolean;
  readonly outputs: Omit<OutputOptions, 'chain'>;
}

/** The message that starts a thread, and the thread's final message. */
export interface ThreadOrder {
  readonly path: string;
  readonly tasks: readonly ChainTask[];
}
interface ThreadAnswer {
  readonly isOk: boolean;
  readonly profiles: readonly ProfileTime[];
  /** The reason for a failure. */
  readonly failure?: string;
}

/** Maximum memory of a model in bytes. */
export const MAXIMUM_MEMORY = 2 ** 31;

type Profiled = (profiles: readonly ProfileTime[]) => void;

/**
 * Runs every chain. Returns whether all have completed and no gradient differs from finite differences. `threads` is
 * the maximum number of threads, or -1 for one per chain.
 */
export async function runChains(
  path: string,
  executable: Executable,
  tasks: readonly ChainTask[],
  threads: number,
  console: Console,
  profiled: Profiled,
): Promise<boolean> {
  const count = threads < 0 ? tasks.length : Math.min(threads, tasks.length);
  const prepared = bindOnce(executable, inSlices(tasks, threads));
  if (count === 1) {
    const runner = { host: openHost(), compiler: await compilerFor(executable, prepared) };
    return prepared.map((task) => runTask(runner, executable, task, console, profiled)).every((isOk) => isOk);
  }
  const shares = Array.from({ length: count }, (_, thread) => prepared.filter((_, index) => index % count === thread));
  const answers = await Promise.all(shares.map((share) => runInThread({ path, tasks: share })));
  const [failure] = answers.flatMap((answer) => answer.failure ?? []);
  if (failure !== undefined) throw new Failure(failure);
  for (const { profiles } of answers) profiled(profiles);
  return answers.every(({ isOk }) => isOk);
}

/** The tasks. If there are more threads than tasks, each task has its share of the additional threads. */
function inSlices(tasks: readonly ChainTask[], threads: number): readonly ChainTask[] {
  const each = coresPerChain(threads, tasks.length);
  if (each === 1) return tasks;
  return tasks.map((task) => {
    const { arguments: rows = [] } = findAlgorithm(task.functionName) ?? {};
    const takesThreads = rows.some(({ name }) => name === 'threads_per_chain');
    return takesThreads ? { ...task, settings: { ...task.settings, threads_per_chain: each } } : task;
  });
}

/**
 * The tasks of several chains, with data that are bound here once. If binding fails, each chain binds the data itself
 * and reports the failure.
 */
function bindOnce({ model, wasm }: Executable, tasks: readonly ChainTask[]): readonly ChainTask[] {
  const [{ data, seed }] = tasks;
  const plans = tasks.map((task) => planOf(task, tasks.length));
  // Other modules are compiled in the threads of their chains.
  if (typeof data !== 'string' || !plans.every((plan) => plan.sharesData && plan.module === undefined)) return tasks;
  const program = { artifact: model.artifact, module: new WebAssembly.Module(wasm) };
  const options = { seed, print: () => undefined, maximumMemory: MAXIMUM_MEMORY };
  const host = openHost();
  try {
    const bound = host.instantiate(program, parseStanData(data), options).bound?.();
    return bound === undefined ? tasks : tasks.map((task) => ({ ...task, data: bound }));
  } catch (error) {
    if (refusalOf(host, error) === undefined) throw error;
    return tasks;
  }
}

async function runInThread(order: ThreadOrder): Promise<ThreadAnswer> {
  const worker = startThread('model-main', new URL('./model-main.js', import.meta.url), { workerData: order });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

/** Runs the chains of a thread. */
export async function performOrder({ path, tasks }: ThreadOrder): Promise<ThreadAnswer> {
  const executable = readExecutable(path);
  const runner = { host: openHost(), compiler: await compilerFor(executable, tasks) };
  const profiles: ProfileTime[] = [];
  try {
    const ended = tasks.map((task) =>
      runTask(runner, executable, task, standardConsole, (found) => profiles.push(...found)),
    );
    return { isOk: ended.every((isOk) => isOk), profiles };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { isOk: false, profiles, failure: error.message };
  }
}

export function openHost(): ModelHost {
  return leapfrogModels(new WebAssembly.Module(loadLinearKernel()), sharing);
}

/** The compiler, which is loaded only for functions that require separate modules. */
async function compilerFor({ model }: Executable, tasks: readonly ChainTask[]): Promise<Compiler | undefined> {
  if (model.source === undefined || tasks.every((task) => planOf(task).module === undefined)) return undefined;
  return loadCompiler();
}

/** The plan of a task, which is one of several chains. */
function planOf({ data, functionName, settings }: ChainTask, chains?: number): RunPlan {
  return planRun({ function: functionName, arguments: settings, chains, ...(typeof data === 'string' && { data }) });
}

async function loadCompiler(): Promise<Compiler> {
  const { leapfrogCompiler } = await import('../engine/leapfrog-compiler.js');
  return leapfrogCompiler(loadKernels().library);
}

export function programOf({ model, wasm }: Executable): ModelProgram {
  return { artifact: model.artifact, module: new WebAssembly.Module(wasm), wasm };
}

/** The program compiled with slices, or the module of the executable if the source is unknown or no longer compiles. */
export async function slicedProgram(executable: Executable): Promise<ModelProgram> {
  const { source } = executable.model;
  const compilation = source && (await loadCompiler()).compile(source, { slices: true });
  if (!compilation?.compiled) return programOf(executable);
  const wasm = new Uint8Array(compilation.wasm);
  return { artifact: compilation.artifact, module: new WebAssembly.Module(wasm), wasm };
}

/** The environment in which a thread runs chains. */
interface Runner {
  readonly host: ModelHost;
  readonly compiler: Compiler | undefined;
}

const SILENCE: Console = { info: () => undefined, error: () => undefined };

function runTask(
  { host, compiler }: Runner,
  { model, wasm }: Executable,
  task: ChainTask,
  console: Console,
  profiled: Profiled,
): boolean {
  const { chain, data, functionName, isSilent = false, isTagged, outputs: options, seed, settings } = task;
  const outputs = new ChainOutputs({ ...options, ...(isTagged && { chain }) }, isSilent ? SILENCE : console);
  const { detail } = outputs;
  const request: RunRequest = {
    model: { id: model.name, artifact: model.artifact, module: new WebAssembly.Module(wasm), wasm },
    ...(model.source !== undefined && { source: model.source }),
    data,
    inputs: inputsOf(task, console),
    limits: { maximumMemory: MAXIMUM_MEMORY },
    arguments: settings,
    seed,
    chain,
    index: 0,
    ...(typeof settings.threads_per_chain === 'number' && { cores: settings.threads_per_chain }),
    profiled,
    ...(detail !== undefined && { detail }),
  };
  try {
    const complete = compiler === undefined ? request : withOwnModule(compiler, functionName, request);
    const outcome = runFunction(host, functionName, complete, outputs);
    if (outcome.kind === 'refused' && outcome.detail.code === 'invalid-input')
      throw mismatch(outcome.detail.input, task);
    if (outcome.kind === 'refused' && !outputs.hasFailed) console.error(outcome.message);
    return outcome.kind === 'finished' && (outcome.differing ?? 0) === 0;
  } finally {
    outputs.close();
  }
}

/** The error for a file whose columns are not the model's parameters. */
function mismatch(input: string | undefined, { fitted = '', mode = '' }: ChainTask): Failure {
  return input === 'mode'
    ? new Failure(`Mismatch between model params and StanCSV file "${mode}"\n`)
    : new Failure(`Mismatch between model and fitted_parameters csv file "${fitted}"\n`);
}

function inputsOf({ fitted, init, mode }: ChainTask, console: Console): RunInputs {
  return {
    ...(init !== undefined && { init: { kind: 'values', text: init[0], further: init.slice(1) } as const }),
    ...(mode !== undefined && { mode: modeIn(mode, console) }),
    ...(fitted !== undefined && { fitted_params: drawsIn(fitted) }),
  };
}

function modeIn(path: string, console: Console): RunInput {
  if (path === '') {
    throw new Failure('Missing mode argument, cannot get laplace sample without parameter estimates theta-hat');
  }
  const { suffix } = splitSuffix(path);
  if (suffix === '.json') return { kind: 'values', text: readVariables(path, console) };
  if (suffix !== '.csv') throw new Failure(`Mode file must be CSV or JSON, found ${path}`);
  if (!readCsvFile(path).head.some((line) => line.includes('method = optimize'))) {
    throw new Failure('CSV file is not output from Stan optimization\n');
  }
  return drawsIn(path);
}

function drawsIn(path: string): RunInput {
  const stored = storedDraws(readCsvFile(path));
  return { kind: 'draws', name: path, open: () => stored };
}

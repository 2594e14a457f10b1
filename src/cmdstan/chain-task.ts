/** Runs one chain of an executable in the current thread, and prepares the models of executables. */

import type { Compiler } from '../chain/compiler.js';
import { leapfrogModels } from '../chain/leapfrog-models.js';
import type { ModelHost, ModelProgram, ProfileTime } from '../chain/model-host.js';
import { withOwnModule } from '../chain/own-module.js';
import type { RunInput, RunInputs, RunRequest } from '../chain/request.js';
import { runFunction } from '../chain/run-function.js';
import { planRun, type RunPlan } from '../fits/plan.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import type { BoundData } from '../model/bind.js';
import { loadKernels, loadLinearKernel } from '../node/kernels.js';
import { sharing } from '../node/sharing.js';
import { ChainOutputs, type OutputOptions } from './chain-outputs.js';
import type { Executable } from './executable.js';
import { Failure } from './failure.js';
import { splitSuffix } from './file-names.js';
import { readVariables } from './input-files.js';
import type { Console } from './parser.js';
import { readCsvFile, storedDraws } from './stored-csv.js';

/** The work of a chain. */
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

/** A chain to run. It survives structured cloning. */
export interface ChainOrder {
  readonly task: ChainTask;
  /** Shared memory for the number of completed iterations, and that of all. */
  readonly progress: Int32Array;
}

export interface TaskEnd {
  /** Whether the chain has completed and no gradient differs from finite differences. */
  readonly isOk: boolean;
  readonly profiles: readonly ProfileTime[];
}

/** Maximum memory of a model in bytes. */
export const MAXIMUM_MEMORY = 2 ** 31;

export function openHost(): ModelHost {
  return leapfrogModels(new WebAssembly.Module(loadLinearKernel()), sharing);
}

/** The plan of a task, which is one of several chains. */
export function planOf({ data, functionName, settings }: ChainTask, chains?: number): RunPlan {
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

const SILENCE: Console = { info: () => undefined, error: () => undefined };

/** Runs chains of an executable, one after the other. */
export class TaskRunner {
  private readonly executable: Executable;
  private readonly console: Console;
  private readonly host = openHost();
  private compiler: Promise<Compiler> | undefined;

  constructor(executable: Executable, console: Console) {
    this.executable = executable;
    this.console = console;
  }

  /** Throws `Failure` for inputs that do not fit the model. */
  async run({ progress, task }: ChainOrder): Promise<TaskEnd> {
    const { chain, data, functionName, isSilent = false, isTagged, outputs: options, seed, settings } = task;
    const { model, wasm } = this.executable;
    const compiler = await this.compilerFor(task);
    const console = isSilent ? SILENCE : this.console;
    const outputs = new ChainOutputs({ ...options, ...(isTagged && { chain }) }, console);
    const { detail } = outputs;
    const profiles: ProfileTime[] = [];
    const request: RunRequest = {
      model: { id: model.name, artifact: model.artifact, module: new WebAssembly.Module(wasm), wasm },
      ...(model.source !== undefined && { source: model.source }),
      data,
      inputs: inputsOf(task, this.console),
      limits: { maximumMemory: MAXIMUM_MEMORY },
      arguments: settings,
      seed,
      chain,
      index: 0,
      ...(typeof settings.threads_per_chain === 'number' && { cores: settings.threads_per_chain }),
      report: ({ iteration = 0, iterations = 0 }) => progress.set([iteration, iterations]),
      profiled: (found) => profiles.push(...found),
      ...(detail !== undefined && { detail }),
    };
    try {
      const complete = compiler === undefined ? request : withOwnModule(compiler, functionName, request);
      const outcome = runFunction(this.host, functionName, complete, outputs);
      if (outcome.kind === 'refused' && outcome.detail.code === 'invalid-input')
        throw mismatch(outcome.detail.input, task);
      if (outcome.kind === 'refused' && !outputs.hasFailed) this.console.error(outcome.message);
      return { isOk: outcome.kind === 'finished' && (outcome.differing ?? 0) === 0, profiles };
    } finally {
      outputs.close();
    }
  }

  /** The compiler, which is loaded only for functions that require separate modules. */
  private async compilerFor(task: ChainTask): Promise<Compiler | undefined> {
    if (this.executable.model.source === undefined || planOf(task).module === undefined) return undefined;
    this.compiler ??= loadCompiler();
    return this.compiler;
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

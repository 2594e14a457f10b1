/** Runs an algorithm on a program and its data, with its chains in worker threads, without a server. */

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledModel } from '../../chain/model-host.js';
import type { RunBlock, RunProgress } from '../../chain/request.js';
import type { SamplerState } from '../../chain/sampler-state.js';
import type { DerivedKind } from '../../derive/derived-names.js';
import { completeDrawFile, type DrawFile, writeDrawFile } from '../../fit-files/draw-file.js';
import { chainFile, readState } from '../../fit-files/layout.js';
import { readContents } from '../../fit-files/reading.js';
import { execute, type FinishedChain } from '../../fits/execute.js';
import type { FitStatistics } from '../../fits/fit-statistics.js';
import { coresPerChain, planRun, type RunPlan } from '../../fits/plan.js';
import type { Seconds } from '../../inference/algorithms/algorithm.js';
import type { ArgumentValue } from '../../inference/algorithms/arguments.js';
import type { LogLevel } from '../../inference/events.js';
import type { BoundData } from '../../model/bind.js';
import { threadsAvailable } from '../../node/address-space.js';
import type { NamedProgram } from '../../node/program-files.js';
import { printProblem, printText } from '../../node/standard-streams.js';
import { timeSoFar } from '../../node/time-so-far.js';
import { RequestError } from '../../requests/request-error.js';
import { type Stopped, stoppedText, type Until } from '../../requests/until.js';
import { logEnd } from '../../service/threads/blocks.js';
import { JobStopped } from '../../service/threads/job-stopped.js';
import { WorkerPool } from '../../service/threads/pool.js';
import {
  type ChainJob,
  type InputSources,
  type Job,
  type JobResult,
  OWN_ENGINE,
} from '../../service/threads/protocol.js';
import { missingDataText } from '../draws/data-file.js';
import { rangesOf, statisticsOf } from '../draws/finished-draws.js';
import { CommandError, INTERRUPTED, reasonOf } from '../errors.js';
import { optionsText } from '../options/until-options.js';
import { openConsole, type RunConsole } from './console.js';
import type { Interruption } from './interruption.js';
import { expecting, unexpected } from './job-results.js';
import { JournalTail } from './journal-tail.js';
import type { RunFiles } from './outputs.js';
import { RunOutlook } from './run-outlook.js';
import { reportText } from './run-report.js';
import { keepState } from './state-files.js';

/** A chain for all iterations. */
type WholeChain = Omit<ChainJob, 'block'>;

export interface Run {
  readonly program: NamedProgram;
  /** The derived program to run instead of the given one. */
  readonly derived: DerivedKind | undefined;
  /** Short name. */
  readonly algorithm: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly seed: number;
  /** The id of the first chain; others count upward. */
  readonly firstChain: number;
  /** Number of chains; undefined for one chain per chain of the given draws. */
  readonly chains: number | undefined;
  /** JSON text. */
  readonly data: string;
  /** The data file. */
  readonly dataFile: string | undefined;
  readonly inputs: InputSources;
  readonly save: readonly string[] | undefined;
  /** Empty folder for the files of the fit. */
  readonly folder: string;
  readonly threads: number | undefined;
  /** Memory limit of a chain in MiB. */
  readonly memory: number;
  readonly isSampler: boolean;
  readonly interruption: Interruption;
  /** The rule for stopping; absent for a run of a fixed length. */
  readonly until: Until | undefined;
  /** Creates the files for the draws of chains. */
  prepareFiles(ids: readonly number[]): RunFiles;
}

/** Milliseconds between two reads of the chains' journals. */
const INTERVAL = 50;
/** Milliseconds to wait for the last messages of a chain. */
const LAST_WORDS = 100;

/** Runs until the end, or throws the reason for an early end, such as an interrupt. */
export async function run(request: Run): Promise<void> {
  const pool = new WorkerPool({ size: 1, engine: OWN_ENGINE, memoryMebibytes: request.memory });
  try {
    await new Runner(pool, request).run();
  } finally {
    await pool.close();
  }
}

class Runner {
  private readonly pool: WorkerPool;
  private readonly interruption: Interruption;
  private readonly request: Run;
  private readonly plan: RunPlan;
  private readonly outlook: RunOutlook;
  /** Chains that have logged an error. Their failure need not be reported again. */
  private readonly blamed = new Set<number>();
  /** Final states of samplers, by the chain's id. */
  private readonly states = new Map<number, SamplerState | undefined>();
  /** Times of chains that run in blocks. */
  private readonly seconds = new Map<number, Seconds | undefined>();
  /** The folder of the fit: of its latest block, if it runs in blocks. */
  private folder: string;
  /** The reason for an early end. */
  private failure: unknown;

  constructor(pool: WorkerPool, request: Run) {
    this.pool = pool;
    this.interruption = request.interruption;
    this.request = request;
    this.plan = planRun({ ...request, function: request.algorithm });
    this.outlook = new RunOutlook(request.until, Number(request.arguments.num_samples));
    this.folder = request.folder;
  }

  async run(): Promise<void> {
    const { arguments: settings, chains, firstChain, isSampler, prepareFiles } = this.request;
    const model = await this.compile();
    const { count, bound } = await this.checkInputs(model);
    const ids = Array.from({ length: chains ?? count }, (_, index) => firstChain + index);
    const bars = isSampler && process.stderr.isTTY === true && settings.refresh !== 0;
    const files = prepareFiles(ids);
    const console = openConsole(ids, bars ? process.stderr : undefined);
    const tails = ids.map((id) => this.follow(id, console));
    const timer = setInterval(() => {
      for (const tail of tails) tail.read(INTERVAL / tails.length);
      console.note(() => this.outlook.text(ids));
    }, INTERVAL);
    try {
      await this.execute(this.jobs(ids, model, bound, files), files, tails);
      for (const tail of tails) tail.read(LAST_WORDS);
    } finally {
      clearInterval(timer);
      for (const tail of tails) tail.close();
      console.note(() => this.outlook.text(ids));
      console.end();
      files.release();
      if (isSampler) this.keepStates(ids, files);
    }
    if (this.interruption.isUsers) throw new CommandError(interruptedText(files.written()), INTERRUPTED);
    if (this.failure !== undefined) throw this.failure;
    await this.report(files.written());
  }

  /** Runs the chains, and completes their files. A failure is noted. */
  private async execute(jobs: readonly WholeChain[], files: RunFiles, tails: readonly JournalTail[]): Promise<void> {
    const { blocks } = this.plan;
    const ids = jobs.map(({ chain }) => chain);
    const begun = timeSoFar();
    const most = this.request.threads ?? threadsAvailable();
    let stopped: Stopped | undefined;
    try {
      const execution = await execute(jobs, blocks, {
        run: (job) => this.runChain(job, tails[job.index]),
        most,
        startThreads: () => this.pool.extend(most),
        fail: (error) => this.fail(error),
        reports: () => this.outlook.reports(ids),
        timeSoFar,
        begun: () => begun,
        beginBlock: (index) => {
          if (index > 0) rmSync(this.folder, { recursive: true });
          this.folder = join(this.request.folder, `block-${index + 1}`);
          mkdirSync(this.folder);
        },
        draws: () => {
          if (this.interruption.isRequested) throw new CommandError('', INTERRUPTED);
          const statistics = this.statistics();
          if (statistics === undefined) throw new Error('a block has no draws');
          return statistics;
        },
        noteDecision: ({ shortfall }) => shortfall && this.outlook.noteShortfall(shortfall),
      });
      stopped = execution.stopped;
    } catch (error) {
      this.fail(error instanceof RequestError ? new CommandError(optionsText(error.problems)) : error);
    }
    if (blocks === undefined) return;
    for (const [index, job] of jobs.entries()) this.completeBlocks(job, files.ofChains[index], stopped, blocks.limit);
  }

  /** Logs the times of a chain and the reason why it has stopped, and writes its files. */
  private completeBlocks(
    { chain, folder, tagged }: WholeChain,
    files: readonly DrawFile[],
    stopped: Stopped | undefined,
    limit: number,
  ): void {
    const path = chainFile(folder, chain, 'journal');
    if (!existsSync(path)) return;
    logEnd({ chain, folder, tagged, seconds: this.seconds.get(chain), message: stopped && stoppedText(stopped) });
    for (const file of files) {
      const settings = { ...file.run.arguments, num_samples: stopped?.iterations ?? limit };
      writeDrawFile({ ...file, run: { ...file.run, arguments: settings } }, path, stopped === undefined);
    }
  }

  /** Writes the states of chains whose draws have been written, and removes earlier states. */
  private keepStates(ids: readonly number[], files: RunFiles): void {
    const written = new Set(files.written());
    for (const [index, id] of ids.entries()) {
      const draws = files.ofChains[index].filter(({ holds, path }) => holds === 'draw' && written.has(path));
      for (const file of draws) keepState(file, this.states.get(id));
    }
  }

  /** Prints the paths of the draws and, for a sampler, whether they are reliable. */
  private async report(written: readonly string[]): Promise<void> {
    const { algorithm, arguments: settings, isSampler } = this.request;
    if (written.length > 0) printText(`Written: ${written.join(', ')}\n`);
    const statistics = isSampler ? this.statistics() : undefined;
    if (statistics === undefined) return;
    const { max_depth } = settings;
    const maximumDepth = typeof max_depth === 'number' ? max_depth : undefined;
    printText(reportText(await statistics.diagnose({ function: algorithm, maximumDepth })));
  }

  /** Statistics of the draws of all chains; undefined without draws. */
  private statistics(): FitStatistics | undefined {
    const contents = readContents(this.folder);
    const perform = expecting((job) => this.perform(job));
    return contents && statisticsOf({ contents, ranges: rangesOf(contents), perform });
  }

  /** Stops every chain. Only the first failure is reported, because it causes the others. */
  private fail(error: unknown): void {
    this.failure ??= error;
    this.interruption.ask();
  }

  private follow(id: number, console: RunConsole): JournalTail {
    return new JournalTail(chainFile(this.request.folder, id, 'journal'), (line) => {
      const logged = logOf(line);
      if (logged === undefined) return;
      if (logged.level === 'error') this.blamed.add(id);
      console.log(id, logged.level, logged.text);
    });
  }

  /** The module that the run needs. */
  private async compile(): Promise<CompiledModel> {
    const { derived, program } = this.request;
    const options = { ...this.plan.module, ...(derived !== undefined && { derived }) };
    const outcome = await this.perform({ kind: 'compile', source: program, ...options });
    if (outcome.kind === 'not compiled') throw new CommandError(outcome.text);
    if (outcome.kind !== 'compiled') throw unexpected(outcome);
    if (outcome.warnings !== '') printProblem(`${outcome.warnings}\n`);
    const wasm = new Uint8Array(outcome.wasm);
    return { id: program.name, artifact: outcome.artifact, module: await WebAssembly.compile(wasm), wasm };
  }

  /**
   * The number of chains of the given draws (1 without draws), and the bound data for all chains (absent if each chain
   * binds the data).
   */
  private async checkInputs(model: CompiledModel): Promise<{ count: number; bound: BoundData | undefined }> {
    const { algorithm, data, dataFile, inputs, save, seed, until: { quantities } = {} } = this.request;
    const names = { ...(save && { save }), ...(quantities && { quantities }) };
    const binding = this.plan.bindsOnce ? { bindingSeed: seed } : {};
    const job = { kind: 'inputs', model, algorithm, data, inputs, checksData: true, ...names, ...binding } as const;
    const outcome = await this.perform(job);
    if (outcome.kind === 'refused') {
      const isMissing = outcome.detail.code === 'missing-variable' && outcome.detail.input === 'data';
      throw new CommandError(isMissing ? missingDataText(model.artifact, data, dataFile) : `error: ${outcome.message}`);
    }
    if (outcome.kind !== 'inputs') throw unexpected(outcome);
    const problems = outcome.problems.map(({ field, message }) => ({ field: field.slice(1), message }));
    if (problems.length > 0) throw new CommandError(optionsText(problems));
    return { count: outcome.chains, bound: outcome.bound };
  }

  private jobs(
    ids: readonly number[],
    model: CompiledModel,
    bound: BoundData | undefined,
    files: RunFiles,
  ): WholeChain[] {
    const { algorithm, arguments: settings, data, folder, inputs, save, seed } = this.request;
    // In a run with blocks, files are written from the fit.
    const isWhole = this.plan.blocks === undefined;
    return ids.map((chain, index) => ({
      kind: 'chain',
      model,
      algorithm,
      data: bound ?? data,
      inputs,
      ...(save !== undefined && { save }),
      arguments: { ...settings, chain },
      seed,
      chain,
      index,
      cores: coresPerChain(threadsAvailable(), Math.min(this.request.threads ?? ids.length, ids.length)),
      tagged: ids.length > 1,
      folder,
      durably: false,
      omitsDiagnostics: isWhole,
      files: isWhole ? files.ofChains[index] : [],
      stop: this.interruption.stop,
    }));
  }

  /** Runs a chain or a block of it. Throws `CommandError` unless it finishes. */
  private async runChain(
    { block, ...job }: WholeChain & { readonly block?: RunBlock },
    tail: JournalTail,
  ): Promise<FinishedChain> {
    const { chain: id, files = [], folder } = job;
    const complete = () => {
      this.states.delete(id);
      for (const file of files) completeDrawFile(file, chainFile(folder, id, 'journal'));
    };
    const whole = { ...job, ...(block !== undefined && { block: { ...block, folder: this.folder } }) };
    const outcome = await this.perform(whole, complete, (progress) => this.outlook.note(id, progress));
    tail.read(LAST_WORDS);
    this.outlook.noteEnd(id);
    if (outcome.kind === 'finished') {
      this.states.set(id, block === undefined ? readState(folder, id) : outcome.state);
      this.seconds.set(id, outcome.seconds);
      return outcome;
    }
    if (outcome.kind === 'interrupted' && (outcome.state !== undefined || block?.from === undefined)) {
      this.states.set(id, outcome.state);
      if (outcome.seconds !== undefined) this.seconds.set(id, outcome.seconds);
    }
    if (outcome.kind === 'interrupted') throw new CommandError('', INTERRUPTED);
    if (outcome.kind !== 'refused') throw unexpected(outcome);
    throw new CommandError(this.blamed.has(id) ? '' : `error: ${outcome.message}`);
  }

  /** Calls `clear` if the thread had to be ended. */
  private async perform(
    job: Job,
    clear: () => void = () => undefined,
    onProgress?: (progress: RunProgress) => void,
  ): Promise<JobResult> {
    try {
      return await this.pool.run(job, { signal: this.interruption.signal, ...(onProgress && { onProgress }) });
    } catch (error) {
      if (!(error instanceof JobStopped)) throw error;
      clear();
      if (error.reason === 'cancelled') throw new CommandError('', INTERRUPTED);
      const memory = `error: the chain needed more than ${this.request.memory} MiB of memory (--memory)`;
      throw new CommandError(error.reason === 'memory' ? memory : `error: ${reasonOf(error.cause ?? error)}`);
    }
  }
}

function interruptedText(written: readonly string[]): string {
  if (written.length === 0) return 'Interrupted before the first draw.';
  const message = `Interrupted. Draws so far: ${written.join(', ')}`;
  return written.length === 1 ? message : `${message}\n${UNEQUAL}`;
}

const UNEQUAL =
  'The chains may differ in length: leapfrog summary truncates them to the shortest; CmdStanPy reads one file at a time.';

/** The level and the text of a logged message. */
function logOf(line: string): { level: LogLevel; text: string } | undefined {
  if (!line.startsWith(LOGGED)) return undefined;
  const [, level = '', text = ''] = /^(\w+):([\s\S]*)$/.exec(JSON.parse(line).values[0]) ?? [];
  return isLevel(level) ? { level, text } : undefined;
}

const LOGGED = '{"version":1,"topic":"logger",';
const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'fatal'] satisfies LogLevel[];

function isLevel(level: string): level is LogLevel {
  return LEVELS.includes(level);
}

/** Runs an algorithm on a program and its data, with its chains in worker threads, without a server. */

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledModel } from '../../chain/model-host.js';
import type { RunProgress } from '../../chain/request.js';
import type { SamplerState } from '../../chain/sampler-state.js';
import type { DerivedKind } from '../../derive/derived-names.js';
import { completeDrawFile, type DrawFile, writeDrawFile } from '../../fit-files/draw-file.js';
import { chainFile, readState } from '../../fit-files/layout.js';
import { readContents } from '../../fit-files/reading.js';
import { runBlocks } from '../../fits/block-loop.js';
import type { FitStatistics } from '../../fits/fit-statistics.js';
import { type BlockPlan, coresPerChain, planRun, type RunPlan } from '../../fits/plan.js';
import { type SpentTime, ThreadNeed } from '../../fits/thread-need.js';
import type { Seconds } from '../../inference/algorithms/algorithm.js';
import type { ArgumentValue } from '../../inference/algorithms/arguments.js';
import type { LogLevel } from '../../inference/events.js';
import type { BoundData } from '../../model/bind.js';
import { threadsAvailable } from '../../node/address-space.js';
import type { NamedProgram } from '../../node/program-files.js';
import { printProblem, printText } from '../../node/standard-streams.js';
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

type Finished = Extract<JobResult, { readonly kind: 'finished' }>;

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
  private readonly threadNeed = new ThreadNeed();
  /** Chains that have logged an error. Their failure need not be reported again. */
  private readonly blamed = new Set<number>();
  /** Final states of samplers, by the chain's id. */
  private readonly states = new Map<number, SamplerState | undefined>();
  /** Times of chains that run in blocks. */
  private readonly seconds = new Map<number, Seconds | undefined>();
  /** The reason for an early end. */
  private failure: unknown;
  /** Time at which the first chain started. */
  private chainsStart: SpentTime = { processor: 0, elapsed: 0 };

  constructor(pool: WorkerPool, request: Run) {
    this.pool = pool;
    this.interruption = request.interruption;
    this.request = request;
    this.plan = planRun({ ...request, function: request.algorithm });
    this.outlook = new RunOutlook(request.until, Number(request.arguments.num_samples));
  }

  async run(): Promise<void> {
    const { arguments: settings, chains, firstChain, isSampler, prepareFiles } = this.request;
    const { blocks } = this.plan;
    const model = await this.compile();
    const { count, bound } = await this.checkInputs(model);
    const ids = Array.from({ length: chains ?? count }, (_, index) => firstChain + index);
    const bars = isSampler && process.stderr.isTTY === true && settings.refresh !== 0;
    const files = prepareFiles(ids);
    const console = openConsole(ids, bars ? process.stderr : undefined);
    const tails = ids.map((id) => this.follow(id, console));
    let fit = this.request.folder;
    if (blocks !== undefined) this.extendPool();
    this.chainsStart = timeSoFar();
    const timer = setInterval(() => {
      this.startThreads(ids);
      for (const tail of tails) tail.read(INTERVAL / tails.length);
      console.note(() => this.outlook.text(ids));
    }, INTERVAL);
    try {
      const runAll = (ofChain: (index: number) => Partial<Pick<ChainJob, 'block' | 'files' | 'inputs'>>) =>
        Promise.all(
          ids.map((id, index) =>
            this.runChain(model, ids, id, tails[index], { ...(bound && { data: bound }), ...ofChain(index) }).catch(
              (error) => this.fail(error),
            ),
          ),
        );
      if (blocks === undefined) await runAll((index) => ({ files: files.ofChains[index] }));
      else fit = await this.runBlocks(ids, files, blocks, runAll);
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
    await this.report(fit, files.written());
  }

  /** Runs the chains in blocks. Returns the folder of the fit. */
  private async runBlocks(
    ids: readonly number[],
    files: RunFiles,
    blocks: BlockPlan,
    runAll: (ofChain: (index: number) => Pick<ChainJob, 'block' | 'inputs'>) => Promise<unknown>,
  ): Promise<string> {
    const { limit } = blocks;
    let folder = this.request.folder;
    let stopped: Stopped | undefined;
    try {
      const decision = await runBlocks(blocks, async ({ done, index }, decide) => {
        if (index > 0) rmSync(folder, { recursive: true });
        folder = join(this.request.folder, `block-${index + 1}`);
        mkdirSync(folder);
        await runAll((chain) => {
          const id = ids[chain];
          const from = index === 0 ? undefined : this.states.get(id);
          const before = from && this.outlook.before(id);
          const seconds = from && this.seconds.get(id);
          const later = { ...(from && { from }), ...(before && { before }), ...(seconds && { seconds }) };
          return { inputs: index === 0 ? this.request.inputs : {}, block: { limit, done, folder, ...later } };
        });
        if (this.interruption.isRequested) throw new CommandError('', INTERRUPTED);
        const decision = await decide(() => {
          const statistics = this.statisticsIn(folder);
          if (statistics === undefined) throw new Error('a block has no draws');
          return statistics;
        });
        if (decision.shortfall !== undefined) this.outlook.noteShortfall(decision.shortfall);
        return decision;
      });
      stopped = decision.stopped;
    } catch (error) {
      this.fail(error instanceof RequestError ? new CommandError(optionsText(error.problems)) : error);
    }
    for (const [index, id] of ids.entries()) this.completeBlocks(ids, id, files.ofChains[index], stopped, limit);
    return folder;
  }

  /** Logs the times of a chain and the reason why it has stopped, and writes its files. */
  private completeBlocks(
    ids: readonly number[],
    id: number,
    files: readonly DrawFile[],
    stopped: Stopped | undefined,
    limit: number,
  ): void {
    const { folder } = this.request;
    const path = chainFile(folder, id, 'journal');
    if (!existsSync(path)) return;
    const message = stopped && stoppedText(stopped);
    logEnd({ chain: id, folder, tagged: ids.length > 1, seconds: this.seconds.get(id), message });
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
  private async report(folder: string, written: readonly string[]): Promise<void> {
    const { algorithm, arguments: settings, isSampler } = this.request;
    if (written.length > 0) printText(`Written: ${written.join(', ')}\n`);
    const statistics = isSampler ? this.statisticsIn(folder) : undefined;
    if (statistics === undefined) return;
    const { max_depth } = settings;
    const maximumDepth = typeof max_depth === 'number' ? max_depth : undefined;
    printText(reportText(await statistics.diagnose({ function: algorithm, maximumDepth })));
  }

  /** Statistics of the draws of all chains in a folder; undefined if it contains no draws. */
  private statisticsIn(folder: string): FitStatistics | undefined {
    const contents = readContents(folder);
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

  private async runChain(
    model: CompiledModel,
    ids: readonly number[],
    id: number,
    tail: JournalTail,
    given: Partial<Pick<ChainJob, 'block' | 'data' | 'files' | 'inputs'>>,
  ): Promise<Finished> {
    const { algorithm, arguments: settings, folder, save, seed } = this.request;
    const { block, data = this.request.data, files = [], inputs = this.request.inputs } = given;
    const job: ChainJob = {
      kind: 'chain',
      model,
      algorithm,
      data,
      inputs,
      ...(save !== undefined && { save }),
      arguments: { ...settings, chain: id },
      seed,
      chain: id,
      index: id - ids[0],
      cores: coresPerChain(threadsAvailable(), Math.min(this.request.threads ?? ids.length, ids.length)),
      tagged: ids.length > 1,
      folder,
      durably: false,
      // In a run with blocks, files are written from the fit.
      omitsDiagnostics: block === undefined,
      files,
      ...(block !== undefined && { block }),
      stop: this.interruption.stop,
    };
    const complete = () => {
      this.states.delete(id);
      for (const file of files) completeDrawFile(file, chainFile(folder, id, 'journal'));
    };
    const outcome = await this.perform(job, complete, (progress) => this.outlook.note(id, progress));
    tail.read(LAST_WORDS);
    this.outlook.noteEnd(id);
    this.startThreads(ids);
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

  /** Short chains run one after the other in the thread that has compiled the program. */
  private startThreads(ids: readonly number[]): void {
    const { elapsed, processor } = timeSoFar();
    const spent = { processor: processor - this.chainsStart.processor, elapsed: elapsed - this.chainsStart.elapsed };
    if (this.threadNeed.isGiven(spent, this.outlook.chains(ids))) this.extendPool();
  }

  private extendPool(): void {
    this.pool.extend(this.request.threads ?? threadsAvailable());
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

function timeSoFar(): SpentTime {
  const { system, user } = process.cpuUsage();
  return { processor: (system + user) / 1000, elapsed: performance.now() };
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

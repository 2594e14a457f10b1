/** One chain of a fit inside a worker: the model made a target, events made lines, lines appended to the fit's file. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { readArguments } from '../../inference/algorithms/arguments.js';
import { findAlgorithm } from '../../inference/algorithms/registry.js';
import type { LogLevel, Progress } from '../../inference/events.js';
import { createRng } from '../../inference/random/random-stream.js';
import { type InitialValues, noInitialValues } from '../../inference/target.js';
import { MessageSink } from '../../messages/message-sink.js';
import { parseStanData } from '../../model/json.js';
import { memberOf } from '../../model/values.js';
import type { Engine, EngineModel } from './engine.js';
import type { ChainJob, ChainProgress, JobResult } from './protocol.js';
import { ModelTarget } from './target.js';

const BATCH_CHARACTERS = 1 << 16;
/** Milliseconds between progress reports, and after which a batch is written though it is small. */
const REPORT_INTERVAL = 100;
const ALL_PARTS = { transformedParameters: true, generatedQuantities: true };

/** Runs a chain to its end. A failure of the program is a `refused` result whose message holds the log's warnings. */
export function runChain(
  engine: Engine,
  job: ChainJob,
  maximumMemory: number,
  report: (progress: ChainProgress) => void,
): JobResult {
  const algorithm = findAlgorithm(job.algorithm);
  if (algorithm === undefined) throw new Error(`no algorithm ${job.algorithm}`);
  const read = readArguments(algorithm.arguments, job.arguments);
  if ('problems' in read) throw new Error(`arguments were not checked: ${JSON.stringify(read.problems)}`);

  const file = new LineFile(job.file);
  try {
    const printed: string[] = [];
    const model = engine.instantiate(job.model.artifact, job.model.module, parseStanData(job.data), {
      seed: job.seed,
      print: (text) => printed.push(text),
      maximumMemory,
    });
    const names = {
      drawNames: [...algorithm.drawColumns, ...model.constrainedNames(ALL_PARTS)],
      diagnosticNames: algorithm.diagnosticColumns(model.unconstrainedNames()),
      nonFinite: 'string' as const,
    };
    const options = job.tagged ? { ...names, chain: job.chain } : names;
    const sink = new ReportingSink(options, (line) => file.add(line), report);
    const outcome = algorithm.run(read.settings, {
      target: new ModelTarget(engine, model, printed, job.seed, job.chain),
      initial: initialValues(engine, model, job.init),
      rng: createRng(job.seed, job.chain),
      stream: (index) => createRng(job.seed, job.chain + index),
      sink,
      interrupt: () => false,
      clock: () => performance.now() / 1000,
    });
    for (const { name, seconds, runs } of model.profiles()) {
      sink.log('info', `Profile "${name}": ${seconds.toPrecision(4)} seconds in ${runs} runs`);
    }
    sink.flush();
    if (outcome.status === 'failed') return { kind: 'refused', message: sink.failureText(outcome.message) };
    return { kind: 'finished' };
  } finally {
    file.close();
  }
}

/** Initial values on the constrained scale; parameters that are not among them are left to chance. */
function initialValues(engine: Engine, model: EngineModel, text: string | undefined): InitialValues {
  if (text === undefined) return noInitialValues;
  const values = parseStanData(text);
  const names = model.parameters.filter(({ block }) => block === 'parameters').map(({ name }) => name);
  const given = names.filter((name) => memberOf(values, name) !== undefined);
  if (given.length === 0) return noInitialValues;
  return {
    given: given.length === names.length ? 'all' : 'some',
    apply: (position) => {
      try {
        position.set(model.unconstrain(values, position));
        return undefined;
      } catch (error) {
        const blame = engine.blame(error);
        if (blame === undefined) throw error;
        return blame;
      }
    },
  };
}

/** Appends whole lines in batches: several chains may write to one file, each batch stays in one piece. */
class LineFile {
  private readonly descriptor: number;
  private batch = '';
  private lastWrite = performance.now();

  constructor(path: string) {
    this.descriptor = openSync(path, 'a');
  }

  add(line: string): void {
    this.batch += line;
    if (this.batch.length >= BATCH_CHARACTERS || performance.now() - this.lastWrite >= REPORT_INTERVAL) this.write();
  }

  close(): void {
    this.write();
    closeSync(this.descriptor);
  }

  private write(): void {
    const bytes = Buffer.from(this.batch);
    this.batch = '';
    this.lastWrite = performance.now();
    if (bytes.length > 0 && writeSync(this.descriptor, bytes) < bytes.length) throw new Error('the disk is full');
  }
}

/** Writes messages, reports progress now and then, and remembers the last warnings in case the run fails. */
class ReportingSink extends MessageSink {
  private readonly report: (progress: ChainProgress) => void;
  private readonly warnings: string[] = [];
  private latest: ChainProgress | undefined;
  private lastReport = 0;

  constructor(
    options: ConstructorParameters<typeof MessageSink>[0],
    write: (line: string) => void,
    report: (progress: ChainProgress) => void,
  ) {
    super(options, write);
    this.report = report;
  }

  override log(level: LogLevel, text: string): void {
    super.log(level, text);
    if (level !== 'warn' && level !== 'error' && level !== 'fatal') return;
    this.warnings.push(text);
    if (this.warnings.length > MAXIMUM_WARNINGS) this.warnings.shift();
  }

  override progress(progress: Progress): void {
    super.progress(progress);
    this.latest = { iteration: progress.iteration, text: progress.text };
    if (performance.now() - this.lastReport >= REPORT_INTERVAL) this.flush();
  }

  flush(): void {
    if (this.latest !== undefined) this.report(this.latest);
    this.latest = undefined;
    this.lastReport = performance.now();
  }

  /** The failure's message with the warnings that led to it. */
  failureText(message: string): string {
    return this.warnings.includes(message) ? this.warnings.join('\n') : [...this.warnings, message].join('\n');
  }
}

const MAXIMUM_WARNINGS = 12;

/** One chain of a fit inside a worker: the model made a target, events made records of a journal, the journal made files. */
import type { Algorithm } from '../../inference/algorithms/algorithm.js';
import { readArguments } from '../../inference/algorithms/arguments.js';
import { findAlgorithm } from '../../inference/algorithms/registry.js';
import type { Adaptation, LogLevel } from '../../inference/events.js';
import { createRng } from '../../inference/random/random-stream.js';
import { MessageSink } from '../../messages/message-sink.js';
import { parseStanData } from '../../model/json.js';
import { writeChainFiles } from '../fits/chain-writer.js';
import { type DrawFileWriter, openDrawFile } from '../fits/draw-file.js';
import { type JournalHeader, JournalWriter } from '../fits/journal.js';
import { chainFile } from '../fits/layout.js';
import { type OpenInputs, openInputs } from './chain-inputs.js';
import type { Engine, InstanceOptions } from './engine.js';
import type { AdaptedSettings, ChainJob, ChainProgress, JobResult } from './protocol.js';
import { SelectedColumns, selectColumns } from './selected-columns.js';
import { ModelTarget } from './target.js';
import { WatchedSink } from './watched-sink.js';

/**
 * Runs a chain to its end and leaves the files of a finished fit. A failure of the program is a `refused` result whose
 * message holds the log's warnings.
 */
export function runChain(...given: Parameters<typeof sampleChain>): JobResult {
  const result = sampleChain(...given);
  const [, job] = given;
  if (result.kind === 'finished') writeChainFiles(job.folder, job.chain);
  return result;
}

/** Runs a chain and has all that it says in its journal. */
export function sampleChain(
  engine: Engine,
  job: ChainJob,
  limits: Pick<InstanceOptions, 'maximumMemory' | 'claimMemory'>,
  report: (progress: ChainProgress) => void,
): JobResult {
  const algorithm = findAlgorithm(job.algorithm);
  if (algorithm === undefined) throw new Error(`no algorithm ${job.algorithm}`);
  const read = readArguments(algorithm.arguments, job.arguments);
  if ('problems' in read) throw new Error(`arguments were not checked: ${JSON.stringify(read.problems)}`);

  const { stop } = job;
  const isStopped = stop === undefined ? () => false : () => Atomics.load(stop, 0) !== 0;
  if (isStopped()) return { kind: 'interrupted' };
  let journal: JournalWriter | undefined;
  let files: readonly DrawFileWriter[] = [];
  let isCut = true;
  let inputs: OpenInputs | undefined;
  try {
    const printed: string[] = [];
    const model = engine.instantiate(job.model.artifact, job.model.module, parseStanData(job.data), {
      seed: job.seed,
      print: (text) => printed.push(text),
      ...limits,
    });
    const selection = selectColumns(algorithm, model, job.save);
    const { drawNames, diagnosticNames } = selection;
    const header = { drawNames, diagnosticNames, ...(job.tagged && { chain: job.chain }) };
    journal = new JournalWriter(chainFile(job.folder, job.chain, 'journal'), header);
    files = (job.files ?? []).map((file) => openDrawFile(file, header));
    const sink = new RecordingSink(header, [journal, ...files]);
    const target = new ModelTarget(engine, model, printed, job.seed, job.chain);
    const selected = job.save === undefined ? sink : new SelectedColumns(sink, selection);
    const watched = new WatchedSink(selected, algorithm.drawColumns, () => target.gradients, report);
    inputs = openInputs(engine, model, job);
    const chain = {
      ...inputs.given,
      target,
      rng: createRng(job.seed, job.chain),
      stream: (index: number) => createRng(job.seed, job.chain + index),
      sink: watched,
      interrupt: isStopped,
      clock: () => performance.now() / 1000,
    };
    const outcome = algorithm.run(read.settings, chain);
    for (const { name, seconds, runs } of model.profiles()) {
      sink.log('info', `Profile "${name}": ${seconds.toPrecision(4)} seconds in ${runs} runs`);
    }
    watched.flush();
    if (outcome.status === 'interrupted') return { kind: 'interrupted' };
    if (outcome.status === 'failed') return { kind: 'refused', message: sink.failureText(outcome.message) };
    isCut = false;
    const adaptation = sink.adapted && adaptedSettings(algorithm, sink.adapted, model.dimension);
    return { kind: 'finished', ...(adaptation !== undefined && { adaptation }) };
  } finally {
    inputs?.close();
    journal?.close();
    for (const file of files) file.end(isCut);
  }
}

/** Step size and metric as the algorithm's arguments take them; undefined when JSON has no words for them. */
function adaptedSettings(algorithm: Algorithm, adapted: Adaptation, dimension: number): AdaptedSettings | undefined {
  const { stepSize: stepsize, inverseMetric } = adapted;
  const elements = [...inverseMetric];
  if (![stepsize, ...elements].every(Number.isFinite)) return undefined;
  const argument = algorithm.arguments.find(({ name }) => name === 'inv_metric');
  if (argument?.type !== 'array') return { stepsize };
  if (argument.depth === 1) return { stepsize, inv_metric: elements };
  const rows = Array.from({ length: dimension }, (_, row) => elements.slice(row * dimension, (row + 1) * dimension));
  return { stepsize, inv_metric: rows };
}

/** What keeps the messages and the numbers of a chain. */
type Recorder = Pick<JournalWriter, 'addLine' | 'addNumbers'>;

/** Writes messages, draws as numbers, and remembers the last warnings in case the run fails. */
class RecordingSink extends MessageSink {
  private readonly recorders: readonly Recorder[];
  private readonly warnings: string[] = [];
  /** Step size and metric when warmup had ended. */
  adapted: Adaptation | undefined;

  constructor(header: JournalHeader, recorders: readonly Recorder[]) {
    super({ ...header, nonFinite: 'string' }, (line) => {
      for (const recorder of recorders) recorder.addLine(line);
    });
    this.recorders = recorders;
  }

  override draw(values: Float64Array): void {
    for (const recorder of this.recorders) recorder.addNumbers('draw', values);
  }

  override diagnostic(values: Float64Array): void {
    for (const recorder of this.recorders) recorder.addNumbers('diagnostic', values);
  }

  override log(level: LogLevel, text: string): void {
    super.log(level, text);
    if (level !== 'warn' && level !== 'error' && level !== 'fatal') return;
    this.warnings.push(text);
    if (this.warnings.length > MAXIMUM_WARNINGS) this.warnings.shift();
  }

  override adaptation(adaptation: Adaptation): void {
    super.adaptation(adaptation);
    this.adapted = { ...adaptation, inverseMetric: adaptation.inverseMetric.slice() };
  }

  /** The failure's message with the warnings that led to it. */
  failureText(message: string): string {
    return this.warnings.includes(message) ? this.warnings.join('\n') : [...this.warnings, message].join('\n');
  }
}

const MAXIMUM_WARNINGS = 12;

/**
 * Runs one chain of a fit in a worker. Writes the chain's events to a journal, from which the files of the fit are
 * made, and to output files.
 */

import type { MemoryLimits } from '../../chain/model-host.js';
import type { RunColumns, RunInputs, RunOutcome, RunProgress, RunSink } from '../../chain/request.js';
import type { Engine } from '../../engine/engine.js';
import { writeChainFiles } from '../../fit-files/chain-writer.js';
import { type DrawFileWriter, openDrawFile } from '../../fit-files/draw-file.js';
import { type JournalHeader, JournalWriter, type Recorder } from '../../fit-files/journal.js';
import { chainFile } from '../../fit-files/layout.js';
import { openStoredDraws } from '../../fit-files/reading.js';
import { MessageSink } from '../../formats/message-sink.js';
import type { Adaptation, EventSink } from '../../inference/events.js';
import { resumedJob } from './blocks.js';
import type { ChainJob, InputSources } from './protocol.js';

/**
 * Runs a chain and writes the files of a finished fit. The outcome of a block contains the state for the next block.
 */
export async function runChain(
  engine: Engine,
  given: ChainJob,
  limits: MemoryLimits,
  report: (progress: RunProgress) => void,
): Promise<RunOutcome> {
  const job = await resumedJob(given);
  const outcome = await sampleChain(engine, job, limits, report);
  if (outcome.kind !== 'finished') return outcome;
  const { state, ...ended } = outcome;
  writeChainFiles(job.folder, job.chain, job.durably, state, job.block?.folder);
  return job.block === undefined ? ended : outcome;
}

/** Runs a chain and writes its events to its journal. */
export async function sampleChain(
  engine: Engine,
  job: ChainJob,
  limits: MemoryLimits,
  report: (progress: RunProgress) => void,
): Promise<RunOutcome> {
  const { algorithm, stop, inputs } = job;
  const recorder = new ChainRecorder(job);
  let outcome: RunOutcome | undefined;
  try {
    const interrupt = stop === undefined ? () => false : () => Atomics.load(stop, 0) !== 0;
    const request = { ...job, inputs: runInputs(inputs), limits, interrupt, report };
    outcome = await engine.run(algorithm, request, recorder);
    return outcome;
  } finally {
    recorder.close(outcome?.kind !== 'finished');
  }
}

/** Inputs of a run, with fits opened from their folders. */
export function runInputs(sources: InputSources): RunInputs {
  const inputs = Object.entries(sources).map(([input, source]) => {
    if (source.kind === 'values') return [input, source];
    const { name, path } = source;
    return [input, { kind: 'draws', name, open: () => openStoredDraws(path) }];
  });
  return Object.fromEntries(inputs);
}

/** The journal and the output files of a chain, created when it starts. */
class ChainRecorder implements RunSink {
  private readonly job: ChainJob;
  private journal: JournalWriter | undefined;
  private files: readonly DrawFileWriter[] = [];

  constructor(job: ChainJob) {
    this.job = job;
  }

  open(columns: RunColumns): EventSink {
    const { block, chain, files = [], folder, omitsDiagnostics, tagged } = this.job;
    const header = { ...columns, ...(tagged && { chain }) };
    const isLater = block?.from !== undefined;
    this.journal = new JournalWriter(chainFile(folder, chain, 'journal'), isLater ? undefined : header);
    this.files = files.map((file) => openDrawFile(file, header));
    const recorders = [this.journal, ...this.files];
    return new RecordingSink(header, recorders, omitsDiagnostics ? this.files : recorders);
  }

  /** `isCut`: whether the chain was stopped early. */
  close(isCut: boolean): void {
    this.journal?.close();
    for (const file of this.files) file.end(isCut);
  }
}

/** Records messages as text, and draws as numbers. */
class RecordingSink extends MessageSink {
  private readonly recorders: readonly Recorder[];
  private readonly ofDiagnostics: readonly Recorder[];

  constructor(header: JournalHeader, recorders: readonly Recorder[], ofDiagnostics: readonly Recorder[]) {
    super({ ...header, nonFinite: 'string' }, (line) => {
      for (const recorder of recorders) recorder.addLine(line);
    });
    this.recorders = recorders;
    this.ofDiagnostics = ofDiagnostics;
  }

  override initialization(position: Float64Array): void {
    for (const recorder of this.recorders) recorder.addNumbers('initialization', position);
  }

  override adaptation(adaptation: Adaptation): void {
    for (const recorder of this.recorders) recorder.addAdaptation();
    super.adaptation(adaptation);
  }

  override draw(values: Float64Array): void {
    for (const recorder of this.recorders) recorder.addNumbers('draw', values);
  }

  override diagnostic(values: Float64Array): void {
    for (const recorder of this.ofDiagnostics) recorder.addNumbers('diagnostic', values);
  }
}

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FitContents, readRows } from '../fit-files/reading.js';
import { displayName, placesOf } from '../formats/columns.js';
import type { Convergence, Finiteness } from '../inference/diagnostics/findings.js';
import { threadsAvailable } from '../node/address-space.js';
import { readPipes } from '../node/input-files.js';
import { readProgram } from '../node/program-files.js';
import { printProblem } from '../node/standard-streams.js';
import { concludeLeavingOut, derivedPlaces, type LeaveOneOut, withDisplayNames } from '../run/cross-validation.js';
import type { LogEvidence } from '../run/evidence.js';
import type { Compiler } from '../run/in-process.js';
import type { MemoryLimits, ModelHost } from '../run/model-host.js';
import type { MatchRequest } from '../run/moment-match.js';
import { refusalOf } from '../run/refusal.js';
import { comparableChains, type NamedSummary } from '../run/statistics.js';
import { deriveDraws, type PerformJob } from '../service/fits/derived-draws.js';
import type { ColumnsJob, DrawRange, FitJob } from '../service/threads/fit-job.js';
import { WorkerPool } from '../service/threads/pool.js';
import { isResult, type JobResult, OWN_ENGINE } from '../service/threads/protocol.js';
import { readValues } from './data-file.js';
import type { ImportedDraws } from './draw-files.js';
import { importDraws } from './draw-import.js';
import { CommandError, INTERRUPTED, reasonOf } from './errors.js';
import { Interruption } from './interruption.js';
import { makeTemporaryFolder } from './temporary-folder.js';

/** Runs a job on draws in a thread. */
export type PerformFitJob = (job: FitJob) => Promise<JobResult>;

/** Draws after warmup from files. All chains are truncated to the length of the shortest. */
export interface FinishedDraws extends ImportedDraws {
  readonly ranges: readonly DrawRange[];
  readonly perform: PerformFitJob;
  /** A folder for temporary files of the command. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Maximum memory of a thread in MiB. */
const MEMORY = 4096;

/**
 * Calls `look` with the draws of files. Threads read the files, so a signal ends the command immediately. Removes
 * temporary files. `others` are further files that `look` reads.
 */
export async function withDraws<Result>(
  paths: readonly string[],
  look: (draws: FinishedDraws) => Promise<Result>,
  others: readonly (string | undefined)[] = [],
): Promise<Result> {
  const pipes = readPipes([...paths, ...others.filter((path) => path !== undefined)]);
  const interruption = new Interruption();
  const { signal } = interruption;
  const pool = new WorkerPool({ size: threadsAvailable(), memoryMebibytes: MEMORY });
  const perform: PerformFitJob = async (job) => {
    try {
      return await pool.run(job, { signal });
    } catch (error) {
      throw signal.aborted
        ? new CommandError('Interrupted.', INTERRUPTED)
        : new CommandError(`error: ${reasonOf(error)}`);
    }
  };
  return interruption.during(async () => {
    const folder = makeTemporaryFolder();
    try {
      const imported = await importDraws(paths, folder, pipes, signal);
      for (const text of imported.warnings) printProblem(`warning: ${text}\n`);
      return await look({ ...imported, ranges: rangesOf(imported.contents), perform, folder, signal });
    } finally {
      await pool.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Draws after warmup. All chains are truncated to the shortest; those without draws are excluded if others have draws. */
export function rangesOf(contents: FitContents): DrawRange[] {
  const { chains, draws: count } = comparableChains(contents.chains);
  return chains.map(({ id, warmup }) => ({ chain: id, from: warmup, count }));
}

/** Number of columns in one job of a thread. */
const COLUMNS_AT_ONCE = 64;

/** Columns over ranges of draws. */
type Columns = Omit<ColumnsJob, 'kind'>;

/** Summaries of columns, in order, with element names in brackets. */
export function summariesOf(columns: Columns, perform: PerformFitJob): Promise<readonly NamedSummary[]> {
  return statisticsOf('summarize', columns, perform, (result) => (result.kind === 'summaries' ? result.summaries : []));
}

/** R-hat and effective sample sizes of columns, in the form that `summariesOf` returns. */
export function convergenceOf(columns: Columns, perform: PerformFitJob): Promise<readonly Convergence[]> {
  return statisticsOf('judge', columns, perform, (result) => (result.kind === 'judged' ? result.quantities : []));
}

/** How many draws of columns are not finite, in the same form. */
export function finitenessOf(columns: Columns, perform: PerformFitJob): Promise<readonly Finiteness[]> {
  return statisticsOf('count', columns, perform, (result) => (result.kind === 'counted' ? result.quantities : []));
}

async function statisticsOf<Quantity extends { readonly name: string }>(
  kind: ColumnsJob['kind'],
  { columns, ...rest }: Columns,
  perform: PerformFitJob,
  read: (result: JobResult) => readonly Quantity[],
): Promise<readonly Quantity[]> {
  const found = await inPieces(columns, async (piece) => read(await perform({ kind, columns: piece, ...rest })));
  return found.map((each) => ({ ...each, name: displayName(each.name) }));
}

/** The program from which the log likelihood is derived, and its data. */
export interface ProgramFiles {
  readonly program: string;
  readonly includePath: readonly string[];
  readonly data?: string;
}

/**
 * Computes leave-one-out cross-validation from log likelihoods in a variable of the draws, or derived from a program.
 */
export async function leaveOneOutOf(
  draws: FinishedDraws,
  variable: string,
  files?: ProgramFiles,
): Promise<LeaveOneOut> {
  const columns = placesOf(variable, draws.contents.columns);
  if (columns.length > 0) {
    return leaveOut(
      draws,
      columns.map((place) => [place]),
    );
  }
  if (files === undefined) {
    throw new CommandError(
      `error: the draws have no variable ${variable}. Pass --program and --data to derive the log likelihood of each observation ` +
        'from the program, or --variable to name the variable that contains it.',
    );
  }
  const derived = await derivedDraws(draws, files);
  return leaveOut(derived, derivedPlaces(derived.contents.columns));
}

/** Computes leave-one-out cross-validation with moment matching. */
export async function leaveOneOutMatchedOf(draws: FinishedDraws, files: ProgramFiles): Promise<LeaveOneOut> {
  const { crossValidateMatched } = await import('../run/moment-match.js');
  return withDisplayNames(await evaluated(draws, files, crossValidateMatched));
}

/** Estimates the log evidence; `seed` determines the draws of the proposals. */
export async function logEvidenceOfDraws(
  draws: FinishedDraws,
  files: ProgramFiles,
  seed: number,
): Promise<LogEvidence> {
  const { logEvidenceOf } = await import('../run/evidence.js');
  return evaluated(draws, files, (compiler, models, request, limits) =>
    logEvidenceOf(compiler, models, { ...request, seed }, limits),
  );
}

/** Evaluates a program at the draws. */
async function evaluated<Result>(
  { contents, ranges }: FinishedDraws,
  { data, includePath, program }: ProgramFiles,
  evaluate: (compiler: Compiler, models: ModelHost, request: MatchRequest, limits: MemoryLimits) => Result,
): Promise<Result> {
  const { compiler, models } = await import('../node/engine.js');
  const request = {
    source: readProgram(program, includePath),
    data: data === undefined ? '{}' : readValues(data),
    columns: contents.columns,
    chains: ranges.map((range) => readRows(contents.path, range)),
  };
  try {
    return evaluate(compiler, models, request, { maximumMemory: MEMORY * 2 ** 20 });
  } catch (error) {
    const refusal = refusalOf(models, error);
    throw refusal?.kind === 'refused' ? new CommandError(`error: ${refusal.message}`) : error;
  }
}

/** Draws of the log likelihoods that are derived from a program. */
async function derivedDraws(
  draws: FinishedDraws,
  { data, includePath, program }: ProgramFiles,
): Promise<FinishedDraws> {
  const source = readProgram(program, includePath);
  const values = data === undefined ? '{}' : readValues(data);
  const folder = join(draws.folder, 'derived');
  mkdirSync(folder);
  const pool = new WorkerPool({ size: threadsAvailable(), engine: OWN_ENGINE, memoryMebibytes: MEMORY });
  const perform: PerformJob = async (_, job, ...expected) => {
    const result = await pool.run(job, { signal: draws.signal });
    for (const kind of expected) if (isResult(result, kind)) return result;
    throw new CommandError(
      result.kind === 'refused' ? `error: ${result.message}` : `error: unexpected result of a job: ${result.kind}`,
    );
  };
  try {
    const request = { kind: 'log_lik', source, data: values, name: 'the draws', seed: 1, folder } as const;
    const contents = await deriveDraws(perform, { ...request, contents: draws.contents });
    if ('kind' in contents) throw new CommandError(contents.text);
    const ranges = draws.ranges.map(({ chain, count }) => ({ chain, from: 0, count }));
    return { ...draws, contents, ranges };
  } finally {
    await pool.close();
  }
}

async function leaveOut(
  { contents, perform, ranges }: FinishedDraws,
  columns: readonly (readonly number[])[],
): Promise<LeaveOneOut> {
  const observations = await inPieces(columns, async (piece) => {
    const result = await perform({ kind: 'leave out', path: contents.path, columns: piece.flat(), ranges });
    if (result.kind !== 'left out') return [];
    if ('refused' in result) throw new CommandError(`error: ${result.refused}`);
    return result.observations;
  });
  const draws = ranges.reduce((sum, { count }) => sum + count, 0);
  return withDisplayNames(concludeLeavingOut(observations, draws));
}

/** Processes columns in concurrent pieces. */
async function inPieces<Column, Result>(
  columns: readonly Column[],
  perform: (piece: readonly Column[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const pieces = Array.from({ length: Math.ceil(columns.length / COLUMNS_AT_ONCE) }, (_, piece) =>
    columns.slice(piece * COLUMNS_AT_ONCE, (piece + 1) * COLUMNS_AT_ONCE),
  );
  return (await Promise.all(pieces.map(perform))).flat();
}

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Compiler } from '../../chain/compiler.js';
import type { MemoryLimits, ModelHost } from '../../chain/model-host.js';
import { refusing } from '../../chain/refusal.js';
import type { FitContents } from '../../fit-files/contents.js';
import { readRows } from '../../fit-files/reading.js';
import { derivedPlaces, type LeaveOneOut, withDisplayNames } from '../../fits/cross-validation.js';
import type { FitStatistics } from '../../fits/fit-statistics.js';
import { comparableChains } from '../../fits/statistics.js';
import { placesOf } from '../../formats/columns.js';
import { threadsAvailable } from '../../node/address-space.js';
import { readPipes } from '../../node/input-files.js';
import { readProgram } from '../../node/program-files.js';
import { printProblem } from '../../node/standard-streams.js';
import { deriveDraws } from '../../service/fits/derived-draws.js';
import type { DrawRange } from '../../service/threads/fit-job.js';
import { WorkerPool } from '../../service/threads/pool.js';
import { OWN_ENGINE, type PerformJob } from '../../service/threads/protocol.js';
import { storedStatistics } from '../../service/threads/stored-statistics.js';
import type { LogEvidence } from '../../studies/evidence.js';
import type { MatchRequest } from '../../studies/moment-match.js';
import { CommandError, INTERRUPTED, reasonOf } from '../errors.js';
import { Interruption } from '../running/interruption.js';
import { expecting } from '../running/job-results.js';
import { readValues } from './data-file.js';
import type { ImportedDraws } from './draw-files.js';
import { importDraws } from './draw-import.js';
import { makeTemporaryFolder } from './temporary-folder.js';

/** Draws after warmup from files. All chains are truncated to the length of the shortest. */
export interface FinishedDraws extends ImportedDraws {
  readonly ranges: readonly DrawRange[];
  readonly perform: PerformJob;
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
  const perform = expecting(async (job) => {
    try {
      return await pool.run(job, { signal });
    } catch (error) {
      throw signal.aborted
        ? new CommandError('Interrupted.', INTERRUPTED)
        : new CommandError(`error: ${reasonOf(error)}`);
    }
  });
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

/** Statistics of draws, which `perform` computes in threads. */
export function statisticsOf({
  contents,
  perform,
  ranges,
}: Pick<FinishedDraws, 'contents' | 'perform' | 'ranges'>): FitStatistics {
  return storedStatistics(contents, ranges, perform, { atOnce: threadsAvailable() });
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
  const { crossValidateMatched } = await import('../../studies/moment-match.js');
  return withDisplayNames(await evaluated(draws, files, crossValidateMatched));
}

/** Estimates the log evidence; `seed` determines the draws of the proposals. */
export async function logEvidenceOfDraws(
  draws: FinishedDraws,
  files: ProgramFiles,
  seed: number,
): Promise<LogEvidence> {
  const { logEvidenceOf } = await import('../../studies/evidence.js');
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
  const { compiler, models } = await import('../../node/engine.js');
  const request = {
    source: readProgram(program, includePath),
    data: data === undefined ? '{}' : readValues(data),
    columns: contents.columns,
    chains: ranges.map((range) => readRows(contents.path, range)),
  };
  return refusing(models, () => evaluate(compiler, models, request, { maximumMemory: MEMORY * 2 ** 20 }));
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
  const perform = expecting((job) => pool.run(job, { signal: draws.signal }));
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

async function leaveOut(draws: FinishedDraws, groups: readonly (readonly number[])[]): Promise<LeaveOneOut> {
  return withDisplayNames(await statisticsOf(draws).leaveOut(groups));
}

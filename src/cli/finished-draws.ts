import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { printProblem } from '../node/standard-streams.js';
import { displayName, placesOf } from '../run/columns.js';
import { concludeLeavingOut, type LeaveOneOut } from '../run/cross-validation.js';
import type { NamedSummary } from '../run/statistics.js';
import type { DrawRange, FitJob } from '../service/fits/fit-job.js';
import { WorkerPool } from '../service/jobs/pool.js';
import type { JobResult } from '../service/jobs/protocol.js';
import type { ImportedDraws } from './draw-files.js';
import { importDraws } from './draw-import.js';
import { CommandError, INTERRUPTED, reasonOf } from './errors.js';
import { Interruption } from './interruption.js';
import { makeTemporaryFolder } from './temporary-folder.js';

/** Has a job done that looks at draws. */
export type PerformFitJob = (job: FitJob) => Promise<JobResult>;

/** Draws of files after warmup; chains of unequal length are cut to the shortest. */
export interface FinishedDraws extends ImportedDraws {
  readonly ranges: readonly DrawRange[];
  readonly perform: PerformFitJob;
}

/** Mebibytes that a thread may have. */
const MEMORY = 4096;

/** Has an action look at the draws of files. Threads read them: a signal ends the command at once, and nothing is left. */
export async function withDraws<Result>(
  paths: readonly string[],
  look: (draws: FinishedDraws) => Promise<Result>,
): Promise<Result> {
  const interruption = new Interruption();
  const { signal } = interruption;
  const pool = new WorkerPool({ size: availableParallelism(), memoryMebibytes: MEMORY });
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
      const imported = await importDraws(paths, folder, signal);
      for (const text of imported.warnings) printProblem(`warning: ${text}\n`);
      const { chains } = imported.contents;
      const count = Math.min(...chains.map(({ draws }) => draws));
      const ranges = chains.map(({ id, warmup }) => ({ chain: id, from: warmup, count }));
      return await look({ ...imported, ranges, perform });
    } finally {
      await pool.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Columns that a thread is given at a time. */
const COLUMNS_AT_ONCE = 64;

/** Summaries of some columns of a fit, in their order, with names in brackets. */
export async function summariesOf(
  path: string,
  columns: readonly number[],
  ranges: readonly DrawRange[],
  perform: PerformFitJob,
): Promise<readonly NamedSummary[]> {
  const results = await Promise.all(
    piecesOf(columns).map((piece) => perform({ kind: 'summarize', path, columns: piece, ranges })),
  );
  return results
    .flatMap((result) => (result.kind === 'summaries' ? result.summaries : []))
    .map((each) => ({ ...each, name: displayName(each.name) }));
}

/** Leaves out the observations whose log likelihood is a variable of the draws. */
export async function leaveOneOutOf(
  { contents, perform, ranges }: FinishedDraws,
  variable: string,
): Promise<LeaveOneOut> {
  const columns = placesOf(variable, contents.columns);
  if (columns.length === 0) {
    throw new CommandError(
      `error: there is no variable ${variable} among the draws. Compute the log likelihood of each observation in the generated ` +
        `quantities, such as vector[N] log_lik, or name the variable with --variable`,
    );
  }
  const results = await Promise.all(
    piecesOf(columns).map((piece) => perform({ kind: 'leave out', path: contents.path, columns: piece, ranges })),
  );
  const observations = results.flatMap((result) => {
    if (result.kind !== 'left out') return [];
    if ('refused' in result) throw new CommandError(`error: ${result.refused}`);
    return result.observations.map((each) => ({ ...each, name: displayName(each.name) }));
  });
  return concludeLeavingOut(
    observations,
    ranges.reduce((sum, { count }) => sum + count, 0),
  );
}

function piecesOf(columns: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(columns.length / COLUMNS_AT_ONCE) }, (_, piece) =>
    columns.slice(piece * COLUMNS_AT_ONCE, (piece + 1) * COLUMNS_AT_ONCE),
  );
}

import { rmSync } from 'node:fs';
import { type DrawRange, type FitJob, FitJobs, type FitResult, type NamedSummary } from '../service/fits/fit-jobs.js';
import { type ImportedDraws, importDraws } from './draw-files.js';
import { makeTemporaryFolder } from './temporary-folder.js';

/** Draws of files after warmup; of chains of unequal length, as many as the shortest has. */
export interface FinishedDraws extends ImportedDraws {
  readonly ranges: readonly DrawRange[];
  readonly perform: (job: FitJob) => FitResult;
}

/** Has an action look at the draws of files. */
export function withDraws<Result>(paths: readonly string[], look: (draws: FinishedDraws) => Result): Result {
  const folder = makeTemporaryFolder();
  try {
    const imported = importDraws(paths, folder);
    for (const text of imported.warnings) process.stderr.write(`warning: ${text}\n`);
    const { chains } = imported.contents;
    const count = Math.min(...chains.map(({ draws }) => draws));
    const ranges = chains.map(({ id, warmup }) => ({ chain: id, from: warmup, count }));
    const jobs = new FitJobs();
    return look({ ...imported, ranges, perform: (job) => jobs.perform(job) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Summaries of some columns. */
export function summariesOf(draws: FinishedDraws, columns: readonly number[]): readonly NamedSummary[] {
  const { contents, perform, ranges } = draws;
  const result = perform({ kind: 'summarize', path: contents.path, columns, ranges });
  return result.kind === 'summaries' ? result.summaries.map((each) => ({ ...each, name: bracketed(each.name) })) : [];
}

/** `theta[1,2]` for `theta.1.2`: tables have Stan's notation, files have CmdStan's. */
export function bracketed(name: string): string {
  return name.replace(/(?:\.\d+)+/g, (indices) => `[${indices.slice(1).replaceAll('.', ',')}]`);
}

/** Places of the columns of the model and of the log density; the sampler's own say nothing of the posterior. */
export function quantitiesIn({ contents }: FinishedDraws): number[] {
  const { columns } = contents;
  return [...columns.keys()].filter((place) => columns[place] === 'lp__' || !columns[place].endsWith('__'));
}

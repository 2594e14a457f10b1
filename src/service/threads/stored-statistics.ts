import type { FitContents } from '../../fit-files/contents.js';
import { FitStatistics, type StatisticsOptions } from '../../fits/fit-statistics.js';
import type { DrawRange, FitJob } from './fit-job.js';
import type { PerformJob } from './protocol.js';

const SUMMARIZING = 'Summarizing the draws';

/** Statistics of draws in the files of a fit, in ranges of equal length. Names are those of columns, such as `theta.2`. */
export function storedStatistics(
  { columns, outputs, path }: FitContents,
  ranges: readonly DrawRange[],
  perform: PerformJob<FitJob>,
  options: StatisticsOptions = {},
): FitStatistics {
  const over = (batch: readonly number[]) => ({ path, columns: batch, ranges });
  const draws = ranges.reduce((sum, { count }) => sum + count, 0);
  return new FitStatistics(
    { columns, outputs, draws },
    {
      summarize: async (batch) =>
        (await perform(SUMMARIZING, { kind: 'summarize', ...over(batch) }, 'summaries')).summaries,
      // Cached summaries contain what it returns.
      ...(options.cache === undefined && {
        judge: async (batch: readonly number[]) =>
          (await perform(SUMMARIZING, { kind: 'judge', ...over(batch) }, 'judged')).quantities,
      }),
      count: async (batch) =>
        (await perform('Reading the generated quantities', { kind: 'count', ...over(batch) }, 'counted')).quantities,
      leaveOut: (batch) => perform('Leaving out observations', { kind: 'leave out', ...over(batch) }, 'left out'),
      reports: async (maximumDepth) =>
        (await perform("Reading the sampler's reports", { kind: 'sampler', path, ranges, maximumDepth }, 'sampler'))
          .reports,
    },
    options,
  );
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FitContents } from '../../fit-files/reading.js';
import type { NamedSummary } from '../../run/statistics.js';
import type { FitJob } from './fit-job.js';
import { isResult, type JobResult, type PerformJob } from './protocol.js';
import { StoredStatistics } from './stored-statistics.js';

const columns = ['lp__', 'theta.1', 'theta.2'];
const contents: FitContents = { path: '/fit', columns, outputs: [], diagnosticColumns: [], chains: [] };
/** A batch has one column. */
const ranges = [{ chain: 1, from: 0, count: 1 << 18 }];

const summaryOf = (column: number): NamedSummary => ({
  name: columns[column],
  mean: column,
  mcseMean: 0.01,
  sd: 1,
  mcseSd: 0.01,
  q05: -1,
  q50: 0,
  q95: 1,
  essBulk: 4000,
  essTail: 4000,
  rhat: 1,
  variation: 'within chains',
});

/** Performs jobs with `answer`, and records them. */
function performing(answer: (job: FitJob) => JobResult) {
  const jobs: FitJob[] = [];
  const perform: PerformJob<FitJob> = async (_, job, ...expected) => {
    jobs.push(job);
    const result = answer(job);
    for (const kind of expected) if (isResult(result, kind)) return result;
    throw new Error(`unexpected result: ${result.kind}`);
  };
  return { jobs, perform };
}

const summarizing = (job: FitJob): JobResult => ({
  kind: 'summaries',
  summaries: job.kind === 'summarize' ? job.columns.map(summaryOf) : [],
});

describe('statistics of stored draws', () => {
  it('are computed in batches, in the order of the columns, and only once with a cache', async () => {
    const { jobs, perform } = performing(summarizing);
    const known = new Map<number, NamedSummary>();
    const statistics = () => new StoredStatistics(contents, ranges, perform, { known });
    assert.deepEqual(await statistics().summarize([2, 0]), [2, 0].map(summaryOf));
    assert.equal(jobs.length, 2);
    assert.deepEqual(await statistics().summarize([0, 1, 2]), [0, 1, 2].map(summaryOf));
    assert.deepEqual(
      jobs.map((job) => job.kind === 'summarize' && job.columns),
      [[2], [0], [1]],
    );
  });

  it('fail if a job has another result', async () => {
    const { perform } = performing(() => ({ kind: 'fault', report: 'the thread failed' }));
    await assert.rejects(new StoredStatistics(contents, ranges, perform).summarize([0, 1]), /unexpected result: fault/);
  });

  it('include cross-validation by groups of columns, or the reason why it is impossible', async () => {
    const leftOut = { elpd: -1, mcse: 0.01, effectiveParameters: 0.1, paretoK: 0.2, effectiveSize: 100 };
    const { jobs, perform } = performing((job) => ({
      kind: 'left out',
      observations:
        job.kind === 'leave out' ? job.columns.map((column) => ({ name: columns[column], ...leftOut })) : [],
    }));
    const loo = await new StoredStatistics(contents, ranges, perform).leaveOut([[1, 0], [2]]);
    assert.ok('observations' in loo);
    assert.deepEqual(
      jobs.map((job) => job.kind === 'leave out' && job.columns),
      [[1, 0], [2]],
    );
    const refusing = performing(() => ({ kind: 'left out', refused: 'not finite' })).perform;
    assert.deepEqual(await new StoredStatistics(contents, ranges, refusing).leaveOut([[1]]), { refused: 'not finite' });
  });
});

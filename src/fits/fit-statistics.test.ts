import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnusableLogLikelihood } from './cross-validation.js';
import { type ColumnStatistics, FitStatistics } from './fit-statistics.js';
import type { NamedSummary } from './statistics.js';

const columns = ['lp__', 'theta.1', 'theta.2'];
/** A batch has one column. */
const draws = { columns, outputs: [], draws: 1 << 18 };

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

/** A source that records the batches, with some functions. */
function recording(given: Partial<ColumnStatistics>) {
  const batches: (readonly number[])[] = [];
  const noted = <Result>(batch: readonly number[], result: Result): Result => {
    batches.push(batch);
    return result;
  };
  const leftOut = { elpd: -1, mcse: 0.01, effectiveParameters: 0.1, paretoK: 0.2, effectiveSize: 100 };
  const source: ColumnStatistics = {
    summarize: async (batch) => noted(batch, batch.map(summaryOf)),
    count: async (batch) => noted(batch, []),
    leaveOut: async (batch) =>
      noted(batch, { observations: batch.map((column) => ({ name: columns[column], ...leftOut })) }),
    reports: async () => [],
    ...given,
  };
  return { batches, source };
}

describe('statistics of a fit', () => {
  it('are computed in batches, in the order of the columns, and only once with a cache', async () => {
    const { batches, source } = recording({});
    const statistics = new FitStatistics(draws, source, { cache: new Map() });
    assert.deepEqual(await statistics.summarize([2, 0]), [2, 0].map(summaryOf));
    const both = await Promise.all([statistics.summarize([0, 1, 2]), statistics.summarize([1])]);
    assert.deepEqual(both, [[0, 1, 2].map(summaryOf), [summaryOf(1)]]);
    assert.deepEqual(batches, [[2], [0], [1]]);
  });

  it('can be requested again after a failure', async () => {
    let isFailing = true;
    const { source } = recording({
      summarize: (batch) => (isFailing ? Promise.reject(new Error('failed')) : Promise.resolve(batch.map(summaryOf))),
    });
    const statistics = new FitStatistics(draws, source, { cache: new Map() });
    await assert.rejects(statistics.summarize([0, 1]), /failed/);
    isFailing = false;
    assert.deepEqual(await statistics.summarize([0, 1]), [0, 1].map(summaryOf));
  });

  it('include cross-validation by groups of columns, or report the field of the request and why it is impossible', async () => {
    const { batches, source } = recording({});
    const loo = await new FitStatistics(draws, source).leaveOut([[1, 0], [2]]);
    assert.deepEqual(
      loo.observations.map(({ name }) => name),
      ['theta.1', 'lp__', 'theta.2'],
    );
    assert.deepEqual(batches, [[1, 0], [2]]);
    const refusing = recording({ leaveOut: async () => ({ refused: 'not finite' }) }).source;
    await assert.rejects(new FitStatistics(draws, refusing).leaveOut([[1]], { field: '/variable' }), (error) => {
      assert.ok(error instanceof UnusableLogLikelihood);
      assert.equal(error.message, 'not finite.');
      assert.deepEqual(error.problems, [{ field: '/variable', message: 'not finite' }]);
      return true;
    });
  });

  it('include a diagnosis, which uses summaries only if nothing cheaper is available', async () => {
    const { batches, source } = recording({ judge: async (batch) => batch.map(summaryOf) });
    const run = { function: undefined, maximumDepth: undefined };
    const cheaper = await new FitStatistics(draws, source).diagnose(run);
    assert.deepEqual(batches, []);
    assert.deepEqual(await new FitStatistics(draws, recording({}).source).diagnose(run), cheaper);
  });
});

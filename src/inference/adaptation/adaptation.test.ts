import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DenseMetric } from '../transition/dense-metric.js';
import { DiagonalMetric } from '../transition/diagonal-metric.js';
import { PhaseSpace } from '../transition/phase-space.js';
import { DualAveraging } from './dual-averaging.js';
import { WindowedAdaptation } from './metric-adaptation.js';
import { CovarianceLearner, VarianceLearner } from './metric-learners.js';
import { warmupSchedule } from './windows.js';

const defaults = { initBuffer: 75, termBuffer: 50, baseWindow: 25 };

describe('dual averaging', () => {
  const settings = { delta: 0.8, gamma: 0.05, kappa: 0.75, t0: 10 };

  it('follows its formulas', () => {
    const adaptation = new DualAveraging(settings, 1);
    // First iteration: eta = 1/11, mean error = (0.8 - 0.5)/11, log step = log 10 - mean error * 1 / 0.05.
    const first = Math.log(10) - 0.3 / 11 / 0.05;
    close(adaptation.update(0.5), Math.exp(first));
    close(adaptation.averaged ?? Number.NaN, Math.exp(first));
    // Second: eta = 1/12, acceptance counts as 1 at most.
    const meanError = (11 / 12) * (0.3 / 11) + (0.8 - 1) / 12;
    const second = Math.log(10) - (meanError * Math.SQRT2) / 0.05;
    close(adaptation.update(1.7), Math.exp(second));
    const share = 2 ** -0.75;
    close(adaptation.averaged ?? Number.NaN, Math.exp((1 - share) * first + share * second));
  });

  it('has no average before the first transition and after a restart', () => {
    const adaptation = new DualAveraging(settings, 0.1);
    assert.equal(adaptation.averaged, undefined);
    adaptation.update(0.5);
    assert.notEqual(adaptation.averaged, undefined);
    adaptation.restart(2);
    assert.equal(adaptation.averaged, undefined);
  });

  it('restarts', () => {
    const restarted = new DualAveraging(settings, 3);
    restarted.update(0.1);
    restarted.restart(0.2);
    const fresh = new DualAveraging(settings, 0.2);
    assert.equal(restarted.update(0.9), fresh.update(0.9));
  });

  it('raises its target by three quarters of the distance from 1', () => {
    const raised = new DualAveraging({ ...settings, delta: 0.6 }, 1);
    const [from, to] = raised.raiseTarget();
    assert.equal(from, 0.6);
    close(to, 0.9);
    close(raised.update(0.5), new DualAveraging({ ...settings, delta: 0.9 }, 1).update(0.5));
  });
});

describe('the warmup schedule', () => {
  const ends = (numWarmup: number, settings = defaults) => [...warmupSchedule({ numWarmup, ...settings }).windowEnds];

  it('doubles windows and stretches the last one', () => {
    assert.deepEqual(ends(1000), [99, 149, 249, 449, 949]);
    assert.deepEqual(ends(150), [99]);
    assert.deepEqual(ends(200), [99, 149]);
    assert.deepEqual(ends(300), [99, 149, 249]);
    assert.deepEqual(ends(2000), [99, 149, 249, 449, 849, 1949]);
    assert.deepEqual(ends(20, { initBuffer: 0, termBuffer: 0, baseWindow: 1 }), [0, 2, 6, 19]);
  });

  it('accepts a window of length 0', () => {
    assert.deepEqual(ends(100, { initBuffer: 10, termBuffer: 5, baseWindow: 0 }), [9]);
    assert.deepEqual(ends(100, { initBuffer: 0, termBuffer: 5, baseWindow: 0 }), []);
  });

  it('collects draws within the slow interval only', () => {
    const { slowStart, slowEnd } = warmupSchedule({ numWarmup: 1000, ...defaults });
    assert.deepEqual([slowStart, slowEnd], [75, 950]);
  });

  it('reports stages that do not fit, and then ends no window, as Stan does', () => {
    const schedule = warmupSchedule({ numWarmup: 149, ...defaults });
    assert.equal(schedule.windowEnds.size, 0);
    assert.deepEqual(schedule.messages, [
      "WARNING: There aren't enough warmup iterations to fit the",
      '         three stages of adaptation as currently configured.',
      '         Reducing each adaptation stage to 15%/75%/10% of',
      '         the given number of warmup iterations:',
      '           init_buffer = 22',
      '           adapt_window = 113',
      '           term_buffer = 14',
      '',
    ]);
  });

  it('reports a warmup that is too short', () => {
    assert.deepEqual(warmupSchedule({ numWarmup: 19, ...defaults }).messages, [
      'WARNING: No variance estimation is',
      '         performed for num_warmup < 20',
      '',
    ]);
  });
});

describe('metric adaptation', () => {
  const schedule = { slowStart: 1, slowEnd: 5, windowEnds: new Set([4]), messages: [] };

  it('sets the metric to the shrunken variances of a window', () => {
    const metric = new DiagonalMetric(new PhaseSpace(2));
    const adaptation = new WindowedAdaptation(schedule, new VarianceLearner(metric, 2));
    const positions = [
      [100, 100],
      [1, 10],
      [2, 10],
      [3, 10],
      [6, 10],
    ].map((values) => Float64Array.from(values));
    assert.deepEqual(
      positions.map((position) => adaptation.update({ position, gradient: position })),
      ['unchanged', 'unchanged', 'unchanged', 'unchanged', 'updated'],
    );
    // n = 4, variance (4 + 1 + 0 + 9) / 3 and 0.
    close(metric.inverse()[0], (4 / 9) * (14 / 3) + 1e-3 * (5 / 9));
    close(metric.inverse()[1], 1e-3 * (5 / 9));
  });

  it('sets a dense metric to the shrunken covariances of a window', () => {
    const metric = new DenseMetric(new PhaseSpace(2, 'dense'));
    const learner = new CovarianceLearner(metric, 2);
    for (const [x, y] of [
      [1, 4],
      [2, 1],
      [3, 2],
      [6, -3],
    ]) {
      learner.add({ position: Float64Array.of(x, y) });
    }
    assert.equal(learner.learn(), true);
    // n = 4; means 3 and 1; sums of products 14, -18 and 26.
    const expected = [14, -18, -18, 26].map((sum, k) => (4 / 9) * (sum / 3) + (k % 3 === 0 ? 1e-3 * (5 / 9) : 0));
    metric.inverse().forEach((value, k) => {
      close(value, expected[k]);
    });
  });

  it('rejects values that overflow', () => {
    const learner = new VarianceLearner(new DiagonalMetric(new PhaseSpace(1)), 1);
    const adaptation = new WindowedAdaptation(schedule, learner);
    const results = [0, 1e200, -1e200, 1, 2].map((value) => {
      const position = Float64Array.of(value);
      return adaptation.update({ position, gradient: position });
    });
    const last = results[4];
    assert.ok(typeof last === 'object' && last.problem.startsWith('Numerical overflow in metric adaptation.'));
  });
});

function close(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-14 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
}

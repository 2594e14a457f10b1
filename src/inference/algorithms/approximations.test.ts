import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mean, standardDeviation } from '../diagnostics/moments.js';
import type { InitialValues } from '../target.js';
import { runForTest } from '../testing/run.js';
import { correlatedTarget, funnelTarget, normalTarget, TestTarget } from '../testing/targets.js';
import type { Algorithm } from './algorithm.js';
import { laplaceSample } from './laplace-sample.js';
import { pathfinderMulti, pathfinderSingle } from './pathfinder/pathfinder.js';
import { fullrank, meanfield } from './variational/advi.js';

const modeAt = (...values: number[]): InitialValues => ({
  given: 'all',
  apply: (position) => {
    position.set(values);
    return undefined;
  },
});

/** Column `index` of the draws, not counting the algorithm's own columns. */
function column(algorithm: Algorithm, draws: readonly Float64Array[], index: number): number[] {
  return draws.map((draw) => draw[algorithm.drawColumns.length + index]);
}

/** Asserts that independent draws are consistent with a normal with mean 0 and these scales. */
function drawnFrom(algorithm: Algorithm, draws: readonly Float64Array[], scales: readonly number[], slack = 1): void {
  const size = draws.length;
  scales.forEach((scale, index) => {
    const values = column(algorithm, draws, index);
    const limit = (4.5 * slack * scale) / Math.sqrt(size);
    assert.ok(Math.abs(mean(values)) < limit, `mean ${mean(values)} of ${index}`);
    const spread = standardDeviation(values);
    assert.ok(Math.abs(spread - scale) < limit, `sd ${spread} of ${index}`);
  });
}

describe('laplace_sample', () => {
  it('is exact for a normal density, and so is its log density', () => {
    const given = { draws: 4000 };
    const { outcome, sink } = runForTest(laplaceSample, correlatedTarget(0.9), given, { mode: modeAt(0, 0) });
    assert.deepEqual(outcome, { status: 'completed' });
    assert.equal(sink.draws.length, 4000);
    drawnFrom(laplaceSample, sink.draws, [1, 1]);
    const x = column(laplaceSample, sink.draws, 0);
    const y = column(laplaceSample, sink.draws, 1);
    const correlation = mean(x.map((value, i) => value * y[i]));
    assert.ok(Math.abs(correlation - 0.9) < 4.5 / Math.sqrt(4000 / 1.81), `correlation ${correlation}`);
    for (const [logP, logQ] of sink.draws) assert.ok(Math.abs(logP - logQ) < 1e-6 * (1 + Math.abs(logP)));
  });

  it('omits the log density on request', () => {
    const given = { calculate_lp: false, draws: 3 };
    const { sink } = runForTest(laplaceSample, normalTarget([1]), given, { mode: modeAt(0) });
    assert.ok(sink.draws.every(([logP]) => Number.isNaN(logP)));
  });

  it('rejects a point that is not a mode, or is incomplete', () => {
    const saddle = new TestTarget(2, ([x, y], gradient) => {
      gradient[0] = -x;
      gradient[1] = y;
      return 0.5 * (y * y - x * x);
    });
    const failure = runForTest(laplaceSample, saddle, {}, { mode: modeAt(0, 0) }).outcome;
    assert.ok(failure.status === 'failed' && failure.message.includes('not negative definite'));
    const missing = runForTest(laplaceSample, saddle).outcome;
    assert.ok(missing.status === 'failed' && missing.message.includes('mode'));
  });
});

for (const [algorithm, target, scales] of [
  [meanfield, () => normalTarget([0.5, 1, 2]), [0.5, 1, 2]],
  [fullrank, () => correlatedTarget(0.7), [1, 1]],
] as const) {
  describe(algorithm.name, () => {
    it('fits a density of its family', () => {
      const given = { tol_rel_obj: 0.001, grad_samples: 10, output_samples: 2000 };
      const { outcome, sink } = runForTest(algorithm, target(), given);
      assert.deepEqual(outcome, { status: 'completed' }, sink.lines.join('\n'));
      assert.equal(sink.draws.length, 2001);
      drawnFrom(algorithm, sink.draws.slice(1), scales, 3);
      const [[, logP, logG]] = sink.draws;
      assert.deepEqual([logP, logG], [0, 0]);
      assert.ok(sink.lines.some((line) => /^info:Pareto k of the importance ratios: -?0\.[0-4]/.test(line)));
      assert.deepEqual(sink.remarks[0], 'Stepsize adaptation complete.');
      assert.ok(sink.diagnostics.every(([iteration]) => iteration % 100 === 0));
    });

    it('warns if its result is poor', () => {
      const { sink } = runForTest(algorithm, funnelOf(3), { output_samples: 4000 });
      assert.ok(
        sink.lines.some((line) => line.startsWith('warn:Pareto k')),
        sink.lines.slice(-4).join('\n'),
      );
    });

    it('fails if the density is finite nowhere within reach', () => {
      const lost = new TestTarget(1, ([x], gradient) => {
        gradient[0] = 0;
        return Math.abs(x) < 2 ? 0 : { kind: 'rejection', message: 'outside' };
      });
      const nowhere = new TestTarget(1, () => ({ kind: 'error', message: 'index out of range' }));
      assert.equal(runForTest(algorithm, nowhere).outcome.status, 'failed');
      assert.ok(['failed', 'completed'].includes(runForTest(algorithm, lost, { iter: 200 }).outcome.status));
    });
  });
}

/** Neal's funnel: y ~ normal(0, 3), x ~ normal(0, exp(y / 2)): no normal approximates it well. */
function funnelOf(scale: number): TestTarget {
  return new TestTarget(2, ([y, x], gradient) => {
    const precision = Math.exp(-y);
    gradient[0] = -y / scale ** 2 - 0.5 + 0.5 * x * x * precision;
    gradient[1] = -x * precision;
    return -0.5 * ((y / scale) ** 2 + y + x * x * precision);
  });
}

for (const algorithm of [pathfinderSingle, pathfinderMulti]) {
  describe(algorithm.name, () => {
    it('is close to a normal density', () => {
      const { outcome, sink } = runForTest(algorithm, normalTarget([0.5, 1, 2]), { num_elbo_draws: 100 });
      assert.deepEqual(outcome, { status: 'completed' }, sink.lines.join('\n'));
      assert.equal(sink.draws.length, 1000);
      drawnFrom(algorithm, sink.draws, [0.5, 1, 2], 4);
    });

    it('reports the log densities of its draws, both with all constants where possible', () => {
      const { sink } = runForTest(algorithm, normalTarget([1]), { num_draws: 50 });
      for (const [, logP, , x] of sink.draws) assert.ok(Math.abs(logP + 0.5 * x * x) < 1e-12);
    });

    it('works in more dimensions than the number of steps it stores', () => {
      const scales = Array.from({ length: 40 }, (_, i) => 0.5 + i / 20);
      const { outcome, sink } = runForTest(algorithm, normalTarget(scales), { num_elbo_draws: 50 });
      assert.deepEqual(outcome, { status: 'completed' });
      scales.forEach((scale, index) => {
        const values = column(algorithm, sink.draws, index);
        assert.ok(Math.abs(mean(values)) < scale && standardDeviation(values) < 3 * scale);
      });
    });

    it('produces the same draws from the same seed', () => {
      const draws = (random_seed: number) => runForTest(algorithm, funnelTarget(), { random_seed }).sink.draws;
      assert.deepEqual(draws(4), draws(4));
      assert.notDeepEqual(draws(4), draws(5));
    });

    it('ends when it is interrupted', () => {
      const { outcome } = runForTest(algorithm, normalTarget([1]), {}, { interrupt: () => true });
      assert.deepEqual(outcome, { status: 'interrupted' });
    });
  });
}

describe('pathfinder_lbfgs_multi', () => {
  it('continues if one path fails, and fails if all do', () => {
    let starts = 0;
    const target = (refused: number) =>
      new TestTarget(1, ([x], gradient) => {
        gradient[0] = -x;
        starts += 1;
        return starts <= refused ? { kind: 'rejection', message: 'not yet' } : -0.5 * x * x;
      });
    const { outcome, sink } = runForTest(pathfinderMulti, target(100));
    assert.deepEqual(outcome, { status: 'completed' });
    assert.ok(sink.lines.includes('error:Pathfinder iteration: 0 failed.'));
    assert.ok(sink.lines.includes('warn:Only 3 of the 4 pathfinders succeeded.'));
    assert.deepEqual(runForTest(pathfinderMulti, target(Number.POSITIVE_INFINITY)).outcome, {
      status: 'failed',
      message: 'No pathfinders ran successfully.',
    });
  });

  it('starts each path at its own initial values, and reports the path of each draw', () => {
    const initialAt = (index: number) => modeAt(index + 1);
    const given = { psis_resample: false, num_draws: 3, num_paths: 3, chain: 5 };
    const { sink } = runForTest(pathfinderMulti, normalTarget([1]), given, { initialAt });
    assert.deepEqual(
      sink.initializations.map(([x]) => x),
      [1, 2, 3],
    );
    assert.deepEqual(
      sink.draws.map(([, , path]) => path),
      [5, 5, 5, 6, 6, 6, 7, 7, 7],
    );
    assert.deepEqual(sink.remarks, ['', 'Elapsed Time: 0.000000 seconds (Total)', '']);
  });

  it('reports resampling of more draws than exist', () => {
    const given = { num_draws: 10, num_psis_draws: 41, num_elbo_draws: 5 };
    const { sink } = runForTest(pathfinderMulti, normalTarget([1]), given);
    assert.match(sink.lines[0], /^warn:Warning: Number of PSIS draws is larger/);
    assert.deepEqual(sink.remarks.slice(2, 4), [
      '              0.000000 seconds (PSIS)',
      '              0.000000 seconds (Total)',
    ]);
  });
});

it('pathfinder_lbfgs_single logs printed text at draws, and counts evaluations as Stan does', () => {
  const target = normalTarget([1]);
  const printing = new TestTarget(1, ([x], gradient) => {
    printing.printed = 'here';
    return target.logDensityGradient(Float64Array.of(x), gradient);
  });
  const { sink } = runForTest(pathfinderSingle, printing, { num_draws: 30, num_elbo_draws: 5, init_alpha: 1 });
  const [best] = sink.lines
    .flatMap((line) => /Best Iter: \[(\d+)\].* evaluations: \((\d+)\)/.exec(line) ?? [])
    .slice(1);
  assert.ok(sink.lines.includes(`info:Path [1] :Iter: [${best}] here`));
  assert.equal(sink.lines.filter((line) => line === 'info:Path [1] :here').length, 25);
});

it('an approximation of a program without parameters is rejected', () => {
  for (const algorithm of [pathfinderSingle, pathfinderMulti]) {
    const { outcome } = runForTest(algorithm, normalTarget([]));
    assert.deepEqual(outcome, { status: 'failed', message: 'Model has 0 parameters, cannot run Pathfinder.' });
  }
});

/** A normal with this mean and precision matrix. */
function gaussianTarget(center: readonly number[], precision: readonly (readonly number[])[]): TestTarget {
  return new TestTarget(center.length, (position, gradient) => {
    const offsets = center.map((value, i) => position[i] - value);
    precision.forEach((row, i) => {
      gradient[i] = -row.reduce((sum, entry, j) => sum + entry * offsets[j], 0);
    });
    return 0.5 * offsets.reduce((sum, offset, i) => sum + offset * gradient[i], 0);
  });
}

describe('a correlated normal', () => {
  const center = [1, -2, 0.5];
  const precision = [
    [2, -0.6, 0.3],
    [-0.6, 1, 0.2],
    [0.3, 0.2, 0.5],
  ];
  /** Square roots of the diagonal of the inverse precision matrix, and of the reciprocals of the diagonal of the precision matrix. */
  const whole = [0.8921029934, 1.2547487652, 1.6844495369];
  const independent = precision.map((row, i) => 1 / Math.sqrt(row[i]));
  const ascending = { grad_samples: 50, tol_rel_obj: 1e-4, elbo_samples: 500, output_samples: 4000 };
  const following = { num_draws: 4000, num_elbo_draws: 100 };
  for (const [algorithm, given, scales, is] of [
    [fullrank, ascending, whole, 'itself'],
    [pathfinderSingle, following, whole, 'itself'],
    [pathfinderMulti, { ...following, num_psis_draws: 4000 }, whole, 'itself'],
    [meanfield, ascending, independent, 'independent normals with the conditional variances'],
  ] as const) {
    it(`is to ${algorithm.name} ${is}`, () => {
      const { sink } = runForTest(algorithm, gaussianTarget(center, precision), given);
      const draws = sink.draws.slice(-4000);
      scales.forEach((scale, index) => {
        const values = column(algorithm, draws, index);
        const [shift, ratio] = [(mean(values) - center[index]) / scale, standardDeviation(values) / scale];
        assert.ok(Math.abs(shift) < 0.08, `mean of ${index} off by ${shift} standard deviations`);
        assert.ok(Math.abs(ratio - 1) < 0.08, `standard deviation of ${index} ${ratio} times too large`);
      });
    });
  }
});

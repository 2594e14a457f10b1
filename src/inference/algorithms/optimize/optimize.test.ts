import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runForTest } from '../../testing/run.js';
import { correlatedTarget, normalTarget, TestTarget } from '../../testing/targets.js';
import { newton } from './newton.js';
import { bfgs, lbfgs } from './quasi-newton.js';

/** Minus Rosenbrock's function: a curved valley with its top at (1, 1). */
function rosenbrockTarget(): TestTarget {
  return new TestTarget(2, ([x, y], gradient) => {
    const across = y - x * x;
    gradient[0] = 2 * (1 - x) + 400 * x * across;
    gradient[1] = -200 * across;
    return -((1 - x) ** 2) - 100 * across ** 2;
  });
}

/** A gamma(3, 2) variable on the log scale: the mode of its logarithm is log(3/2), its own mode is 1. */
function gammaTarget(): TestTarget {
  const on = (count: number) =>
    new TestTarget(1, ([u], gradient) => {
      gradient[0] = count - 2 * Math.exp(u);
      return count * u - 2 * Math.exp(u);
    });
  return new TestTarget(
    1,
    ([u], gradient) => {
      gradient[0] = 3 - 2 * Math.exp(u);
      return 3 * u - 2 * Math.exp(u);
    },
    on(2),
  );
}

for (const algorithm of [lbfgs, bfgs, newton]) {
  describe(algorithm.name, () => {
    const optimum = (target: TestTarget, given = {}) => {
      const { outcome, sink } = runForTest(algorithm, target, { ...given, refresh: 1 });
      assert.deepEqual(outcome, { status: 'completed' }, sink.lines.join('\n'));
      return [...sink.draws[sink.draws.length - 1]];
    };

    it('finds the mode of a normal density', () => {
      const [lp, , ...mode] = optimum(normalTarget([0.1, 1, 10]));
      mode.forEach((x, i) => {
        near(x, 0, 1e-4 * [0.1, 1, 10][i]);
      });
      near(lp, 0, 1e-8);
    });

    it('follows a curved valley', () => {
      for (const random_seed of [1, 2, 3]) {
        const [lp, , x, y] = optimum(rosenbrockTarget(), { random_seed });
        near(x, 1, 1e-3);
        near(y, 1, 2e-3);
        near(lp, 0, 1e-6);
      }
    });

    it('includes Jacobians only on request', () => {
      near(Math.exp(optimum(gammaTarget())[2]), 1, 1e-4);
      near(Math.exp(optimum(gammaTarget(), { jacobian: true })[2]), 1.5, 1e-4);
    });

    it('saves its iterations on request', () => {
      const { sink } = runForTest(algorithm, normalTarget([1, 3]), { save_iterations: true });
      assert.ok(sink.draws.length > 2);
      const values = sink.draws.map(([lp]) => lp);
      assert.deepEqual(
        [...values].sort((a, b) => a - b),
        values,
      );
    });

    it('reports its starting point, and ends when it is interrupted', () => {
      let asked = 0;
      const interrupt = () => ++asked > 1;
      const { outcome, sink } = runForTest(algorithm, rosenbrockTarget(), {}, { interrupt });
      assert.match(sink.lines[0], /^info:Initial log joint probability = -?\d/);
      assert.deepEqual(outcome, { status: 'interrupted' });
    });

    it("fails with the program's message", () => {
      const broken = new TestTarget(1, ([x], gradient) => {
        gradient[0] = -x;
        return Math.abs(x) < 0.5 ? { kind: 'error', message: 'index out of range' } : -0.5 * x * x;
      });
      const { outcome } = runForTest(algorithm, broken, { random_seed: 3 });
      assert.deepEqual(outcome, { status: 'failed', message: 'index out of range' });
    });
  });
}

describe('newton', () => {
  it('reports, by code and text, whether it reached its tolerance or its last iteration', () => {
    for (const [iter, code, words] of [
      [100, 20, 'Convergence detected: absolute change in objective function was below tolerance'],
      [1, 40, 'Maximum number of iterations hit, may not be at an optima'],
    ] as const) {
      const { sink } = runForTest(newton, rosenbrockTarget(), { iter, save_iterations: true });
      const codes = sink.draws.map(([, converged]) => converged);
      assert.deepEqual(codes, [...codes.slice(0, -1).map(() => 0), code]);
      assert.deepEqual(sink.remarks, [`Optimization terminated normally: ${words}`]);
    }
  });

  it('reports its progress as Stan does: with the constants of the density before the first step, without them later', () => {
    class ShiftedTarget extends TestTarget {
      override logDensity(position: Float64Array): number {
        return super.logDensity(position) - 7;
      }
    }
    const target = new ShiftedTarget(1, ([x], gradient) => {
      gradient[0] = -x;
      return -0.5 * x * x;
    });
    const initial = { given: 'all' as const, apply: (position: Float64Array) => void position.set([2]) };
    const { sink } = runForTest(newton, target, { save_iterations: true }, { initial });
    assert.equal(sink.lines[0], 'info:Initial log joint probability = -9');
    assert.match(sink.lines[1], /^info:Iteration {2}1\. Log joint probability = +-\S+\. Improved by 9\.$/);
    assert.match(sink.lines[2], /^info:Iteration {2}2\. Log joint probability = +-?\S+\. Improved by \S+\.$/);
    assert.equal(sink.draws[0][0], -9);
  });

  it('solves a quadratic in one step, whatever its correlations', () => {
    const { sink } = runForTest(newton, correlatedTarget(0.99), { save_iterations: true });
    const [, , x, y] = sink.draws[1];
    near(x, 0, 1e-9);
    near(y, 0, 1e-9);
  });
});

describe('quasi-Newton methods', () => {
  it('report their progress as Stan does', () => {
    const { sink } = runForTest(lbfgs, normalTarget([1]), { refresh: 1 });
    assert.equal(
      sink.lines[1],
      'info:    Iter      log prob        ||dx||      ||grad||       alpha      alpha0  # evals  Notes ',
    );
    assert.match(sink.lines[2], /^info: {7}1 ( +-?[\d.e+-]+ ){5} +\d+ {3}$/);
    assert.deepEqual(sink.lines.slice(-2), [
      'info:Optimization terminated normally: ',
      'info:  Convergence detected: gradient norm is below tolerance',
    ]);
  });

  const none = { tol_obj: 0, tol_rel_obj: 0, tol_grad: 0, tol_rel_grad: 0, tol_param: 0 };
  const ends = [
    [20, { tol_obj: 1e3 }, 'Convergence detected: absolute change in objective function was below tolerance'],
    [21, { tol_rel_obj: 1e20 }, 'Convergence detected: relative change in objective function was below tolerance'],
    [30, { tol_grad: 1e3 }, 'Convergence detected: gradient norm is below tolerance'],
    [31, { tol_rel_grad: 1e20 }, 'Convergence detected: relative gradient magnitude is below tolerance'],
    [10, { tol_param: 1e3 }, 'Convergence detected: absolute parameter change was below tolerance'],
    [40, { iter: 3 }, 'Maximum number of iterations hit, may not be at an optima'],
  ] as const;
  for (const algorithm of [lbfgs, bfgs]) {
    for (const [code, given, words] of ends) {
      it(`of ${algorithm.name} report why they end: ${words}`, () => {
        const { outcome, sink } = runForTest(algorithm, normalTarget([1, 3]), { ...none, ...given });
        assert.deepEqual(outcome, { status: 'completed' });
        assert.deepEqual(sink.lines.slice(-2), ['info:Optimization terminated normally: ', `info:  ${words}`]);
        assert.deepEqual(sink.remarks, [`Optimization terminated normally: ${words}`]);
        assert.deepEqual(
          sink.draws.map(([, converged]) => converged),
          [code],
        );
      });
    }

    it(`of ${algorithm.name} end with an error if no step helps, and keep their current point`, () => {
      const uphill = new TestTarget(1, ([x], gradient) => {
        gradient[0] = x;
        return -0.5 * x * x;
      });
      const { outcome, sink } = runForTest(algorithm, uphill);
      const words = 'Line search failed to achieve a sufficient decrease, no more progress can be made';
      assert.deepEqual(outcome, { status: 'failed', message: `  ${words}` });
      assert.deepEqual(sink.lines.slice(-2), ['error:Optimization terminated with error: ', `error:  ${words}`]);
      assert.deepEqual(sink.remarks, [`Optimization terminated with error: ${words}`]);
      assert.deepEqual(
        sink.draws.map(([, converged]) => converged),
        [-1],
      );
    });
  }

  it('backtrack from points outside the support', () => {
    // The logarithm of an exponential variable, written so that it fails where the variable exceeds 2.
    const target = new TestTarget(1, ([u], gradient) => {
      if (u > Math.LN2) return { kind: 'rejection', message: 'too large' };
      gradient[0] = 1 - 2 * Math.exp(u);
      return u - 2 * Math.exp(u);
    });
    const runs = [1, 2, 3, 4, 5].map((random_seed) => runForTest(lbfgs, target, { random_seed, init_alpha: 100 }));
    for (const { outcome, sink } of runs) {
      assert.deepEqual(outcome, { status: 'completed' });
      near(sink.draws[0][2], Math.log(0.5), 1e-4);
    }
    assert.ok(runs.some(({ sink }) => sink.lines.some((line) => line.startsWith('info:too large'))));
  });
});

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);
}

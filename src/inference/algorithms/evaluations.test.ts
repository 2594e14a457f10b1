import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DrawSource } from '../target.js';
import { runForTest } from '../testing/run.js';
import { normalTarget, TestTarget } from '../testing/targets.js';
import { diagnose } from './diagnose.js';
import { standaloneGenerate } from './standalone-generate.js';

describe('standalone_generate', () => {
  /** A target whose only generated quantity is the square of its parameter. */
  class SquareTarget extends TestTarget {
    override readonly drawLength: number = 2;

    override writeDraw(position: Float64Array, draw: Float64Array, offset: number) {
      draw[offset] = position[0];
      draw[offset + 1] = position[0] ** 2;
      return position[0] > 5 ? { kind: 'rejection' as const, message: 'too large' } : undefined;
    }
  }
  const target = () => new SquareTarget(1, () => 0);
  const source = (...values: number[]): DrawSource => ({
    count: values.length,
    read: (index, position) => {
      if (Number.isNaN(values[index])) return { kind: 'error', message: 'not in the support' };
      position[0] = values[index];
      return undefined;
    },
  });

  it('writes the generated quantities of every draw and nothing else', () => {
    const { outcome, sink } = runForTest(standaloneGenerate, target(), {}, { fittedParameters: source(1, -3, 6) });
    assert.deepEqual(outcome, { status: 'completed' });
    assert.deepEqual(
      sink.draws.map((draw) => [...draw]),
      [[1], [9], [36]],
    );
    assert.ok(sink.lines.includes('info:too large'));
  });

  it('reports missing draws', () => {
    const message = (outcome: ReturnType<typeof runForTest>['outcome']) =>
      outcome.status === 'failed' ? outcome.message : outcome.status;
    assert.equal(message(runForTest(standaloneGenerate, target()).outcome), 'Empty set of draws from fitted model.');
    const without = runForTest(standaloneGenerate, normalTarget([1]), {}, { fittedParameters: source(1) });
    assert.equal(message(without.outcome), "Model doesn't generate any quantities of interest.");
    const bad = runForTest(standaloneGenerate, target(), {}, { fittedParameters: source(1, Number.NaN) });
    assert.equal(message(bad.outcome), 'not in the support');
  });
});

describe('diagnose', () => {
  it('finds no error in a correct gradient', () => {
    const { outcome, sink } = runForTest(diagnose, normalTarget([1, 2]));
    assert.deepEqual(outcome, { status: 'completed', differing: 0 });
    assert.ok(sink.lines.includes('info:TEST GRADIENT MODE'));
    assert.equal(sink.remarks[3], ' param idx           value           model     finite diff           error');
    assert.equal(sink.remarks.length, 6);
    assert.ok(!sink.lines.some((line) => line.startsWith('warn')));
  });

  it('counts incorrect derivatives', () => {
    const wrong = new TestTarget(2, ([x, y], gradient) => {
      gradient[0] = -x;
      gradient[1] = -y + 0.1;
      return -0.5 * (x * x + y * y);
    });
    const { outcome, sink } = runForTest(diagnose, wrong);
    assert.deepEqual(outcome, { status: 'completed', differing: 1 });
    assert.equal(
      sink.lines[sink.lines.length - 1],
      'warn:1 of 2 elements of the gradient differ by more than allowed.',
    );
  });
});

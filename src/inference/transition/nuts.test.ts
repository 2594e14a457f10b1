import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { boxTarget, normalTarget, TestTarget } from '../testing/targets.js';
import { DiagonalMetric } from './diagonal-metric.js';
import { Hamiltonian } from './hamiltonian.js';
import { NutsSampler } from './nuts.js';
import { PhaseSpace } from './phase-space.js';

function sampler(target: TestTarget, position: number[]) {
  const space = new PhaseSpace(target.dimension);
  const sink = new RecordingSink();
  const hamiltonian = new Hamiltonian(target, space, new DiagonalMetric(space), sink);
  const start = space.acquire(1);
  start.position.set(position);
  hamiltonian.evaluate(start);
  const control = { stop: false };
  const nuts = new NutsSampler({
    hamiltonian,
    rng: createRng(1, 1),
    start,
    maxDepth: 10,
    interrupt: () => control.stop,
    interruptEvery: 4,
  });
  return { nuts, hamiltonian, sink, control };
}

describe('NUTS', () => {
  it('reports why a proposal is rejected', () => {
    const { nuts, sink } = sampler(boxTarget(), [0.9, 0]);
    for (let iteration = 0; iteration < 20; iteration++) nuts.transition(0.8);
    assert.deepEqual(sink.lines.slice(0, 5), [
      'error:Informational Message: The current Metropolis proposal is about to be rejected because of the following issue:',
      'error:x is outside of the box',
      'error:If this warning occurs sporadically, such as for highly constrained variable types like covariance matrices, then the sampler is fine,',
      'error:but if this warning occurs often then your model may be either severely ill-conditioned or misspecified.',
      'error:',
    ]);
  });

  it("passes on the program's output", () => {
    const target = new TestTarget(1, ([x], gradient) => {
      target.printed = 'hello\n';
      gradient[0] = -x;
      return -0.5 * x * x;
    });
    const { nuts, sink } = sampler(target, [0]);
    nuts.transition(0.5);
    assert.equal(sink.lines.length, 1 + nuts.report.leapfrogSteps);
    assert.equal(sink.lines[0], 'info:hello\n');
  });

  it('stops at an error of the program and keeps the chain at its position', () => {
    let broken = false;
    const target = new TestTarget(1, ([x], gradient) => {
      if (broken) return { kind: 'error', message: 'index 3 out of range' };
      gradient[0] = -x;
      return -0.5 * x * x;
    });
    const { nuts, hamiltonian } = sampler(target, [0.25]);
    broken = true;
    assert.equal(nuts.transition(0.5), false);
    assert.equal(hamiltonian.error?.message, 'index 3 out of range');
    assert.equal(nuts.point.position[0], 0.25);
  });

  it('can be interrupted within a long trajectory, and continued', () => {
    const { nuts, control } = sampler(normalTarget([1e6]), [0.5]);
    control.stop = true;
    assert.equal(nuts.transition(0.01), false);
    assert.ok(nuts.report.leapfrogSteps <= 4);
    assert.equal(nuts.point.position[0], 0.5);
    control.stop = false;
    assert.equal(nuts.transition(0.01), true);
    assert.equal(nuts.report.leapfrogSteps, 1023);
  });

  it('moves without parameters: one step, no turn', () => {
    const { nuts } = sampler(normalTarget([]), []);
    assert.ok(nuts.transition(Number.NaN));
    assert.deepEqual(nuts.report, { acceptStatistic: 1, treeDepth: 1, leapfrogSteps: 1, divergent: false });
  });

  it('allocates almost nothing', () => {
    const { nuts } = sampler(normalTarget([1, 1, 1, 1]), [0, 0, 0, 0]);
    for (let iteration = 0; iteration < 5000; iteration++) nuts.transition(0.1);
    const before = process.memoryUsage().arrayBuffers;
    for (let iteration = 0; iteration < 5000; iteration++) nuts.transition(0.1);
    assert.ok(process.memoryUsage().arrayBuffers - before < 1000);
  });
});

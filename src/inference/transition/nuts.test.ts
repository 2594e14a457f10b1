import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { recursiveTransition } from '../testing/recursive-nuts.js';
import { correlatedTarget, funnelTarget, normalTarget, TestTarget } from '../testing/targets.js';
import { DiagonalMetric } from './diagonal-metric.js';
import { Hamiltonian } from './hamiltonian.js';
import { NutsSampler } from './nuts.js';
import { PhaseSpace } from './phase-space.js';

function sampler(
  target: TestTarget,
  options: { position: number[]; inverse?: number[]; maxDepth?: number; seed?: number },
) {
  const space = new PhaseSpace(target.dimension);
  const metric = new DiagonalMetric(space);
  if (options.inverse !== undefined) metric.setInverse(Float64Array.from(options.inverse));
  const sink = new RecordingSink();
  const hamiltonian = new Hamiltonian(target, space, metric, sink);
  const start = space.acquire(1);
  start.position.set(options.position);
  hamiltonian.evaluate(start);
  const control = { stop: false };
  const nuts = new NutsSampler({
    hamiltonian,
    rng: createRng(options.seed ?? 1, 1),
    start,
    maxDepth: options.maxDepth ?? 10,
    interrupt: () => control.stop,
    interruptEvery: 4,
  });
  return { nuts, hamiltonian, sink, control };
}

/** A target that is finite within a box only, with a rejection outside. */
function boxTarget(): TestTarget {
  return new TestTarget(2, ([x, y], gradient) => {
    if (Math.abs(x) > 1) return { kind: 'rejection', message: 'x is outside of the box' };
    gradient[0] = -x;
    gradient[1] = -y;
    return -0.5 * (x * x + y * y);
  });
}

describe('NUTS', () => {
  const cases = [
    { name: 'independent normals', target: normalTarget([1, 2, 0.5]), stepSize: 0.3, inverse: [1, 4, 0.25] },
    { name: 'normals and a poor metric', target: normalTarget([1, 20]), stepSize: 0.4, inverse: [1, 1] },
    { name: 'a correlated normal', target: correlatedTarget(0.95), stepSize: 0.15, inverse: [1, 1] },
    { name: 'a funnel', target: funnelTarget(), stepSize: 0.9, inverse: [3, 1], diverges: true },
    { name: 'a box with rejections outside', target: boxTarget(), stepSize: 0.5, inverse: [1, 1], diverges: true },
    { name: 'trajectories cut at depth 3', target: normalTarget([1, 50]), stepSize: 0.2, inverse: [1, 1], maxDepth: 3 },
    { name: 'a start far from the mode', target: normalTarget([1e-3]), stepSize: 1e-4, inverse: [1], position: [1] },
  ];
  for (const {
    name,
    target,
    stepSize,
    inverse,
    maxDepth = 10,
    diverges = false,
    position = inverse.map(() => 0.3),
  } of cases) {
    it(`makes the draws of its recursive twin: ${name}`, () => {
      const { nuts } = sampler(target, { position, inverse, maxDepth, seed: 7 });
      const rng = createRng(7, 1);
      let divergences = 0;
      for (let iteration = 0; iteration < 200; iteration++) {
        const from = [...nuts.point.position];
        assert.ok(nuts.transition(stepSize));
        const twin = recursiveTransition(target, inverse, from, stepSize, maxDepth, rng);
        assert.equal(nuts.report.leapfrogSteps, twin.leapfrogSteps);
        assert.equal(nuts.report.treeDepth, twin.treeDepth);
        assert.equal(nuts.report.divergent, twin.divergent);
        close(nuts.report.acceptStatistic, twin.acceptStatistic);
        close(nuts.point.energy, twin.energy);
        twin.position.forEach((element, i) => {
          close(nuts.point.position[i], element);
        });
        divergences += twin.divergent ? 1 : 0;
      }
      assert.equal(divergences > 0, diverges);
    });
  }

  it('tells why a proposal is rejected', () => {
    const { nuts, sink } = sampler(boxTarget(), { position: [0.9, 0] });
    for (let iteration = 0; iteration < 20; iteration++) nuts.transition(0.8);
    assert.deepEqual(sink.lines.slice(0, 5), [
      'error:Informational Message: The current Metropolis proposal is about to be rejected because of the following issue:',
      'error:x is outside of the box',
      'error:If this warning occurs sporadically, such as for highly constrained variable types like covariance matrices, then the sampler is fine,',
      'error:but if this warning occurs often then your model may be either severely ill-conditioned or misspecified.',
      'error:',
    ]);
  });

  it('passes on what the program prints', () => {
    const target = new TestTarget(1, ([x], gradient) => {
      target.printed = 'hello\n';
      gradient[0] = -x;
      return -0.5 * x * x;
    });
    const { nuts, sink } = sampler(target, { position: [0] });
    nuts.transition(0.5);
    assert.equal(sink.lines.length, 1 + nuts.report.leapfrogSteps);
    assert.equal(sink.lines[0], 'info:hello\n');
  });

  it('stops at an error of the program and keeps the chain where it was', () => {
    let broken = false;
    const target = new TestTarget(1, ([x], gradient) => {
      if (broken) return { kind: 'error', message: 'index 3 out of range' };
      gradient[0] = -x;
      return -0.5 * x * x;
    });
    const { nuts, hamiltonian } = sampler(target, { position: [0.25] });
    broken = true;
    assert.equal(nuts.transition(0.5), false);
    assert.equal(hamiltonian.error?.message, 'index 3 out of range');
    assert.equal(nuts.point.position[0], 0.25);
  });

  it('stops within a long trajectory when interrupted, and can go on', () => {
    const { nuts, control } = sampler(normalTarget([1e6]), { position: [0.5] });
    control.stop = true;
    assert.equal(nuts.transition(0.01), false);
    assert.ok(nuts.report.leapfrogSteps <= 4);
    assert.equal(nuts.point.position[0], 0.5);
    control.stop = false;
    assert.equal(nuts.transition(0.01), true);
    assert.equal(nuts.report.leapfrogSteps, 1023);
  });

  it('moves without parameters: one step, nothing to turn', () => {
    const { nuts } = sampler(normalTarget([]), { position: [] });
    assert.ok(nuts.transition(Number.NaN));
    assert.deepEqual(nuts.report, { acceptStatistic: 1, treeDepth: 1, leapfrogSteps: 1, divergent: false });
  });

  it('allocates next to nothing', () => {
    const { nuts } = sampler(normalTarget([1, 1, 1, 1]), { position: [0, 0, 0, 0] });
    for (let iteration = 0; iteration < 5000; iteration++) nuts.transition(0.1);
    const before = process.memoryUsage().arrayBuffers;
    for (let iteration = 0; iteration < 5000; iteration++) nuts.transition(0.1);
    assert.ok(process.memoryUsage().arrayBuffers - before < 1000);
  });
});

function close(actual: number, expected: number): void {
  assert.ok(
    Object.is(actual, expected) || Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${actual} is not ${expected}`,
  );
}

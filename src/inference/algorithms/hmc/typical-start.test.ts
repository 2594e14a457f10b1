import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../../random/random-stream.js';
import { type InitialValues, noInitialValues } from '../../target.js';
import { RecordingSink } from '../../testing/recording-sink.js';
import { normalTarget, TestTarget } from '../../testing/targets.js';
import { typicalStart } from './typical-start.js';

/** A target with modes at -1 and 1; the latter is higher by `height`. */
function twoModes(height: number): TestTarget {
  return new TestTarget(1, ([x], gradient) => {
    const mode = x < 0 ? -1 : 1;
    gradient[0] = 100 * (mode - x);
    return (x < 0 ? 0 : height) - 50 * (x - mode) ** 2;
  });
}

function start(target: TestTarget, seed: number, initial = noInitialValues) {
  const sink = new RecordingSink();
  const rng = createRng(seed, 1);
  const chain = { initialAt: () => initial, stream: () => rng, interrupt: () => false, clock: () => 0 };
  const result = typicalStart({ ...chain, target, initial, rng, sink }, 2);
  return { result, sink };
}

const all = (values: readonly number[]): InitialValues => ({
  given: 'all',
  apply: (position) => {
    position.set(values);
    return undefined;
  },
});

describe('a typical start', () => {
  const seeds = Array.from({ length: 20 }, (_, k) => k + 1);
  const sideOf = (height: number) => (seed: number) => {
    const { result, sink } = start(twoModes(height), seed);
    assert.ok('position' in result);
    const [[first]] = sink.initializations;
    return { first: Math.sign(first), found: Math.sign(result.position[0]) };
  };

  it('leaves a minor mode that the first random point leads to', () => {
    const sides = seeds.map(sideOf(6));
    assert.ok(sides.some(({ first }) => first < 0) && sides.some(({ first }) => first > 0));
    // All twelve points are on the left with probability 1 / 4096.
    assert.ok(sides.every(({ found }) => found > 0));
  });

  it('keeps the first of modes with similar mass, so that chains differ', () => {
    const sides = seeds.map(sideOf(1));
    for (const { first, found } of sides) assert.equal(found, first);
  });

  it('is at the initial values if all are given, and evaluates nothing else', () => {
    const target = normalTarget([1, 1]);
    const { result } = start(target, 1, all([30, -40]));
    assert.ok('position' in result);
    assert.deepEqual(result.position, Float64Array.of(30, -40));
    assert.ok(target.evaluations <= 2);
  });

  it('fails as any start where there is no density', () => {
    const { result, sink } = start(new TestTarget(1, () => ({ kind: 'rejection', message: 'nowhere' })), 1);
    assert.ok('problem' in result);
    assert.ok(sink.lines.some((line) => line.includes('nowhere')));
  });
});

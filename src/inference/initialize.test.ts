import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { initialize } from './initialize.js';
import { createRng } from './random/random-stream.js';
import { type InitialValues, noInitialValues } from './target.js';
import { RecordingSink } from './testing/recording-sink.js';
import { type Evaluate, TestTarget } from './testing/targets.js';

function start(
  evaluate: Evaluate,
  options: { dimension?: number; radius?: number; initial?: InitialValues; timing?: boolean } = {},
) {
  const sink = new RecordingSink();
  const target = new TestTarget(options.dimension ?? 1, evaluate);
  let time = 0;
  const result = initialize({
    density: target,
    initial: options.initial ?? noInitialValues,
    radius: options.radius ?? 2,
    rng: createRng(1, 1),
    sink,
    clock: () => {
      time += 12.3456e-6;
      return time;
    },
    reportTiming: options.timing ?? false,
  });
  return { result, sink, target };
}

const given = (values: number[], kind: 'some' | 'all'): InitialValues => ({
  given: kind,
  apply: (position) => {
    position.set(values);
    return undefined;
  },
});

const normal: Evaluate = ([x], gradient) => {
  gradient[0] = -x;
  return -0.5 * x * x;
};

describe('initialization', () => {
  it('draws within the radius and reports the point', () => {
    const { result, sink } = start((_, gradient) => gradient.fill(0).length, { dimension: 500, radius: 3 });
    assert.ok('position' in result);
    assert.deepEqual(sink.initializations, [result.position]);
    assert.ok(result.position.every((value) => Math.abs(value) < 3));
    assert.ok(Math.max(...result.position) > 2.9 && Math.min(...result.position) < -2.9);
    assert.deepEqual(sink.lines, []);
  });

  it('reports the time of a gradient', () => {
    const { sink } = start(normal, { timing: true });
    assert.deepEqual(sink.lines, [
      'info:',
      'info:Gradient evaluation took 1.2e-05 seconds',
      'info:1000 transitions using 10 leapfrog steps per transition would take 0.12 seconds.',
      'info:Adjust your expectations accordingly!',
      'info:',
      'info:',
    ]);
  });

  it('retries after a rejection, log(0) and an infinite gradient', () => {
    let attempt = 0;
    const { result, sink, target } = start(([x], gradient) => {
      attempt += 1;
      gradient[0] = attempt === 4 ? Number.POSITIVE_INFINITY : -x;
      if (attempt === 1) return { kind: 'rejection', message: 'Exception: normal_lpdf: Scale parameter is 0 ...' };
      return attempt === 2 ? Number.NEGATIVE_INFINITY : -0.5 * x * x;
    });
    assert.ok('position' in result);
    assert.equal(target.evaluations, 6);
    assert.deepEqual(sink.lines, [
      'warn:Rejecting initial value:',
      'warn:  Error evaluating the log probability at the initial value.',
      'warn:Exception: normal_lpdf: Scale parameter is 0 ...',
      'warn:Rejecting initial value:',
      'warn:  Log probability evaluates to log(0), i.e. negative infinity.',
      "warn:  Stan can't start sampling from this initial value.",
      'warn:Rejecting initial value:',
      'warn:  Gradient evaluated at the initial value is not finite.',
      "warn:  Stan can't start sampling from this initial value.",
    ]);
  });

  it('stops after a hundred random points', () => {
    const { result, sink, target } = start(() => Number.NaN, { radius: 0.5 });
    assert.deepEqual(result, { problem: 'Initialization failed.' });
    assert.equal(target.evaluations, 100);
    assert.equal(sink.lines.length, 303);
    assert.deepEqual(sink.lines.slice(-3), [
      'info:',
      'error:Initialization between (-0.5, 0.5) failed after 100 attempts. ',
      'error: Try specifying initial values, reducing ranges of constrained values, or reparameterizing the model.',
    ]);
  });

  it('tries once if all values are given or the radius is 0', () => {
    const complete = start(() => Number.NaN, { initial: given([7], 'all') });
    assert.equal(complete.target.evaluations, 1);
    assert.match(complete.sink.lines[4], /failed after 1 attempts/);
    const zero = start(() => Number.NaN, { radius: 0 });
    assert.equal(zero.target.evaluations, 1);
    assert.equal(zero.sink.lines.length, 3);
    assert.deepEqual(zero.result, { problem: 'Initialization failed.' });
  });

  it('combines given values with random ones', () => {
    const { result } = start((_, gradient) => gradient.fill(0).length, { dimension: 2, initial: given([7], 'some') });
    assert.ok('position' in result && result.position[0] === 7 && Math.abs(result.position[1]) < 2);
  });

  it('stops at an error of the program', () => {
    const { result, sink } = start(() => ({ kind: 'error', message: 'index out of range' }));
    assert.deepEqual(result, { problem: 'index out of range' });
    assert.deepEqual(sink.lines, ['error:Unrecoverable error evaluating the log probability at the initial value.']);
  });
});

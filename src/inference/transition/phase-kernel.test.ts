import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exponential } from '../../base/elementary.js';
import { createRng } from '../random/random-stream.js';
import { kernelExports } from './phase-kernel.js';

const VECTOR = 64;

/** Nine vectors of `length` random elements in a new memory, and the kernel's loops over them. */
function vectors(length: number) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const rng = createRng(length, 1);
  const views = Array.from({ length: 9 }, (_, index) => new Float64Array(memory.buffer, index * VECTOR, length));
  for (const view of views) for (let i = 0; i < length; i++) view[i] = rng.normal();
  return { views, loops: kernelOf(memory, length) };
}

function kernelOf(memory: WebAssembly.Memory, dimension: number): Record<string, WebAssembly.ExportFunction> {
  const exports = kernelExports({
    memory,
    control: 0,
    metric: 0,
    metricForm: 0,
    factors: 0,
    dimension,
    vectorSize: 16 * Math.ceil(dimension / 2),
    flags: 0,
    density: () => 0,
    uniform: () => 0,
  });
  return Object.fromEntries(
    Object.entries(exports).flatMap(([name, loop]) => (typeof loop === 'function' ? [[name, loop]] : [])),
  );
}

const address = (vector: number) => vector * VECTOR;
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => Array.from(a).reduce((sum, x, i) => sum + x * b[i], 0);

describe('loops over phase space', () => {
  for (const length of [0, 1, 2, 5, 8]) {
    it(`update momentum and position in ${length} dimensions`, () => {
      const { views, loops } = vectors(length);
      const [q, p, g, m, nextQ, nextP, v, stage, kept] = views;
      const half = Array.from(p, (element, i) => element + 0.05 * g[i]);
      const moved = Array.from(q, (element, i) => element + 0.1 * (m[i] * half[i]));
      loops.kickAndDrift(address(0), address(1), address(2), address(3), address(4), address(5), address(7), 0.05, 0.1);
      assert.deepEqual([...nextP], half);
      assert.deepEqual([...nextQ], moved);
      assert.deepEqual([...stage], moved);

      const kicked = half.map((element, i) => element + 0.05 * g[i]);
      const velocity = kicked.map((element, i) => m[i] * element);
      const energy = loops.kick(address(5), address(2), address(3), address(6), address(8), 0.05);
      assert.deepEqual([...nextP], kicked);
      assert.deepEqual([...v], velocity);
      assert.deepEqual([...kept], [...g]);
      close(energy, dot(kicked, velocity));
      close(loops.kinetic(address(5), address(3), address(6)), energy);
    });
  }

  it('join subtrees if all six products are positive, and not if any one is not', () => {
    const { views, loops } = vectors(5);
    const [one, two, begin, end, lastMomentum, lastVelocity, nextMomentum, nextVelocity, sum] = views;
    const join = () =>
      loops.joinStretches(
        address(0),
        address(1),
        address(2),
        address(3),
        address(4),
        address(5),
        address(6),
        address(7),
        address(8),
      );
    const allForward = () => {
      for (const view of views) view.fill(1);
    };
    allForward();
    assert.equal(join(), 1);
    assert.deepEqual([...sum], [2, 2, 2, 2, 2]);
    for (const turned of [begin, end, lastVelocity, nextVelocity]) {
      allForward();
      turned[4] = -5;
      assert.equal(join(), 0);
    }
    for (const [turned, other] of [
      [nextMomentum, two],
      [lastMomentum, one],
    ]) {
      allForward();
      turned.fill(-2);
      other.fill(3);
      assert.equal(join(), 0);
    }
  });

  it('join points if both products are positive', () => {
    const { views, loops } = vectors(3);
    const join = () => loops.joinPoints(address(0), address(1), address(2), address(3), address(4));
    for (const view of views) view.fill(1);
    assert.equal(join(), 1);
    assert.deepEqual([...views[4]], [2, 2, 2]);
    views[1][2] = -2;
    assert.equal(join(), 0);
    views[1][2] = Number.NaN;
    assert.equal(join(), 0);
  });
});

describe('the exponential of the kernel', () => {
  const { exponential: inKernel } = kernelOf(new WebAssembly.Memory({ initial: 1 }), 0);

  it('is bitwise equal to the JavaScript implementation', () => {
    const rng = createRng(1, 1);
    const ends = [0, -0, 1, -1, 709.7, 709.79, -745.1, -745.2, 1e9, -1e9, 1e-300, Infinity, -Infinity, NaN];
    const places = [...ends, ...Array.from({ length: 20_000 }, (_, k) => 10 ** ((k % 7) - 4) * rng.normal())];
    for (const x of places) assert.ok(Object.is(inKernel(x), exponential(x)), `at ${x}`);
  });
});

function close(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-14 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
}

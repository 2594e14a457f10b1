import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { ModuleWriter } from './assembler.js';
import { definePhaseLoops } from './phase-loops.js';

const VECTOR = 64;

/** Nine vectors of `length` random elements in a new memory, and the loops over it. */
function vectors(length: number) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const rng = createRng(length, 1);
  const views = Array.from({ length: 9 }, (_, index) => new Float64Array(memory.buffer, index * VECTOR, length));
  for (const view of views) for (let i = 0; i < length; i++) view[i] = rng.normal();
  return { views, loops: instantiateLoops(memory), bytes: 16 * Math.ceil(length / 2) };
}

function instantiateLoops(memory: WebAssembly.Memory): Record<string, WebAssembly.ExportFunction> {
  const writer = new ModuleWriter();
  definePhaseLoops(writer);
  const { exports } = new WebAssembly.Instance(writer.compile(), { host: { memory } });
  return Object.fromEntries(
    Object.entries(exports).flatMap(([name, loop]) => (typeof loop === 'function' ? [[name, loop]] : [])),
  );
}

const address = (vector: number) => vector * VECTOR;
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => Array.from(a).reduce((sum, x, i) => sum + x * b[i], 0);

describe('loops over phase space', () => {
  for (const length of [0, 1, 2, 5, 8]) {
    it(`update momentum and position in ${length} dimensions`, () => {
      const { views, loops, bytes } = vectors(length);
      const [q, p, g, m, nextQ, nextP, v, stage, kept] = views;
      const half = Array.from(p, (element, i) => element + 0.05 * g[i]);
      const moved = Array.from(q, (element, i) => element + 0.1 * (m[i] * half[i]));
      loops.kickAndDrift(
        address(0),
        address(1),
        address(2),
        address(3),
        address(4),
        address(5),
        address(7),
        bytes,
        0.05,
        0.1,
      );
      assert.deepEqual([...nextP], half);
      assert.deepEqual([...nextQ], moved);
      assert.deepEqual([...stage], moved);

      const kicked = half.map((element, i) => element + 0.05 * g[i]);
      const velocity = kicked.map((element, i) => m[i] * element);
      const energy = loops.kick(address(5), address(2), address(3), address(6), address(8), bytes, 0.05);
      assert.deepEqual([...nextP], kicked);
      assert.deepEqual([...v], velocity);
      assert.deepEqual([...kept], [...g]);
      close(energy, dot(kicked, velocity));
      close(loops.kinetic(address(5), address(3), address(6), bytes), energy);
    });
  }

  it('join subtrees if all six products are positive, and not if any one is not', () => {
    const { views, loops, bytes } = vectors(5);
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
        bytes,
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
    const { views, loops, bytes } = vectors(3);
    const join = () => loops.joinPoints(address(0), address(1), address(2), address(3), address(4), bytes);
    for (const view of views) view.fill(1);
    assert.equal(join(), 1);
    assert.deepEqual([...views[4]], [2, 2, 2]);
    views[1][2] = -2;
    assert.equal(join(), 0);
    views[1][2] = Number.NaN;
    assert.equal(join(), 0);
  });
});

function close(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-14 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
}

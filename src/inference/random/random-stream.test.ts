import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from './random-stream.js';

function take(count: number, next: () => number): Float64Array {
  return Float64Array.from({ length: count }, next);
}

describe('random streams', () => {
  it('are reproducible by seed and chain, and differ with either', () => {
    const first = (seed: number, chain: number) => [
      ...take(4, createRng(seed, chain).uniform.bind(createRng(seed, chain))),
    ];
    assert.deepEqual(first(1, 1), first(1, 1));
    const all = [
      [1, 1],
      [1, 2],
      [2, 1],
      [0, 0],
      [2 ** 32 - 1, 1],
      [2 ** 40, 1],
    ].map(([seed, chain]) => first(seed, chain));
    assert.equal(new Set(all.flat()).size, 24);
  });

  it('are uniform: moments, range, and independence of neighbors', () => {
    const rng = createRng(3, 1);
    const draws = take(200_000, () => rng.uniform());
    assert.ok(draws.every((value) => value >= 0 && value < 1));
    const moment = (power: number) => draws.reduce((sum, value) => sum + value ** power, 0) / draws.length;
    for (const power of [1, 2, 3])
      assert.ok(Math.abs(moment(power) - 1 / (power + 1)) < (4 * 0.32) / Math.sqrt(draws.length));
    const lagged =
      draws.subarray(1).reduce((sum, value, i) => sum + (value - 0.5) * (draws[i] - 0.5), 0) / draws.length;
    assert.ok(Math.abs(lagged * 12) < 4 / Math.sqrt(draws.length));
  });

  it('are normal: probabilities beyond given points, including the tail of the ziggurat', () => {
    const rng = createRng(5, 1);
    const count = 1_000_000;
    const draws = take(count, () => rng.normal());
    for (const [point, share] of [
      [-1, 0.8413447460685429],
      [0, 0.5],
      [0.25, 0.4012936743170763],
      [1, 0.15865525393145707],
      [2, 0.0227501319481792],
      [3.2, 0.0006871379379158482],
      [3.5, 0.00023262907903552502],
      [4, 3.167124183311986e-5],
    ]) {
      const found = draws.reduce((sum, value) => sum + (value > point ? 1 : 0), 0) / count;
      assert.ok(Math.abs(found - share) < 4.5 * Math.sqrt((share * (1 - share)) / count), `${found} beyond ${point}`);
    }
    const fourth = draws.reduce((sum, value) => sum + value ** 4, 0) / count;
    assert.ok(Math.abs(fourth - 3) < 4.5 * Math.sqrt(96 / count));
  });
});

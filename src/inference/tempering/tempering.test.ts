import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { NormalMixture } from './mixture.js';
import { fitMixture } from './mixture-fit.js';
import { equalSchedule, normalSchedule } from './schedule.js';
import { SteppingStones } from './stepping-stone.js';

const two = new NormalMixture([
  { weight: 0.25, mean: Float64Array.of(-3, 1), variances: Float64Array.of(0.25, 4) },
  { weight: 0.75, mean: Float64Array.of(5, 0), variances: Float64Array.of(1, 0.01) },
]);

describe('mixtures of normal distributions', () => {
  it('have the density of the formula, and its gradient', () => {
    const at = Float64Array.of(1, 0.2);
    const normal = (x: number, mean: number, variance: number) =>
      Math.exp((-0.5 * (x - mean) ** 2) / variance) / Math.sqrt(2 * Math.PI * variance);
    const density = 0.25 * normal(1, -3, 0.25) * normal(0.2, 1, 4) + 0.75 * normal(1, 5, 1) * normal(0.2, 0, 0.01);
    assert.ok(Math.abs(two.logDensity(at) - Math.log(density)) < 1e-12);
    const gradient = new Float64Array(2);
    assert.equal(two.logDensityGradient(at, gradient), two.logDensity(at));
    for (const i of [0, 1]) {
      const moved = (by: number) => two.logDensity(at.map((value, k) => (k === i ? value + by : value)));
      assert.ok(Math.abs((moved(1e-5) - moved(-1e-5)) / 2e-5 - gradient[i]) < 1e-6);
    }
  });

  it('are recovered from their draws', () => {
    const rng = createRng(1, 1);
    const draws = Array.from({ length: 1000 }, () => {
      const position = new Float64Array(2);
      two.draw(rng, position);
      return position;
    });
    const { components } = fitMixture(draws);
    assert.equal(components.length, 2);
    const fitted = components.toSorted((a, b) => a.weight - b.weight);
    for (const [k, { mean, variances, weight }] of two.components.entries()) {
      assert.ok(Math.abs(fitted[k].weight - weight) < 4 * Math.sqrt((weight * (1 - weight)) / draws.length));
      for (const i of [0, 1]) {
        const count = weight * draws.length;
        assert.ok(Math.abs(fitted[k].mean[i] - mean[i]) < 4 * Math.sqrt(variances[i] / count));
        assert.ok(Math.abs(fitted[k].variances[i] / variances[i] - 1) < 5 * Math.sqrt(2 / count));
      }
    }
  });

  it('are one distribution for few draws, or for draws that do not vary', () => {
    const one = [Float64Array.of(1, 2)];
    for (const draws of [one, [...one, ...one, ...one], Array.from({ length: 50 }, () => Float64Array.of(1, 2))]) {
      const { components } = fitMixture(draws);
      assert.equal(components.length, 1);
      assert.deepEqual(components[0].mean.map(Math.round), Float64Array.of(1, 2));
    }
  });
});

describe('schedules of inverse temperatures', () => {
  it('increase from 0 to 1', () => {
    const schedules = [
      normalSchedule(2, 9),
      normalSchedule(12, 25),
      normalSchedule(5, 1),
      equalSchedule([0, 0.5, 1], [0.9, 0.1], 6),
      equalSchedule([0, 1], [0], 4),
    ];
    for (const schedule of schedules) {
      assert.equal(schedule[0], 0);
      assert.equal(schedule.at(-1), 1);
      for (let k = 1; k < schedule.length; k++) assert.ok(schedule[k] > schedule[k - 1]);
    }
  });

  it('divide the communication barrier into equal parts', () => {
    const found = equalSchedule([0, 0.2, 1], [0.3, 0.6], 4);
    for (const [k, beta] of [0, 0.2, 0.6, 1].entries()) assert.ok(Math.abs(found[k] - beta) < 1e-12);
  });
});

describe('stepping stones', () => {
  it('estimate a product of means, with its standard error', () => {
    const errors = Array.from({ length: 40 }, (_, chain) => {
      const rng = createRng(2, chain);
      const stones = new SteppingStones(2, 2000);
      for (let draw = 0; draw < 2000; draw++) {
        // Log-normal weights with means exp(1 + 0.125) and exp(500 + 0.5).
        stones.add(0, 1 + 0.5 * rng.normal());
        stones.add(1, 500 + rng.normal());
        stones.next();
      }
      const { logConstant = Number.NaN, standardError = Number.NaN } = stones.estimate() ?? {};
      return (logConstant - 501.625) / standardError;
    });
    const square = errors.reduce((sum, z) => sum + z * z, 0) / errors.length;
    assert.ok(square > 0.4 && square < 1.9, `${square}`);
  });

  it('count weights of 0', () => {
    const stones = new SteppingStones(1, 40);
    for (let draw = 0; draw < 40; draw++) {
      stones.add(0, draw % 2 === 0 ? 0 : Number.NEGATIVE_INFINITY);
      stones.next();
    }
    assert.ok(Math.abs((stones.estimate()?.logConstant ?? 0) - Math.log(0.5)) < 1e-12);
  });

  it('have no estimate from fewer than two batches', () => {
    const stones = new SteppingStones(1, 40);
    stones.add(0, 0);
    stones.next();
    assert.equal(stones.estimate(), undefined);
  });
});

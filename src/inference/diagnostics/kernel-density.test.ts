import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { type DensityEstimate, kernelDensity } from './kernel-density.js';

function estimateOf(count: number, draw: (rng: ReturnType<typeof createRng>) => number): DensityEstimate {
  const rng = createRng(1, 1);
  const estimate = kernelDensity(Float64Array.from({ length: count }, () => draw(rng)));
  assert.ok(estimate !== undefined);
  return estimate;
}

function massOf({ values, densities }: DensityEstimate): number {
  return densities.reduce(
    (sum, density, k) => sum + (k === 0 ? 0 : ((density + densities[k - 1]) / 2) * (values[k] - values[k - 1])),
    0,
  );
}

function densityAt({ values, densities }: DensityEstimate, value: number): number {
  const nearest = values.reduce(
    (best, each, k) => (Math.abs(each - value) < Math.abs(values[best] - value) ? k : best),
    0,
  );
  return densities[nearest];
}

describe('kernel density estimates', () => {
  it('have mass 1, for many draws and for few', () => {
    for (const count of [8, 99, 100, 4000]) {
      const mass = massOf(estimateOf(count, (rng) => rng.normal()));
      assert.ok(Math.abs(mass - 1) < 0.01, `${count} draws: ${mass}`);
    }
  });

  it('are high at the boundary of a positive quantity, and zero below it', () => {
    const exponential = estimateOf(4000, (rng) => -Math.log(1 - rng.uniform()));
    assert.ok(exponential.values[0] >= 0);
    assert.ok(Math.abs(exponential.densities[0] - 1) < 0.15, `${exponential.densities[0]}`);
  });

  it('reach both ends of a uniform quantity', () => {
    const { densities } = estimateOf(4000, (rng) => rng.uniform());
    for (const density of densities) assert.ok(Math.abs(density - 1) < 0.2, `${density}`);
  });

  it('agree with the density of a normal quantity', () => {
    const normal = estimateOf(4000, (rng) => rng.normal());
    for (const value of [-2, -1, 0, 1, 2]) {
      const expected = Math.exp(-(value * value) / 2) / Math.sqrt(2 * Math.PI);
      assert.ok(Math.abs(densityAt(normal, value) - expected) < 0.03, `at ${value}`);
    }
  });

  it('fade out beyond the extreme draws of a small sample', () => {
    const { densities } = estimateOf(8, (rng) => rng.normal());
    assert.ok(densities[0] < 0.01 && (densities.at(-1) ?? 1) < 0.01);
  });

  it('stay within the bounds of a quantity, also for small samples', () => {
    const draws = Float64Array.of(0.1, 0.2, 0.4, 0.9, 1.6, 3);
    const estimate = kernelDensity(draws, 256, [0, Number.POSITIVE_INFINITY]);
    assert.ok(estimate !== undefined);
    assert.equal(estimate.values[0], 0);
    assert.ok((estimate.values.at(-1) ?? 0) > 3);
    assert.ok(Math.abs(massOf(estimate) - 1) < 0.01, `${massOf(estimate)}`);
  });

  it('do not exist for constant draws', () => {
    assert.equal(kernelDensity(new Float64Array(100).fill(2)), undefined);
  });
});

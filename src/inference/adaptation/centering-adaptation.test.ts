import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import type { Centering } from '../target.js';
import { CenteringAdaptation } from './centering-adaptation.js';

const WARMUP = 2000;

/**
 * Elements θ_k ~ normal(μ, τ) with y_k ~ normal(θ_k, σ_k), drawn from the posterior given μ = 2 + N(0, 1), log τ = N(-1, 0.5). Each draw is
 * a point in the current coordinates with its gradient.
 */
class Hierarchy {
  readonly centering: Centering;
  places = new Float64Array();
  private readonly noise: readonly number[];
  private readonly rng = createRng(3, 1);
  private origins: number[] = [];

  constructor(noise: readonly number[]) {
    this.noise = noise;
    this.centering = {
      elements: Int32Array.from(noise, (_, k) => k),
      setPlaces: (places) => {
        this.places = places.slice();
      },
      readOrigins: (_, origins) => {
        origins.set(this.origins);
        return undefined;
      },
      report: () => [],
    };
  }

  /** Values of the elements, their coordinates, and the gradient with respect to these. */
  draw(): { readonly values: readonly number[]; readonly position: Float64Array; readonly gradient: Float64Array } {
    const { noise, rng } = this;
    const location = 2 + rng.normal();
    const scale = Math.exp(-1 + 0.5 * rng.normal());
    this.origins = noise.flatMap(() => [location, scale, 0]);
    const observed = 2.3;
    const values = noise.map((sigma) => {
      const precision = scale ** -2 + sigma ** -2;
      const mean = (location * scale ** -2 + observed * sigma ** -2) / precision;
      return mean + rng.normal() / Math.sqrt(precision);
    });
    const slopes = values.map((value, k) => (location - value) * scale ** -2 + (observed - value) * noise[k] ** -2);
    const factors = noise.map((_, k) => (scale / Math.exp(this.places[2 * k + 1])) ** (1 - this.places[2 * k]));
    const position = values.map((value, k) => (value - location) / factors[k] + this.places[2 * k] * location);
    return {
      values,
      position: Float64Array.from(position),
      gradient: Float64Array.from(slopes, (slope, k) => slope * factors[k]),
    };
  }
}

describe('degrees of centering', () => {
  const hierarchy = new Hierarchy([100, 0.5, 0.01]);
  const adaptation = new CenteringAdaptation(hierarchy.centering, WARMUP);

  it('begin at the centered parameterization', () => {
    assert.deepEqual([...hierarchy.places], [1, 0, 1, 0, 1, 0]);
  });

  it('are 0 for elements without data, near 1 for those that data determine, and between otherwise', () => {
    let changes = 0;
    for (let iteration = 0; iteration < WARMUP; iteration++) {
      const point = hierarchy.draw();
      const before = hierarchy.places;
      const change = adaptation.update(point);
      if (change === 'unchanged') {
        assert.equal(hierarchy.places, before);
        continue;
      }
      assert.ok('elements' in change);
      changes += 1;
      const { gradients, positions } = change;
      for (const variance of [...positions, ...gradients]) assert.ok(variance > 0);
      // The point is unchanged, but expressed in the new coordinates.
      const { places } = hierarchy;
      const [location, scale] = originsOf(hierarchy);
      for (const [k, value] of point.values.entries()) {
        const factor = (scale / Math.exp(places[2 * k + 1])) ** (1 - places[2 * k]);
        const found = location + factor * (point.position[k] - places[2 * k] * location);
        assert.ok(Math.abs(found - value) < 1e-12 * Math.max(1, Math.abs(value)), `${found} is not ${value}`);
      }
    }
    assert.equal(changes, 4);
    const [none, , some, , many] = hierarchy.places;
    assert.equal(none, 0);
    assert.ok(some > 0 && some < 0.8, `${some}`);
    assert.ok(many >= 0.8, `${many}`);
    assert.deepEqual([...hierarchy.places], [...adaptation.places]);
  });

  it('use the mean log scale as reference', () => {
    for (const k of [0, 1, 2]) assert.ok(Math.abs(hierarchy.places[2 * k + 1] + 1) < 0.15, `${hierarchy.places}`);
  });

  it("add the terms by which the log density differs from the program's", () => {
    const { position } = hierarchy.draw();
    const { places } = hierarchy;
    const [, scale] = originsOf(hierarchy);
    const wanted = [0, 1, 2].reduce((sum, k) => sum - (1 - places[2 * k]) * (Math.log(scale) - places[2 * k + 1]), 0);
    assert.ok(Math.abs(adaptation.logDerivative(position) - wanted) < 1e-12);
  });

  it('are kept if they are given and there is no warmup', () => {
    const other = new Hierarchy([1]);
    const given = new CenteringAdaptation(other.centering, 0, [0.3, -2]);
    assert.equal(given.update(other.draw()), 'unchanged');
    assert.deepEqual([...other.places], [0.3, -2]);
  });

  it('keep what an earlier fit has learned until there are enough draws', () => {
    const changesIn = (numWarmup: number) => {
      const other = new Hierarchy([1]);
      const given = new CenteringAdaptation(other.centering, numWarmup, [0.3, -2]);
      const results = Array.from({ length: numWarmup }, () => given.update(other.draw()));
      return results.filter((result) => result !== 'unchanged').length;
    };
    assert.deepEqual([50, 100, 200].map(changesIn), [0, 0, 0]);
    assert.equal(changesIn(300), 1);
  });

  it('vary little between elements that are equally determined by few draws', () => {
    const placesOf = (noise: readonly number[]) => {
      const other = new Hierarchy(noise);
      const adaptation = new CenteringAdaptation(other.centering, 300);
      for (let iteration = 0; iteration < 300; iteration++) adaptation.update(other.draw());
      return other.places.filter((_, k) => k % 2 === 0);
    };
    const equal = placesOf(new Array(40).fill(0.4));
    assert.ok(Math.max(...equal) - Math.min(...equal) <= 0.1, `${equal}`);
    const [none, , many] = placesOf([100, 0.4, 0.01]);
    assert.ok(none < many, `${none}, ${many}`);
  });

  it('leave the run as it is if there are no elements', () => {
    const none = new CenteringAdaptation(new Hierarchy([]).centering, 200);
    const point = { position: Float64Array.of(0), gradient: Float64Array.of(0) };
    for (let iteration = 0; iteration < 200; iteration++) assert.equal(none.update(point), 'unchanged');
  });
});

function originsOf({ centering }: Hierarchy): Float64Array {
  const origins = new Float64Array(3 * centering.elements.length);
  centering.readOrigins(new Float64Array(), origins);
  return origins;
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../inference/random/random-stream.js';
import { uniformBand, uniformDifferences } from './ecdf.js';
import { looPitPlot } from './loo-pit.js';

const SIZE = { width: 400, height: 200 };

function uniforms(seed: number, count: number, change = (value: number) => value): Float64Array {
  const rng = createRng(seed, 3);
  return Float64Array.from({ length: count }, () => change(rng.uniform()));
}

describe('leave-one-out probability integral transforms', () => {
  for (const count of [8, 100, 1000]) {
    it(`of ${count} uniform values stay within the band in 95 % of cases`, () => {
      const band = uniformBand(count);
      const sets = 600;
      let inside = 0;
      for (let seed = 1; seed <= sets; seed++) {
        const differences = uniformDifferences(uniforms(seed, count));
        if (differences.every((difference, step) => step === 50 || Math.abs(difference) <= band[step] + 1e-12))
          inside++;
      }
      // Three standard deviations of the fraction, and three of the simulation of the band.
      assert.ok(Math.abs(inside / sets - 0.95) < 0.043, `${inside} of ${sets}`);
    });
  }

  it('leave the band if predictions are too narrow, and the description states this', () => {
    const plotted = (places: Float64Array) => looPitPlot({ name: 'y', places, isRandomized: false }, SIZE);
    assert.match(plotted(uniforms(1, 200)).description, /200 observations of y .*: the line stays within the band/);
    const narrow = plotted(uniforms(1, 200, (u) => (u < 0.5 ? u / 3 : 1 - (1 - u) / 3)));
    assert.match(narrow.description, /: the line leaves the band/);
    const differences = narrow.table().rows.map(([, difference]) => Number(difference));
    assert.ok(differences[10] > 0.1 && differences[40] < -0.1, 'it rises, falls and rises');
  });

  it('of values that are certain stay within the band at its ends', () => {
    const places = uniforms(2, 100);
    places[0] = 0;
    places[1] = 1;
    assert.match(looPitPlot({ name: 'y', places, isRandomized: true }, SIZE).description, /stays .* at random\.$/);
  });
});

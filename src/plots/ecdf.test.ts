import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../inference/random/random-stream.js';
import { ecdfDifferencePlot, ecdfDifferences, simultaneousBand } from './ecdf.js';

const SIZE = { width: 400, height: 200 };

function chainsFrom(seed: number, draws: number, shift = 0): Float64Array[] {
  const rng = createRng(seed, 2);
  return [0, 0, 0, shift].map((by) => Float64Array.from({ length: draws }, () => rng.normal() + by));
}

describe('ECDF differences', () => {
  it('are differences of ranks, 0 at both ends', () => {
    const low = Float64Array.from({ length: 50 }, (_, k) => k);
    const high = low.map((value) => value + 100);
    const [first, second] = ecdfDifferences([low, high]);
    assert.deepEqual([first[0], first[50]], [0, 0]);
    assert.ok(Math.abs(first[25] - 0.5) < 1e-12, 'all draws of the lower chain, and half of all ranks');
    assert.ok(first.every((difference, step) => Math.abs(difference + second[step]) < 1e-12));
  });

  it('are 0 for chains of equal draws', () => {
    const differences = ecdfDifferences([new Float64Array(80).fill(3), new Float64Array(80).fill(3)]);
    assert.ok(differences.flat().every((difference) => Math.abs(difference) < 1e-12));
  });

  it('of chains with one distribution stay within the band in 95 % of cases', () => {
    const band = simultaneousBand(4, 1000);
    const sets = 400;
    let inside = 0;
    for (let seed = 1; seed <= sets; seed++) {
      const differences = ecdfDifferences(chainsFrom(seed, 1000));
      if (differences.every((chain) => chain.every((difference, step) => Math.abs(difference) <= band[step] + 1e-12)))
        inside++;
    }
    // Three standard deviations of the fraction, and three of the simulation of the band.
    assert.ok(Math.abs(inside / sets - 0.95) < 0.047, `${inside} of ${sets}`);
  });

  it('leave the band if a chain differs, and the description states this', () => {
    assert.match(ecdfDifferencePlot({ name: 'mu', chains: chainsFrom(1, 500) }, SIZE).description, /All chains stay/);
    const { description } = ecdfDifferencePlot({ name: 'mu', chains: chainsFrom(1, 500, 0.6) }, SIZE);
    assert.match(description, /Chains? (\d, )*4 leaves? the band/);
  });
});

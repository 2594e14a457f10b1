import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawsOf } from '../support/draws.js';
import { compare, type Posterior } from './compare.js';

/** Draws 0, 1, …, 9 again and again, in four chains. */
const chains = [0, 1, 2, 3].map((chain) => Float64Array.from({ length: 1000 }, (_, i) => (i * 7 + chain) % 10));
const constant = chains.map((chain) => new Float64Array(chain.length).fill(2));
const draws = new Map([
  ['x', chains],
  ['c', constant],
]);

function reference(changes: Partial<Posterior>): Posterior {
  return { names: ['x', 'c'], mean: [4.5, 2], sd: [2.873, 0], mcse_mean: [0.05, 0], mcse_sd: [0.03, 0], ...changes };
}

describe('posteriors', () => {
  it('agree if means and standard deviations are within their errors', () => {
    assert.deepEqual(compare(draws, reference({})).failures, []);
  });

  it('differ if one is four errors off', () => {
    const [failure] = compare(draws, reference({ mean: [5, 2] })).failures;
    assert.equal(failure.what, 'mean of x');
    assert.ok(failure.z < -4);
  });

  it('differ if a quantity is missing, or varies that should be constant', () => {
    const missing = compare(draws, reference({ names: ['x', 'y'] })).failures;
    assert.deepEqual(
      missing.map(({ what }) => what),
      ['y is missing'],
    );
    assert.equal(compare(draws, reference({ mean: [4.5, 2.1] })).failures[0].z, Number.NEGATIVE_INFINITY);
  });
});

describe('draws of a fit', () => {
  it('are read by name and chain; other columns are ignored', () => {
    const fit = [
      '{"version":1,"topic":"logger","values":["info:x"],"chain":1}',
      '{"version":1,"topic":"sample","values":["Adaptation terminated"],"chain":1}',
      '{"version":1,"topic":"sample","values":{"lp__":-1,"x":1},"chain":1}',
      '{"version":1,"topic":"sample","values":{"lp__":-2,"x":"NaN"},"chain":2}',
      '',
    ].join('\n');
    assert.deepEqual(drawsOf(fit).get('x'), [Float64Array.of(1), Float64Array.of(Number.NaN)]);
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareDraws, compareWithDensity, distributions } from './distributions.js';

/** One setting of the parameters of each distribution; the long test covers more. */
it('distribution functions are the integrals or sums of their densities', () => {
  const tested = distributions().filter(({ functions }) => functions.length > 0);
  assert.ok(tested.length > 35);
  assert.deepEqual(
    tested.flatMap((distribution) => compareWithDensity(distribution, 1)),
    [],
  );
});

it('draws follow their density', () => {
  const tested = distributions().filter(({ hasRandom }) => hasRandom);
  assert.ok(tested.length > 35);
  assert.deepEqual(
    tested.flatMap((distribution) => compareDraws(distribution, 1, 10_000)),
    [],
  );
});

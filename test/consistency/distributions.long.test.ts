import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareDraws, compareWithDensity, distributions } from './distributions.js';

const SETTINGS = 12;
const DRAWS = 100_000;

for (const distribution of distributions()) {
  describe(distribution.name, () => {
    if (distribution.functions.length > 0) {
      it('has distribution functions that are the integral or sum of its density', () =>
        assert.deepEqual(compareWithDensity(distribution, SETTINGS), []));
    }
    if (distribution.hasRandom) {
      it('has draws from its density', () => assert.deepEqual(compareDraws(distribution, SETTINGS, DRAWS), []));
    }
  });
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FUNCTIONS } from '../../src/functions/table.js';
import { compareElements } from './compare.js';
import { elementwiseSignatures } from './elements.js';

/** Signatures in one program. */
const BATCH = 20;

describe('calls with containers equal calls with their elements', () => {
  for (const { name } of FUNCTIONS.entries()) {
    const all = elementwiseSignatures(name);
    if (all.length === 0) continue;
    it(`${name}: ${all.length} signatures`, () => {
      for (let start = 0; start < all.length; start += BATCH) {
        const { differences, untested } = compareElements(name, all.slice(start, start + BATCH));
        assert.deepEqual(differences, []);
        assert.equal(untested, 0, 'arguments were found for all');
      }
    });
  }
});

import { test } from 'node:test';
import fc from 'fast-check';
import { assertFormats, disarranged } from './disarranged.js';

test('formatting keeps syntax tree and comments of 100,000 programs with spaces and comments anywhere', () => {
  fc.assert(fc.property(disarranged, assertFormats), { numRuns: 100_000, seed: 7 });
});

import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assertFormats, disarranged, programs } from './disarranged.js';

describe('formatting', () => {
  test('keeps the syntax tree and the comments of every program, and is idempotent', () => {
    for (const program of programs) assertFormats(program);
  });

  test('does so also with spaces and comments anywhere', () => {
    fc.assert(fc.property(disarranged, assertFormats), { numRuns: 1000, seed: 20 });
  });
});

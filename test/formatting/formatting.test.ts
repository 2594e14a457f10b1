import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assertFormats, disarranged, programs } from './disarranged.js';

describe('formatting', () => {
  test('keeps the tree and the comments of every program, and of its own result its text', () => {
    for (const program of programs) assertFormats(program);
  });

  test('does so wherever blanks and comments stand', () => {
    fc.assert(fc.property(disarranged, assertFormats), { numRuns: 1000, seed: 20 });
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkRecurrences, randomRecurrences } from './random-recurrences.js';

test('60 random recurrences have the same values, derivatives and output with checkpoints as without', () => {
  let blocked = 0;
  fc.assert(
    fc.property(randomRecurrences, (recurrences) => {
      if (checkRecurrences(recurrences)) blocked++;
    }),
    { numRuns: 60, seed: 32 },
  );
  assert.ok(blocked >= 20, `${blocked} programs have checkpoints`);
});

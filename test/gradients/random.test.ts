import { test } from 'node:test';
import fc from 'fast-check';
import { checkProgram, randomProgram } from './random-programs.js';

test('gradients of 60 random programs against central differences, 1e-6', () => {
  fc.assert(fc.property(randomProgram, checkProgram), { numRuns: 60, seed: 20 });
});

import { test } from 'node:test';
import fc from 'fast-check';
import { checkProgram, randomProgram } from './random-programs.js';

test('gradients of 120 random programs against central differences and their unrolled form, 1e-6', () => {
  fc.assert(fc.property(randomProgram, checkProgram), { numRuns: 120, seed: 20 });
});

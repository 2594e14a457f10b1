import { test } from 'node:test';
import fc from 'fast-check';
import { checkGradient } from './agreement.js';
import { randomProgram } from './random-programs.js';

test('gradients of 60 random programs against central differences, 1e-6', () => {
  fc.assert(fc.property(randomProgram, checkGradient), { numRuns: 60, seed: 20 });
});

import { test } from 'node:test';
import fc from 'fast-check';
import { checkLongLoops, randomLongLoops } from './random-long-loops.js';
import { checkProgram, randomProgram } from './random-programs.js';

test('gradients of 20 random programs against central differences and their unrolled form, 1e-6', () => {
  fc.assert(fc.property(randomProgram, checkProgram), { numRuns: 20, seed: 20 });
});

test('values and gradients of 20 random programs of long loops over data against the unoptimized program', () => {
  fc.assert(fc.property(randomLongLoops, checkLongLoops), { numRuns: 20, seed: 21 });
});

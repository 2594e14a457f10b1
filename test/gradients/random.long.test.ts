import { test } from 'node:test';
import fc from 'fast-check';
import { checkLongLoops, randomLongLoops } from './random-long-loops.js';
import { checkProgram, randomProgram } from './random-programs.js';

/*
 * A program takes 0.1 to 1.6 s of processor time. Each test is a shard with its own seed, so that a run that is stopped has results, and a
 * failure is reported before the other shards have run. Shrinking is disabled because it compiles each candidate. Passing `path` from the
 * report of a failure to `fc.assert`, together with the seed, repeats only that program and shrinks it.
 */
const SHARDS = 20;
const PROGRAMS = 100;

for (let shard = 0; shard < SHARDS; shard++) {
  const settings = { numRuns: PROGRAMS, endOnFailure: true };

  test(`gradients of ${PROGRAMS} random programs, seed ${700 + shard}, against central differences and their unrolled form, 1e-6`, () => {
    fc.assert(fc.property(randomProgram, checkProgram), { ...settings, seed: 700 + shard });
  });

  test(`values and gradients of ${PROGRAMS} random programs of long loops, seed ${800 + shard}, against the program as written`, () => {
    fc.assert(fc.property(randomLongLoops, checkLongLoops), { ...settings, seed: 800 + shard });
  });
}

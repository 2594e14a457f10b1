import { it } from 'node:test';
import { checkSolverProgram } from './random-solvers.js';

it('gradients of 5 random programs with solvers against central differences, 1e-6', () => {
  for (let seed = 68; seed < 73; seed++) checkSolverProgram(seed);
});

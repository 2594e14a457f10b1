import { it } from 'node:test';
import { checkSolverProgram } from './random-solvers.js';

it('gradients of 10 random programs with solvers against central differences, 1e-6', () => {
  for (let seed = 68; seed < 78; seed++) checkSolverProgram(seed);
});

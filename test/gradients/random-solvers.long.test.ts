import { it } from 'node:test';
import { checkSolverProgram } from './random-solvers.js';

it('gradients of 500 random programs with solvers against central differences, 1e-6', () => {
  for (let seed = 1000; seed < 1500; seed++) checkSolverProgram(seed);
});

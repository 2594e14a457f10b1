import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkGradient, checkSame } from './agreement.js';

describe('library functions that are passed as arguments', () => {
  it('have gradients that agree with differences', () => {
    checkGradient(`parameters { vector[2] y; real a; } model {
      array[2] vector[2] x = ode_rk45_tol(multiply, y, a, {a + 1, a + 2}, 1e-10, 1e-10, 10000);
      target += x[1, 1] * x[2, 2] + a * solve_newton_tol(subtract, y, 1e-10, 1e-10, 100, exp(y))[1]; }`);
  });

  it('return what functions that call them return', () => {
    const functions = `functions { vector slope(real t, vector y) { return t * y; }
      real within(array[] int x, int first, int last) { return discrete_range_lpmf(x | first, last); } }`;
    const programs = [
      ['multiply', 'discrete_range_lpmf'],
      ['slope', 'within'],
    ].map(
      ([slope, density]) => `${functions} parameters { vector[2] y; } model {
        target += ode_bdf(${slope}, y, 0.5, {1})[1, 1] + reduce_sum(${density}, {1, 2, 2}, 1) * y[2]; }`,
    );
    const [library, user] = programs.map((text) => buildModel(compileProgram(text), '{}'));
    checkSame(library, user);
  });
});

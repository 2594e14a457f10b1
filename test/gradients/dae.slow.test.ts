import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkGradient, checkSame } from './agreement.js';

/** One state decays into another, at rates that a constraint couples; every argument may depend on parameters. */
const RESIDUAL = `vector residual(real t, vector y, vector yp, real a, vector b) {
  return [yp[1] + a * y[1] - b[1] * y[2], y[1] + y[2] - b[2] * cos(t)]'; }
  vector slope(real t, vector y, real a, vector b) {
    real d = -a * y[1] + b[1] * y[2]; return [d, -b[2] * sin(t) - d]'; }`;

function program(functions: string, parameters: string, model: string): string {
  return `functions { ${functions} } parameters { ${parameters} } model { ${model} }`;
}

describe('gradients of differential-algebraic equations', () => {
  it('agree with differences if initial states, slopes and further arguments depend on parameters', () => {
    const model = `vector[2] y0 = [b[2] - c, c]'; 
      array[3] vector[2] y = dae_tol(residual, y0, slope(0, y0, exp(a), b), 0, {0.3, 0.3, 2.1}, 1e-9, 1e-9, 10000, exp(a), b);
      target += y[1, 1] * y[3, 2] + square(y[2, 1]) - y[3, 1];`;
    checkGradient(program(RESIDUAL, 'real a; real c; vector[2] b;', model));
  });

  it('agree with differences in a loop, a condition, a user function and the function of another solver', () => {
    const functions = `${RESIDUAL}
      vector last(int n, real a, vector b) {
        vector[2] y0 = [b[2] - 0.4, 0.4]';
        if (n == 3) return y0 * a;
        return dae_tol(residual, y0, slope(0, y0, a, b), 0, {0.1 * n, 0.5 * n}, 1e-9, 1e-9, 1000, a, b)[2]; }
      vector outer(real t, vector z, vector zp, real a, vector b) { return zp + z * last(2, a + square(z[1]), b)[1]; }`;
    const model = `for (n in 1:3) target += last(n, exp(a), b)[1] * sin(n + a);
      target += dae_tol(outer, [b[1]]', -[b[1]]' * last(2, exp(a) + square(b[1]), b)[1], 0, {0.03}, 1e-8, 1e-8, 1000, exp(a), b)[1, 1];`;
    checkGradient(program(functions, 'real a; vector[2] b;', model));
  });

  it('agree with differences if the slopes enter nonlinearly, with tuples and arrays', () => {
    const functions = `vector residual(real t, vector y, vector yp, tuple(real, vector) p, array[] vector v) {
      vector[2] r; for (i in 1:2) r[i] = yp[i] + 0.1 * yp[i]^3 + p.1 * y[i] - v[1, i]; r[2] += 0.2 * p.2[1] * yp[1]; return r; }
      vector slope(vector y, tuple(real, vector) p, array[] vector v) {
        vector[2] s = rep_vector(0, 2);
        for (k in 1:30) for (i in 1:2) { real f = s[i] + 0.1 * s[i]^3 + p.1 * y[i] - v[1, i] + (i == 2 ? 0.2 * p.2[1] * s[1] : 0);
          s[i] -= f / (1 + 0.3 * s[i]^2); } return s; }`;
    const model = `array[1] vector[2] v = {y0 + 1}; tuple(real, vector[1]) p = (exp(a), [a]');
      target += sum(dae_tol(residual, y0, slope(y0, p, v), 0.2, {1, 1.5}, 1e-9, 1e-9, 10000, p, v)[2]);`;
    checkGradient(program(functions, 'real a; vector[2] y0;', model));
  });

  it('agree with those of the differential equation that the residual defines', () => {
    const functions = `vector f(real t, vector y, real k) { return [-k * y[1], k * y[1] - sin(t) * y[2]]'; }
      vector residual(real t, vector y, vector yp, real k) { return yp - f(t, y, k); }`;
    const models = ['dae_tol(residual, y0, f(0, y0, k), 0', 'ode_rk45_tol(f, y0, 0'].map((call) =>
      program(
        functions,
        'real k; vector[2] y0;',
        `array[2] vector[2] y = ${call}, {1, 2}, 1e-10, 1e-10, 100000, k); target += y[1, 1] * y[2, 2] + y[1, 2];`,
      ),
    );
    const [algebraic, explicit] = models.map((text) => buildModel(compileProgram(text), '{}'));
    checkSame(algebraic, explicit);
  });
});

describe('a differential-algebraic equation whose solution diverges', () => {
  // Robertson's reaction at rates of 1e-9 and 1e13: the tolerance permits a second state below 0, from which it decreases without bound.
  const program = `functions {
      vector residual(real t, vector y, vector yp, vector k) {
        real back = 1e3 * y[2] * y[3];
        return [yp[1] + k[1] * y[1] - back, yp[2] - k[1] * y[1] + back + 1e4 * k[2] * square(y[2]), sum(y) - 1]'; } }
    parameters { vector<lower=0>[2] k; }
    model {
      array[2] vector[3] y = dae(residual, [1, 0, 0]', [-k[1], k[1], 0]', 0, {0.4, 10}, k);
      target += y[2, 1];
    }`;

  it('is rejected at the location of its statement, as is one with too many steps, in little memory', () => {
    const model = buildModel(compileProgram(program), '{}');
    const form = { propto: true, jacobian: true };
    const gradient = new Float64Array(2);
    const told =
      /Exception: IDASolve\(mem, ts\[i\], &t1, yy, yp, IDA_NORMAL\) failed with error flag -1: {2}\(in 'string', line 7, column 6 to column 91\)$/;
    assert.throws(() => model.logDensityGradient(Float64Array.of(20, 20), gradient, form), told);
    assert.ok(Number.isFinite(model.logDensityGradient(Float64Array.of(0, 0), gradient, form)));
    assert.ok(model.memoryBytes < 2 ** 25, `${model.memoryBytes} bytes`);
  });
});

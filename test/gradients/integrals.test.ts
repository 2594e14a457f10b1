import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkGradient } from './agreement.js';

const INTEGRALS = ['integrate_1d_gauss_kronrod', 'integrate_1d_double_exponential'];

const FUNCTIONS = `
  functions {
    real bell(real x, real xc, real m, real s) { return exp(-square((x - m) / s)); }
    real decay(real x, real xc, tuple(vector, real) a, array[] int k, data real c) {
      return exp(-a.1[1] * x) * (a.1[2] + c * cos(a.2 * x) + k[1]);
    }

  }`;

for (const integral of INTEGRALS) {
  describe(integral, () => {
    it('has derivatives by scalars and limits', () => {
      checkGradient(`${FUNCTIONS}
        parameters { real a; real<lower=a> b; real m; real<lower=0> s; }
        model { target += ${integral}(bell, a, b, m, s); }`);
    });

    it('has derivatives on half lines and the whole line', () => {
      checkGradient(`${FUNCTIONS}
        parameters { real a; real m; real<lower=0> s; }
        model {
          target += ${integral}(bell, a, positive_infinity(), m, s) * a;
          target += ${integral}(bell, negative_infinity(), a, m, s);
          target += ${integral}_tol(bell, negative_infinity(), positive_infinity(), 1e-9, 0, 12, m, s) * m;
        }`);
    });

    it('passes tuples, ints and data, in a loop', () => {
      checkGradient(`${FUNCTIONS}
        parameters { vector<lower=0>[2] a; real b; real<lower=0> c; }
        model {
          for (i in 1:2) target += ${integral}_tol(decay, 0, i + c, 1e-10, 1e-12, 12, (a, b), {i}, 0.3);
        }`);
    });

    it('may be the integrand of another one', () => {
      checkGradient(`
        functions {
          real inner(real y, real yc, real x, real m) { return exp(-square(y - m * x)); }
          real outer(real x, real xc, real m) { return x * ${integral}_tol(inner, 0, 1, 1e-7, 0, 10, x, m); }
        }
        parameters { real m; }
        model { target += ${integral}_tol(outer, 0, 1, 1e-6, 0, 10, m); }`);
    });

    it('is 0 between equal limits', () => {
      const model = buildModel(
        compileProgram(`${FUNCTIONS}
          parameters { real m; }
          model { target += ${integral}(bell, m, m, m, 1); }`),
        '{}',
      );
      assert.equal(model.logDensity(Float64Array.of(0.3), { propto: false, jacobian: true }), 0);
    });
  });
}

describe('integrate_1d_gauss_kronrod', () => {
  const evaluate = (program: string): number =>
    buildModel(compileProgram(program), '{}').logDensity(Float64Array.of(0.5), { propto: false, jacobian: true });

  it('gives the integrand no distance from the limits', () => {
    const program = `
      functions { real f(real x, real xc) { return is_nan(xc); } }
      parameters { real a; }
      model { target += integrate_1d_gauss_kronrod(f, 0, 2) * a; }`;
    assert.ok(Math.abs(evaluate(program) - 1) < 1e-15);
  });

  it('refuses an integrand that is not a number', () => {
    const program = `
      functions { real f(real x, real xc) { return log(x - 2); } }
      parameters { real a; }
      model { target += integrate_1d_gauss_kronrod(f, 0, 1) * a; }`;
    assert.throws(() => evaluate(program), /error estimate of integral nan exceeds max/);
  });

  it('is as accurate on long intervals as on short ones', () => {
    const program = `
      functions { real f(real x, real xc) { return 1e-6 * exp(-square(x / 1e5 - 3)); } }
      parameters { real a; }
      model { target += integrate_1d_gauss_kronrod(f, 0, 1e6) * a; }`;
    // mpmath
    assert.ok(Math.abs(evaluate(program) - 0.088621713685614) < 1e-10);
  });
});

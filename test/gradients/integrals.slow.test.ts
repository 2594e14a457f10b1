import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Model } from '../../src/model/model.js';
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
    it('has derivatives with respect to scalars and limits', () => {
      checkGradient(`${FUNCTIONS}
        parameters { real a; real<lower=a> b; real m; real<lower=0> s; }
        model { target += ${integral}(bell, a, b, m, s); }`);
    });

    it('has derivatives on half-lines and the whole line', () => {
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

    it('may be the integrand of another integral', () => {
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

  it('passes no distance from the limits to the integrand', () => {
    const program = `
      functions { real f(real x, real xc) { return is_nan(xc); } }
      parameters { real a; }
      model { target += integrate_1d_gauss_kronrod(f, 0, 2) * a; }`;
    assert.ok(Math.abs(evaluate(program) - 1) < 1e-15);
  });

  it('rejects an integrand that is NaN', () => {
    const program = `
      functions { real f(real x, real xc) { return log(x - 2); } }
      parameters { real a; }
      model { target += integrate_1d_gauss_kronrod(f, 0, 1) * a; }`;
    assert.throws(() => evaluate(program), /error estimate of integral nan exceeds max/);
  });

  it('is equally accurate on long and short intervals', () => {
    const program = `
      functions { real f(real x, real xc) { return 1e-6 * exp(-square(x / 1e5 - 3)); } }
      parameters { real a; }
      model { target += integrate_1d_gauss_kronrod(f, 0, 1e6) * a; }`;
    // mpmath
    assert.ok(Math.abs(evaluate(program) - 0.088621713685614) < 1e-10);
  });
});

const TANH_SINH =
  /The tanh_sinh quadrature evaluated your function at a singular point and got (-?nan|-?inf)\. Please narrow/;
const EXP_SINH =
  /The exp_sinh quadrature evaluated your function at a singular point and returned (-?nan|-?inf)\. Please ensure/;
const EVERYWHERE = /The tanh_sinh quadrature found your function to be non-finite everywhere!/;

describe('integrate_1d of functions that are not finite inside the interval', () => {
  // Real Stan 2.39 rejects with these messages, except for the last four: "non-finite everywhere" (2) and an error estimate (2).
  const refused: readonly (readonly [
    what: string,
    f: string,
    low: string,
    high: string,
    message: RegExp,
    value: string,
  ])[] = [
    ['infinite in the middle', 'k * abs(x - 0.5) ^ -0.3', '0', '1', TANH_SINH, 'inf'],
    ['minus infinity in the middle', 'k * x * log(abs(x - 0.5))', '0', '1', TANH_SINH, '-inf'],
    ['no number in the middle', 'x == 0.5 ? not_a_number() : k * x', '0', '1', TANH_SINH, 'nan'],
    ['no number on a part', 'x > 0.4 && x < 0.45 ? not_a_number() : k * x', '0', '1', TANH_SINH, 'nan'],
    ['infinite on a part', 'x > 0.4 && x < 0.45 ? positive_infinity() : k * x', '0', '1', TANH_SINH, 'inf'],
    ['no number on a half line', 'x > 0.7 ? not_a_number() : k * x', '0', 'positive_infinity()', EXP_SINH, 'nan'],
    ['no number anywhere', 'x < 2 ? not_a_number() : k * x', '0', '1', EVERYWHERE, ''],
    ['no number below a point', 'x < 0.3 ? not_a_number() : k * x', '0', '1', TANH_SINH, 'nan'],
    ['no number above a point', 'x > 0.7 ? not_a_number() : k * x', '0', '1', TANH_SINH, 'nan'],
    ['no number near an end', 'x > 0.999 ? not_a_number() : k * x', '0', '1', TANH_SINH, 'nan'],
    ['infinite near an end', 'x > 0.999 ? positive_infinity() : k * x', '0', '1', TANH_SINH, 'inf'],
  ];
  for (const [what, f, low, high, message, value] of refused) {
    it(`rejects one that is ${what}, with its value`, () => {
      const model = modelOfIntegral(f, low, high);
      const isRefusal = (error: Error): boolean => {
        assert.equal(message.exec(error.message)?.[1] ?? '', value, error.message);
        return message.test(error.message);
      };
      assert.throws(() => model.logDensity(new Float64Array([1]), FORM), isRefusal);
      assert.throws(() => model.logDensityGradient(new Float64Array([1]), new Float64Array(1), FORM), isRefusal);
    });
  }

  for (const name of ['integrate_1d', 'integrate_1d_double_exponential']) {
    it(`${name} accepts NaN where terms are negligible, as Stan does`, () => {
      const model = modelOfIntegral('x > 1e3 ? not_a_number() : k * exp(-x)', '0', 'positive_infinity()', name);
      assert.ok(Math.abs(model.logDensity(new Float64Array([3]), FORM) - 3) < 1e-8);
    });

    it(`${name} reports a value above zero before the error of the piece below`, () => {
      const model = modelOfIntegral('x > 0.7 ? not_a_number() : k * x', 'negative_infinity()', '0.8', name);
      assert.throws(() => model.logDensity(new Float64Array([3]), FORM), TANH_SINH);
    });

    it(`${name} reports the error of the first piece that has not converged`, () => {
      const model = modelOfIntegral('k / x', '-1', '1', name);
      assert.throws(() => model.logDensity(new Float64Array([3]), FORM), /error estimate of integral below zero/);
    });
  }

  for (const name of ['integrate_1d', ...INTEGRALS]) {
    it(`${name} has a value if the integrand is NaN at a limit, whose derivative is zero`, () => {
      const model = modelOfIntegral('x == 1 ? not_a_number() : x', 'k', '2', name);
      const gradient = new Float64Array(1);
      assert.ok(Math.abs(model.logDensityGradient(new Float64Array([1]), gradient, FORM) - 1.5) < 1e-8);
      assert.ok(Number.isNaN(gradient[0]));
    });

    it(`${name} is 0 on an empty interval, and rejects reversed limits and equal infinite ones`, () => {
      const at = (low: string, high: string) =>
        modelOfIntegral('k * x', low, high, name).logDensity(new Float64Array([1]), FORM);
      assert.equal(at('1', '1'), 0);
      assert.throws(() => at('1', '0'), /lower limit is 1, but must be less than or equal to 0\.000000/);
      assert.throws(
        () => at('positive_infinity()', 'negative_infinity()'),
        /lower limit is inf, but must be less than or equal to -inf/,
      );
      assert.throws(() => at('not_a_number()', '1'), /lower limit is nan, but must be less than or equal to 1\.000000/);
      assert.throws(() => at('0', 'not_a_number()'), /lower limit is 0, but must be less than or equal to nan/);
      const both = /Integration endpoints are both inf/;
      assert.throws(() => at('positive_infinity()', 'positive_infinity()'), both);
    });
  }

  const singular = [
    ['x == 0.5 ? not_a_number() : k * x', '0', '1', 'nan'],
    ['x > 0.7 ? not_a_number() : k * x', '0', '1', 'nan'],
    ['x > 0.7 ? not_a_number() : k * exp(x)', 'negative_infinity()', '0.8', 'nan'],
    ['k * log(abs(x))', '-1', '1', 'inf'],
    ['x > 0.4 && x < 0.45 ? positive_infinity() : k * x', '0', '1', 'inf'],
  ] as const;
  for (const [f, low, high, value] of singular) {
    it(`integrate_1d_gauss_kronrod rejects ${f} from ${low} to ${high}, with and without derivatives`, () => {
      const model = modelOfIntegral(f, low, high, 'integrate_1d_gauss_kronrod');
      const message = new RegExp(`error estimate of integral ${value} exceeds`);
      assert.throws(() => model.logDensity(new Float64Array([1]), FORM), message);
      assert.throws(() => model.logDensityGradient(new Float64Array([1]), new Float64Array(1), FORM), message);
      const data = modelOfIntegral(f.replace('k', '1'), low, high, 'integrate_1d_gauss_kronrod', '1.0');
      assert.throws(() => data.logDensity(new Float64Array([1]), FORM), message);
    });
  }

  it('accepts NaN within rounding of an end', () => {
    const model = modelOfIntegral('x < 1e-17 ? not_a_number() : k * x', '0', '1');
    assert.ok(Math.abs(model.logDensity(new Float64Array([3]), FORM) - 1.5) < 1e-8);
  });
});

const FORM = { propto: false, jacobian: true };

/** A model whose log density is the integral; `k` is its parameter, or \`value\`, which is passed to the integrand. */
function modelOfIntegral(f: string, low: string, high: string, name = 'integrate_1d', value = 'k'): Model {
  const isOld = name === 'integrate_1d';
  const parameters = isOld ? 'array[] real theta, data array[] real x_r, data array[] int x_i' : 'real k';
  const passed = isOld ? `{${value}}, rep_array(0.0, 0), rep_array(0, 0)` : value;
  return buildModel(
    compileProgram(`
      functions {
        real f(real x, real xc, ${parameters}) {
          ${isOld ? 'real k = theta[1];' : ''}
          return ${f};
        }
      }
      parameters { real k; }
      model {
        target += ${name}(f, ${low}, ${high}, ${passed});
      }`),
    '{}',
  );
}

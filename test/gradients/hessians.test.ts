import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkHessianOf } from './agreement.js';

const FORM = { propto: false, jacobian: true };

function modelOf(program: string, data = '{}'): Model {
  const compiled = compileProgram(program, { secondDerivatives: true });
  assert.deepEqual(compiled.artifact.hessian, { kind: 'exact' });
  return buildModel(compiled, data);
}

function hessianOf(model: Model, position: readonly number[], form = FORM): number[] {
  const hessian = new Float64Array(position.length ** 2);
  assert.ok(model.hessian(Float64Array.from(position), hessian, form));
  return [...hessian];
}

function near(found: readonly number[], expected: readonly number[], tolerance: number): void {
  assert.equal(found.length, expected.length);
  for (const [k, value] of expected.entries()) {
    const allowed = tolerance * Math.max(1, Math.abs(value));
    assert.ok(Math.abs(found[k] - value) <= allowed, `element ${k}: ${found[k]}, expected ${value}`);
  }
}

describe('second derivatives', () => {
  it('of a normal density are minus its precision matrix, 1e-14', () => {
    const precision = '[[2, 0.3, -0.4], [0.3, 1.5, 0.2], [-0.4, 0.2, 1.2]]';
    const model = modelOf(`parameters { vector[3] x; } model { x ~ multi_normal_prec([1, 2, 3]', ${precision}); }`);
    near(hessianOf(model, [0.3, -1, 4]), [-2, -0.3, 0.4, -0.3, -1.5, -0.2, 0.4, -0.2, -1.2], 1e-14);
  });

  it('of a Poisson regression are its weighted squares, 1e-13', () => {
    const model = modelOf(
      `data { int N; vector[N] x; array[N] int y; } parameters { real a; real b; }
       model { y ~ poisson_log(a + b * x); }`,
      '{"N": 3, "x": [-1, 0.5, 2], "y": [0, 1, 4]}',
    );
    const [a, b] = [0.2, 0.7];
    const sums = [0, 0, 0];
    for (const x of [-1, 0.5, 2]) for (const k of [0, 1, 2]) sums[k] -= Math.exp(a + b * x) * x ** k;
    near(hessianOf(model, [a, b]), [sums[0], sums[1], sums[1], sums[2]], 1e-13);
  });

  it('of a constrained parameter include the Jacobian of its transform if the density does, 1e-13', () => {
    const model = modelOf('parameters { real<lower=0, upper=1> p; } model { p ~ beta(3, 5); }');
    const p = 1 / (1 + Math.exp(-0.4));
    near(hessianOf(model, [0.4]), [-8 * p * (1 - p)], 1e-13);
    near(hessianOf(model, [0.4], { propto: true, jacobian: false }), [-6 * p * (1 - p)], 1e-13);
  });

  it('of an implicit root are those of the implicit function theorem, 1e-10', () => {
    for (const solver of ['solve_newton_tol', 'solve_powell_tol']) {
      const model = modelOf(`functions { vector f(vector x, real p, real q) { return [square(x[1]) * q - p]'; } }
        parameters { real p; real q; }
        model { target += ${solver}(f, [1.0]', 1e-12, 1e-12, 100, p, q)[1]; }`);
      const [p, q] = [2, 0.7];
      const root = Math.sqrt(p / q);
      const mixed = -root / (4 * p * q);
      near(hessianOf(model, [p, q]), [-root / (4 * p * p), mixed, mixed, (3 * root) / (4 * q * q)], 1e-10);
    }
  });

  it('of solutions of differential equations and integrals are correct, also by times and limits, to 1e-7', () => {
    // y0 exp(-k (t - t0)) and (1 - exp(-k b)) / k - (1 - exp(-k a)) / k
    const decay = 'vector decay(real t, vector y, real k) { return -k * y; }';
    const known = modelOf('parameters { real k; real t0; real t; } model { target += exp(-k * (t - t0)); }');
    for (const solver of ['ode_rk45_tol', 'ode_ckrk_tol', 'ode_adams_tol', 'ode_bdf_tol']) {
      const model = modelOf(`functions { ${decay} } parameters { real k; real t0; real t; }
        model { target += ${solver}(decay, [1.0]', t0, {t}, 1e-12, 1e-12, 1000000, k)[1, 1]; }`);
      near(hessianOf(model, [0.8, -0.2, 0.9]), hessianOf(known, [0.8, -0.2, 0.9]), 1e-7);
    }
    const integral = modelOf(`functions {
        real f(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) { return exp(-theta[1] * x); } }
      parameters { real k; real a; real b; }
      model { target += integrate_1d(f, a, b, {k}, {0.0}, {0}, 1e-12); }`);
    const closed = modelOf(
      'parameters { real k; real a; real b; } model { target += (exp(-k * a) - exp(-k * b)) / k; }',
    );
    near(hessianOf(integral, [0.8, -0.2, 0.9]), hessianOf(closed, [0.8, -0.2, 0.9]), 1e-7);
  });

  it('are accurate if first derivatives are written so that nothing overflows', () => {
    const terms = ['cauchy_lpdf(x | y, 1)', 'student_t_lpdf(x | exp(y), 0, 1)', 'pow(x, n) + x ^ (n + 1) * y'];
    for (const term of terms) {
      const model = modelOf(`data { int n; } parameters { real x; real y; } model { target += ${term}; }`, '{"n": 2}');
      for (const position of [
        [0, 0],
        [0.5, 0.5],
        [0, 1],
      ]) {
        assert.equal(checkHessianOf(model, Float64Array.from(position)), 4);
      }
    }
  });

  it('are accurate at 0 for even functions that are written in the absolute value', () => {
    const model = modelOf(`parameters { cholesky_factor_corr[3] L; corr_matrix[3] R; complex z; }
      model { L ~ lkj_corr_cholesky(2); R ~ lkj_corr(3); target += get_imag(tanh(z + 0.5i)) + R[1, 2]; }`);
    assert.ok(checkHessianOf(model, new Float64Array(8)) > 50);
  });

  it('are not computed if the program rejects, and print nothing', () => {
    const printed: string[] = [];
    const program = `parameters { real x; } model { print("x = ", x); if (x > 1) reject("too large"); x ~ normal(0, 2); }`;
    const model = buildModel(compileProgram(program, { secondDerivatives: true }), '{}', 1, (text) =>
      printed.push(text),
    );
    near(hessianOf(model, [0.5]), [-0.25], 1e-15);
    assert.throws(() => hessianOf(model, [2]), /too large/);
    assert.deepEqual(printed, []);
    model.logDensityGradient(Float64Array.of(0.5), new Float64Array(1), FORM);
    assert.deepEqual(printed, ['x = 0.5\n']);
  });

  it('need more memory than first derivatives, which grows', () => {
    const program = `parameters { vector[10] x; } model { matrix[10, 10] m = x * x'; for (i in 1:800) m = 0.5 * m + sin(m); target += sum(m); }`;
    const model = modelOf(program);
    assert.ok(checkHessianOf(model, new Float64Array(10).fill(0.2), 1e-5) > 0);
  });

  it('are differences if a function has no second derivatives, and the module contains the reason', () => {
    const reasons: readonly (readonly [string, RegExp])[] = [
      ['beta_lcdf(0.3 | exp(x), 2)', /^the function log_inc_beta has none$/],
      ['qr_R([[x, 1], [2, 3]])[1, 1]', /^the kernel qr has none$/],
    ];
    for (const [term, reason] of reasons) {
      const compiled = compileProgram(`parameters { real x; } model { target += ${term}; }`, {
        secondDerivatives: true,
      });
      const { hessian } = compiled.artifact;
      assert.ok(hessian?.kind === 'differences', term);
      assert.match(hessian.reason, reason);
      assert.equal(buildModel(compiled, '{}').hessian(Float64Array.of(0), new Float64Array(1), FORM), false);
    }
  });

  it('are omitted unless requested, and do not change values', () => {
    const program = 'parameters { vector[3] x; } model { target += -sum(x^4) + sin(x[1] * x[2]); }';
    const [plain, twice] = [compileProgram(program), compileProgram(program, { secondDerivatives: true })];
    assert.equal(plain.artifact.hessian, undefined);
    assert.ok(plain.wasm.length < twice.wasm.length);
    const at = Float64Array.of(0.3, -1.2, 0.8);
    const [one, two] = [plain, twice].map((compiled) => {
      const gradient = new Float64Array(3);
      const model = buildModel(compiled, '{}');
      return [model.logDensityGradient(at, gradient, FORM), ...gradient];
    });
    assert.deepEqual(one, two);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';

const FORM = { propto: false, jacobian: true };

/** A model whose log density is the sum of the states at the times; `k` is its parameter. */
function modelOf(functions: string, call: string): Model {
  const text = `functions { ${functions} } parameters { real k; } model { for (y in ${call}) target += sum(y); }`;
  return buildModel(compileProgram(text), '{}');
}

function assertRefused(model: Model, at: number, message: RegExp): void {
  assert.throws(() => model.logDensity(new Float64Array([at]), FORM), message);
  assert.throws(() => model.logDensityGradient(new Float64Array([at]), new Float64Array(1), FORM), message);
}

const HODGKIN_HUXLEY = `vector slope(real t, vector y, real k) {
  real v = y[1];
  return [10 - 120 * k * y[3]^3 * y[4] * (v - 50) - 36 * y[2]^4 * (v + 77) - 0.3 * (v + 54.387),
    0.01 * (v + 55) / (1 - exp(-(v + 55) / 10)) * (1 - y[2]) - 0.125 * exp(-(v + 65) / 80) * y[2],
    0.1 * (v + 40) / (1 - exp(-(v + 40) / 10)) * (1 - y[3]) - 4 * exp(-(v + 65) / 18) * y[3],
    0.07 * exp(-(v + 65) / 20) * (1 - y[4]) - 1 / (1 + exp(-(v + 35) / 10)) * y[4]]'; }`;

const STEPS = /in less than max_num_steps steps/;
const CVODE_STEPS = /CVode\(cvodes_mem, .*\) failed with error flag -1: /;
const ADJOINT_STEPS = /CVodeF\(solver_->cvodes_mem_, .*\) failed with error flag -1: /;

type Call = (states: string, times: string, tolerance: number) => string;

const callOf =
  (method: string): Call =>
  (states, times, tolerance) =>
    `ode_${method}_tol(slope, ${states}, 0, ${times}, ${tolerance}, ${tolerance}, 100000, k)`;

/** Method 1 is Adams, method 2 is BDF. */
const adjointCallOf =
  (method: number): Call =>
  (states, times, tolerance) => {
    const tolerances = `rep_vector(${tolerance}, ${states.split(',').length})`;
    return `ode_adjoint_tol_ctl(slope, ${states}, 0, ${times}, ${tolerance}, ${tolerances}, ${tolerance}, ${tolerances},
      ${tolerance}, ${tolerance}, 100000, 150, 1, ${method}, ${method}, k)`;
  };

const SOLVERS: readonly (readonly [name: string, call: Call, message: RegExp])[] = [
  ['ode_rk45', callOf('rk45'), STEPS],
  ['ode_ckrk', callOf('ckrk'), STEPS],
  ['ode_adams', callOf('adams'), CVODE_STEPS],
  ['ode_bdf', callOf('bdf'), CVODE_STEPS],
  ['ode_adjoint_tol_ctl by Adams', adjointCallOf(1), ADJOINT_STEPS],
  ['ode_adjoint_tol_ctl by backward differences', adjointCallOf(2), ADJOINT_STEPS],
];

describe('failed steps of differential equations', () => {
  for (const [name, call] of SOLVERS) {
    it(`are retried by ${name} if a stage overflows`, () => {
      const model = modelOf(HODGKIN_HUXLEY, call("[-65, 0.3177, 0.0529, 0.5961]'", '{2, 20}', 1e-5));
      const gradient = new Float64Array(1);
      const at = new Float64Array([1]);
      // Real Stan at tolerances of 1e-13 (ode_rk45_tol).
      for (const value of [model.logDensity(at, FORM), model.logDensityGradient(at, gradient, FORM)]) {
        assert.ok(Math.abs(value - -43.9145787044) < 0.03, `${value}`);
      }
      assert.ok(Math.abs(gradient[0] - 228.602276891) < 0.5, `${gradient[0]}`);
    });
  }

  for (const [name, call, message] of SOLVERS) {
    it(`stop ${name} with Stan's message if the solution diverges or becomes NaN`, () => {
      const solved = (slope: string) =>
        modelOf(`vector slope(real t, vector y, real k) { return ${slope}; }`, call("[1, 1]'", '{0.4, 1.4}', 1e-6));
      assertRefused(solved('k * square(y)'), 1, message);
      assertRefused(solved("[sqrt(0.5 - t), -k * y[2]]'"), 1, message);
    });
  }

  it('are retried by ode_adams in stiff phases', () => {
    const functions = `vector slope(real t, vector y, real k) {
      return [3 * (y[1] - y[1]^3 / 3 + y[2]), -(y[1] - 0.2 * k + 0.2 * y[2]) / 3]'; }`;
    for (const tolerance of [1e-5, 1e-6, 1e-8]) {
      const model = modelOf(
        functions,
        `ode_adams_tol(slope, [-1, 1]', 0, {10, 20}, ${tolerance}, ${tolerance}, 100000, k)`,
      );
      const gradient = new Float64Array(1);
      const value = model.logDensityGradient(new Float64Array([1]), gradient, FORM);
      // Real Stan at tolerances of 1e-13 (ode_rk45_tol).
      assert.ok(Math.abs(value - 4.8480468879) < 30 * tolerance, `${value}`);
      assert.ok(Math.abs(gradient[0] - 0.1392116774) < 1000 * tolerance, `${gradient[0]}`);
    }
  });
});

describe('systems of equations', () => {
  const solved = (solver: string, system: string, guess: number, settings = '') => {
    const text = `functions { vector f(vector x, real p) { return ${system}; } } parameters { real p; }
      model { target += ${solver}(f, [${guess}]', ${settings} p)[1]; }`;
    return buildModel(compileProgram(text), '{}');
  };

  it('are abandoned by solve_powell after 200 evaluations, unless the call permits more', () => {
    const slow = '(x - p) .^ 15';
    assertRefused(solved('solve_powell', slow, 1), -2, /maximum number of iterations \(200\) was exceeded/);
    const allowed = solved('solve_powell_tol', slow, 1, '1e-10, 1e-6, 1000,');
    const root = allowed.logDensity(new Float64Array([-2]), FORM);
    assert.ok(Math.abs(root + 2) < 1e-6, `${root}`);
  });

  for (const [solver, message] of [
    ['solve_powell', /the norm of the algebraic function is nan/],
    ['solve_newton', /algebra_solver failed with error flag -5/],
  ] as const) {
    it(`are rejected by ${solver} if they are NaN at the guess, but not if arguments are`, () => {
      const model = solved(solver, 'log(x) - p', -1);
      assertRefused(model, 0.5, message);
      assert.ok(Number.isNaN(model.logDensity(new Float64Array([Number.NaN]), FORM)));
    });

    it(`have the value of their root in ${solver} if their Jacobian is singular`, () => {
      const model = solved(solver, 'square(x) - p', 0);
      const gradient = new Float64Array(1);
      assert.equal(model.logDensity(new Float64Array([0]), FORM), 0);
      assert.equal(model.logDensityGradient(new Float64Array([0]), gradient, FORM), 0);
      assert.ok(!Number.isFinite(gradient[0]));
    });
  }
});

it('an embedded Laplace approximation is rejected if derivatives of the likelihood at the mode are NaN', () => {
  const text = `functions {
      real likelihood(vector theta, real p, real q) { return -p * q * sum(theta .* sqrt(theta)); }
      matrix covariance(real p, real q) { return [[p, 0.1], [0.1, q]]; } }
    parameters { real p; }
    model { target += laplace_marginal_tol(likelihood, (p, 1.0), 1, covariance, (p, 1.0), (rep_vector(0, 2), 1e-6, 10, 3, 10, 0)); }`;
  assertRefused(buildModel(compileProgram(text), '{}'), 1, /laplace_marginal_density/);
});

describe('integrals of functions that are not finite on a subinterval', () => {
  const integralOf = (name: string, integrand: string, low: string, high: string): Model => {
    const text = `functions {
        real f(real x, real xc, array[] real k, data array[] real r, data array[] int n) { return ${integrand}; }
        real g(real x, real xc, real p) { array[1] real k = {p}; return ${integrand}; }
      }
      parameters { real p; }
      model { target += ${name === 'integrate_1d' ? `integrate_1d(f, ${low}, ${high}, {p}, zeros_array(0), zeros_int_array(0))` : `${name}(g, ${low}, ${high}, p)`}; }`;
    return buildModel(compileProgram(text), '{}');
  };
  for (const name of ['integrate_1d', 'integrate_1d_double_exponential', 'integrate_1d_gauss_kronrod']) {
    it(`are rejected by ${name}, as by real Stan`, () => {
      for (const integrand of [
        'x > k[1] ? not_a_number() : exp(-x)',
        'x < k[1] ? not_a_number() : exp(-x)',
        'x > k[1] && x < k[1] + 0.2 ? not_a_number() : exp(-x)',
        'sqrt(k[1] - x)',
        'x > k[1] ? positive_infinity() : exp(-x)',
        'not_a_number()',
      ]) {
        for (const [low, high] of [
          ['0', '1'],
          ['0', 'positive_infinity()'],
        ]) {
          for (const at of [0.5, 0.9]) assertRefused(integralOf(name, integrand, low, high), at, /integrate/);
        }
      }
    });
  }

  it('have a value if only the rounding of x makes the integrand infinite', () => {
    // The integral of 1/sqrt(1 - x) from 0 to 1; 1 - x is rounded near 1.
    const model = integralOf('integrate_1d', 'k[1] / sqrt(1 - x)', '0', '1');
    assert.ok(Math.abs(model.logDensity(new Float64Array([3]), FORM) - 6) < 1e-6);
  });
});

describe('the message of a failure in a solver that is called twice', () => {
  const solve = (steps: number): string =>
    `target += sum(ode_rk45_tol(slope, [1.0]', 0, {1.0}, 1e-9, 1e-9, ${steps}, k)[1]);`;
  const messagesOf = (first: string, slope: string): string[] => {
    const text = `functions { vector slope(real t, vector y, real k) { ${slope} return -k * y; } }
      parameters { real k; } model {
      ${first}
      ${solve(1)}
      }`;
    const model = buildModel(compileProgram(text), '{}');
    const position = new Float64Array([1.5]);
    const evaluations = [
      () => model.logDensity(position, FORM),
      () => model.logDensityGradient(position, new Float64Array(1), FORM),
    ];
    return evaluations.map((evaluate) => {
      try {
        evaluate();
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
      return 'no failure';
    });
  };

  it('has the location of its call', () => {
    const [message] = messagesOf(solve(100_000), '');
    assert.match(message, /^Exception: ode_rk45_tol: {2}Failed .* \(in 'string', line 4, column 6 to column \d+\)$/);
  });

  it('is that of a single call', () => {
    assert.deepEqual(messagesOf(solve(100_000), ''), messagesOf('', ''));
    const refuses = 'if (t > 0 && k > 1) reject("late");';
    const [message] = messagesOf('target += 0;', refuses);
    assert.deepEqual(messagesOf(solve(1), refuses)[0].replace('line 3', 'line 4'), message);
  });
});

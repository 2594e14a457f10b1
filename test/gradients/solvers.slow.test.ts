import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkGradient, checkSame } from './agreement.js';

const DECAY = 'vector decay(real t, vector y, real k) { return -k * y; }';

/** Solvers with implicit steps and equations: calls that pass `p` and the further arguments `REST` to the function `NAME`. */
const IMPLICIT = [
  ['solve_newton', "sum(solve_newton(equation_NAME, [0.5, 0.2]', p REST))"],
  ['solve_powell', "sum(solve_powell(equation_NAME, [0.5, 0.2]', p REST))"],
  ['ode_bdf', "sum(ode_bdf_tol(slope_NAME, [p, 0.3]', 0, {0.5}, 1e-9, 1e-9, 10000, p REST)[1])"],
  [
    'dae',
    "sum(dae_tol(residual_NAME, [p, 0.3]', slope_NAME(0, [p, 0.3]', p REST), 0, {0.5}, 1e-9, 1e-9, 10000, p REST)[1])",
  ],
] as const;

/** A function with the given name, which is passed to solvers and calls `inner`. */
function handedOver(name: string, parameters: string, inner: (x: string) => string, rest: string): string {
  return `
    vector equation_${name}(vector x, real p ${parameters}) {
      return [x[1] + 0.1 * x[1]^3 - p - 0.1 * ${inner('x[2]')}, x[2] - 0.3 * x[1] + 0.05 * p]'; }
    vector slope_${name}(real t, vector y, real p ${parameters}) {
      return [-0.5 * y[1] + 0.1 * ${inner('0.5 * y[2] + 0.1 * p')}, 0.1 * y[1] - p * y[2]]'; }
    vector residual_${name}(real t, vector y, vector yp, real p ${parameters}) {
      return yp - slope_${name}(t, y, p ${rest}); }`;
}

function program(functions: string, parameters: string, model: string): string {
  return `functions { ${functions} } parameters { ${parameters} } model { ${model} }`;
}

describe('gradients of solvers', () => {
  it('agree with differences for a solver in a loop, a condition and a user function', () => {
    const solve = `${DECAY} real last(int n, real k, vector y0) {
      array[n] real ts; for (i in 1:n) ts[i] = 0.5 * i;
      if (n > 2) return ode_rk45_tol(decay, y0, 0, ts, 1e-10, 1e-10, 10000, k)[n, 1];
      return ode_ckrk_tol(decay, 2 * y0, 0, ts, 1e-10, 1e-10, 10000, k)[n, 2]; }`;
    checkGradient(
      program(solve, 'real k; vector[2] y0;', 'for (n in 1:4) target += last(n, exp(k), y0) * sin(n + k);'),
    );
  });

  it('agree with differences for a solver in the right-hand side of another', () => {
    const nested = `${DECAY} vector outer(real t, vector y, real a, real b) {
      return [-a * y[1] * ode_rk45_tol(decay, y, 0, {0.5}, 1e-9, 1e-9, 10000, b)[1, 2], y[1] - 0.5 * y[2]]'; }`;
    const model =
      'array[2] vector[2] s = ode_rk45_tol(outer, y0, 0, {0.7, 1.1}, 1e-9, 1e-9, 10000, a, b); target += sum(s[1]) * s[2, 1];';
    checkGradient(program(nested, 'real a; real b; vector[2] y0;', model));
  });

  it('agree with differences if tuples, arrays and matrices are passed and a recursive function is called', () => {
    const functions = `real power(real x, int n) { if (n == 0) return 1; return x * power(x, n - 1); }
      vector slope(real t, vector y, tuple(real, vector) p, array[] vector v, matrix m) {
        return m * y * p.1 + p.2 .* v[2] * power(sin(t), 3); }`;
    const model = `array[2] vector[2] v = {y0, 2 * y0};
      array[2] vector[2] s = ode_rk45_tol(slope, y0, 0.1, {0.7, 1.1}, 1e-10, 1e-10, 10000, (a, y0 + 1), v, m);
      target += sum(s[1]) * s[2, 1];`;
    checkGradient(program(functions, 'real a; matrix[2, 2] m; vector[2] y0;', model));
  });

  it('agree with the known solution', () => {
    const solved = 'vector[2] y = ode_rk45_tol(decay, y0, t0, {t0 + exp(t)}, 1e-12, 1e-12, 100000, k)[1];';
    const known = 'vector[2] y = y0 * exp(-k * exp(t));';
    const models = [solved, known].map((text) =>
      program(DECAY, 'real k; real t0; real t; vector[2] y0;', `${text} target += y[1] * y[2] - y[2];`),
    );
    const [one, two] = models.map((text) => buildModel(compileProgram(text), '{}'));
    checkSame(one, two);
  });

  it('agree with differences for the root of a system of equations, also in a right-hand side', () => {
    const system = `vector system(vector x, vector a) { return [x[1]^3 + x[2] - a[1], x[2] * exp(x[1]) - a[2]]'; }
      vector slope(real t, vector y, vector a) { return -0.1 * solve_powell_tol(system, [1, 1]', 1e-10, 1e-10, 1000, a + y); }`;
    const model = `vector[2] a = exp(b); vector[2] x = solve_newton_tol(system, [1, 1]', 1e-10, 1e-10, 1000, a);
      vector[2] y = ode_rk45_tol(slope, a, 0, {1.5}, 1e-9, 1e-9, 1000, a)[1];
      target += x[1] * square(x[2]) + dot_product(x, y);`;
    checkGradient(program(system, 'vector[2] b;', model));
  });

  it('agree with differences if the system uses matrices, loops and conditions', () => {
    const system = `vector system(vector x, matrix m, real a) { vector[3] y = m * x; for (i in 1:3) { real s = 0;
      for (j in 1:i) s += x[j]^2; if (s > 0.5) y[i] += a * tanh(s); else y[i] += 2 * a * tanh(0.5) * s; } return y - sin(a); }`;
    const model = `matrix[3, 3] m = diag_matrix(rep_vector(3, 3)) + 0.1 * n; 
      target += sum(square(solve_powell_tol(system, rep_vector(0.3, 3), 1e-12, 1e-10, 1000, m, a)));`;
    checkGradient(program(system, 'matrix[3, 3] n; real a;', model));
  });

  it('agree with differences for integrals over finite and infinite intervals, also of solutions', () => {
    const integrand = `real f(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {
        return exp(-theta[1] * square(x)) * (1 + x_r[1] * cos(theta[2] * x)); }
      ${DECAY}
      real g(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {
        if (x <= 1e-6) return theta[2];
        return ode_rk45_tol(decay, [theta[2]]', 0, {x}, 1e-10, 1e-10, 10000, theta[1])[1, 1]; }`;
    const model = `array[2] real theta = {exp(a), b};
      target += integrate_1d(f, -exp(b), 1 + a, theta, {0.3}, {1}, 1e-10) + a * integrate_1d(f, b, positive_infinity(), theta, {0.3}, {1}, 1e-10)
        + integrate_1d(f, negative_infinity(), positive_infinity(), theta, {0.3}, {1}, 1e-10) + integrate_1d(g, 0, 1 + exp(a), theta, {0.3}, {1}, 1e-8);`;
    checkGradient(program(integrand, 'real a; real b;', model));
  });

  it('are accurate for an integral whose derivative varies far more than its value', () => {
    const integrand = `real f(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {
        return 1 + 1e-7 * theta[1] * sin(60 * x); }`;
    const forms = ['integrate_1d(f, 0, 1, {a}, {0.0}, {0}, 1e-6)', '1 + 1e-7 * a * (1 - cos(60)) / 60'];
    const [one, two] = forms.map((integral) =>
      buildModel(compileProgram(program(integrand, 'real a;', `target += 1e7 * (${integral} - 1);`)), '{}'),
    );
    checkSame(one, two);
  });

  it('of an integral are 0 at nodes where the integrand is 0', () => {
    const integrand = `real f(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {
        if (x < theta[1]) return sqrt(0 * theta[1]);
        return exp(-square(x) * theta[2]); }`;
    const forms = [
      'integrate_1d(f, negative_infinity(), positive_infinity(), {-50, a}, {0.0}, {0}, 1e-9)',
      'sqrt(pi() / a)',
    ];
    const [one, two] = forms.map((integral) =>
      buildModel(compileProgram(program(integrand, 'real<lower=0> a;', `target += ${integral};`)), '{}'),
    );
    checkSame(one, two);
  });

  it('of an integral keep its value if the integrand is infinite at a limit that is a parameter', () => {
    const integrand = `real f(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {
        return theta[1] / sqrt(x - 1); }`;
    const model = buildModel(
      compileProgram(program(integrand, 'real a;', 'target += integrate_1d(f, 1.5 + a, 2, {3.0}, {0.0}, {0}, 1e-6);')),
      '{}',
    );
    const form = { propto: false, jacobian: true };
    const [at, gradient] = [new Float64Array([-0.5]), new Float64Array(1)];
    assert.ok(Math.abs(model.logDensity(at, form) - 6) < 1e-6);
    assert.ok(Math.abs(model.logDensityGradient(at, gradient, form) - 6) < 1e-6);
    assert.equal(gradient[0], -Infinity);
  });

  it('are correct if functions are called instead of inlined', () => {
    const functions = `${DECAY} real f(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {
        return x * sum(ode_bdf_tol(decay, [theta[1], x]', 0, {0.5}, 1e-8, 1e-8, 10000, theta[2])[1]); }`;
    const integral = 'integrate_1d(f, 0, 1, {a, b}, {0.0}, {0}, 1e-6)';
    const forms = [`${integral} + ${integral} + ${integral}`, `3 * ${integral}`];
    const [one, two] = forms.map((sum) =>
      buildModel(compileProgram(program(functions, 'real a; real b;', `target += ${sum};`)), '{}'),
    );
    checkSame(one, two);
  });

  for (const [solver, call] of IMPLICIT) {
    it(`agree with differences if a function calls itself through ${solver}, and with those of its calls written out`, () => {
      const recursive = `real work(real p, int n);
        ${handedOver('n', ', int n', (x) => `work(${x}, n)`, ', n')}
        real work(real p, int n) {
          if (n == 0) return 0.2 * p;
          return ${call.replaceAll('NAME', 'n').replaceAll('REST', ', n - 1')}; }`;
      const written = [1, 2].map(
        (n) => `${handedOver(`${n}`, '', (x) => `work${n - 1}(${x})`, '')}
        real work${n}(real p) { return ${call.replaceAll('NAME', `${n}`).replaceAll('REST', '')}; }`,
      );
      const reached = program(recursive, 'real a;', 'target += work(0.3 + 0.1 * square(a), 2) + work(a, 1);');
      checkGradient(reached);
      const plain = program(
        `real work0(real p) { return 0.2 * p; } ${written.join('')}`,
        'real a;',
        'target += work2(0.3 + 0.1 * square(a)) + work1(a);',
      );
      const [one, two] = [reached, plain].map((text) => buildModel(compileProgram(text), '{}'));
      checkSame(one, two);
    });
  }

  describe('if a function that calls itself through a solver calls one without forward derivatives', () => {
    const through = (call: string) => {
      const functions = `real work(real p, int n);
        ${handedOver('n', ', int n', (x) => `work(${x}, n)`, ', n')}
        real work(real p, int n) {
          if (n == 0) return get_real(eigenvalues([[p, 0.1], [0.1, 0.3]])[1]);
          return ${call}; }`;
      return program(functions, 'real a;', 'target += work(0.5 + 0.1 * square(a), 2);');
    };

    it('are rejected for solvers that need them', () => {
      assert.throws(
        () => compileProgram(through("sum(solve_newton(equation_n, [0.5, 0.2]', p, n - 1))")),
        /A solver that requires derivatives of the kernel eigen_real, which are not available, is not supported yet/,
      );
    });

    it('agree with differences for explicit steps if two functions call each other', () => {
      const functions = `real even(real x, int n);
        real odd(real x, int n) {
          if (n == 0) return x;
          return 0.5 * even(x, n - 1) + get_real(eigenvalues([[x, 0.1], [0.1, 0.3]])[1]); }
        real even(real x, int n) { if (n == 0) return sin(x); return odd(0.3 * x, n - 1); }
        vector first(real t, vector y, real p) { return [-0.3 * odd(0.5 + y[1]^2, 2), p * y[1]]'; }
        vector second(real t, vector y, real p) { return [-0.3 * even(0.5 + y[1]^2, 2), p * y[1]]'; }`;
      const solved = ['first', 'second'].map(
        (slope) => `sum(ode_rk45_tol(${slope}, [a, 0.3]', 0, {0.5}, 1e-10, 1e-10, 10000, b)[1])`,
      );
      checkGradient(program(functions, 'real a; real b;', `target += ${solved.join(' + ')};`));
    });

    it('agree with differences for explicit steps, which need no forward derivatives', () => {
      checkGradient(through("sum(ode_rk45_tol(slope_n, [p, 0.3]', 0, {0.5}, 1e-10, 1e-10, 10000, p, n - 1)[1])"));
    });
  });

  it('agree with differences for the root of a system that solves a differential equation', () => {
    const functions = `${DECAY} vector miss(vector x, real k) { return ode_rk45_tol(decay, x, 0, {1}, 1e-11, 1e-11, 10000, k)[1] - [0.5, 2]'; }`;
    const model = "vector[2] x = solve_newton_tol(miss, [1, 1]', 1e-11, 1e-11, 100, exp(k)); target += x[1] * x[2];";
    checkGradient(program(functions, 'real k;', model));
  });

  it('agree with differences for a stiff equation, and with those of an explicit method for a nonstiff one', () => {
    const functions = `${DECAY} vector robertson(real t, vector y, vector k) {
      real a = -k[1] * y[1] + k[2] * y[2] * y[3]; real b = k[3] * square(y[2]); return [a, -a - b, b]'; }`;
    const stiff = `vector[3] k = exp(0.1 * p) .* [0.04, 1e4, 3e7]';
      array[2] vector[3] y = ode_bdf_tol(robertson, [1, 0, 0]', 0, {0.4, 40}, 1e-10, 1e-12, 100000, k);
      target += y[1, 1] + 1e4 * y[2, 2] + square(y[2, 3]);`;
    checkGradient(program(functions, 'vector[3] p;', stiff));
    const models = ['bdf', 'adams', 'rk45'].map((method) =>
      program(
        functions,
        'real k; real t; vector[2] y0;',
        `array[2] vector[2] y = ode_${method}_tol(decay, y0, t, {t + exp(k), t + 3}, 1e-11, 1e-11, 100000, k); target += y[1, 1] * y[2, 2] + y[1, 2];`,
      ),
    );
    const [bdf, adams, explicit] = models.map((text) => buildModel(compileProgram(text), '{}'));
    checkSame(bdf, explicit);
    checkSame(adams, explicit);
  });
});

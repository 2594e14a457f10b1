import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkGradient, checkSame } from './agreement.js';

const COVARIANCE = `matrix K(array[] vector x, real alpha, real rho) {
  return add_diag(gp_exp_quad_cov(x, alpha, rho), 0.1 + square(alpha)); }`;

const PLACES =
  "transformed data { array[4] vector[1] x = {[0.1]', [0.9]', [2.2]', [3.1]'}; array[4] int y = {1, 0, 3, 2}; }";

const CONTROLS = '(rep_vector(0, 4), 1e-14, 500, SOLVER, 100, 0)';

function program(functions: string, parameters: string, model: string): string {
  return `functions { ${functions} ${COVARIANCE} } ${PLACES} parameters { ${parameters} } model { ${model} }`;
}

function approximation(likelihood: string, handed: string, block: number, solver: number): string {
  const controls = CONTROLS.replace('SOLVER', `${solver}`);
  return `laplace_marginal_tol(${likelihood}, (${handed}), ${block}, K, (x, exp(a), exp(b)), ${controls})`;
}

describe('gradients of embedded Laplace approximations', () => {
  it('agree with differences for the likelihoods of the library', () => {
    const counts =
      'laplace_marginal_tol_poisson_log(linspaced_int_array(4, 1, 4), a * m, 1, K, (x, exp(a), exp(b)), CONTROLS)';
    const controls = CONTROLS.replace('SOLVER', '1');
    const model = `y ~ ${counts.replace('CONTROLS', controls)};
      target += laplace_marginal_tol_bernoulli_logit_lpmf({1, 0, 1, 1} | {1, 2, 2, 4}, m, 1, K, (x, exp(a), exp(b)), ${controls});
      target += laplace_marginal_tol_neg_binomial_2_log_lpmf({3, 0, 7, 1, 0} | {1, 2, 2, 4, 3}, exp(m), m, 1, K, (x, exp(a), exp(b)), ${controls});`;
    checkGradient(program('', 'real a; real b; vector[4] m;', model));
  });

  it('agree with differences if the search for the mode starts at parameters', () => {
    const likelihood = 'real ll(vector theta, array[] int y) { return poisson_log_lpmf(y | theta); }';
    for (const solver of [1, 2, 3]) {
      const model = `target += ${approximation('ll', 'y, ', 1, solver).replace('rep_vector(0, 4)', 'rep_vector(a, 4)')};`;
      checkGradient(program(likelihood, 'real a; real b;', model));
    }
  });

  it('agree with differences with each solver, for likelihoods whose curvature depends on the passed arguments', () => {
    const likelihood = `real ll(vector theta, array[] int y, real c, vector m) {
      return neg_binomial_2_log_lpmf(y | theta + m, exp(c)) + bernoulli_logit_lpmf({1, 0, 1, 1} | c * theta); }`;
    for (const solver of [1, 2, 3]) {
      const model = `target += ${approximation('ll', 'y, c, m', 1, solver)};`;
      checkGradient(program(likelihood, 'real a; real b; real c; vector[4] m;', model));
    }
  });

  it('agree with differences for Hessians in blocks, with loops, conditions and returns in the likelihood', () => {
    const likelihood = `real ll(vector theta, array[] int y, real c) {
      real s = 0;
      for (j in 1:2) { int i = 2 * j - 1; real eta = theta[i] + c * theta[i + 1];
        if (y[i] == 0) s -= exp(eta); else s += y[i] * eta - exp(eta); s += y[i + 1] * c - square(theta[i + 1]); }
      if (c > 10) return 0;
      return s; }`;
    for (const solver of [1, 2, 3]) {
      for (const block of [2, 4]) {
        const model = `target += ${approximation('ll', 'y, c', block, solver)};`;
        checkGradient(program(likelihood, 'real a; real b; real c;', model));
      }
    }
  });

  it('agree with differences if the likelihood has matrix products and overwrites values that it needs again', () => {
    const likelihood = `real ll(vector theta, array[] int y, matrix X, real c) {
      vector[4] eta = X * theta;
      real s = 0.3;
      for (i in 1:4) { s = s * 0.5 * tanh(theta[i]) + eta[i]; eta[i] = s; }
      return poisson_log_lpmf(y | eta + c) - 2 * dot_self(theta); }`;
    const model = `matrix[4, 4] X = add_diag(0.1 * n, 1); target += ${approximation('ll', 'y, X, c', 4, 3)};`;
    checkGradient(program(likelihood, 'real a; real b; real c; matrix[4, 4] n;', model));
  });

  it('agree with differences for likelihoods with gathers, mixtures, all types of densities and linear algebra', () => {
    const likelihoods = [
      'poisson_log_lpmf({1, 0, 3, 2, 1, 4} | (X * theta + c)[{1, 2, 2, 3, 4, 4}])',
      'log_sum_exp(poisson_log_lpmf(y | theta), c + poisson_log_lpmf(y | theta + c)) - dot_self(theta[{1, 1, 3}])',
      'student_t_lpdf([0.1, 0.4, 1, 2] | exp(c) + 2, theta, 0.9) - 3 * sum(square(head(theta, 2))) - dot_self(theta)',
      'gamma_lpdf([0.7, 1.4, 1, 2] | exp(theta), exp(c)) - sum(lgamma(1.5 + inv_logit(theta)))',
      "multi_normal_lpdf([0.7, 1.4, 1, 2] | theta, add_diag(0.1 * X * X', exp(c)))",
      "-0.5 * quad_form(inverse_spd(add_diag(X * X', 2 + c)), theta - c) + sum(mdivide_left(add_diag(X, 3), theta))",
      "ordered_logistic_lpmf({1, 3, 2, 2} | theta, [-1, 0.3 + square(c)]') + categorical_logit_lpmf({1, 2, 4} | c * theta)",
    ];
    for (const density of likelihoods) {
      const functions = `real ll(vector theta, array[] int y, matrix X, real c) { return ${density}; }`;
      const model = `matrix[4, 4] X = add_diag(0.1 * n, 1); target += ${approximation('ll', 'y, X, c', 4, 3)};`;
      checkGradient(program(functions, 'real a; real b; real c; matrix[4, 4] n;', model));
    }
  });

  it('agree with differences if only one of the functions depends on parameters, in a loop and in a user function', () => {
    const controls = CONTROLS.replace('SOLVER', '1');
    const functions = `real ll(vector theta, array[] int y, real c) { return poisson_log_lpmf(y | c + theta); }
      matrix scaled(matrix S, real alpha) { return alpha * S; }
      real both(array[] int y, matrix S, real a, real c) {
        return laplace_marginal_tol(ll, (y, 0.5), 1, scaled, (S, a), ${controls})
          + laplace_marginal_tol(ll, (y, c), 1, scaled, (S, 1.5), ${controls}); }`;
    const model = `matrix[4, 4] S = gp_matern32_cov({0.1, 0.9, 2.2, 3.1}, 1, 1);
      for (k in 1:3) target += both(y, S, exp(a) / k, b * k);`;
    checkGradient(program(functions, 'real a; real b;', model));
  });

  it('agree with differences if likelihood and covariance call recursive functions, or are recursive themselves', () => {
    const functions = `matrix grown(array[] vector x, real alpha, real rho) {
        int n = size(x);
        matrix[n, n] S = rep_matrix(square(alpha) + 0.1, n, n);
        if (n == 1) return S;
        S[1 : n - 1, 1 : n - 1] = grown(x[1 : n - 1], alpha, rho);
        for (i in 1 : n - 1) { S[i, n] = square(alpha) * exp(-squared_distance(x[i], x[n]) / rho); S[n, i] = S[i, n]; }
        return S; }
      real counted(vector theta, array[] int y, real c) {
        int n = size(theta);
        if (n == 1) return poisson_log_lpmf(y[1] | theta[1] + c);
        return counted(theta[1 : n - 1], y[1 : n - 1], c) + poisson_log_lpmf(y[n] | theta[n] * sin(c) + c); }
      real odd(real x, int n);
      real even(real x, int n) { return n == 0 ? 1 : x * odd(x, n - 1); }
      real odd(real x, int n) { return n == 1 ? exp(0.1 * x) : x / n * even(x, n - 1) + log1p_exp(x); }
      vector mixed(vector v, matrix m, int n) { if (n == 0) return v; return tanh(m * mixed(v, m, n - 1)); }
      real pairs(vector theta, array[] int y, real c) {
        vector[4] eta;
        for (i in {1, 3}) eta[i : i + 1] = mixed(theta[i : i + 1], [[1, c], [c, 2]], 3);
        return poisson_log_lpmf(y | eta + 0.1 * odd(c, 3)); }`;
    const model = `target += ${approximation('counted', 'y, c', 1, 1).replace('K', 'grown')}
        + ${approximation('pairs', 'y, c', 2, 3)};`;
    checkGradient(program(functions, 'real a; real b; real c;', model));
  });

  it('agree with differences inside a recursive function whose likelihood calls another one', () => {
    const functions = `real waves(real x, int n) { return n == 0 ? x : 0.8 * sin(waves(x, n - 1)) + 0.2 * x; }
      ${COVARIANCE.replace('K', 'L')}
      real ll(vector theta, array[] int y, real c) {
        real s = 0;
        for (i in 1:4) s += poisson_log_lpmf(y[i] | waves(theta[i], 2) + c);
        return s; }
      real sums(int n, array[] int y, array[] vector x, real a, real b, real c) {
        if (n == 0) return waves(c, 2);
        return ${approximation('ll', 'y, c + 0.1 * n', 1, 2).replace('K', 'L')} + 0.5 * sums(n - 1, y, x, a, b, c); }`;
    checkGradient(program(functions, 'real a; real b; real c;', 'target += sums(2, y, x, a, b, c) + waves(b, 3);'));
  });

  it('are rejected if the likelihood needs a derivative of higher order that is missing, also in called functions', () => {
    const direct = 'log(gamma_p(exp(x), 1.3))';
    for (const part of [`return ${direct};`, `if (n == 0) return ${direct}; return part(0.9 * x, n - 1);`]) {
      const functions = `real part(real x, int n) { ${part} }
        real ll(vector theta, array[] int y, real c) { return c * part(theta[1], 1) + poisson_log_lpmf(y | theta); }`;
      const model = `target += ${approximation('ll', 'y, c', 1, 1)};`;
      assert.throws(
        () => compileProgram(program(functions, 'real a; real b; real c;', model)),
        /A likelihood with the function gamma_p, whose higher derivatives are required, is not supported yet/,
        part,
      );
    }
  });

  it('are those of the likelihood if it does not reject steps that are too long', () => {
    const careful = 'if (max(theta) > 5) reject("too far"); if (theta[1] < -20) reject("too low");';
    const models = [careful, ''].map((text) => {
      const likelihood = `real ll(vector theta, array[] int y, real c) {
        ${text} return poisson_log_lpmf({40, 0, 90, 30} | theta + c); }`;
      const model = `target += ${approximation('ll', 'y, c', 1, 1)};`;
      return buildModel(compileProgram(program(likelihood, 'real a; real b; real c;', model)), '{}');
    });
    checkSame(models[0], models[1]);
  });
});

describe('laplace_latent_solve', () => {
  const likelihood = 'real ll(vector theta, array[] int y) { return poisson_log_lpmf(y | theta); }';

  it('of data is a constant of the log density, from any initial guess', () => {
    const model = (guess: string): string => `
      tuple(vector[4], matrix[4, 4]) s =
        laplace_latent_solve_tol(ll, (y, ), 1, K, (x, 1.2, 0.7), (${guess}, 1e-14, 500, 1, 100, 0));
      target += a * sum(s.1) + square(a) * s.2[2, 1];`;
    checkGradient(program(likelihood, 'real a;', model('rep_vector(0, 4)')));
    const [constant, varying] = ['rep_vector(0, 4)', 'rep_vector(0.1 * a, 4)'].map((guess) =>
      buildModel(compileProgram(program(likelihood, 'real a;', model(guess))), '{}'),
    );
    checkSame(constant, varying);
  });

  it('has the options and messages of the approximation', () => {
    const call = (block: number, solver: number): string =>
      `target += a * laplace_latent_solve_tol(ll, (y, ), ${block}, K, (x, 1, 1), (rep_vector(0, 4), 1e-8, 100, ${solver}, 100, 0)).1[1];`;
    for (const [block, solver, words] of [
      [3, 1, /laplace_marginal_density: Hessian block size mismatch/],
      [1, 4, /laplace_marginal_density: solver must be 1, 2, or 3. Got: 4/],
    ] as const) {
      const model = buildModel(compileProgram(program(likelihood, 'real a;', call(block, solver))), '{}');
      assert.throws(() => model.logDensity(Float64Array.of(0.1), { propto: false, jacobian: true }), words);
    }
  });
});

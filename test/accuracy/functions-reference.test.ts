import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';

/*
 * Functions for which Stan's C++ contradicts the Functions Reference. Expected values follow the formulas of the reference and were
 * computed by mpmath with 40 digits.
 */

const FORM = { propto: false, jacobian: false };

function evaluate(program: string, position: readonly number[], data = '{}'): readonly number[] {
  const model = buildModel(compileProgram(program), data);
  const gradient = new Float64Array(model.dimension);
  const value = model.logDensityGradient(Float64Array.from(position), gradient, FORM);
  return [value, ...gradient];
}

function assertClose(found: readonly number[], expected: readonly number[]): void {
  for (const [k, value] of expected.entries()) {
    assert.ok(
      Object.is(found[k], value) || Math.abs(found[k] - value) <= 1e-12 * Math.max(1, Math.abs(value)),
      `${k}: ${found[k]}, not ${value}`,
    );
  }
}

const target = (value: string, declarations = 'real x;'): string =>
  `parameters { ${declarations} } model { target += ${value}; }`;

test('a complex row times a column does not conjugate', () => {
  const row = '[to_complex(x, 3), to_complex(2, -1)]';
  const column = "[to_complex(2, 1), to_complex(1, 1)]'";
  assertClose(evaluate(target(`get_real(${row} * ${column})`), [1]), [2, 2]);
  assertClose(evaluate(target(`get_imag(${row} * ${column})`), [1]), [8, 1]);
});

test('eigenvalues_sym of a Hermitian matrix', () => {
  const matrix = '[[to_complex(x, 0), to_complex(0, 1)], [to_complex(0, -1), to_complex(3, 0)]]';
  const largest = `get_real(eigenvalues_sym(${matrix})[2])`;
  assertClose(evaluate(target(largest), [2]), [(5 + Math.sqrt(5)) / 2, 0.5 - 0.5 / Math.sqrt(5)]);
});

test('scale_matrix_exp_multiply with a negative scale', () => {
  const action = (scale: string) => target(`scale_matrix_exp_multiply(${scale}, [[1, x], [0, 2]], [[1], [1]])[1, 1]`);
  // exp(-A) = [[e⁻¹, x (e⁻² - e⁻¹)], [0, e⁻²]]
  const slope = Math.exp(-2) - Math.exp(-1);
  assertClose(evaluate(action('-1'), [5]), [Math.exp(-1) + 5 * slope, slope]);
});

test('ordered outcomes with one location are all counted', () => {
  const call = (outcomes: string) => `ordered_probit_lpmf(${outcomes} | x, [-0.5, 1.2]')`;
  const each = [2, 3, 1].map((y) => evaluate(target(call(String(y))), [0.4]));
  const sums = [0, 1].map((k) => each.reduce((sum, values) => sum + values[k], 0));
  assertClose(evaluate(target(call('{2, 3, 1}')), [0.4]), sums);
});

test('poisson_log_glm counts the factorial of a single outcome for each instance', () => {
  const each = [0.3, -0.7].map((x) => evaluate(target(`poisson_log_lpmf(4 | ${x} * x)`), [0.6]));
  const found = evaluate(target("poisson_log_glm_lpmf(4 | [[0.3], [-0.7]], 0, [x]')"), [0.6]);
  assertClose(
    found,
    [0, 1].map((k) => each[0][k] + each[1][k]),
  );
});

test('lkj_cov takes the correlations of the matrix at shape 1', () => {
  const density = (eta: string) => target(`lkj_cov_lpdf([[4, x], [x, 9]] | [0.1, 0.2]', [1, 2]', ${eta})`);
  const expected = evaluate(target('lognormal_lpdf(2 | 0.1, 1) + lognormal_lpdf(3 | 0.2, 2) - log(2) + 0 * x'), [1.5]);
  assertClose(evaluate(density('1'), [1.5]), expected);
  assertClose(evaluate(density('1 + 0 * x'), [1.5]), expected);
});

test('pareto_type_2 has a support that begins at a negative location', () => {
  assertClose(evaluate(target('pareto_type_2_cdf(x | -3, 2, 1)'), [-1]), [0.5, 0.125]);
  assertClose(evaluate(target('pareto_type_2_lccdf(x | -3, 2, 1)'), [-1]), [-Math.log(2), -0.25]);
});

test('the derivative of trigamma is infinite at 0 and does not exist at negative integers', () => {
  assertClose(evaluate(target('trigamma(x)'), [0]), [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  assertClose(evaluate(target('trigamma(x)'), [-2]), [Number.POSITIVE_INFINITY, Number.NaN]);
});

test('all observations of an embedded Laplace approximation count', () => {
  const likelihoods = {
    poisson_log: 'poisson_log_lpmf(y[i] | theta[group[i]])',
    bernoulli_logit: 'bernoulli_logit_lpmf(y[i] | theta[group[i]])',
  };
  for (const [name, term] of Object.entries(likelihoods)) {
    const program = (density: string) => `functions {
  real likelihood(vector theta, array[] int y, array[] int group) {
    real sum = 0;
    for (i in 1 : size(y)) sum += ${term};
    return sum;
  }
  matrix K(real x, real y) { return [[exp(x), y], [y, 1]]; }
}
transformed data { array[5] int y = {1, 0, 1, 1, 0}; array[5] int group = {1, 2, 2, 1, 1}; }
parameters { real x; }
model { target += ${density}; }`;
    const own = program(`laplace_marginal_${name}_lpmf(y | group, rep_vector(0, 2), 1, K, (x, 0.3))`);
    const written = program('laplace_marginal(likelihood, (y, group), 1, K, (x, 0.3))');
    assertClose(evaluate(own, [0.2]), evaluate(written, [0.2]));
  }
});

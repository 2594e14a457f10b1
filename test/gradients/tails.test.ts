import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelsOf } from '../conformance/engine.js';

const FULL = { propto: false, jacobian: true };

function evaluate(statement: string, at: readonly number[]): { readonly value: number; readonly gradient: number[] } {
  const model = modelsOf(`parameters { vector[${at.length}] x; } model { ${statement} }`)({});
  const gradient = new Float64Array(at.length);
  const value = model.logDensityGradient(Float64Array.from(at), gradient, FULL);
  return { value, gradient: [...gradient] };
}

/** Densities that are truncated far in a tail, by their arguments. */
const TRUNCATED: readonly (readonly [statement: string, at: readonly number[]])[] = [
  ['x[1] ~ gamma(x[2], x[3]) T[800, ];', [801, 2, 1]],
  ['x[1] ~ gamma(x[2], x[3]) T[, 1e-200];', [1e-201, 2, 1]],
  ['x[1] ~ inv_gamma(x[2], x[3]) T[, 1e-3];', [9e-4, 2, 1]],
  ['x[1] ~ inv_gamma(x[2], x[3]) T[1e200, ];', [1e201, 2, 1]],
  ['x[1] ~ chi_square(x[2]) T[2000, ];', [2001, 3]],
  ['x[1] ~ inv_chi_square(x[2]) T[, 1e-4];', [9e-5, 3]],
  ['x[1] ~ beta(x[2], x[3]) T[0.99, ];', [0.995, 2, 400]],
  ['x[1] ~ beta(x[2], x[3]) T[, 1e-100];', [1e-101, 5, 2]],
  ['x[1] ~ beta_proportion(x[2], x[3]) T[0.99, ];', [0.995, 0.01, 400]],
  ['x[1] ~ exp_mod_normal(x[2], x[3], x[4]) T[30, ];', [31, 0, 1, 1.65]],
  ['x[1] ~ exp_mod_normal(x[2], x[3], x[4]) T[, -60];', [-61, 0, 1, 1.65]],
  ['x[1] ~ gumbel(x[2], x[3]) T[-800, ];', [-1, 0, 1]],
  ['x[1] ~ gumbel(x[2], x[3]) T[800, ];', [801, 0, 1]],
  ['x[1] ~ frechet(x[2], x[3]) T[1e-200, ];', [1, 2, 1]],
  ['x[1] ~ frechet(x[2], x[3]) T[1e200, ];', [1e201, 2, 1]],
  ['x[1] ~ exponential(x[2]) T[, 1e-200];', [1e-201, 1e-200]],
  ['x[1] ~ exponential(x[2]) T[1000, ];', [1001, 1]],
  ['x[1] ~ double_exponential(x[2], x[3]) T[800, ];', [801, 0, 1]],
  ['x[1] ~ cauchy(x[2], x[3]) T[1e80, ];', [1e81, 0, 1]],
  ['x[1] ~ cauchy(x[2], x[3]) T[, -1e80];', [-1e81, 0, 1]],
  ['x[1] ~ normal(x[2], x[3]) T[1e5, ];', [1.1e5, 0, 1]],
  ['x[1] ~ lognormal(x[2], x[3]) T[, 1e-200];', [1e-201, 0, 1]],
  ['x[1] ~ student_t(x[2], x[3], x[4]) T[10, ];', [11, 200, 0, 1]],
  ['x[1] ~ student_t(x[2], x[3], x[4]) T[, -1e120];', [-1e121, 3, 0, 1]],
  ['x[1] ~ skew_normal(x[2], x[3], x[4]) T[, -20];', [-21, 0, 1, 2]],
  ['x[1] ~ skew_normal(x[2], x[3], x[4]) T[30, ];', [31, 0, 1, 2]],
  ['x[1] ~ skew_normal(x[2], x[3], x[4]) T[-25, -20];', [-21, 0, 1, -2]],
  ['x[1] ~ skew_double_exponential(x[2], x[3], x[4]) T[800, ];', [801, 0, 1, 0.3]],
  ['x[1] ~ logistic(x[2], x[3]) T[, -800];', [-801, 0, 1]],
  ['x[1] ~ weibull(x[2], x[3]) T[, 1e-4];', [5e-5, 100, 1]],
  ['x[1] ~ rayleigh(x[2]) T[, 1e-200];', [1e-201, 1]],
  ['x[1] ~ pareto(x[2], x[3]) T[1e100, ];', [1e101, 1, 20]],
  ['x[1] ~ pareto_type_2(x[2], x[3], x[4]) T[1e100, ];', [1e101, 0, 1, 20]],
  ['x[1] ~ scaled_inv_chi_square(x[2], x[3]) T[, 1e-3];', [9e-4, 3, 1]],
  ['x[1] ~ von_mises(x[2], x[3]) T[, -2];', [-2.5, 1, 500]],
];

/** Values far out in both tails, computed with 50 digits. */
const LOGARITHMS: readonly (readonly [call: string, at: readonly number[], value: number])[] = [
  ['student_t_lcdf(x[1] | x[2], x[3], x[4])', [-10, 200, 0, 1], -43.57622152165777],
  ['student_t_lccdf(x[1] | x[2], x[3], x[4])', [10, 200, 0, 1], -43.57622152165777],
  ['skew_normal_lcdf(x[1] | x[2], x[3], x[4])', [-10, 0, 1, 2], -258.058936240795],
  ['skew_normal_lccdf(x[1] | x[2], x[3], x[4])', [10, 0, 1, -2], -258.058936240795],
];

describe('logarithms of probabilities in a tail', () => {
  for (const [call, at, expected] of LOGARITHMS) {
    it(`${call} at ${at[0]} is ${expected}`, () => {
      const { value, gradient } = evaluate(`target += ${call};`, at);
      assert.ok(Math.abs(value - expected) <= 1e-13 * Math.abs(expected), `${value}`);
      assert.ok(gradient.every((number) => Number.isFinite(number)));
    });
  }

  it('uniform_lcdf at the lower bound has infinite derivatives only with respect to the outcome and that bound', () => {
    const { value, gradient } = evaluate('target += uniform_lcdf(x[1] | x[2], x[3]);', [0, 0, 1]);
    const infinite = Number.POSITIVE_INFINITY;
    assert.deepEqual([value, ...gradient], [-infinite, infinite, -infinite, -1]);
  });
});

describe('densities truncated in a tail', () => {
  for (const [statement, at] of TRUNCATED) {
    it(`${statement} has a finite value and finite derivatives`, () => {
      const { value, gradient } = evaluate(statement, at);
      assert.ok(
        [value, ...gradient].every((number) => Number.isFinite(number)),
        `${value}; ${gradient.join(', ')}`,
      );
    });
  }
});

/** Densities between two bounds in the upper tail: outcome, bounds, parameters, and the value and its derivatives, computed with 50 digits. */
const BETWEEN: readonly (readonly [
  distribution: string,
  outcome: number,
  lower: number,
  upper: number,
  parameters: readonly number[],
  expected: readonly number[],
])[] = [
  ['normal', 41, 40, 45, [0.5, 1], [-36.3230594288871, 0.974715892592417, 78.0012777574005]],
  [
    'student_t',
    31,
    30,
    35,
    [2000.5, 0.1, 0.01],
    [-61.627426705706, -0.0323836924276291, -2.13149948848806, 2.80597057892787],
  ],
  ['cauchy', 15, 13, 20, [0.5, 1.5], [-1.79891380296013, 0.00654702925625851, -0.00112888650542979]],
  ['logistic', 801, 800, 802, [0.5, 1], [-0.854586542131141, 0.0, 0.313035285499331]],
  ['double_exponential', 801, 800, 802, [0.5, 1], [-0.854586542131141, 0.0, 0.313035285499331]],
  ['lognormal', 1.5e22, 1e22, 2e22, [0.2, 1.1], [-64.3071506727426, 0.315295018988759, 29.0477472222812]],
  ['gamma', 801, 800, 810, [2.5, 1], [-0.999954330399749, -9.8455024061139e-7, 0.00141127798456397]],
  ['exponential', 801, 800, 810, [1.1], [-1.00467311835541, -0.091076110706508]],
  ['weibull', 801, 800, 810, [1.1, 1], [-1.38259346158189, -8.70619401834695, 1.26113872133882]],
  ['poisson', 252, 250, 260, [1.5], [-10.2499456909505, 1.32932550966384]],
  ['neg_binomial_2', 3005, 3000, 3010, [1.5, 2], [-4.79460032898575, 1.61925788027018, -1.21302855021068]],
  ['beta', 0.995, 0.99, 0.999, [2, 400], [-265.964077705526, 0.00501260448017728, -0.690647117744691]],
  ['normal', 21, 20, 25, [0, 1], [-17.5017831621074, 0.950246931472149, 39.004938629443]],
  ['normal', 0.4, 0.2, 0.9, [0.3, 0.7], [0.446089679720239, -0.265087393840937, -0.239370232319178]],
];

function isNear(found: number, expected: number): boolean {
  return Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
}

describe('densities between two bounds in the upper tail', () => {
  for (const [distribution, outcome, lower, upper, at, expected] of BETWEEN) {
    const parameters = at.map((_, k) => `x[${k + 1}]`).join(', ');
    it(`${outcome} ~ ${distribution}(${at.join(', ')}) T[${lower}, ${upper}]`, () => {
      const { value, gradient } = evaluate(`${outcome} ~ ${distribution}(${parameters}) T[${lower}, ${upper}];`, at);
      for (const [i, found] of [value, ...gradient].entries()) assert.ok(isNear(found, expected[i]), `${i}: ${found}`);
    });
  }

  for (const distribution of ['normal', 'cauchy', 'double_exponential', 'logistic']) {
    it(`of which one is infinite equal those with one bound: ${distribution}`, () => {
      const density = (bounds: string) => evaluate(`1.5 ~ ${distribution}(x[1], x[2]) T[${bounds}];`, [0.3, 1.2]);
      for (const [one, two] of [
        ['1,', '1, positive_infinity()'],
        [', 2', 'negative_infinity(), 2'],
      ]) {
        const [expected, found] = [density(one), density(two)];
        assert.ok(isNear(found.value, expected.value));
        for (const [i, slope] of found.gradient.entries()) assert.ok(isNear(slope, expected.gradient[i]), `${slope}`);
      }
    });
  }

  it('are the same in a loop as outside it', () => {
    const looped = evaluate('for (n in 1:3) 40 + n ~ normal(x[1], x[2]) T[40, 45];', [0.5, 1]);
    const alone = [1, 2, 3].map((n) => evaluate(`${40 + n} ~ normal(x[1], x[2]) T[40, 45];`, [0.5, 1]).value);
    assert.ok(isNear(looped.value, alone[0] + alone[1] + alone[2]));
  });
});

describe('the complement of a distribution whose mass lies entirely above y', () => {
  for (const call of ['gumbel_lccdf(x[1] | x[2], x[3])', 'frechet_lccdf(x[1] | x[2], x[3])']) {
    it(`${call} is 0 with derivatives of 0`, () => {
      const y = call.startsWith('gumbel') ? -800 : 1e-250;
      const { value, gradient } = evaluate(`target += ${call};`, [y, call.startsWith('gumbel') ? 0 : 2, 1]);
      assert.deepEqual([value, ...gradient].map(Math.abs), [0, 0, 0, 0]);
    });
  }
});

describe('densities with power tails beyond 1e154 scales, where squares overflow', () => {
  /** The value at 1e200 and its derivative, computed with 50 digits. */
  const families = [
    { call: 'cauchy(0, 1e-5)', value: -933.6916925484379, derivative: -2e-200 },
    { call: 'student_t(3, 0, 1e-5)', value: -1875.4105150624346, derivative: -4e-200 },
  ];
  for (const { call, value, derivative } of families) {
    for (const statement of [`x ~ ${call};`, `for (n in 1:4) x[n] ~ ${call};`]) {
      it(`have finite values and derivatives: ${statement}`, () => {
        const found = evaluate(statement, [1e200, -1e200, 1e200, 1e200]);
        assert.ok(Math.abs(found.value / (4 * value) - 1) < 1e-14, `${found.value}`);
        for (const [n, slope] of found.gradient.entries()) {
          const expected = n === 1 ? -derivative : derivative;
          assert.ok(Math.abs(slope / expected - 1) < 1e-13, `${slope}`);
        }
      });
    }
  }
});

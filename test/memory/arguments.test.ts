import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { build, FORM, generated } from './models.js';

const POINTS = `data { array[2] vector[2] x; array[3] vector[3] y; array[2] real two; }
  parameters { real p; }`;
const DATA = {
  x: [
    [1, 2],
    [3, 4],
  ],
  y: [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ],
  two: [1, 1],
};

describe('covariances of points that differ in dimension', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['gp_exp_quad_cov(x, y, 1.0, 1.0)', 'squared_distance: size of v1 (2) and size of v2 (3) must match in size'],
    [
      'gp_exponential_cov(x, y, 1.0, 1.0)',
      "gp_exponential_cov: x1's row (2) and x2's other row (3) must match in size",
    ],
    ['gp_matern32_cov(x, y, 1.0, 1.0)', "gp_matern32_cov: x1's row (2) and x2's other row (3) must match in size"],
    ['gp_matern52_cov(x, y, 1.0, 1.0)', 'squared_distance: size of v1 (2) and size of v2 (3) must match in size'],
    ['gp_dot_prod_cov(x, y, 1.0)', 'dot_product: size of v1 (2) and size of v2 (3) must match in size'],
    ['gp_periodic_cov(x, y, 1.0, 1.0, 1.0)', 'distance: size of x1 (2) and size of x2 (3) must match in size'],
    ['gp_exp_quad_cov(x, y, 1.0, two)', 'gp_exp_quad_cov: x dimension (3) and number of length scales (2) must'],
    ['gp_exponential_cov(x, y, 1.0, two)', "gp_exponential_cov: x2's row (3) and number of length scales (2) must"],
    ['gp_matern32_cov(x, y, 1.0, two)', "gp_matern_32_cov: x2's row (3) and number of length scales (2) must"],
    ['gp_matern52_cov(x, y, 1.0, two)', 'gp_matern52_cov: x dimension (3) and number of length scales (2) must'],
  ];
  for (const [call, told] of refused) {
    it(`are rejected with Stan's message: ${call}`, () => {
      const model = build(`${POINTS} model { target += p * sum(${call}); }`, DATA);
      const gradient = (): number => model.logDensityGradient(new Float64Array(1), new Float64Array(1), FORM);
      assert.throws(gradient, (error: Error) => error.message.includes(told));
    });
  }
});

describe('multi_normal_cholesky_rng of a factor with fewer columns than rows', () => {
  it('draws as many normals as there are columns', () => {
    const program = `data { matrix[3, 2] L; }
      generated quantities { vector[3] x = multi_normal_cholesky_rng(rep_vector(0, 3), L); }`;
    const [a, b, c] = generated(
      build(program, {
        L: [
          [1, 0],
          [2, 1],
          [3, 4],
        ],
      }),
    );
    assert.ok(Math.abs(c - (3 * a + 4 * (b - 2 * a))) < 1e-12);
  });
});

describe('ordered_probit of no outcomes', () => {
  it('is the logarithm of 1', () => {
    const model = build(
      `data { array[0] int y; } parameters { real p; ordered[2] c; } model { target += ordered_probit_lpmf(y | p, c); }`,
      { y: [] },
    );
    const gradient = new Float64Array(3);
    assert.equal(model.logDensityGradient(new Float64Array(3), gradient, { propto: false, jacobian: false }), 0);
    assert.deepEqual([...gradient], [0, 0, 0]);
  });
});

/** Missing numbers of predictors as parameters. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingQuantities } from '../../src/derive/generated-quantities.js';
import type { Family } from '../../src/formula/families.js';
import { observedRows, outcomeIn } from '../../src/formula/fitted-values.js';
import { modelFromFormula } from '../../src/formula/model.js';
import { areTerms } from '../../src/formula/reading-terms.js';
import { FUNCTIONS } from '../../src/functions/table.js';
import { compile } from '../../src/node/library/index.js';
import { tableOf } from './tables.js';

const ROWS = [
  '1.2,4.5,2,a,yes',
  '0.4,3.5,3,b,no',
  '2.2,5.5,1,a,yes',
  '1.9,2.5,5,b,no',
  '3.1,6.5,4,a,yes',
  '2.6,1.5,2,b,no',
];
const HEADER = 'y,x,z,g,passed';
/** The third and the fifth value of x are missing, and the second of z. */
const INCOMPLETE = tableOf([
  HEADER,
  ...['1.2,4.5,2,a,yes', '0.4,3.5,,b,no', '2.2,,1,a,yes', '1.9,2.5,5,b,no', '3.1,,4,a,yes', '2.6,1.5,2,b,no'],
]);

function made(formula: string, family: Family = 'normal', table = INCOMPLETE) {
  const model = modelFromFormula({ formula, family, table, missing: 'parameters' });
  assert.ok('program' in model, JSON.stringify(model));
  return model;
}

describe('missing values as parameters', () => {
  it('have a program that can be read', () => {
    const { data, omitted, program } = made('y ~ x');
    assert.equal(omitted, 0);
    assert.equal(
      program,
      `// y ~ x
// Linear regression.
data {
  int<lower=0> N; // rows
  vector[N] y;
  vector[N] x; // 3 where it is missing
  int<lower=0> N_x_mis; // missing values of x
  array[N_x_mis] int<lower=1, upper=N> x_mis_rows; // their rows
}
transformed data {
  // Predictors without their means in the table from which this program was written. The means are
  // constants, so that the parameters have the same meaning with other rows.
  real mean_x = 3;
}
parameters {
  real alpha; // expected y at the means of the predictors
  real b_x; // change of expected y per unit of x
  real<lower=0> sigma; // standard deviation of the errors
  vector[N_x_mis] x_mis; // missing values of x
}
model {
  alpha ~ normal(1.9, 2.4); // mean(y), 2.5 sd(y)
  b_x ~ normal(0, 1.9); // 2.5 sd(y) / sd(x)
  sigma ~ exponential(1); // mean: sd(y)
  x_mis ~ normal(3, 1.3); // mean and standard deviation of the other values
  vector[N] x_full = x;
  x_full[x_mis_rows] = x_mis;
  vector[N] x_c = x_full - mean_x;
  vector[N] mu = alpha + b_x * x_c;
  y ~ normal(mu, sigma);
}
generated quantities {
  real intercept = alpha - b_x * mean_x; // alpha where all predictors are 0
}
`,
    );
    assert.deepEqual(JSON.parse(data), {
      N: 6,
      y: [1.2, 0.4, 2.2, 1.9, 3.1, 2.6],
      x: [4.5, 3.5, 3, 2.5, 3, 1.5],
      N_x_mis: 2,
      x_mis_rows: [3, 5],
    });
  });

  for (const [formula, family] of [
    ['y ~ x*z + (1 + x | g)', 'normal'],
    ['passed ~ x + z', 'bernoulli'],
    ['y ~ 0 + x', 'student'],
  ] as const)
    it(`have the density of the same program with these values as data: ${formula}`, async () => {
      const { data, program } = made(formula, family);
      const [imputed, complete] = await Promise.all([compile(program), compile(program)]);
      const filled: Record<string, unknown> = JSON.parse(data);
      const withTrue = {
        ...filled,
        x: [4.5, 3.5, 5.5, 2.5, 6.5, 1.5],
        N_x_mis: 0,
        x_mis_rows: [],
        ...('z' in filled && { z: [2, 3, 1, 5, 4, 2], N_z_mis: 0, z_mis_rows: [] }),
      };
      const [on, reference] = await Promise.all([imputed.on(data), complete.on(JSON.stringify(withTrue))]);
      // The missing values are the last parameters, in the order of the predictors.
      const missing = 'z' in filled ? [5.5, 6.5, 3] : [5.5, 6.5];
      const point = Array.from({ length: reference.dimension }, (_, place) => ((place * 7) % 5) / 4 - 0.5);
      const names = on.names({});
      assert.equal(on.dimension, reference.dimension + missing.length);
      assert.deepEqual(
        names.slice(-missing.length).map((name) => name.replace(/\.\d+$/, '')),
        ['x_mis', 'x_mis', 'z_mis'].slice(0, missing.length),
      );
      const priors = missing.reduce((sum, value, place) => {
        const [, center = '', spread = ''] =
          new RegExp(`${place < 2 ? 'x' : 'z'}_mis ~ normal\\((.+), (.+)\\)`).exec(program) ?? [];
        return (
          sum -
          0.5 * ((value - Number(center)) / Number(spread)) ** 2 -
          Math.log(Number(spread)) -
          0.5 * Math.log(2 * Math.PI)
        );
      }, 0);
      const difference = on.logDensity([...point, ...missing]) - reference.logDensity(point);
      assert.ok(Math.abs(difference - priors) < 1e-9, `${difference} instead of ${priors}`);
    });

  it('include those of an outcome with numbers, whose rows remain', async () => {
    const table = tableOf(['y,x', '1.5,2', ',4', '2.5,', '4,5', ',7']);
    const { data, omitted, program, terms } = made('y ~ x', 'normal', table);
    const values: Record<string, number[]> = JSON.parse(data);
    assert.equal(omitted, 0);
    assert.deepEqual(
      [values.y, values.y_obs_rows, values.y_mis_rows, values.x_mis_rows],
      [[1.5, 2.5, 4], [1, 3, 4], [2, 5], [3]],
    );
    assert.match(program, /y ~ normal\(mu\[y_obs_rows\], sigma\);\n {2}y_mis ~ normal\(mu\[y_mis_rows\], sigma\);/);
    await (await compile(program)).on(data);
    assert.deepEqual(
      [...Array.from(outcomeIn(terms, (name) => values[name]) ?? [])],
      [1.5, Number.NaN, 2.5, 4, Number.NaN],
    );
    assert.ok(areTerms(JSON.parse(JSON.stringify(terms))));
    const counts = made('y ~ x', 'poisson', tableOf(['y,x', '1,2', ',4', '2,', '4,5', ',7']));
    assert.equal(counts.omitted, 2);
  });

  it('leave rows out that lack a category or a number of 0 or 1', () => {
    const table = tableOf(['y,x,g,b', '1,2,a,0', '2,,a,1', '3,4,,1', '4,5,b,', '5,7,b,1', '6,1,a,0']);
    const { data, omitted } = made('y ~ x + g + b', 'normal', table);
    assert.equal(omitted, 2);
    const { N, x_mis_rows } = JSON.parse(data);
    assert.deepEqual([N, x_mis_rows], [4, [2]]);
  });

  it('are the same as without the choice if no value is missing', () => {
    const table = tableOf([HEADER, ...ROWS]);
    const omit = modelFromFormula({ formula: 'y ~ x + (1 | g)', family: 'normal', table });
    assert.deepEqual(made('y ~ x + (1 | g)', 'normal', table), omit);
  });

  it('allow replicated data and log likelihoods to be derived', async () => {
    const { program } = made('y ~ x + z');
    const names = { simulated: ['_rep'], logLikelihood: 'log_lik' };
    const found = missingQuantities({ name: 'model.stan', text: program, includes: {} }, FUNCTIONS, names);
    assert.deepEqual(found?.names, ['y_rep', 'log_lik']);
  });

  it('take their rows out of averages over observed rows', () => {
    const { data, terms } = made('y ~ x + z');
    const values: Record<string, number[]> = JSON.parse(data);
    assert.deepEqual(
      observedRows(terms, 6, (name) => values[name]),
      [0, 3, 5],
    );
  });
});

/** Programs and data from formulas, and faults of formulas and columns. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Family } from '../../src/formula/families.js';
import { formulaFaultText } from '../../src/formula/faults.js';
import { modelFromFormula } from '../../src/formula/model.js';
import type { Table } from '../../src/tables/table.js';
import { PUPILS, tableOf } from './tables.js';

function made(formula: string, family: Family = 'normal', table: Table = PUPILS, order?: readonly string[]) {
  const model = modelFromFormula({ formula, family, table, order });
  assert.ok('program' in model, 'faults' in model ? model.faults.map(formulaFaultText).join() : '');
  return { ...model, values: JSON.parse(model.data) };
}

describe('models from formulas', () => {
  it('have a program that can be read', () => {
    assert.equal(
      made('score ~ hours + sex + (1 | school)').program,
      `// score ~ hours + sex + (1 | school)
// Linear regression.
data {
  int<lower=0> N; // rows
  vector[N] score;
  vector[N] hours;
  vector<lower=0, upper=1>[N] sex_m; // 1 if sex is m, compared with f
  int<lower=1> N_school; // groups of school
  array[N] int<lower=1, upper=N_school> school; // 1 = Aue, 2 = Bern, 3 = Chur, 4 = Davos
}
transformed data {
  // Predictors without their means in the table from which this program was written. The means are
  // constants, so that the parameters have the same meaning with other rows.
  real mean_hours = 2.708;
  real mean_sex_m = 0.5;
  vector[N] hours_c = hours - mean_hours;
  vector[N] sex_m_c = sex_m - mean_sex_m;
}
parameters {
  real alpha; // expected score at the means of the predictors
  real b_hours; // change of expected score per unit of hours
  real b_sex_m; // change of expected score from sex f to m
  real<lower=0> sd_school; // standard deviation between groups of school
  vector<multiplier=sd_school>[N_school] r_school; // differences of the groups
  real<lower=0> sigma; // standard deviation of the errors
}
model {
  alpha ~ normal(59, 17); // mean(score), 2.5 sd(score)
  b_hours ~ normal(0, 12); // 2.5 sd(score) / sd(hours)
  b_sex_m ~ normal(0, 32); // 2.5 sd(score) / sd(sex_m)
  sigma ~ exponential(0.15); // mean: sd(score)
  sd_school ~ exponential(0.15); // mean: sd(score)
  r_school ~ normal(0, sd_school);
  vector[N] mu = alpha
    + b_hours * hours_c
    + b_sex_m * sex_m_c
    + r_school[school];
  score ~ normal(mu, sigma);
}
generated quantities {
  real intercept = alpha - b_hours * mean_hours - b_sex_m * mean_sex_m; // alpha where all predictors are 0
}
`,
    );
  });

  it('code categories as R does', () => {
    const names = (formula: string) => made(formula).program.match(/(?<=^ {2}real )b_\w+/gm);
    assert.deepEqual(names('score ~ sex*school'), [
      ...['b_sex_m', 'b_school_Bern', 'b_school_Chur', 'b_school_Davos'],
      ...['b_sex_m_school_Bern', 'b_sex_m_school_Chur', 'b_sex_m_school_Davos'],
    ]);
    assert.deepEqual(names('score ~ 0 + sex + factor(room)'), ['b_sex_f', 'b_sex_m', 'b_room_2', 'b_room_3']);
    assert.deepEqual(names('score ~ hours + hours:sex'), ['b_hours', 'b_hours_sex_m']);
    assert.deepEqual(names('score ~ sex:hours'), ['b_sex_f_hours', 'b_sex_m_hours']);
  });

  it('have data for the rows without missing values, and labels of groups', () => {
    const table = tableOf(['y,x,g', '1.5,1,b', '2.5,,a', '4,3,a', ',1,c', '5,2,b', '7,8,a']);
    const { levels, omitted, values } = made('y ~ x + (1 | g)', 'normal', table);
    assert.deepEqual(values, { N: 4, y: [1.5, 4, 5, 7], x: [1, 3, 2, 8], N_g: 2, g: [2, 1, 2, 1] });
    assert.deepEqual([omitted, levels], [2, [{ variable: 'g', labels: ['a', 'b'] }]]);
  });

  it('have outcomes of texts: 0 and 1, or ordered categories', () => {
    assert.deepEqual(made('passed ~ 1', 'bernoulli').values.passed, [0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1]);
    const { levels, values } = made('grade ~ 1', 'cumulative', PUPILS, ['low', 'mid', 'high']);
    assert.deepEqual(values.grade, [1, 2, 2, 1, 3, 2, 3, 3, 1, 2, 1, 2]);
    assert.deepEqual(levels, [{ variable: 'grade', labels: ['low', 'mid', 'high'] }]);
  });

  it('have names that are valid and distinct', () => {
    const table = tableOf(['Größe (cm),sigma,N,alpha,real', '170.5,1,5,a,1', '180.5,2,3,b,2', '160,2,1,a,3']);
    const { program, values } = made('`Größe (cm)` ~ sigma + N + real + (1 | alpha)', 'normal', table);
    assert.deepEqual(Object.keys(values), ['N_rows', 'groesse_cm', 'sigma', 'N', 'real_value', 'N_alpha', 'alpha']);
    for (const part of ['real alpha_0;', 'real<lower=0> sigma_0;', 'normal(mu, sigma_0)'])
      assert.ok(program.includes(part));
    assert.equal(made('groesse_cm ~ sigma', 'normal', table).program.includes('vector[N] groesse_cm;'), true);
  });

  it('have offsets, which shift the prior of the intercept', () => {
    const { program, values } = made('fails ~ sex + offset(log(hours))', 'poisson');
    assert.deepEqual(Object.keys(values), ['N', 'fails', 'sex_m', 'hours']);
    // The mean count is 2.25, and the mean of hours 2.70833.
    assert.ok(program.includes('alpha ~ normal(-0.2, 2.5); // log of mean(fails) / mean(hours), 2.5'));
    assert.ok(program.includes('vector[N] eta = alpha + b_sex_m * sex_m_c + log(hours);'));
    assert.ok(program.includes('vector[N] rest = eta - b_sex_m * sex_m;'));
    const linear = made('score ~ offset(hours)').program;
    assert.ok(linear.includes('vector[N] mu = alpha + hours;'));
    assert.match(linear, /alpha ~ normal\(56, .*\); \/\/ mean\(score - hours\), 2\.5 sd\(score - hours\)/);
  });

  it('have combinations of groups that the table contains', () => {
    const { levels, program, values } = made('score ~ (1 | school/sex)');
    assert.deepEqual(values.school_sex, [1, 2, 1, 4, 3, 4, 6, 5, 5, 8, 7, 8]);
    assert.deepEqual(
      [values.N_school_sex, levels[1]],
      [8, { variable: 'school_sex', labels: ['Aue', 'Bern', 'Chur', 'Davos'].flatMap((a) => [`${a}:f`, `${a}:m`]) }],
    );
    assert.ok(program.includes('vector[N] mu = alpha + r_school[school] + r_school_sex[school_sex];'));
    assert.match(program, /^\/\/ score ~ \(1 \| school\) \+ \(1 \| school:sex\)\n/);
    const gaps = tableOf(['y,a,b', '1.5,p,2', '2.5,p,1', '4,q,2', '3,q,2']);
    assert.deepEqual(made('y ~ (1 | a:b)', 'normal', gaps).values.a_b, [2, 1, 3, 3]);
  });

  it('have average effects on the scale of the outcome', () => {
    const { program } = made('passed ~ hours*sex', 'bernoulli');
    assert.match(
      program,
      /effect_hours = mean\(inv_logit\(eta \+ b_hours \+ b_hours_sex_m \* sex_m\)\) - mean\(inv_logit\(eta\)\);/,
    );
    assert.match(program, /vector\[N\] rest = eta - b_sex_m \* sex_m - b_hours_sex_m \* \(hours \.\* sex_m\);/);
    assert.match(
      program,
      /effect_sex_m = mean\(inv_logit\(rest \+ b_sex_m \+ b_hours_sex_m \* hours\)\) - mean\(inv_logit\(rest\)\);/,
    );
    assert.doesNotMatch(made('score ~ hours + sex').program, /effect/);
    assert.match(made('score ~ hours*sex').program, /effect_hours = mean\(b_hours \+ b_hours_sex_m \* sex_m\);/);
  });
});

describe('faults', () => {
  const table = tableOf([
    'y,same,x,town,id,day,many,n',
    ...Array.from({ length: 40 }, (_, n) => `${n % 7}.5,3,${n}.5,Kiel,${n},2024-03-0${1 + (n % 9)},k${n},${n % 5}`),
  ]);
  for (const [formula, family, key, part] of [
    ['Y ~ x', 'normal', 'unknownColumn', 'Y'],
    ['y ~ y', 'normal', 'outcomeAsPredictor', 'y'],
    ['town ~ x', 'normal', 'constantOutcome', 'town'],
    ['many ~ x', 'normal', 'outcomeIsText', 'many'],
    ['day ~ x', 'normal', 'outcomeIsDate', 'day'],
    ['n ~ x', 'bernoulli', 'outcomeNotBinary', 'n'],
    ['x ~ n', 'poisson', 'outcomeNotCount', 'x'],
    ['x ~ n', 'cumulative', 'outcomeNotOrdinal', 'x'],
    ['y ~ same', 'normal', 'constantColumn', 'same'],
    ['y ~ many', 'normal', 'tooManyLevels', 'many'],
    ['y ~ (1 | town)', 'normal', 'oneGroup', 'town'],
    ['y ~ (1 | x)', 'normal', 'notGroups', 'x'],
    ['y ~ (1 | id)', 'normal', 'groupPerRow', 'id'],
    ['y ~ x:same', 'normal', 'constantColumn', 'same'],
    ['y ~ offset(many)', 'normal', 'offsetNotNumbers', 'many'],
    ['y ~ x + offset(log(n))', 'normal', 'offsetNotPositive', 'n'],
    ['y ~ x + offset(x)', 'normal', 'offsetIsPredictor', 'x'],
    ['y ~ offset(y)', 'normal', 'outcomeAsPredictor', 'y'],
    ['y ~ (1 | n:x)', 'normal', 'notGroups', 'x'],
    ['y ~ (1 | town:id)', 'normal', 'groupPerRow', 'town:id'],
    ['y ~ (1 | n/twn)', 'normal', 'unknownColumn', 'twn'],
  ] as const)
    it(`are found in ${formula} (${family})`, () => {
      const found = modelFromFormula({ formula, family, table });
      assert.ok('faults' in found);
      assert.deepEqual(
        found.faults.map(({ key, span }) => [key, formula.slice(span.start, span.end)]),
        [[key, part]],
      );
      assert.doesNotMatch(found.faults.map(formulaFaultText).join(), /[{}]/);
    });

  it('suggest a column', () => {
    const found = modelFromFormula({ formula: 'scores ~ Hours + zzz', family: 'normal', table: PUPILS });
    assert.ok('faults' in found);
    assert.deepEqual(found.faults.map(formulaFaultText), [
      'The table has no column "scores". Did you mean "score"?',
      'The table has no column "Hours". Did you mean "hours"?',
      'The table has no column "zzz".',
    ]);
  });

  it('include combinations without rows', () => {
    const gaps = tableOf(['y,a,b', '1.5,p,r', '2.5,p,s', '4,q,r', '3,q,r']);
    const found = modelFromFormula({ formula: 'y ~ a*b', family: 'normal', table: gaps });
    assert.ok('faults' in found);
    assert.deepEqual(
      found.faults.map(({ key, values }) => [key, values.name]),
      [['emptyColumn', 'a q:b s']],
    );
  });
});

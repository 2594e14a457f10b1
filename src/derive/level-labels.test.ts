import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { labeledName } from '../fits/labeled-names.js';
import { labeledVariablesIn, withFewLabels } from './level-labels.js';

const SCHOOL = { variable: 'school', labels: ['Gesamtschule', 'Gymnasium'] };
const SEX = { variable: 'sex', labels: ['f', 'm'] };

function labeled(text: string, levels = [SCHOOL, SEX]) {
  return labeledVariablesIn({ name: 'model.stan', text, includes: {} }, levels);
}

/** The labels of each dimension of the variables, joined. */
function textsOf(text: string, levels?: Parameters<typeof labeled>[1]) {
  return Object.fromEntries(
    labeled(text, levels).map(({ dimensions, name }) => [name, dimensions.map((each) => each?.join('/') ?? '')]),
  );
}

const DATA = `data {
  int N; int K; int N_school; int N_sex;
  array[N] int<lower=1, upper=N_school> school;
  array[N] int<lower=1, upper=N_sex> sex;
}`;

describe('labels of levels', () => {
  it('are left out for very many levels', () => {
    const person = { variable: 'person', labels: Array.from({ length: 20_000 }, (_, index) => `person ${index}`) };
    assert.deepEqual(withFewLabels([SCHOOL, person, SEX]), [SCHOOL, SEX]);
  });

  it('belong to dimensions whose size is the upper bound of the index', () => {
    const text = `${DATA} parameters {
      vector[N_school] theta; matrix[N_school, K] beta; array[K, N_sex] real gamma; array[N_sex] simplex[N_school] p;
      vector[N] e; real mu; vector<lower=0>[N_school] sigma;
    }
    generated quantities { vector[N_school] shown; { vector[N_school] hidden; } }`;
    const schools = 'Gesamtschule/Gymnasium';
    assert.deepEqual(textsOf(text), {
      theta: [schools],
      beta: [schools, ''],
      gamma: ['', 'f/m'],
      p: ['f/m', schools],
      sigma: [schools],
      shown: [schools],
    });
  });

  it('belong to dimensions that the program indexes, and to those of the same size', () => {
    const text = `data { int N; int J; array[N] int school; vector[N] y; }
    parameters { vector[J] theta; matrix[J, 2] beta; vector[2] gamma; vector[3] other; }
    transformed parameters { vector[J] doubled = 2 * theta; }
    model { for (n in 1:N) y[n] ~ normal(theta[school[n]] + gamma[(school)[n]], 1); }`;
    const schools = 'Gesamtschule/Gymnasium';
    assert.deepEqual(textsOf(text), { theta: [schools], beta: [schools, ''], gamma: [schools], doubled: [schools] });
  });

  it('are those of the index, if two indexes have one size', () => {
    const text = `data { int N; int J; array[N] int<upper=J> school; array[N] int<upper=J> sex; }
    parameters { vector[J] a; vector[J] b; vector[J] c; vector[J] d; }
    model { a[school] ~ normal(0, 1); b[sex] ~ normal(0, 1); d[sex] ~ normal(d[school], 1); }`;
    assert.deepEqual(textsOf(text), { a: ['Gesamtschule/Gymnasium'], b: ['f/m'] });
  });

  it('do not exist for other sizes, names in functions, and programs with errors', () => {
    assert.deepEqual(labeled('parameters { vector[2] a; } model { a ~ normal(0, 1) }'), []);
    const text = `functions { real f(vector theta, array[] int school) { return theta[school[1]]; } }
    data { array[2] int<lower=1, upper=2> school; } parameters { vector[2] theta; }`;
    assert.deepEqual(labeled(text), []);
  });

  it('replace indexes in the names of elements', () => {
    const variables = labeled(`${DATA} parameters { vector[N_school] theta; array[K, N_sex] real gamma; real mu; }`);
    const name = (each: string) => labeledName(each, variables);
    assert.equal(name('theta[2]'), 'theta[Gymnasium]');
    assert.equal(name('gamma[3,1]'), 'gamma[3, f]');
    for (const each of ['mu', 'theta', 'theta[3]', 'other[1]', 'theta[1,2]', 't.1[2]']) assert.equal(name(each), each);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unnormalizedPriors } from './unnormalized-priors.js';

/** Problems by parameter, for these declarations of parameters and statements of the model. */
function problems(parameters: string, model: string, transformed = ''): Record<string, string> {
  const text = `functions { real flat_lpdf(real x, real a) { return -log(a); } }
data { int N; vector[N] y; real scale; }
parameters { ${parameters} }
transformed parameters { ${transformed} }
model { ${model} }`;
  const found = unnormalizedPriors({ name: 'model.stan', text, includes: {} });
  return Object.fromEntries(found.map(({ name, problem }) => [name, problem]));
}

describe('unnormalizedPriors', () => {
  it('finds parameters without a prior', () => {
    const model = 'y ~ normal(mu, sigma); target += normal_lpdf(y | p, 1);';
    const found = problems('real mu; real<lower=0> sigma; real<lower=0, upper=1> p; simplex[2] w;', model);
    assert.deepEqual(found, { mu: 'improper', sigma: 'improper', p: 'flat', w: 'flat' });
  });

  it('accepts priors with data, in increments, of transformed parameters and in user functions', () => {
    assert.deepEqual(problems('real mu;', 'mu ~ normal(0, scale); y ~ normal(mu, 1);'), {});
    assert.deepEqual(problems('real mu;', 'target += normal_lpdf(y | mu, 1) + normal_lpdf(mu | 0, 1);'), {});
    assert.deepEqual(problems('vector[2] z;', 't ~ normal(0, 1);', 'vector[2] t = 2 * z;'), {});
    assert.deepEqual(problems('real a;', 'a ~ flat(2);'), {});
    assert.deepEqual(problems('real<lower=0> a;', 'target += -log(a);'), {});
    assert.deepEqual(problems('array[2] vector[3] b;', 'for (k in 1:2) b[k] ~ std_normal();'), {});
  });

  it('finds distributions with mass outside of the bounds', () => {
    const cut = (parameter: string, model: string) => problems(parameter, model).a === 'cut';
    assert.ok(cut('real<lower=0> a;', 'a ~ normal(0, 1);'));
    assert.ok(cut('vector<lower=0>[2] a;', 'a[1] ~ cauchy(0, 5); a[2] ~ cauchy(0, 5);'));
    assert.ok(cut('real<lower=0, upper=10> a;', 'a ~ gamma(2, 1);'));
    assert.ok(cut('real<lower=-scale> a;', 'target += student_t_lpdf(a | 3, 0, 1);'));
    assert.ok(cut('ordered[3] a;', 'a ~ normal(0, 1);'));
    assert.ok(!cut('real<lower=0> a;', 'a ~ normal(0, 1) T[0, ];'));
    assert.ok(!cut('real<lower=0> a;', 'target += student_t_lpdf(a | 3, 0, 1) - student_t_lccdf(0 | 3, 0, 1);'));
    assert.ok(!cut('real<lower=0> a;', 'a ~ lognormal(0, 1);'));
    assert.ok(!cut('real<lower=0, upper=1> a;', 'a ~ beta(1, 2);'));
    assert.ok(!cut('real<lower=negative_infinity()> a;', 'a ~ normal(0, 1);'));
    assert.ok(!cut('simplex[3] a;', "a ~ dirichlet([1, 1, 1]');"));
    assert.ok(!cut('real<lower=2, upper=3> a;', 'a ~ uniform(2, 3);'));
  });

  it('finds nothing in programs with errors', () => {
    assert.deepEqual(unnormalizedPriors({ name: 'model.stan', text: 'parameters { real', includes: {} }), []);
  });
});

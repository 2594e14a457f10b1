import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LanguageService } from '../editing/language-service.js';

/** The statements that remain of a model block with these statements. */
function priorOf(
  model: string,
  more: { readonly functions?: string; readonly includes?: Record<string, string> } = {},
) {
  const service = new LanguageService();
  const text = `functions {
  real twice(real y, real mu) { return 2 * normal_lpdf(y | mu, 1); }
  real half(real x) { return x / 2; }
  void add_lp(real y, real mu) { y ~ normal(mu, 1); }
  real part(array[] real y, int from, int to, real mu) { return normal_lpdf(y | mu, 1); }
}
data { int N; array[N] real y; real scale; }
transformed data { array[N] real z = y; }
parameters { real mu; real<lower=0> sigma; simplex[2] share; }
transformed parameters { real shifted = mu + scale; }
model {
${model}
}`;
  const { remarks } = service.update({ name: 'model.stan', text, includes: more.includes ?? {} });
  assert.deepEqual(
    remarks.filter(({ severity }) => severity === 'error'),
    [],
  );
  const prior = service.prior();
  if (prior.kind === 'unclear') return { unclear: prior.reason, line: prior.line };
  const changed = service.update({ name: 'model.stan', text: prior.text, includes: prior.includes });
  assert.deepEqual(
    changed.remarks.filter(({ severity }) => severity === 'error'),
    [],
  );
  const comments = /\/\*[\s\S]*?\*\//g;
  return prior.text
    .slice(prior.text.indexOf('model {') + 8, -1)
    .replace(comments, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== ';');
}

describe('the prior of a program', () => {
  it('omits statements whose outcome is data', () => {
    assert.deepEqual(priorOf('mu ~ normal(0, scale);\ny ~ normal(mu, sigma);\nz ~ normal(mu, 1);'), [
      'mu ~ normal(0, scale);',
    ]);
  });
  it('keeps densities of elements that data choose', () => {
    assert.deepEqual(priorOf('share[N] ~ beta(1, 1);\ny ~ normal(mu, 1);'), ['share[N] ~ beta(1, 1);']);
  });
  it('removes loops that become empty', () => {
    assert.deepEqual(priorOf('for (n in 1:N)\ny[n] ~ normal(mu, 1);\nsigma ~ exponential(1);'), [
      'for (n in 1:N)',
      'sigma ~ exponential(1);',
    ]);
  });
  it('omits increments by densities of data, also through local variables', () => {
    const mixture = `for (n in 1:N) {
      array[2] real lp;
      for (k in 1:2) lp[k] = log(share[k]) + normal_lpdf(y[n] | mu + k, sigma);
      target += log_sum_exp(lp);
    }
    target += normal_lpdf(mu | 0, scale);
    target += -0.5 * mu^2;
    target += reduce_sum(part, y, 1, mu);`;
    const left = priorOf(mixture);
    assert.ok(Array.isArray(left));
    assert.deepEqual(
      left.filter((line) => line.startsWith('target')),
      ['target += normal_lpdf(mu | 0, scale);', 'target += -0.5 * mu^2;'],
    );
  });
  it('omits increments that belong to an observation but are not densities of data', () => {
    const zeroInflated = `share ~ dirichlet([1, 1]');
    for (n in 1:N) {
      if (z[n] == 0) target += log_sum_exp(log(share[1]), log(share[2]) + normal_lpdf(y[n] | mu, 1));
      else target += log(share[2]) + normal_lpdf(y[n] | mu, 1);
    }
    for (n in 1:N) {
      if (y[n] == 0) 1 ~ bernoulli(share[1]);
      else {
        0 ~ bernoulli(share[1]);
        target += log1m(share[1]);
        y[n] ~ normal(mu, 1);
      }
    }
    if (scale > 0) target += -0.5 * mu^2;`;
    const left = priorOf(zeroInflated);
    assert.ok(Array.isArray(left));
    assert.deepEqual(
      left.filter((line) => /~|target/.test(line)),
      ["share ~ dirichlet([1, 1]');", 'if (scale > 0) target += -0.5 * mu^2;'],
    );
  });
  it('keeps increments by functions of data that are not densities of the outcome', () => {
    assert.deepEqual(priorOf('target += normal_lpdf(mu | half(scale), 1);\ny ~ normal(mu, 1);'), [
      'target += normal_lpdf(mu | half(scale), 1);',
    ]);
  });
  for (const [statement, reason] of [
    [
      'target += normal_lpdf(y | mu, 1) + normal_lpdf(mu | 0, 1);',
      'it adds both densities of data and densities of parameters',
    ],
    ['target += twice(y[1], mu);', 'what twice computes depends on data'],
    ['shifted ~ normal(0, 1);', 'its outcome is made of data and of parameters'],
    ['y[1] - mu ~ normal(0, 1);', 'its outcome is made of data and of parameters'],
    ['add_lp(y[1], mu);', 'what add_lp adds to the target depends on data'],
    ['target += -square(y[1] - mu);', 'it adds an expression of data to the target that is not a density'],
  ] as const) {
    it(`is not guessed for ${statement}`, () => {
      assert.deepEqual(priorOf(`sigma ~ exponential(1);\n${statement}`), { unclear: reason, line: 13 });
    });
  }
  it('does not exist for a program that does not condition on data', () => {
    assert.deepEqual(priorOf('mu ~ std_normal();'), {
      unclear: 'no statement conditions on data',
      line: 1,
    });
  });
  it('is rejected with the name of a parameter that has no prior', () => {
    const flat = (parameters: string, model: string) => {
      const service = new LanguageService();
      const text = `data { real y; }\nparameters { ${parameters} }\nmodel { ${model} y ~ normal(mu, 1); }`;
      service.update({ name: 'model.stan', text, includes: {} });
      const prior = service.prior();
      assert.ok(prior.kind === 'prior');
      return prior.flat;
    };
    assert.deepEqual(flat('real mu;', ''), { name: 'mu', line: 2 });
    assert.equal(flat('real<lower=0, upper=1> mu;', ''), undefined);
    assert.equal(flat('real mu;', 'mu ~ std_normal();'), undefined);
  });
  it('also removes statements from included files', () => {
    const service = new LanguageService();
    const includes = { 'likelihood.stan': 'y ~ normal(mu, 1);\n' };
    const text = 'data { real y; } parameters { real mu; } model { mu ~ std_normal();\n#include likelihood.stan\n}';
    service.update({ name: 'model.stan', text, includes });
    const prior = service.prior();
    assert.ok(prior.kind === 'prior');
    assert.deepEqual([prior.text, prior.includes], [text, { 'likelihood.stan': '; /* y ~ normal(mu, 1); */\n' }]);
  });
});

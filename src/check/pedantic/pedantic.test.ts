import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FUNCTIONS } from '../../functions/table.js';
import { parse } from '../../syntax/parse.js';
import { check } from '../check.js';
import { type PedanticOptions, pedanticWarnings } from './pedantic.js';

/** Each warning as `line:column` and its text. */
function warningsOf(text: string, options: PedanticOptions = {}): readonly string[] {
  const parsed = parse({ name: 'model.stan', text });
  if ('diagnostics' in parsed) throw new Error(parsed.diagnostics[0].message);
  const checked = check(parsed.program, FUNCTIONS);
  if ('diagnostics' in checked) throw new Error(checked.diagnostics[0].message);
  return pedanticWarnings(checked.program, FUNCTIONS, options).map(
    ({ span, message }) => `${span.begin.line}:${span.begin.column} ${message}`,
  );
}

/** The warnings about a model block, one-line parameters and data before it. */
function ofModel(parameters: string, model: string, data = 'int N; vector[N] y;'): readonly string[] {
  return warningsOf(`data { ${data} }\nparameters { ${parameters} }\nmodel {\n${model}\n}\n`);
}

function assertOne(warnings: readonly string[], start: string): void {
  assert.equal(warnings.length, 1, warnings.join('\n'));
  assert.ok(warnings[0].startsWith(start), warnings[0]);
}

describe('pedantic mode', () => {
  it('prints nothing about a sound model', () => {
    assert.deepEqual(
      ofModel('real mu; real<lower=0> s;', 'mu ~ normal(0, 1); s ~ normal(0, 1); y ~ normal(mu, s);'),
      [],
    );
  });

  it('reports parameters that the density does not depend on', () => {
    assert.deepEqual(ofModel('real a; real b;', 'a ~ normal(0, 1); real c = b;'), [
      '2:21 The parameter b was declared but was not used in the density calculation.',
    ]);
  });

  it('counts as priors the factors that reach data only through the parameter', () => {
    assertOne(ofModel('real a;', 'y ~ normal(a, 1);'), '2:13 The parameter a has no priors.');
    assertOne(
      ofModel('real a;', 'target += normal_lpdf(a | 0, 1) + cauchy_lpdf(a | 0, 1);'),
      '2:13 The parameter a has 2 priors.',
    );
  });

  it('counts a likelihood of integers as a prior, as stanc does, unless only sizes of variables count as sizes', () => {
    const warnings = (data: string, model: string, integersAreSizes: boolean) =>
      warningsOf(`data { ${data} }\nparameters { real<lower=0, upper=1> p; }\nmodel { ${model} }\n`, {
        integersAreSizes,
      });
    const counts = 'int heads; int tails;';
    const likelihood = 'heads ~ binomial(heads + tails, p);';
    assert.deepEqual(warnings(counts, `p ~ beta(1, 1); ${likelihood}`, true), ['2:13 The parameter p has 2 priors.']);
    assert.deepEqual(warnings(counts, `p ~ beta(1, 1); ${likelihood}`, false), []);
    assertOne(warnings(counts, likelihood, false), '2:13 The parameter p has no priors.');
    assert.deepEqual(warnings('int N; vector[N] y;', 'target += -N * p; p ~ beta(1, 1);', false), [
      '2:13 The parameter p has 2 priors.',
    ]);
  });

  it('follows a parameter through variables, loops and calls', () => {
    assert.deepEqual(ofModel('real a;', 'real b = 0; for (n in 1:N) b += a; b ~ normal(0, 1);'), []);
  });

  it('counts a fused product as one factor, as stanc does', () => {
    assert.deepEqual(ofModel('real a;', 'target += a * 2.0 + a;'), []);
  });

  it('advises against bounds on both sides', () => {
    assertOne(
      ofModel('real<lower=-5, upper=5> a;', 'a ~ normal(0, 1);'),
      '2:13 Your Stan program has a parameter a with',
    );
    assertOne(
      ofModel('real<lower=3, upper=1 + 2> a;', 'a ~ normal(0, 1);'),
      "2:13 Parameter a has constraints that don't",
    );
    assert.deepEqual(ofModel('real<lower=0, upper=1> a;', 'a ~ normal(0, 1);'), []);
  });

  it('reports variables on the left of several tildes', () => {
    assert.deepEqual(ofModel('real a;', 'a ~ normal(0, 1);\na ~ cauchy(0, 1);'), [
      '2:13 The parameter a has 2 priors.',
      '4:0 The parameter a is on the left-hand side of more than one tilde statement.',
    ]);
  });

  it('reports transforms on the left of a tilde that may not be linear', () => {
    assertOne(ofModel('real<lower=0> a;', 'log(a) ~ normal(0, 1);'), '4:0 Left-hand side of distribution');
    assert.deepEqual(ofModel('real a; real b;', 'a - 2 * b ~ normal(0, 1);'), []);
  });

  it('reports control flow that depends on parameters, also inside functions', () => {
    assertOne(
      ofModel('real a;', 'a ~ normal(0, 1); while (a > 1) break;'),
      '4:18 A control flow statement depends on parameter(s): a.',
    );
    const inside = warningsOf(
      'functions { real f(real x) { real y = x; if (y > 0) return y; return 0; } }\nparameters { real a; }\nmodel { target += 1 - f(a); }\n',
    );
    assertOne(
      inside,
      "1:41 A control flow statement inside function f depends on argument x. At 'model.stan', line 3, column 24 to column 25, the value of x depends on parameter(s): a.",
    );
  });

  it('compares constraints with what distributions support', () => {
    assertOne(
      ofModel('real a;', 'a ~ gamma(2, 1);'),
      '4:0 Parameter a is given a gamma distribution, which has strictly positive support',
    );
    assertOne(
      ofModel('real s;', 's ~ std_normal(); y ~ normal(0, s);'),
      '4:32 A normal distribution is given parameter s as a scale parameter (argument 2), but s was not constrained',
    );
    assert.deepEqual(ofModel('cov_matrix[2] S;', 'S ~ wishart(3, identity_matrix(2));'), []);
  });

  it('compares numbers with what distributions support', () => {
    assertOne(
      ofModel('', 'N ~ poisson(-2);'),
      '4:12 A poisson distribution is given value -2 as a rate parameter (argument 1)',
    );
  });

  it('reports constants far from 1', () => {
    assertOne(ofModel('real a;', 'a ~ normal(0, 1e-4);'), '4:14 Argument 1e-4 suggests');
    assertOne(ofModel('real a;', 'a ~ normal(0, 10.0 * 2.5);'), '4:14 Argument 25. suggests');
  });

  it('advises against uniform, lkj_corr and weak gamma priors', () => {
    assertOne(ofModel('real a;', 'a ~ uniform(0, 1);'), '4:0 Parameter a is given a uniform distribution.');
    assertOne(ofModel('corr_matrix[2] R;', 'R ~ lkj_corr(2);'), '4:0 It is suggested to reparameterize');
    assertOne(ofModel('real<lower=0> a;', 'a ~ gamma(0.5, 0.5);'), '4:10 There is a gamma or inverse-gamma');
  });

  it('recognizes a density under its shorter name where an identity gives one', () => {
    assert.deepEqual(ofModel('real p;', 'p ~ normal(0, 1); k ~ bernoulli(inv_logit(p));', 'array[3] int k;'), []);
  });

  it('reports variables read before they are assigned', () => {
    assert.deepEqual(warningsOf('transformed data { vector[2] v; real y = v[1]; }\n'), [
      '1:41 The variable v may not have been assigned a value before its first use.',
    ]);
    assert.deepEqual(warningsOf('transformed data { int n = 2; real x; for (i in 1:n) x = i; real y = x; }\n'), []);
  });
});

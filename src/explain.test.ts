import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { costsText } from './cli/tables/costs-text.js';
import { costDetail, explain } from './explain.js';

const DATA = `data {
  int N; int K; int G;
  vector[N] y; vector[N] x; matrix[N, K] X;
  array[N] int<lower=0> count; array[N] int<lower=0, upper=1> z; array[N] int<lower=1, upper=G> group;
}
parameters { real a; vector[K] b; real<lower=0> s; vector[G] effect; vector[N] own; }
`;

/** Cost, variables and reasons of the statements of a model block. */
function costs(model: string): readonly string[] {
  const found = explain(`${DATA}model {\n${model}\n}`);
  assert.ok(found !== null);
  return found.map(({ by, cost, reasons, termsBy }) => {
    const names = by.length === 0 ? '' : ` of ${by.join(', ')}`;
    const terms = termsBy.length === 0 ? '' : `, terms of ${termsBy.join(', ')}`;
    return [`${cost}${names}${terms}`, ...reasons.map(({ against, text }) => `${against}: ${text}`)].join(' | ');
  });
}

describe('the cost of a statement', () => {
  it('is constant if sums over rows suffice', () => {
    for (const model of [
      'y ~ normal(a + X * b, s);',
      'y ~ normal_id_glm(X, a, b, s);',
      'target += normal_lpdf(y | a + b[1] * x + b[2] * square(x), s);',
      'for (n in 1:N) { real mu = a + b[1] * x[n]; y[n] ~ normal(mu, s); }',
    ]) {
      assert.deepEqual(costs(model), ['sums'], model);
    }
  });

  it('is per group if parameters are looked up', () => {
    assert.deepEqual(costs('y ~ normal(effect[group], s);'), ['groups of group']);
    assert.deepEqual(costs('y ~ normal(effect[group] + effect[count], s);'), ['groups of count, group']);
    const truncated = 'for (n in 1:N) { y[n] ~ normal(effect[group[n]], s) T[x[group[n]], 9]; }';
    assert.deepEqual(costs(truncated), ['groups of group, x']);
    assert.deepEqual(costs('y ~ normal(exp(a * x), s);'), ['groups of x']);
  });

  it('is per distinct row, with the reason why sums do not suffice', () => {
    const logistic = 'sums: log1p_exp of data and parameters is not linear in parameters';
    assert.deepEqual(costs('z ~ bernoulli_logit(effect[group] + a * x);'), [
      `distinct rows of group, x, z | ${logistic}`,
    ]);
    assert.deepEqual(costs('z ~ bernoulli_logit_glm(X, a, b);'), [`distinct rows of X, z | ${logistic}`]);
    assert.deepEqual(costs('y ~ student_t(4, exp(a * x), s);'), [
      'distinct rows of x, y | sums: exp of data and parameters is not linear in parameters',
    ]);
  });

  it('is per row, with the reasons', () => {
    const [own] = costs('own ~ normal(0, s);');
    assert.equal(
      own,
      'rows | sums: each row has its own parameter | distinct rows: each row has its own parameter or number',
    );
    const [nested] = costs('for (k in 1:K) { if (b[k] > 0) { for (n in 1:N) y[n] ~ normal(b[k], s); } }');
    assert.match(nested, /^rows \| sums: /);
    const [costly] = costs('count ~ neg_binomial_2(exp(own), s);');
    assert.match(costly, /^rows, terms of count \| /);
  });

  it('is absent for statements of data and for Jacobians', () => {
    assert.deepEqual(costs('y ~ normal(x, 1); target += normal_lpdf(y | x, 1);'), ['data', 'data']);
    assert.deepEqual(costs(''), []);
  });

  it('is listed in program order, for functions with their calls', () => {
    const found = explain(`functions {
  real half_lpdf(real x) { return normal_lpdf(x | 0, 1) + log(2); }
  void add_lp(real x) { target += -x; }
}
parameters { real<lower=0> p; real<lower=0> q; }
model {
  q ~ half();
  add_lp(p);
}`);
    assert.deepEqual(
      found?.map(({ span, cost }) => [span.begin.line, cost]),
      [
        [7, 'once'],
        [8, 'once'],
      ],
    );
  });

  it('is unknown for programs that cannot be compiled', () => {
    assert.equal(explain('parameters { real x }'), null);
    assert.equal(explain('parameters { real x; } model { y ~ std_normal(); }'), null);
  });

  it('is formatted as text', () => {
    const program = `data { int N; vector[N] x; vector[N] y; array[N] int<lower=0, upper=1> z; }
parameters { real a; real<lower=0> s; }
model {
  s ~ cauchy(0, 1);
  y ~ normal(
    a * x,
    s);
  z ~ bernoulli_logit(a * x);
}`;
    assert.equal(
      costsText((explain(program, { name: 'm.stan' }) ?? []).map(costDetail)),
      `m.stan:4:3: s ~ cauchy(0, 1);
  once per evaluation
m.stan:5:3: y ~ normal( …
  constant: sums over the rows are computed when data are bound
m.stan:8:3: z ~ bernoulli_logit(a * x);
  per distinct row of x and z; per row if more than half of the rows differ
    no sums: log1p_exp of data and parameters is not linear in parameters
`,
    );
  });
});

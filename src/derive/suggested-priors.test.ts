import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check } from '../check/check.js';
import { FUNCTIONS } from '../functions/table.js';
import { parse } from '../syntax/parse.js';
import { priorFacts } from './prior-facts.js';
import { edited } from './program-text.js';

/** The program with all suggested priors, which must be valid. */
function withPriors(text: string): string {
  const source = { name: 'model.stan', text, includes: {} };
  const changed = edited(
    source,
    priorFacts(source).suggested.map(({ edit }) => edit),
  );
  const parsed = parse(changed, new Map());
  assert.ok('program' in parsed && 'program' in check(parsed.program, FUNCTIONS), changed.text);
  return changed.text;
}

const program = (declared: string) => `data { int N; real y; }
parameters {
  ${declared}
  real mu;
}
model {
  mu ~ std_normal();
  y ~ normal(mu, 1);
}
`;
const REMINDER = ' // Replace 10 with the scale of plausible values.\n  ';
const added = (declared: string) => {
  const [, model = ''] = withPriors(program(declared)).split('model {\n  ');
  return model.slice(0, model.indexOf('mu ~')).replaceAll(REMINDER, '');
};

describe('suggested priors', () => {
  it('are normal, and at the bound if there is one', () => {
    assert.equal(added('real a;'), 'a ~ normal(0, 10);');
    assert.equal(added('real<lower=0> a;'), 'a ~ normal(0, 10);');
    assert.equal(added('vector<upper=-1.5>[N] a;'), 'a ~ normal(-1.5, 10);');
    assert.equal(added('ordered[3] a;'), 'a ~ normal(0, 10);');
    assert.equal(added('real a; row_vector[2] b;'), 'a ~ normal(0, 10);b ~ normal(0, 10);');
  });

  it('apply to each element of matrices and arrays', () => {
    assert.equal(added('matrix[2, 3] a;'), 'to_vector(a) ~ normal(0, 10);');
    assert.equal(added('array[3] real a;'), 'a ~ normal(0, 10);');
    assert.equal(added('array[3, 2] real<lower=0> a;'), 'to_array_1d(a) ~ normal(0, 10);');
    assert.equal(added('array[3] matrix[2, 2] a;'), 'for (each_a in a) to_vector(each_a) ~ normal(0, 10);');
  });

  it('are missing where no normal distribution suits the constraint, and for parameters with a prior', () => {
    const declared =
      'real m; real<lower=m> a; cov_matrix[2] b; real<multiplier=3> c; array[2, 2] vector[2] d; real<lower=N> e;';
    assert.equal(added(`${declared} real<lower=0, upper=1> f;`), 'm ~ normal(0, 10);');
  });

  it('keep programs on one line valid', () => {
    assert.equal(
      withPriors('data { real y; } parameters { real a; } model { y ~ normal(a, 1); }'),
      `data { real y; } parameters { real a; } model { a ~ normal(0, 10);${REMINDER}y ~ normal(a, 1); }`,
    );
  });
});

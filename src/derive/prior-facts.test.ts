import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { priorFacts } from './prior-facts.js';

const facts = (text: string) => priorFacts({ name: 'model.stan', text, includes: {} });

describe('what a program states about its prior', () => {
  it('includes unbounded parameters without one', () => {
    const program =
      'data { real y; } parameters { real a, b; real<lower=0, upper=1> p; real<lower=0> s; } model { b ~ std_normal(); y ~ normal(a + b + p, s); }';
    const { isPrior, suggested, withoutPrior } = facts(program);
    assert.deepEqual(withoutPrior, ['a', 's']);
    assert.deepEqual(
      suggested.map(({ name }) => name),
      ['a', 's'],
    );
    assert.equal(isPrior, false);
  });

  it('includes whether anything conditions on data', () => {
    assert.equal(facts('parameters { real x; } model { x ~ std_normal(); }').isPrior, true);
    assert.equal(facts('data { real m; } parameters { real x; } model { x ~ normal(m, 1); }').isPrior, true);
  });

  it('is unknown for programs with errors, or whose likelihood is not separate', () => {
    const unknown = { withoutPrior: [], suggested: [], isPrior: false };
    assert.deepEqual(facts('parameters { real x }'), unknown);
    assert.deepEqual(facts('data { real y; } parameters { real m; } model { target += -square(y - m); }'), unknown);
  });
});

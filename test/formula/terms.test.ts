/** The terms of a model, which travel with its program in links and files. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelFromFormula } from '../../src/formula/model.js';
import { areTermsOf } from '../../src/formula/model-terms.js';
import { areTerms } from '../../src/formula/reading-terms.js';
import { PUPILS } from './tables.js';

function made(formula: string, family: 'normal' | 'bernoulli' = 'normal') {
  const model = modelFromFormula({ formula, table: PUPILS, family });
  assert.ok('terms' in model, JSON.stringify(model));
  return model;
}

describe('terms', () => {
  it('are read as they are written, and not in any other form', () => {
    const { terms } = made('score ~ hours*sex + (1 + hours | school)');
    const read: unknown = JSON.parse(JSON.stringify(terms));
    assert.ok(areTerms(read));
    assert.deepEqual(read, terms);
    const changes = [
      { family: 'gamma' },
      { summands: [{}] },
      { predictors: 'x' },
      { statements: [1] },
      { outcome: undefined },
    ];
    for (const change of changes) assert.equal(areTerms({ ...read, ...change }), false, JSON.stringify(change));
    for (const value of [undefined, null, [], 'terms']) assert.equal(areTerms(value), false);
  });

  it('name the quantities with effects on the expected outcome', () => {
    const effects = (formula: string, family?: 'bernoulli') =>
      made(formula, family).terms.effects.map(({ quantity }) => quantity);
    assert.deepEqual(effects('score ~ hours + sex + (1 | school)'), ['b_hours', 'b_sex_m']);
    assert.deepEqual(effects('score ~ hours*sex'), ['effect_hours', 'effect_sex_m']);
    assert.deepEqual(effects('passed ~ hours', 'bernoulli'), ['effect_hours']);
    assert.deepEqual(effects('score ~ 0 + sex'), []);
    assert.deepEqual(made('passed ~ hours', 'bernoulli').terms.labels, ['no', 'yes']);
  });

  it('hold for the program with other priors or spaces, not with another likelihood', () => {
    const { program, terms } = made('score ~ hours + (1 | school)');
    assert.equal(areTermsOf(terms, program), true);
    assert.equal(
      areTermsOf(terms, program.replace(/b_hours ~ .*;/, 'b_hours ~ normal(0, 1);').replaceAll(' * ', '*')),
      true,
    );
    assert.equal(areTermsOf(terms, program.replace('b_hours * hours_c', 'b_hours * hours')), false);
    assert.equal(areTermsOf(terms, program.replace('~ normal(mu', '~ normal(2 * mu')), false);
  });
});

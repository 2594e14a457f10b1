import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check } from '../check/check.js';
import { FUNCTIONS } from '../functions/table.js';
import { parse } from '../syntax/parse.js';
import { withWholeArrays } from './whole-arrays.js';

/** The kinds of the statements of the model block afterwards. The new program must be valid. */
function kindsOf(model: string): readonly string[] {
  const text = `data { int J; int K; } parameters { array[J] vector[K] b; matrix[J, K] m; vector[K] mu; array[J] vector[K] nu; cov_matrix[K] S; }
    model { ${model} }`;
  const parsed = parse({ name: 'model.stan', text }, new Map());
  assert.ok('program' in parsed);
  const program = withWholeArrays(parsed.program);
  const found = check(program, FUNCTIONS);
  assert.ok('program' in found, JSON.stringify('diagnostics' in found && found.diagnostics));
  return program.model?.statements.map(({ kind }) => kind) ?? [];
}

describe('loops over all vectors of an array', () => {
  it('become one statement for the array', () => {
    assert.deepEqual(kindsOf('for (j in 1:J) b[j] ~ multi_normal(mu, S);'), ['tilde']);
    assert.deepEqual(kindsOf('for (j in 1 : J) { b[j] ~ multi_normal_prec(mu, S); }'), ['tilde']);
    assert.deepEqual(kindsOf('for (each in b) each ~ multi_normal_cholesky(mu, cholesky_decompose(S));'), ['tilde']);
  });

  it('stay if they cover other elements, or if arguments depend on the index', () => {
    for (const loop of [
      'for (j in 2:J) b[j] ~ multi_normal(mu, S);',
      'for (j in 1:K) b[j] ~ multi_normal(mu, S);',
      'for (j in 1:J) b[1] ~ multi_normal(mu, S);',
      'for (j in 1:J) b[j] ~ multi_normal(nu[j], S);',
      'for (j in 1:J) b[j] ~ multi_normal(mu, S / j);',
    ])
      assert.deepEqual(kindsOf(loop), ['for'], loop);
    assert.deepEqual(kindsOf('for (each in b) mu ~ multi_normal(mu, S);'), ['forEach']);
  });

  it('stay for rows of a matrix, other distributions, and bodies of several statements', () => {
    for (const loop of [
      'for (j in 1:J) m[j] ~ multi_normal(mu, S);',
      'for (j in 1:J) b[j] ~ normal(mu, 1);',
      'for (j in 1:J) { b[j] ~ multi_normal(mu, S); target += 1; }',
    ])
      assert.deepEqual(kindsOf(loop), ['for'], loop);
  });
});

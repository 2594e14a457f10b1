import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lowerText } from '../../test/support/lowered.js';
import { visitStatements } from '../ir/walk.js';

/** The messages of the checks that run before the data are used, without the invalid size. */
function refusals(text: string): string[] {
  const result = lowerText(text);
  assert.ok('program' in result);
  const found: string[] = [];
  visitStatements(result.program.prepare, (statement) => {
    if (statement.kind === 'check') found.push(statement.failure.template.replace('; expression value={0}', ''));
  });
  return found;
}

const negative = 'Found negative dimension size in variable declaration';
const lessThanOne =
  'Found dimension size less than one in constrained type declaration (simplex, sum_to_zero_vector, etc.)';
const of = (name: string, size: string): string => `; variable=${name}; dimension size expression=${size}`;

describe('sizes', () => {
  it('of parameters must leave at least one free element for their constraint', () => {
    assert.deepEqual(refusals('data { int L; int M; int N; } parameters { array[L] row_stochastic_matrix[M, N] x; }'), [
      `${negative}${of('x', 'L')}`,
      `${negative}${of('x', 'M')}`,
      `${lessThanOne}${of('x', 'N')}`,
    ]);
  });

  it('of generated quantities only have to be nonnegative', () => {
    const text = 'data { int N; } generated quantities { simplex[N] x; }';
    assert.deepEqual(refusals(text), [`${negative}${of('x', 'N')}`]);
  });

  it('of a Cholesky factor do not allow more columns than rows', () => {
    const last = refusals('data { int M; int N; } parameters { cholesky_factor_cov[M, N] x; }').at(-1);
    const words = 'num rows (must be greater or equal to num cols) is {0}, but must be greater than or equal to {1:f}';
    assert.equal(last, `cholesky_factor_cov x: ${words}`);
  });

  it('in tuples are named after their slots if Stan prints values', () => {
    const declared = 'array[2] tuple(int, vector[N]) x;';
    const named = (block: string): string[] => refusals(`data { int N; } ${block} { ${declared} }`);
    assert.deepEqual(named('generated quantities'), [`${negative}${of('x[].2', 'N')}`]);
    assert.deepEqual(named('transformed data').slice(0, 1), [`${negative}${of('x', 'N')}`]);
  });
});

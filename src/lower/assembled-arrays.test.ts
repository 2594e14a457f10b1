import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check } from '../check/check.js';
import { FUNCTIONS } from '../functions/table.js';
import { parse } from '../syntax/parse.js';
import { withoutAssembledArrays } from './assembled-arrays.js';

/** The kinds of the statements of the model block afterwards. The new program must be valid. */
function kindsOf(model: string): readonly string[] {
  const text = `data { int J; } parameters { vector[J] a; vector[J] b; vector[2] mu; cov_matrix[2] S; } model { ${model} }`;
  const parsed = parse({ name: 'model.stan', text }, new Map());
  assert.ok('program' in parsed, JSON.stringify(parsed));
  const program = withoutAssembledArrays(parsed.program);
  const found = check(program, FUNCTIONS);
  assert.ok('program' in found, JSON.stringify('diagnostics' in found && found.diagnostics));
  const [first, ...others] = program.model?.statements ?? [];
  const statements =
    first?.kind === 'block' && others.length === 0 ? first.statements : (program.model?.statements ?? []);
  return statements.map((each) => (each.kind === 'for' ? `for ${each.body.kind}` : each.kind));
}

const ASSEMBLED = "array[J] vector[2] v; for (j in 1:J) v[j] = [a[j], b[j]]';";

describe('arrays of vectors that a loop assembles for one statement', () => {
  it('become a loop over the vectors', () => {
    assert.deepEqual(kindsOf(`${ASSEMBLED} v ~ multi_normal(mu, S);`), ['for tilde']);
    assert.deepEqual(kindsOf(`{ ${ASSEMBLED} vector[2] m = mu; v ~ multi_normal(m, S); }`), [
      'declaration',
      'for tilde',
    ]);
    const shared = ASSEMBLED.replace('v;', 'v, w;');
    assert.deepEqual(kindsOf(`${shared} v ~ multi_normal(mu, S); w = rep_array(mu, J);`), [
      'declaration',
      'for tilde',
      'assignment',
    ]);
  });

  it('stay if anything else uses them, or if a loop fills only some elements', () => {
    const before = ['declaration', 'for assignment', 'tilde'];
    assert.deepEqual(kindsOf(`${ASSEMBLED} v ~ multi_normal(v[1], S);`), before);
    assert.deepEqual(kindsOf(`${ASSEMBLED} v ~ multi_normal(mu, S); target += v[1, 1];`), [...before, 'target']);
    assert.deepEqual(kindsOf(`${ASSEMBLED.replace('1:J', '2:J')} v ~ multi_normal(mu, S);`), before);
  });

  it('stay if their vectors depend on local variables', () => {
    const local = `real c = 1; ${ASSEMBLED.replace('a[j]', 'c')} v ~ multi_normal(mu, S);`;
    assert.deepEqual(kindsOf(local), ['declaration', 'declaration', 'for assignment', 'tilde']);
  });
});
